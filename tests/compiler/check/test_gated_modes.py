"""Orchestrate, workflow and worktree: what a compile refuses and warns of before it says that it cannot run them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from compiler.conftest import Compile, World

from piflows.compiler import compile_call
from piflows.compiler.context import Catalog

Found = list[tuple[str, str]]
WHERE = {"orchestrate": "/orchestrate", "workflow": "/workflow", "worktree": "/worktree"}
ASK = {"id": "ask", "approval": {"message": "Go?"}}
LONG, LINES = "p" * 300, "second\n## Trusted"


def work(id: str, task: str = "Look.", **more: Any) -> dict[str, Any]:
    return {"id": id, "agent": "recon", "task": task, **more}


def phases(*listed: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"task": "x", "workflow": {"phases": list(listed), **more}}


def writers(*listed: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"worktree": {"tasks": list(listed), **more}}


def orchestrate(**spec: Any) -> dict[str, Any]:
    return {"task": "x", "orchestrate": spec}


def at(pointer: str, *codes: str) -> Found:
    return [(code, pointer) for code in codes]


INVALID, SETUP, CALL, IGNORED = "WORKFLOW_INVALID", "WORKTREE_SETUP_FAILED", "CALL_INVALID", "PARAMETER_IGNORED"

# name → (call, [(code, pointer) before and after NOT_AVAILABLE])
CALLS: dict[str, tuple[dict[str, Any], Found]] = {
    # orchestrate
    "orchestrate": (orchestrate(), []),
    "orchestrate: all there is": (
        orchestrate(
            commander={"agent": "commander", "role": "decomposer"},
            review={"agent": "overwatch"},
            reviewMaxIterations=4,
            reviewCriteria="All.",
            recon={"agent": "analyst", "cwd": "app"},
            debrief={"agent": "debrief"},
            verify={"agent": "overwatch"},
            verifyPolicy="revise",
            verifyMaxIterations=2.5,
            replan=False,
            maxSubtasks=16,
            workerReturnRequirements="Short.",
            returnRequirements="A table.",
        ),
        [],
    ),
    "review options without a review": (
        orchestrate(reviewCriteria="Be strict.", reviewMaxIterations=2),
        [("INVALID_MODE", "/orchestrate/reviewMaxIterations"), ("INVALID_MODE", "/orchestrate/reviewCriteria")],
    ),
    "a blank task blocks the others": ({"task": " ", "orchestrate": {"task": "y"}}, at("/task", "INVALID_MODE")),
    "no goal": ({"orchestrate": {}}, at("", "INVALID_MODE")),
    "a goal of its own": ({"orchestrate": {"task": "y"}}, []),
    "requirements as goal": ({"orchestrate": {"returnRequirements": "y"}}, []),
    **{
        f"orchestrate.{key}: {value}": (
            orchestrate(**{"review": {"agent": "overwatch"}, key: value}),
            at(f"/orchestrate/{key}", CALL),
        )
        for key, value in (
            ("maxSubtasks", 0),
            ("maxSubtasks", 17),
            ("reviewMaxIterations", 0),
            ("reviewMaxIterations", 1.5),
            ("reviewMaxIterations", 5),
            ("reviewCriteria", ""),
            ("replan", "no"),
            ("commander", {}),
            ("recon", "recon"),
        )
    },
    "an unknown key of orchestrate": (orchestrate(maxSubtask=4), at("/orchestrate/maxSubtask", "UNKNOWN_PARAMETER")),
    "an unknown worker": (orchestrate(recon={"agent": "recom"}), at("/orchestrate/recon/agent", "UNKNOWN_AGENT")),
    "a commander's contract": (
        orchestrate(commander={"agent": "commander", "contract": []}),
        at("/orchestrate/commander/contract", "INVALID_DELEGATION_CONTRACT"),
    ),
    "a verifier's options without one": (
        orchestrate(verifyPolicy="fail", verifyMaxIterations=2),
        [(IGNORED, "/orchestrate/verifyPolicy"), (IGNORED, "/orchestrate/verifyMaxIterations")],
    ),
    "rounds that the policy does not make": (
        orchestrate(verify={"agent": "overwatch"}, verifyMaxIterations=2),
        at("/orchestrate/verifyMaxIterations", IGNORED),
    ),
    "two goals": (orchestrate(task="y"), at("/orchestrate/task", IGNORED)),
    # workflow
    "workflow": (phases(work("a", "{task} {previous"), work("b", "{previous} {phase.a}")), []),
    "the call's cwd is that of its phases": ({**phases(work("a")), "cwd": "app"}, []),
    "no phases": ({"workflow": {}}, at("/workflow", INVALID)),
    "an empty list of phases": (phases(), at("/workflow/phases", INVALID)),
    "thirteen phases": (phases(*(work(f"p{n}") for n in range(13))), at("/workflow/phases", INVALID)),
    "a phase without an id": (
        phases({"agent": "recon", "task": "Look."}),
        at("/workflow/phases/0", INVALID),
    ),
    "an id that is too long, and one of two lines": (
        phases(work(LONG), work(LINES)),
        [(INVALID, "/workflow/phases/0/id"), (INVALID, "/workflow/phases/1/id")],
    ),
    "an id with a space": (phases(work("second phase, really")), []),
    "two phases of one id": (phases(work("a"), work("a")), at("/workflow/phases/1/id", INVALID)),
    "both kinds": (phases(work("a", approval={"message": "Go?"})), at("/workflow/phases/0", INVALID)),
    "neither kind": (phases({"id": "a"}), at("/workflow/phases/0", INVALID)),
    "an agent alone": (phases({"id": "a", "agent": "recon"}), at("/workflow/phases/0", INVALID)),
    "a task alone": (phases({"id": "a", "task": "Look."}), at("/workflow/phases/0", INVALID)),
    "an approval without a question": (
        phases({"id": "a", "approval": {}}),
        at("/workflow/phases/0/approval", INVALID),
    ),
    "an approval of another type": (
        phases({"id": "a", "approval": True}),
        at("/workflow/phases/0/approval", CALL),
    ),
    "an approval with a stray agent": (
        phases(work("a"), {**ASK, "agent": "recon", "checkCommand": "true"}),
        [(IGNORED, "/workflow/phases/1/agent"), (IGNORED, "/workflow/phases/1/checkCommand")],
    ),
    "a stray agent is asked for too": (
        phases(work("a"), {**ASK, "agent": "nemo"}),
        [("UNKNOWN_AGENT", "/workflow/phases/1/agent"), (IGNORED, "/workflow/phases/1/agent")],
    ),
    **{
        f"approvalTtlMs: {value}": (phases(work("a"), ASK, approvalTtlMs=value), found)
        for value, found in (
            (60_000, []),
            (2_592_000_000, []),
            (59_999, at("/workflow/approvalTtlMs", INVALID)),
            (2_592_000_001, at("/workflow/approvalTtlMs", INVALID)),
            (60_000.5, at("/workflow/approvalTtlMs", INVALID)),
        )
    },
    "a time to live of no approval": (phases(work("a"), approvalTtlMs=60_000), at("/workflow/approvalTtlMs", IGNORED)),
    "levels of an old state": (phases(work("a"), resume=True, historicalThinking={"phases": {"a": "low"}}), []),
    "levels that nothing reads": (
        phases(work("a"), historicalThinking={"debrief": "low"}),
        at("/workflow/historicalThinking", IGNORED),
    ),
    "a level of no phase": (
        phases(work("plan"), resume=True, historicalThinking={"phases": {"paln": "low"}}),
        at("/workflow/historicalThinking/phases/paln", INVALID),
    ),
    "a level that is none": (
        phases(work("a"), resume=True, historicalThinking={"phases": {"a": "lo"}}),
        at("/workflow/historicalThinking/phases/a", CALL),
    ),
    "pi's default tools behind an approval": (
        phases(ASK, work("a", agent="operator"), debrief={"agent": "operator"}),
        [(INVALID, "/workflow/phases/1"), (INVALID, "/workflow/debrief")],
    ),
    "pi's default tools before it": (phases(work("a", agent="operator"), ASK), []),
    "on resume": (phases(ASK, work("a", agent="operator"), resume=True), []),
    "tools by name behind it": (phases(ASK, work("a", agent="operator", tools="read,edit")), []),
    "no thinking level behind it": (
        phases(ASK, work("a", agent="analyst", model="a/b")),
        at("/workflow/phases/1", INVALID),
    ),
    "a level in the model's name": (phases(ASK, work("a", agent="analyst", model="a/b:high")), []),
    "an agent that nobody knows behind it": (
        phases(ASK, work("a", agent="nemo")),
        at("/workflow/phases/1/agent", "UNKNOWN_AGENT"),
    ),
    "a phase's contract": (
        phases(work("a", contract={})),
        at("/workflow/phases/0/contract", *["INVALID_DELEGATION_CONTRACT"] * 10),
    ),
    "a later phase and none": (
        phases(work("a", "{phase.b}{phase.c}"), work("b", "{phase.a}")),
        at("/workflow/phases/0/task", "HANDOFF_UNRESOLVED", "HANDOFF_UNRESOLVED"),
    ),
    "nothing before the first phase": (phases(work("a", "{previous}")), at("/workflow/phases/0/task", "HANDOFF_EMPTY")),
    "nearly a placeholder": (
        phases(work("a"), work("b", "{phases.a}")),
        at("/workflow/phases/1/task", "HANDOFF_UNRESOLVED"),
    ),
    # worktree
    "worktree": (writers(work("left"), work("right")), []),
    "worktree: all there is": (
        writers(
            work("left", requireEvidence=False, model="m", tools="edit"),
            work("right"),
            baseRef="main",
            integrator={"agent": "strategist"},
            checkCommand="true",
            checkTimeoutMs=1000,
            requireClean=False,
        ),
        [],
    ),
    "no tasks": ({"worktree": {}}, at("/worktree", SETUP)),
    "one task": (writers(work("left")), at("/worktree/tasks", SETUP)),
    "nine tasks": (writers(*(work(f"t{n}") for n in range(9))), at("/worktree/tasks", CALL)),
    "an incomplete task": (writers(work("left"), {"id": "right"}), at("/worktree/tasks/1", SETUP, SETUP)),
    "an empty agent": (writers(work("left"), work("right", agent="")), at("/worktree/tasks/1/agent", SETUP)),
    "two tasks of one id": (writers(work("left"), work("left")), at("/worktree/tasks/1/id", SETUP)),
    "ids that can name no branch": (
        writers(work(LONG), work(LINES)),
        [(SETUP, "/worktree/tasks/0/id"), (SETUP, "/worktree/tasks/1/id")],
    ),
    "an empty base": (writers(work("left"), work("right"), baseRef=""), at("/worktree/baseRef", SETUP)),
    "a writer's cwd": (writers(work("left"), work("right", cwd="x")), at("/worktree/tasks/1/cwd", "UNKNOWN_PARAMETER")),
    "a short check": (
        writers(work("left"), work("right"), checkCommand="true", checkTimeoutMs=999),
        at("/worktree/checkTimeoutMs", CALL),
    ),
    "a limit for no check": (
        writers(work("left"), work("right"), checkTimeoutMs=1000),
        at("/worktree/checkTimeoutMs", IGNORED),
    ),
    "an unknown integrator": (
        writers(work("left"), work("right"), integrator={"agent": "nemo"}),
        at("/worktree/integrator/agent", "UNKNOWN_AGENT"),
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_calls(name: str, compiled: Compile) -> None:
    call, expected = CALLS[name]
    result = compiled(call)
    mode = next(key for key in WHERE if key in call)
    found = [(each.code, each.where.pointer) for each in result.diagnostics]
    assert [each for each in found if each[0] != "NOT_AVAILABLE"] == expected
    assert found.count(("NOT_AVAILABLE", WHERE[mode])) == 1
    assert all(each.code == "NOT_AVAILABLE" for each in result.errors[-1:])


MESSAGES = {
    "an id that is too long, and one of two lines": "an id: one line of at most 64 characters, none of them a control",
    "an agent alone": 'phase "a" has agent alone: work is `agent` and `task`',
    "both kinds": 'phase "a" is both work and an approval',
    "two tasks of one id": 'there are two tasks with the id "left"',
    "a later phase and none": 'phase "b" does not come before this one',
    "a level of no phase": 'did you mean "plan"',
    "pi's default tools behind an approval": "pi's default tools",
    "orchestrate.recon: recon": 'orchestrate.recon is "recon", it must be an object like {"agent": "recon"}',
}


@pytest.mark.parametrize("name", MESSAGES)
def test_messages(name: str, compiled: Compile) -> None:
    assert MESSAGES[name] in compiled(CALLS[name][0]).diagnostics[0].message


FIXES = [
    ({"task": "x", "vote": {}}, "`vote.voters`"),
    ({"task": "x", "route": {}}, "`route.candidates`"),
    ({"task": "x", "loop": {"body": {}}}, '`loop.body`, as in {"agent": "recon"}'),
    (orchestrate(reviewCriteria="x"), "`orchestrate.review`"),
    ({"search": {}}, "`task`"),
    ({"task": "x", "search": {}, "evaluate": {}}, "keep one of `evaluate`, `search`"),
]


@pytest.mark.parametrize(("call", "named"), FIXES)
def test_the_mend_of_an_incomplete_mode_names_the_field(call: dict[str, Any], named: str, compiled: Compile) -> None:
    assert named in compiled(call).errors[0].fix


def test_the_default_roles_are_looked_up(world: World) -> None:
    context = replace(world(), catalog=lambda _scope: Catalog({}, {}))
    for call, roles in (
        (orchestrate(), ["commander", "recon", "debrief"]),
        (writers(work("left"), work("right")), ["recon", "recon", "operator"]),
    ):
        errors = compile_call(json.dumps({"why": "w", **call}), context).errors
        missing = [each.message.split('"')[1] for each in errors if each.code == "UNKNOWN_AGENT"]
        assert missing == roles
