"""Definite assignment: one row per value that some path leaves undefined."""

from __future__ import annotations

import pytest
from whole import IR, Change, Fault, at, both, drop, expect, move, over, plan, slot, whole

from piflows.ir.assign import assigned
from piflows.ir.flow import Flow, Settle, Stage
from piflows.ir.parts import text
from piflows.ir.plan import Plan
from piflows.ir.unit import Ref, Unit

FAULTS: dict[str, Fault] = {
    "value of a later state": (
        plan(
            "write", 0, reads=(slot("critique", Ref("round")), slot("old", Ref("panel")), slot("before", Ref("panel")))
        ),
        "HANDOFF_UNRESOLVED",
        "write",
        '"round" is not defined on every path to stage "write"',
    ),
    "own unit of the last visit": (
        plan("panel", 0, reads=(slot("draft", Ref("panel", "unit", "a")),)),
        "HANDOFF_UNRESOLVED",
        "panel",
        '"a" does not depend on "a"',
    ),
    "unit that is not needed": (
        plan("panel", 1, needs=()),
        "HANDOFF_UNRESOLVED",
        "panel",
        '"b" does not depend on "a"',
    ),
    "unit that does not exist": (
        plan("panel", 0, reads=(slot("draft", Ref("write", "unit", "authr"), absent="omit"),)),
        "HANDOFF_UNRESOLVED",
        "panel",
        '"authr" does not exist (did you mean "author"?)',
    ),
    "result of a command that was refused": (
        at("lost", reads=(slot("x", Ref("note")),)),
        "HANDOFF_UNRESOLVED",
        "lost",
        '"note" is not defined on every path to settle "lost"',
    ),
    "value of a stage that was refused": (
        both(
            at("panel", exits={"then": "verdict", "stuck": "verdict", "refused": "none"}),
            at("none", reads=(slot("x", Ref("panel")),)),
        ),
        "HANDOFF_UNRESOLVED",
        "none",
        '"panel" is not defined on every path to settle "none"',
    ),
    "value unset by the outcome": (
        at("won", reads=(slot("best", Ref("checked")),)),
        "HANDOFF_UNRESOLVED",
        "won",
        '"checked" is not defined on every path to settle "won"',
    ),
    "no verdict's value on pass": (
        at("won", reads=(slot("best", Ref("verdict")),)),
        "HANDOFF_UNRESOLVED",
        "won",
        '"verdict" is not defined on every path to settle "won"',
    ),
    "failed after then": (
        at("won", reads=(slot("best", Ref("score", "failed")),)),
        "HANDOFF_UNRESOLVED",
        "won",
        'failed of "score" is not defined on every path to settle "won"',
    ),
    "failed that drained": (
        at("won", reads=(slot("best", Ref("panel", "failed")),)),
        "HANDOFF_UNRESOLVED",
        "won",
        'failed of "panel" is not defined on every path to settle "won"',
    ),
    "unit after stuck": (
        at("none", reads=(slot("x", Ref("panel", "unit", "a")),)),
        "HANDOFF_UNRESOLVED",
        "none",
        '"a" of "panel" is not defined on every path to settle "none"',
    ),
    "round fed without a value": (
        both(at("some", exits={"enough": "score", "short": "round"}), drop("none"), move("some", "round")),
        "HANDOFF_UNRESOLVED",
        "capped",
        '"round" is not defined on every path to settle "capped"',
    ),
    "made over what is not defined": (
        over(value=Ref("verdict")),
        IR,
        "score",
        'stage "score" is made over "verdict", which is not defined on every path to it',
    ),
}


@pytest.mark.parametrize(("change", "code", "state", "problem"), FAULTS.values(), ids=FAULTS)
def test_one_fault(change: Change, code: str, state: str, problem: str) -> None:
    expect(assigned(change(whole())), code, state, problem)


def test_in_the_whole_flow_every_value_is_defined():
    assert assigned(whole()) == []


DEFINED: dict[str, Change] = {
    "the only unit that failed": at("broken", reads=(slot("who", Ref("write", "unit", "author")),)),
    "the first that failed": at("broken-score", reads=(slot("who", Ref("score", "failed")),)),
    "all records, also when it is stuck": at("none", reads=(slot("x", Ref("panel")), slot("y", Ref("panel", "ok")))),
    "what every round has": at("capped", reads=(slot("said", Ref("write", "unit", "author")),)),
    "what a gate says for an outcome without a value": both(
        at("some", says={"short": text("too few")}), at("none", reads=(slot("x", Ref("some")),))
    ),
    "in the epilogue, what the entry has": at("kept", reads=(slot("x", Ref("note")), slot("y", Ref("note", "all")))),
    "whatever its slot allows to be absent": at("won", reads=(slot("best", Ref("write", "failed"), absent="omit"),)),
}


@pytest.mark.parametrize("change", DEFINED.values(), ids=DEFINED)
def test_defined_on_every_path(change: Change) -> None:
    assert assigned(change(whole())) == []


def test_a_stage_that_runs_its_first_unit_only_defines_no_other():
    first = Plan((Unit("a", "r", (), ()), Unit("b", "r", (), (), ("a",))))
    reads = (slot("a", Ref("s", "unit", "a")), slot("b", Ref("s", "unit", "b")))
    stage = Stage("s", (), first, {"then": "won", "failed": "won"}, "first")
    found = assigned(Flow("m", "s", (stage, Settle("won", "success", reads=reads))))
    assert [each.facts["placeholder"] for each in found] == ["b"]
