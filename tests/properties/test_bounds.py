"""Bounds against an exhaustive walk: no way through a Flow costs more than the most, no success less than the least."""

from __future__ import annotations

from calls import lowered_flows
from hypothesis import given
from hypothesis import strategies as st
from machines import verifying_flows
from walker import walk

from piflows.ir.bounds import bounds
from piflows.ir.flow import Flow, Gate, Settle, Stage, State
from piflows.ir.gates import Round
from piflows.ir.plan import Plan
from piflows.ir.unit import Unit


@given(verifying_flows())
def test_bounds_hold_for_every_way_through_a_flow(flow: Flow) -> None:
    proved, walked = bounds(flow), walk(flow)
    assert proved.most_runs >= walked.most[0]
    assert proved.most_waves >= walked.most[1]
    for least, found in zip((proved.least_runs, proved.least_waves), walked.least, strict=True):
        if found is not None:
            assert least is not None and least <= found


@st.composite
def nests(draw: st.DrawFn) -> Flow:
    """A row of Stages, then rounds around ever more of its end; each resets some or all of those inside it."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=5))
    stages: list[State] = []
    for number, size in enumerate(sizes):
        units = tuple(Unit(f"u{each}", "r", (), ()) for each in range(size))
        onward = f"s{number + 1}" if number + 1 < len(sizes) else "r0"
        stages.append(Stage(f"s{number}", (), Plan(units), {"then": onward}, failure="drain"))
    starts = sorted(draw(st.lists(st.integers(0, len(sizes) - 1), max_size=3)), reverse=True)
    rounds: list[State] = []
    for number, start in enumerate(starts):
        resets = tuple(f"r{inner}" for inner in range(number) if draw(st.booleans()))
        exits = {"again": f"s{start}", "spent": f"r{number + 1}"}
        rounds.append(Gate(f"r{number}", Round(draw(st.integers(0, 3)), resets), exits))
    return Flow("m", "s0", (*stages, *rounds, Settle(f"r{len(starts)}", "success")))


@given(nests())
def test_the_most_is_exact_for_rounds_that_end_together(flow: Flow) -> None:
    proved = bounds(flow)
    assert (proved.most_runs, proved.most_waves) == walk(flow).most


@given(lowered_flows())
def test_the_most_is_exact_for_every_call(flow: Flow) -> None:
    proved = bounds(flow)
    assert (proved.most_runs, proved.most_waves) == walk(flow).most
