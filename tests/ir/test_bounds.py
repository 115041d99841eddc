"""Bounds of flows small enough to count by hand."""

from __future__ import annotations

from typing import Any

import pytest

from piflows.ir.actions import Wait
from piflows.ir.bounds import Bounds, bounds, round_totals
from piflows.ir.flow import Action, Flow, Gate, Settle, Stage, State
from piflows.ir.gates import AllPass, AtLeast, Round
from piflows.ir.plan import Over, Plan
from piflows.ir.unit import Ref, Unit

WON, LOST = Settle("won", "success"), Settle("lost", "stopped")


def unit(name: str, *needs: str) -> Unit:
    return Unit(name, "role", (), (), needs)


def stage(name: str, work: Plan | Over | int, then: str, **more: Any) -> Stage:
    """A number stands for so many units that need nothing; a failure leads to the end."""
    if isinstance(work, int):
        work = Plan(tuple(unit(f"u{number}") for number in range(work)))
    exits = {"then": then, "failed": "lost"} if more.get("failure") != "drain" else {"then": then}
    return Stage(name, (), work, **{"exits": exits, **more})


def flow(*states: State, entry: str = "", epilogue: str = "") -> Flow:
    return Flow("m", entry or states[0].name, (*states, WON, LOST), epilogue=epilogue)


CHAIN = Plan((unit("a"), unit("b", "a"), unit("c", "b"), unit("d")))


def evaluate(times: int) -> Flow:
    """An author, three critics, a way back."""
    return flow(
        stage("author", 1, "panel"),
        stage("panel", 3, "verdict"),
        Gate("verdict", AllPass("panel"), {"pass": "won", "revise": "round"}),
        Gate("round", Round(times), {"again": "author", "spent": "lost"}),
    )


def nested(outer: int, inner: int, *, resets: bool) -> Flow:
    """draft(5) then try(1) in an inner round, all of it in an outer one."""
    return flow(
        stage("draft", 5, "try"),
        stage("try", 1, "good"),
        Gate("good", AtLeast("try", 1), {"enough": "won", "short": "inner"}),
        Gate("inner", Round(inner), {"again": "try", "spent": "outer"}),
        Gate("outer", Round(outer, ("inner",) if resets else ()), {"again": "draft", "spent": "lost"}),
    )


SHAPES: dict[str, tuple[Flow, tuple[int | None, int, int | None, int]]] = {
    "one run": (flow(stage("s", 1, "won")), (1, 1, 1, 1)),
    "a plan weighs its units and its levels": (flow(stage("s", CHAIN, "won")), (4, 4, 3, 3)),
    "first runs one unit": (flow(stage("s", Plan((unit("d"), unit("b", "d"))), "won", schedule="first")), (1, 1, 1, 1)),
    "over weighs its cap, or its least": (
        flow(stage("a", 3, "b"), stage("b", Over(Ref("a", "ok"), unit("x"), 3, 1), "won")),
        (4, 6, 2, 2),
    ),
    "over may have nothing to do": (
        flow(stage("a", 3, "b"), stage("b", Over(Ref("a", "ok"), unit("x"), 3), "won")),
        (3, 6, 1, 2),
    ),
    "a loop": (evaluate(2), (4, 12, 2, 6)),
    "a round that never goes back": (evaluate(0), (4, 4, 2, 2)),
    "the longer branch, the shorter success": (
        flow(
            stage("a", 1, "g"),
            Gate("g", AtLeast("a", 1), {"enough": "short", "short": "long"}),
            stage("short", 2, "won"),
            stage("long", 7, "won"),
        ),
        (3, 8, 2, 2),
    ),
    # inner: 2 in each of the 1 + 3 passes of the outer; 6 for the first pass, 3 times 6 more, 8 times 1 more
    "nested rounds, the outer resets the inner": (nested(3, 2, resets=True), (6, 6 + 3 * 6 + 8 * 1, 2, 2 + 3 * 2 + 8)),
    "nested rounds for the whole run": (nested(3, 2, resets=False), (6, 6 + 3 * 6 + 2 * 1, 2, 2 + 3 * 2 + 2)),
    "two loops in a row add up": (
        flow(
            stage("a", 1, "ra"),
            Gate("ra", Round(2), {"again": "a", "spent": "b"}),
            stage("b", 10, "rb"),
            Gate("rb", Round(1), {"again": "b", "spent": "won"}),
        ),
        (23, 23, 5, 5),
    ),
    "what again leads to may lie before the entry": (
        flow(
            Action("wait", Wait(5), {"then": "more"}),
            stage("more", 4, "probe"),
            stage("probe", 1, "g"),
            Gate("g", AtLeast("probe", 1), {"enough": "won", "short": "round"}),
            Gate("round", Round(2), {"again": "wait", "spent": "lost"}),
            entry="probe",
        ),
        (1, 11, 1, 5),
    ),
    "a way back that cannot return is no loop": (
        flow(stage("a", 1, "r"), Gate("r", Round(9), {"again": "b", "spent": "lost"}), stage("b", 2, "won")),
        (3, 3, 2, 2),
    ),
    "no success": (flow(stage("a", 2, "lost")), (None, 2, None, 1)),
    "success behind a round of no times": (
        flow(stage("a", 1, "r"), Gate("r", Round(0), {"again": "b", "spent": "lost"}), stage("b", 2, "won")),
        (None, 1, None, 1),
    ),
    "success by failure under wave: the first level has run": (
        flow(stage("a", CHAIN, "lost", exits={"then": "lost", "failed": "won"})),
        (2, 4, 1, 3),
    ),
    "success by failure under ready: one run can do": (
        flow(stage("a", CHAIN, "lost", exits={"then": "lost", "failed": "won"}, schedule="ready")),
        (1, 4, 1, 3),
    ),
    "success by failure over a list: all its items have run": (
        flow(
            stage("a", 3, "b"),
            stage("b", Over(Ref("a", "ok"), unit("x"), 3, 2), "lost", exits={"then": "lost", "failed": "won"}),
        ),
        (5, 6, 2, 2),
    ),
    "success by failure over a list: there was an item": (
        flow(
            stage("a", 3, "b"),
            stage("b", Over(Ref("a", "ok"), unit("x"), 3), "lost", exits={"then": "lost", "failed": "won"}),
        ),
        (4, 6, 2, 2),
    ),
    "success by failure of the first": (
        flow(stage("a", CHAIN, "lost", exits={"then": "lost", "failed": "won"}, schedule="first")),
        (1, 1, 1, 1),
    ),
    "stuck: what needs nothing has run": (
        flow(
            stage("a", CHAIN, "lost", exits={"then": "lost", "stuck": "won"}, schedule="ready", failure="drain"),
        ),
        (2, 4, 1, 3),
    ),
    "a refused stage has cost nothing": (
        flow(stage("a", 3, "lost", exits={"then": "lost", "failed": "lost", "refused": "won"})),
        (0, 3, 0, 1),
    ),
    "an epilogue is walked by every end": (
        flow(stage("a", 1, "won"), stage("z", 2, "kept", failure="drain"), Settle("kept", "keep"), epilogue="z"),
        (3, 3, 2, 2),
    ),
    "an epilogue can make the success": (
        flow(
            stage("a", 3, "g"),
            Gate("g", AtLeast("a", 1), {"enough": "more", "short": "lost"}),
            stage("more", 5, "won"),
            stage("z", 2, "kept", exits={"then": "kept", "failed": "saved"}),
            Settle("kept", "keep"),
            Settle("saved", "success"),
            epilogue="z",
        ),
        (5, 10, 2, 3),
    ),
}


@pytest.mark.parametrize(("made", "expected"), SHAPES.values(), ids=SHAPES)
def test_bounds(made: Flow, expected: tuple[int | None, int, int | None, int]) -> None:
    assert bounds(made) == Bounds(*expected)


def test_a_round_counts_for_the_whole_run_unless_another_resets_it():
    rounds = [Gate("a", Round(2), {}), Gate("b", Round(3, ("a",)), {}), Gate("c", Round(4, ("a", "b", "b")), {})]
    # c 4 · b 3·(1 + 4) · a 2·(1 + 15 + 4)
    assert round_totals(flow(*rounds)) == {"c": 4, "b": 15, "a": 40}


def test_a_long_flow_is_no_recursion():
    many = [stage(f"s{number}", 1, f"s{number + 1}") for number in range(5_000)]
    assert bounds(flow(*many, stage("s5000", 1, "won"))) == Bounds(5_001, 5_001, 5_001, 5_001)
