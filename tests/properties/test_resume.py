"""Under `wave`, with replies keyed by unit, the outcome depends on neither settle order nor crash points."""

from __future__ import annotations

from drive import SALTS, Run, salted
from hypothesis import given
from hypothesis import strategies as st
from machines import all_flows, guarded_flows

from piflows.ir.flow import Flow


@given(all_flows(schedule="wave"), SALTS, st.lists(st.integers(0, 50)), st.frozensets(st.integers(1, 60), max_size=4))
def test_the_outcome_depends_on_neither_order_nor_crashes(
    flow: Flow, salt: int, order: list[int], crashes: frozenset[int]
) -> None:
    picks = iter(order)
    mixed = Run(flow, salted(salt), pick=lambda count: next(picks, 0) % count, crashes=crashes).go()
    plain = Run(flow, salted(salt)).go()
    backwards = Run(flow, salted(salt), pick=lambda count: count - 1).go()
    assert mixed.outcome == plain.outcome == backwards.outcome


@given(all_flows(), SALTS, st.frozensets(st.integers(1, 60), max_size=4))
def test_a_settled_child_is_never_run_again(flow: Flow, salt: int, crashes: frozenset[int]) -> None:
    run = Run(flow, salted(salt), crashes=crashes).go()
    final = [each["effect"] for each in run.journal if each["kind"] in {"childSettled", "childFailed"}]
    assert len(final) == len(set(final))


@given(
    guarded_flows(schedule="wave"), SALTS, st.lists(st.integers(0, 50)), st.frozensets(st.integers(1, 60), max_size=4)
)
def test_nor_does_it_under_contracts_ceilings_and_a_capture_policy(
    flow: Flow, salt: int, order: list[int], crashes: frozenset[int]
) -> None:
    """A run whose journal lacks a text that is still to be read does not crash here: it could not go on."""
    test_the_outcome_depends_on_neither_order_nor_crashes.hypothesis.inner_test(flow, salt, order, crashes)  # type: ignore[attr-defined]
