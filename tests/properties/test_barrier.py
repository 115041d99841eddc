"""What the barrier costs, against what can be tried out on small plans."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_topology import Needs, closure, dags

from piflows.ir.barrier import Barrier, barrier
from piflows.ir.topology import levels, longest


@pytest.mark.parametrize(
    ("needs", "workers", "price"),
    [
        ({"a": [], "b": ["a"], "c": ["b"]}, 4, Barrier(3, 3, 3, 3, 0, 1)),
        ({"a": [], "b": [], "c": ["a"]}, 4, Barrier(3, 2, 2, 2, 1, 2)),
        ({"a": [], "b": [], "c": ["a"], "d": ["a"]}, 1, Barrier(4, 2, 4, 4, 2, 2)),
        ({"a": [], "b": [], "c": [], "d": ["a"]}, 2, Barrier(4, 2, 3, 2, 1, 2)),
        ({"a": [], "b": [], "c": ["a"], "d": ["c"]}, 4, Barrier(4, 3, 3, 3, 2, 3)),  # d waits for b behind c
        ({"a": [], "b": [], "c": ["a"], "d": ["b", "c"], "e": ["d"]}, 4, Barrier(5, 4, 4, 4, 1, 2)),
    ],
)
def test_the_price(needs: Needs, workers: int, price: Barrier) -> None:
    assert barrier(needs, workers) == price


@given(dags(), st.integers(1, 4))
def test_held_units_and_steps_are_those_that_one_counts(needs: Needs, workers: int) -> None:
    pairs, plan, price = closure(needs), levels(needs), barrier(needs, workers)
    earlier: set[str] = set()
    held = 0
    for wave in plan:
        held += sum(any((unit, other) not in pairs for other in earlier) for unit in wave)
        earlier |= set(wave)
    assert price.held == held
    assert price.steps == sum(-(-len(wave) // workers) for wave in plan)
    assert max(len(plan), -(-len(needs) // workers)) <= price.ready_steps <= len(needs)
    assert barrier(needs, max(len(needs), 1)).ready_steps == len(plan)


@given(dags(), st.data())
def test_no_durations_are_worse_than_the_worst(needs: Needs, data: st.DataObject) -> None:
    lengths = {unit: data.draw(st.integers(1, 1000), unit) for unit in needs}
    waves = sum(max(lengths[unit] for unit in wave) for wave in levels(needs))
    ready = max(longest(needs, lengths).values(), default=1)
    price = barrier(needs, 1)
    assert Fraction(waves, ready) <= max(price.worst, 1)
    assert price.held or waves == ready or not needs


@given(dags())
def test_the_worst_is_reached_where_independent_units_stand_in_all_waves_of_a_stretch(needs: Needs) -> None:
    pairs, plan, price = closure(needs), levels(needs), barrier(needs, 1)
    apart = max(
        (
            len(chosen)
            for some in _stretches(plan)
            for chosen in product(*some)
            if not any((a, b) in pairs or (b, a) in pairs for a, b in combinations(chosen, 2))
        ),
        default=0,
    )
    assert apart <= price.worst
    if price.worst == 2:
        assert apart == 2


def _stretches(plan: list[list[str]]) -> list[list[list[str]]]:
    """Every choice of waves."""
    return [list(some) for size in range(1, len(plan) + 1) for some in combinations(plan, size)][:64]
