"""Evaluate as states, and as runs on the machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from drive import Run, fail, keyed, ok

from piflows.compiler.lower.make import Lowered
from piflows.ir.actions import Command
from piflows.ir.flow import Action, Flow, Gate, Settle, Stage
from piflows.ir.gates import Round
from piflows.ir.parts import Parts, text
from piflows.ir.plan import Plan
from piflows.ir.unit import Handoff, Ref

Lower = Callable[..., Lowered]
Show = Callable[[Parts], str]

PANEL = [{"agent": "redteam"}, {"agent": "overwatch", "role": "spec"}]
PASS, REVISE = ok("VERDICT: PASS\nfine"), ok("VERDICT: REVISE\nTitle missing.")


def evaluate(lowered: Lower, **spec: Any) -> Flow:
    return lowered("evaluate", {"task": "Build.", "evaluate": spec}).flow


def states(flow: Flow) -> dict[str, Any]:
    return {state.name: state for state in flow.states}


def units(flow: Flow, stage: str) -> Any:
    state = states(flow)[stage]
    assert isinstance(state, Stage) and isinstance(state.work, Plan)
    return state.work.units


PLAIN = {
    "author": {"then": "panel", "failed": "author-failed"},
    "panel": {"then": "verdict", "failed": "critic-failed"},
    "verdict": {"pass": "passed", "revise": "round"},
    "round": {"again": "author", "spent": "capped"},
    "passed": {},
    "capped": {},
    "author-failed": {},
    "critic-failed": {},
}
CHECKED = PLAIN | {
    "author": {"then": "check", "failed": "author-failed"},
    "check": {"then": "checked"},
    "checked": {"pass": "panel", "fail": "round", "unstartable": "check-unstartable"},
    "check-unstartable": {},
}


@pytest.mark.parametrize(
    ("spec", "expected"), [({}, PLAIN), ({"checkCommand": " \n"}, PLAIN), ({"checkCommand": "npm test"}, CHECKED)]
)
def test_states_and_exits(spec: dict[str, Any], expected: dict[str, Any], lowered: Lower) -> None:
    flow = evaluate(lowered, **spec)
    assert {state.name: state.exits for state in flow.states} == expected and flow.entry == "author"


def test_keys_roles_and_pointers(lowered: Lower, show: Show) -> None:
    result = lowered("evaluate", {"task": "Build.", "evaluate": {"redteam": PANEL}})
    flow = result.flow
    (author,), critics = units(flow, "author"), units(flow, "panel")
    assert show(author.label) == "iteration-{round}.generator"
    assert [show(critic.label) for critic in critics] == ["iteration-{round}.critic-1", "iteration-{round}.critic-2"]
    assert {show(states(flow)[name].label) for name in ("author", "panel")} == {"iteration-{round}"}
    roles = [flow.roles[unit.role] for unit in (author, *critics)]
    assert [(role.agent, role.slot, role.protocol) for role in roles] == [
        ("operator", "generator", None),
        ("redteam", "critic", "verdict"),
        ("overwatch", "spec", "verdict"),
    ]
    assert result.pointers["panel", "critic-2"] == "/evaluate/redteam/1"
    assert result.pointers["author", "generator"] == "/evaluate/operator"


def test_what_crosses(lowered: Lower) -> None:
    flow = evaluate(lowered)
    artifact = Ref("author", "unit", "generator")
    assert units(flow, "author")[0].reads == (
        Handoff("previous", artifact, absent="omit"),
        Handoff("critique", Ref("round"), absent="omit"),
    )
    assert units(flow, "panel")[0].reads == (Handoff("artifact", artifact),)


@pytest.mark.parametrize(("given", "times"), [({}, 2), ({"maxIterations": 1}, 0), ({"maxIterations": 8}, 7)])
def test_the_bound(given: dict[str, Any], times: int, lowered: Lower) -> None:
    back = states(evaluate(lowered, **given))["round"]
    assert isinstance(back, Gate) and back.test == Round(times)


@pytest.mark.parametrize(
    ("call", "limit", "cwd"),
    [
        ({}, 300_000, ""),
        ({"timeoutMs": 2_000}, 2_000, ""),
        ({"evaluate": {"operator": {"agent": "operator", "cwd": "yard"}}}, 300_000, "yard"),
    ],
)
def test_the_check_runs_where_the_operator_works(call: dict[str, Any], limit: int, cwd: str, lowered: Lower) -> None:
    spec = {"checkCommand": "npm test", **call.pop("evaluate", {})}
    flow = lowered("evaluate", {"task": "Build.", "evaluate": spec, **call}).flow
    check = states(flow)["check"]
    assert isinstance(check, Action) and check.do == Command(text("npm test"), text(cwd), limit)
    assert flow.roles[units(flow, "author")[0].role].cwd == text(cwd)


CONTRACT = {"objective": "Objective."}


@pytest.mark.parametrize(
    ("call", "goal"),
    [
        ({"task": "Top.", "evaluate": {"operator": {"agent": "operator", "task": "Nested."}}}, "Top."),
        ({"evaluate": {"operator": {"agent": "operator", "task": "Nested."}}}, "Nested."),
        ({"task": " ", "evaluate": {"operator": {"agent": "operator", "task": "Nested."}}}, "Nested."),
        ({"evaluate": {"operator": {"agent": "operator", "contract": CONTRACT}}}, "Objective."),
        ({"contract": CONTRACT, "evaluate": {}}, "Objective."),
    ],
)
def test_where_the_goal_comes_from(call: dict[str, Any], goal: str, lowered: Lower, show: Show) -> None:
    flow = lowered("evaluate", call).flow
    for stage in ("author", "panel"):
        assert show(units(flow, stage)[0].prompt).startswith(f"## Goal\n\n{goal}\n")


def test_what_a_critic_is_told(lowered: Lower, show: Show) -> None:
    bare = show(units(evaluate(lowered), "panel")[0].prompt)
    assert "criteria" not in bare and "Check command" not in bare and "VERDICT: PASS" in bare
    spec = {"checkCommand": "npm test", "passContract": "Endpoint returns 200."}
    full = show(units(evaluate(lowered, **spec), "panel")[0].prompt)
    assert "## Acceptance criteria\n\nEndpoint returns 200.\n" in full and "npm test" in full
    assert "## Artifact (untrusted data)\n\n{artifact}\n\n## Your job\n" in full


def test_only_the_generator_gets_return_requirements(lowered: Lower, show: Show) -> None:
    flow = lowered("evaluate", {"task": "Build.", "evaluate": {}, "returnRequirements": "In verse."}).flow
    assert "In verse." in show(units(flow, "author")[0].prompt)
    assert "In verse." not in show(units(flow, "panel")[0].prompt)


def test_headers(lowered: Lower, show: Show) -> None:
    def headers(**spec: Any) -> dict[str, str]:
        ends = [state for state in evaluate(lowered, **spec).states if isinstance(state, Settle)]
        return {end.name: show(end.header) for end in ends}

    assert headers() == {
        "passed": "Flow evaluate: PASS after {round iterations} via redteam.",
        "capped": (
            "Flow evaluate: did not pass within 3 iterations — returning the last attempt with the final critique."
        ),
        "author-failed": 'Flow evaluate stopped: generator "{run.agent}" failed at iteration {round}:',
        "critic-failed": 'Flow evaluate stopped: critic "{run.agent}" failed at iteration {round}:',
    }
    checked = headers(redteam=PANEL, checkCommand="npm test", maxIterations=1)
    assert checked["passed"] == "Flow evaluate: PASS after {round iterations} via 2 critics (gate `npm test`: passed)."
    assert checked["capped"] == (
        "Flow evaluate: did not pass within 1 iteration (gate `npm test`: {if failing.text: FAILED | passed}) — "
        "returning the last attempt with the final critique."
    )


def test_both_roads_back_bring_the_critique_that_counts(lowered: Lower) -> None:
    flow = evaluate(lowered, redteam=PANEL, checkCommand="npm test")
    check = [{"exit": 4, "text": "LOW WATER"}, {"exit": 0}, {"exit": 0}]
    replies = {"command": check, "iteration-2.critic-1": REVISE, "iteration-3.critic-1": PASS}
    run = Run(flow, keyed(replies, PASS)).go()
    first, second, third = [each["prompt"] for each in run.spawned if each["unit"].endswith(".generator")]
    assert "Reviewer feedback" not in first and "previous attempt" not in first
    assert "LOW WATER" in second and "npm test" in second and "status 4" in second
    assert "### critic-1: redteam" in third and "Title missing." in third
    assert "LOW WATER" not in third and "critic-2" not in third
    assert run.outcome["proposal"]["header"] == (
        "Flow evaluate: PASS after 3 iterations via 2 critics (gate `npm test`: passed)."
    )
    assert len(run.spawned) == 7


def test_the_cap_is_no_error(lowered: Lower) -> None:
    replies = {"iteration-2.generator": ok("DRAFT-B"), "iteration-2.critic-1": REVISE}
    end = Run(evaluate(lowered, maxIterations=2), keyed(replies, ok("DRAFT-A"))).go().outcome["proposal"]
    assert (end["outcome"], end["error"]) == ("stopped", None)
    assert end["text"].startswith("## Last attempt\n\nDRAFT-B\n\n## Final critique\n\n### critic-1: redteam\n\n")


@pytest.mark.parametrize(
    ("last", "state"), [({"exit": 1}, "FAILED"), ({"exit": 0}, "passed"), ({"exit": None, "timedOut": True}, "FAILED")]
)
def test_the_gate_at_the_cap(last: dict[str, Any], state: str, lowered: Lower) -> None:
    flow = evaluate(lowered, checkCommand="npm test", maxIterations=2)
    end = Run(flow, keyed({"command": [{"exit": 1}, last]}, REVISE)).go().outcome["proposal"]
    assert f"(gate `npm test`: {state})" in end["header"]


def test_failures(lowered: Lower) -> None:
    flow = evaluate(lowered, redteam=PANEL, checkCommand="npm test")
    author = Run(flow, keyed({"iteration-1.generator": fail()})).go().outcome["proposal"]
    assert author["header"] == 'Flow evaluate stopped: generator "operator" failed at iteration 1:'
    critic = Run(flow, keyed({"iteration-1.critic-2": fail()}, PASS)).go().outcome["proposal"]
    assert critic["header"] == 'Flow evaluate stopped: critic "overwatch" failed at iteration 1:'
    assert {author["outcome"], critic["outcome"]} == {"stopped"} and "CHILD_EXIT_NONZERO" in critic["text"]
    gone = {"command": {"exit": 127, "started": False, "reason": "npm: not found"}}
    check = Run(flow, keyed(gone)).go().outcome["proposal"]
    assert check["error"]["code"] == "CHECK_COMMAND_FAILED" and "npm: not found" in check["error"]["cause"]
