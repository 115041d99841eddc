"""Loop as states, and as runs on the machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from drive import Run, fail, keyed, ok

from piflows.compiler.lower.make import Lowered
from piflows.ir.flow import Flow
from piflows.ir.gates import AllPass, Round, Said
from piflows.ir.parts import Parts
from piflows.ir.unit import Handoff, Ref

Lower = Callable[..., Lowered]
Show = Callable[[Parts], str]

JUDGE = {"agent": "redteam"}
OUTPUT = Ref("body", "unit", "body")


def loop(lowered: Lower, call: dict[str, Any] | None = None, **spec: Any) -> Flow:
    return lowered("loop", {"task": "Sort.", "loop": {"body": {"agent": "operator"}, **spec}, **(call or {})}).flow


def states(flow: Flow) -> dict[str, Any]:
    return {state.name: state for state in flow.states}


ALONE = {
    "body": {"then": "stop", "failed": "body-failed"},
    "stop": {"done": "done", "continue": "round"},
    "round": {"again": "body", "spent": "capped"},
    "done": {},
    "capped": {},
    "body-failed": {},
}
JUDGED = ALONE | {
    "body": {"then": "judge", "failed": "body-failed"},
    "judge": {"then": "stop", "failed": "judge-failed"},
    "stop": {"pass": "done", "revise": "round"},
    "judge-failed": {},
}


@pytest.mark.parametrize(
    ("spec", "expected", "test"), [({}, ALONE, Said("body")), ({"judge": JUDGE}, JUDGED, AllPass("judge"))]
)
def test_states_and_exits(spec: dict[str, Any], expected: dict[str, Any], test: Any, lowered: Lower) -> None:
    found = states(loop(lowered, **spec))
    assert {name: state.exits for name, state in found.items()} == expected
    assert found["stop"].test == test


@pytest.mark.parametrize(("given", "times"), [({}, 2), ({"maxIterations": 1}, 0), ({"maxIterations": 7.9}, 6)])
def test_the_bound(given: dict[str, Any], times: int, lowered: Lower) -> None:
    assert states(loop(lowered, **given))["round"].test == Round(times)


def test_what_crosses_and_under_which_protocol(lowered: Lower, show: Show) -> None:
    alone, judged = (loop(lowered, **spec) for spec in ({}, {"judge": JUDGE}))
    previous = Handoff("previous", OUTPUT, "envelope", "omit")
    feedback = Handoff("feedback", Ref("round"), absent="omit")
    (own,), (body,), (judge,) = (
        states(flow)[stage].work.units for flow, stage in ((alone, "body"), (judged, "body"), (judged, "judge"))
    )
    assert (own.reads, body.reads) == ((previous,), (previous, feedback))
    assert judge.reads == (Handoff("output", OUTPUT, "envelope"),)
    protocols = [flow.roles[unit.role].protocol for flow, unit in ((alone, own), (judged, body), (judged, judge))]
    assert protocols == ["loop", None, "verdict"]
    said = [[marker in show(unit.prompt) for marker in ("LOOP: DONE", "VERDICT: PASS")] for unit in (own, body, judge)]
    assert said == [[True, False], [False, False], [False, True]]
    assert [show(unit.label) for unit in (body, judge)] == ["iteration-{round}.body", "iteration-{round}.judge"]
    assert {show(states(judged)[name].label) for name in ("body", "judge")} == {"iteration-{round}"}


def test_only_the_body_gets_return_requirements(lowered: Lower, show: Show) -> None:
    found = states(loop(lowered, {"returnRequirements": "In verse."}, judge=JUDGE))
    assert ["In verse." in show(found[name].work.units[0].prompt) for name in ("body", "judge")] == [True, False]


def test_a_body_alone(lowered: Lower) -> None:
    bodies = {"iteration-1.body": ok("no marker: REPLY-1"), "iteration-2.body": ok("LOOP: CONTINUE\nREPLY-2")}
    run = Run(loop(lowered), keyed({**bodies, "iteration-3.body": ok("LOOP: DONE\nTHREE")})).go()
    first, second, third = (each["prompt"] for each in run.spawned)
    assert "## Your previous output" not in first and "REPLY-1" in second
    assert "REPLY-2" in third and "REPLY-1" not in third
    end = run.outcome["proposal"]
    assert (end["outcome"], end["header"]) == ("success", "Flow loop: DONE after 3 iteration(s).")
    assert end["text"] == "LOOP: DONE\nTHREE"


def test_a_judge_has_the_say_and_feeds_back(lowered: Lower) -> None:
    replies = {
        "iteration-1.body": ok("LOOP: DONE\nONE"),
        "iteration-1.judge": ok("VERDICT: REVISE\nMissing June."),
        "iteration-2.body": ok("TWO"),
        "iteration-2.judge": ok("VERDICT: PASS"),
    }
    run = Run(loop(lowered, judge=JUDGE), keyed(replies)).go()
    first, judged, second, _ = (each["prompt"] for each in run.spawned)
    assert "Feedback" not in first and "ONE" in judged and "Missing June." in second and "ONE" in second
    end = run.outcome["proposal"]
    assert (end["header"], end["text"]) == ("Flow loop: DONE after 2 iteration(s).", "TWO")


@pytest.mark.parametrize("spec", [{}, {"judge": JUDGE}])
def test_the_cap_is_an_error_with_the_last_output(spec: dict[str, Any], lowered: Lower) -> None:
    replies = {"iteration-2.body": ok("LAST-OUTPUT"), "iteration-2.judge": ok("VERDICT: REVISE\nLAST-WORD")}
    run = Run(loop(lowered, maxIterations=2, **spec), keyed(replies, ok("x"))).go()
    end = run.outcome["proposal"]
    assert (end["outcome"], end["error"]["code"]) == ("refused", "LOOP_DID_NOT_CONVERGE")
    assert "2 iterations" in end["error"]["message"] and "## Last output\n\nLAST-OUTPUT" in end["text"]
    assert ("## Last feedback" in end["text"], "LAST-WORD" in end["text"]) == (bool(spec), bool(spec))


@pytest.mark.parametrize(
    ("unit", "header"),
    [
        ("iteration-1.body", 'Flow loop: body "operator" failed at iteration 1.'),
        ("iteration-2.judge", 'Flow loop: judge "redteam" failed at iteration 2.'),
    ],
)
def test_failures(unit: str, header: str, lowered: Lower) -> None:
    end = Run(loop(lowered, judge=JUDGE), keyed({unit: fail()}, ok("x"))).go().outcome["proposal"]
    assert (end["outcome"], end["error"], end["header"]) == ("stopped", None, header)
