"""What each rule refuses and accepts: calls with all codes that they give, in order, with their pointers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from compiler.conftest import Compile, agent, preset

from piflows.compiler.lower import MODES
from piflows.compiler.params import RUN_MODES, mode_key

RECON = {"agent": "recon", "task": "Look."}
CONTRACT: dict[str, Any] = {
    "objective": "Find it.",
    "constraints": [],
    "nonGoals": [],
    "dependencies": [],
    "acceptanceChecks": [],
    "authority": {"may": [], "mustNot": [], "requiresApproval": []},
    "sideEffectClass": "read-only",
    "budget": {},
    "returnSchema": {"type": "object"},
    "owner": "parent",
}


def node(id: str, task: str = "Look.", *needs: str, **more: Any) -> dict[str, Any]:
    return {"id": id, "agent": "recon", "task": task, **({"dependsOn": list(needs)} if needs else {}), **more}


def graph(*nodes: dict[str, Any]) -> dict[str, Any]:
    return {"task": "Map.", "graph": {"nodes": list(nodes)}}


def tasks(*items: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"tasks": [{"task": "Do.", **item} for item in items], "tier": "fast", **more}


VOICES = [{"agent": "recon"}, {"agent": "analyst"}]
OPERATORS = ({"agent": "operator"}, {"agent": "operator"})

# name → (call, [(code, pointer) of each error and warning in order])
CALLS: dict[str, tuple[dict[str, Any], list[tuple[str, str]]]] = {
    "single": (RECON, []),
    # retired and unknown names
    "retired at the top": ({**RECON, "returnContract": "x"}, [("PARAM_RENAMED", "/returnContract")]),
    "retired in a task": (
        tasks({"agent": "recon", "workerReturnContract": "x"}),
        [("PARAM_RENAMED", "/tasks/0/workerReturnContract")],
    ),
    "unknown at the top": ({**RECON, "tsak": 1}, [("UNKNOWN_PARAMETER", "/tsak")]),
    "unknown in a node": (graph(node("a", colour="red")), [("UNKNOWN_PARAMETER", "/graph/nodes/0/colour")]),
    "unknown in one critic": (
        {"task": "x", "evaluate": {"redteam": {"agent": "redteam", "one": 1}}},
        [("UNKNOWN_PARAMETER", "/evaluate/redteam/one")],
    ),
    "unknown in a panel": (
        {"task": "x", "evaluate": {"redteam": [{"agent": "redteam", "several": 1}]}},
        [("UNKNOWN_PARAMETER", "/evaluate/redteam/0/several")],
    ),
    "unknown mode of a policy": (
        {**RECON, "modeHandoffPolicy": {"[key]": "warn"}},
        [("UNKNOWN_PARAMETER", "/modeHandoffPolicy/[key]")],
    ),
    "retired before unknown before mode": (
        {"foo": 1, "returnContract": "x"},
        [("PARAM_RENAMED", "/returnContract"), ("UNKNOWN_PARAMETER", "/foo"), ("INVALID_MODE", "")],
    ),
    "scope": ({**RECON, "agentScope": "team"}, [("INVALID_SCOPE", "/agentScope")]),
    # modes
    "no mode": ({}, [("INVALID_MODE", "")]),
    "task alone": ({"task": "x"}, [("INVALID_MODE", "")]),
    "agent alone": ({"agent": "recon"}, [("INVALID_MODE", "/agent")]),
    "two modes": (
        {"task": "x", "evaluate": {}, **tasks({"agent": "recon"})},
        [("INVALID_MODE", "/evaluate")],
    ),
    "an empty list is no mode": ({**RECON, "tasks": []}, [("PARAMETER_IGNORED", "/tasks")]),
    "agent beside a mode": (
        {"agent": "nobody", "task": "x", "search": {}},
        [("PARAMETER_IGNORED", "/agent")],
    ),
    "blank task": ({"agent": "recon", "task": "  "}, [("INVALID_MODE", "/task")]),
    "blank why": ({**RECON, "why": " "}, [("WHY_REQUIRED", "/why")]),
    "why of another type": ({**RECON, "why": 5}, [("WHY_REQUIRED", "/why")]),
    "evaluate without a goal": ({"evaluate": {}}, [("INVALID_MODE", "")]),
    "evaluate with the operator's goal": ({"evaluate": {"operator": {"agent": "operator", "task": "x"}}}, []),
    "search without a goal": ({"search": {}}, [("INVALID_MODE", "")]),
    "empty vote": ({"task": "x", "vote": {}}, [("INVALID_MODE", "/vote")]),
    "empty loop": ({"task": "x", "loop": {}}, [("INVALID_MODE", "/loop")]),
    "empty route": ({"task": "x", "route": {}}, [("INVALID_MODE", "/route")]),
    **{
        f"{mode} without a goal": ({mode: spec}, [("INVALID_MODE", "")])
        for mode, spec in {
            "vote": {"agent": "recon"},
            "route": {"candidates": ["recon"]},
            "loop": {"body": {"agent": "operator"}},
            "debate": {"participants": VOICES},
        }.items()
    },
    "a body without an agent": ({"task": "x", "loop": {"body": {}}}, [("INVALID_MODE", "/loop/body")]),
    "candidates that are all blank": (
        {"task": "x", "route": {"candidates": [" ", ""]}},
        [("INVALID_MODE", "/route/candidates")],
    ),
    "a candidate that stands for nobody": (
        {"task": "x", "route": {"candidates": ["recon", "none"]}},
        [("INVALID_MODE", "/route/candidates/1"), ("UNKNOWN_AGENT", "/route/candidates/1")],
    ),
    # how many
    "one voter": ({"task": "x", "vote": {"voters": VOICES[:1]}}, [("TOO_FEW_VOTERS", "/vote/voters")]),
    "nine voters": ({"task": "x", "vote": {"voters": VOICES[:1] * 9}}, [("TOO_MANY_TASKS", "/vote/voters/8")]),
    "a count of one": ({"task": "x", "vote": {"agent": "recon", "count": 1}}, [("TOO_FEW_VOTERS", "/vote/count")]),
    "a count of nine": ({"task": "x", "vote": {"agent": "recon", "count": 9}}, [("TOO_MANY_TASKS", "/vote/count")]),
    "half a voter": ({"task": "x", "vote": {"agent": "recon", "count": 2.5}}, [("CALL_INVALID", "/vote/count")]),
    "no task before too few voters": (
        {"vote": {"agent": "recon", "count": 1}},
        [("INVALID_MODE", ""), ("TOO_FEW_VOTERS", "/vote/count")],
    ),
    "a list of voters goes before a count": (
        {"task": "x", "vote": {"voters": VOICES, "agent": "recon", "count": 8}},
        [("PARAMETER_IGNORED", "/vote/agent"), ("PARAMETER_IGNORED", "/vote/count")],
    ),
    "voters beside a count that is none": (
        {"task": "x", "vote": {"voters": VOICES, "count": 1}},
        [("PARAMETER_IGNORED", "/vote/count")],
    ),
    "an empty list of voters": (
        {"task": "x", "vote": {"voters": [], "agent": "recon"}},
        [("PARAMETER_IGNORED", "/vote/voters")],
    ),
    "too few participants before no task": (
        {"debate": {"participants": VOICES[:1]}},
        [("DEBATE_TOO_FEW_PARTICIPANTS", "/debate/participants"), ("INVALID_MODE", "")],
    ),
    "empty debate": ({"task": "x", "debate": {}}, [("DEBATE_TOO_FEW_PARTICIPANTS", "/debate")]),
    "nine participants": (
        {"task": "x", "debate": {"participants": VOICES[:1] * 9}},
        [("CALL_INVALID", "/debate/participants")],
    ),
    "empty dossier": ({"dossier": {}}, [("DOSSIER_TOO_FEW_SECTIONS", "/dossier")]),
    "one section": ({"dossier": {"sections": [RECON]}}, [("DOSSIER_TOO_FEW_SECTIONS", "/dossier/sections")]),
    "two sections": ({"dossier": {"sections": [RECON, RECON]}}, []),
    "writing voters": (
        {"task": "x", "vote": {"agent": "operator", "count": 2}},
        [("SHARED_WRITE_CWD", "/vote/agent")],
    ),
    # chain
    "{previous} in the first step": (
        {"chain": [{**RECON, "task": "{previous}{previous}"}, {**RECON, "task": "{previous}"}]},
        [("HANDOFF_EMPTY", "/chain/0/task")],
    ),
    "nearly a placeholder of a chain": (
        {"chain": [{**RECON, "task": "{Previous} {node.a}"}]},
        [("HANDOFF_UNRESOLVED", "/chain/0/task")],
    ),
    "a task that no step places": (
        {"task": "x", "chain": [RECON], "cwd": "y"},
        [("PARAMETER_IGNORED", "/task"), ("PARAMETER_IGNORED", "/cwd")],
    ),
    "a chain too large to hold": (
        {"task": "x" * 300_000, "chain": [{**RECON, "task": "{task}" * 60}]},
        [("CALL_INVALID", "/chain")],
    ),
    "a step without a task": ({"chain": [{"agent": "recon"}]}, [("CALL_INVALID", "/chain/0")]),
    # concurrency
    **{
        f"concurrency {value}": ({**RECON, "concurrency": value}, [("INVALID_CONCURRENCY", "/concurrency")])
        for value in (0, 9, -1, 2.5, True, "4", None, 1e300)
    },
    "concurrency 3.0": ({**RECON, "concurrency": 3.0}, []),
    # parallel
    "one task needs no size": ({"tasks": [RECON]}, []),
    "nine tasks": (tasks(*[{"agent": "recon"}] * 9), [("TOO_MANY_TASKS", "/tasks/8")]),
    "unsized": ({"tasks": [{**RECON, "tier": "fast"}, RECON]}, [("PARALLEL_SIZING_REQUIRED", "/tasks/1")]),
    "a blank model is no size": (
        {"tasks": [{**RECON, "model": " "}, {**RECON, "model": "m"}]},
        [("PARALLEL_SIZING_REQUIRED", "/tasks/0")],
    ),
    "thinking is no size": (
        {"tasks": [RECON, RECON], "thinking": "high"},
        [("PARALLEL_SIZING_REQUIRED", "/tasks/0")],
    ),
    # graph
    "diamond": (
        graph(
            node("a"), node("b", "{node.a}", "a"), node("c", "{node.a}", "a"), node("d", "{node.b}{node.c}", "b", "c")
        ),
        [],
    ),
    "no nodes": (graph(), [("GRAPH_INVALID", "/graph/nodes")]),
    "no list of nodes": ({"graph": {}}, [("GRAPH_INVALID", "/graph")]),
    "seventeen nodes": (graph(*(node(str(n)) for n in range(17))), [("GRAPH_INVALID", "/graph/nodes")]),
    "a node without a task": (graph({"id": "a", "agent": "recon"}), [("GRAPH_INVALID", "/graph/nodes/0")]),
    "two nodes of one name": (graph(node("a"), node("a")), [("GRAPH_INVALID", "/graph/nodes/1/id")]),
    "unknown dependency": (
        graph(node("review"), node("report", "{node.review}", "reveiw")),
        [("GRAPH_INVALID", "/graph/nodes/1/dependsOn/0")],  # and no second finding for the same slip
    ),
    "itself": (graph(node("a", "{node.a}", "a")), [("GRAPH_CYCLE", "/graph/nodes/0/dependsOn/0")]),
    "two loops behind a root": (
        graph(
            node("start"),
            node("a", "{node.start}{node.b}", "start", "b"),
            node("b", "{node.a}", "a"),
            node("x", "{node.start}{node.z}", "start", "z"),
            node("y", "{node.x}", "x"),
            node("z", "{node.y}", "y"),
        ),
        [("GRAPH_CYCLE", "/graph/nodes/1/dependsOn/1"), ("GRAPH_CYCLE", "/graph/nodes/3/dependsOn/1")],
    ),
    "a node that is not needed": (
        graph(node("a"), node("b", "{node.a}")),
        [("HANDOFF_UNRESOLVED", "/graph/nodes/1/task")],
    ),
    "an indirect dependency": (graph(node("a"), node("b", "{node.a}", "a"), node("c", "{node.b}{node.a}", "b")), []),
    "an unread dependency": (
        graph(node("a"), node("b", "Go.", "a")),
        [("UNUSED_DEPENDENCY", "/graph/nodes/1/dependsOn/0")],
    ),
    "a dependency whose placeholder is mistyped": (
        graph(node("area"), node("b", "Read {node.aera}.", "area")),
        [("HANDOFF_UNRESOLVED", "/graph/nodes/1/task")],
    ),
    "a near placeholder": (
        graph(node("a", "Read {Task} and {json: 1}.")),
        [("HANDOFF_UNRESOLVED", "/graph/nodes/0/task")],
    ),
    "a goal put in too often": (
        graph(node("a", "{task}" * 100)) | {"task": "x" * 70_000},
        [("GRAPH_INVALID", "/graph/nodes/0/task")],
    ),
    # monitor
    "monitor": ({"monitor": {"command": "true"}}, []),
    "no command": ({"monitor": {}}, [("MONITOR_INVALID", "/monitor")]),
    "blank command": ({"monitor": {"command": " "}}, [("MONITOR_INVALID", "/monitor/command")]),
    "command of another type": ({"monitor": {"command": 5}}, [("CALL_INVALID", "/monitor/command")]),
    "match without a pattern": ({"monitor": {"command": "x", "trigger": "match"}}, [("MONITOR_INVALID", "/monitor")]),
    "a broken pattern": (
        {"monitor": {"command": "x", "trigger": "match", "pattern": "(unclosed"}},
        [("MONITOR_INVALID", "/monitor/pattern")],
    ),
    "a pattern that nobody reads": (
        {"monitor": {"command": "x", "pattern": "y"}},
        [("PARAMETER_IGNORED", "/monitor/pattern")],
    ),
    # contracts
    "a contract": ({"agent": "recon", "contract": CONTRACT}, []),
    "a contract without an owner": (
        {"agent": "recon", "contract": {key: CONTRACT[key] for key in CONTRACT if key != "owner"}},
        [("INVALID_DELEGATION_CONTRACT", "/contract")],
    ),
    "a contract that is none": (
        {**RECON, "contract": 5},
        [("INVALID_DELEGATION_CONTRACT", "/contract")],
    ),
    "a member that no contract has": (
        {"agent": "recon", "contract": {**CONTRACT, "extra": 1}},
        [("PARAMETER_IGNORED", "/contract/extra")],
    ),
    "retired names inside a contract": (
        {"agent": "recon", "contract": {**CONTRACT, "returnContract": 1}},
        [("PARAMETER_IGNORED", "/contract/returnContract")],
    ),
    # shared writes
    "two writers": (tasks(*OPERATORS), [("SHARED_WRITE_CWD", "/tasks/1")]),
    "two writers, one at a time": (tasks(*OPERATORS, concurrency=1), []),
    "two writers, on purpose": (tasks(*OPERATORS, allowSharedWriteCwd=True), []),
    "two spellings": (
        tasks({"agent": "operator", "cwd": "app"}, {"agent": "operator", "cwd": "./app/../app/"}),
        [("SHARED_WRITE_CWD", "/tasks/1")],
    ),
    "two directories": (tasks({"agent": "operator", "cwd": "a"}, {"agent": "operator", "cwd": "b"}), []),
    "one inside the other": (
        tasks({"agent": "operator", "cwd": "app"}, {"agent": "operator", "cwd": "app/forms"}),
        [("SHARED_WRITE_CWD", "/tasks/1")],
    ),
    "bash-ro reads": (tasks(*({"agent": "operator", "tools": "read, bash-ro"},) * 2), []),
    "a panel of writers": (
        {
            "task": "x",
            "evaluate": {"redteam": [{"agent": "redteam", "tools": "EDIT"}, {"agent": "redteam", "tools": "bash"}]},
        },
        [("SHARED_WRITE_CWD", "/evaluate/redteam/1"), ("UNKNOWN_TOOL", "/evaluate/redteam/0/tools")],
    ),
    # agents
    "unknown agent": ({"agent": "recom", "task": "x"}, [("UNKNOWN_AGENT", "/agent")]),
    "unknown critic": (
        {"task": "x", "evaluate": {"redteam": [{"agent": "redteam"}, {"agent": "critic"}]}},
        [("UNKNOWN_AGENT", "/evaluate/redteam/1/agent")],
    ),
    "unknown candidate": (
        {"task": "x", "route": {"candidates": ["recon", "recom"], "fallback": "nobody"}},
        [
            ("UNKNOWN_AGENT", "/route/candidates/1"),
            ("UNKNOWN_AGENT", "/route/fallback"),
        ],
    ),
    "shared writes before unknown agents": (
        tasks(*OPERATORS, {"agent": "nobody"}),
        [("SHARED_WRITE_CWD", "/tasks/1"), ("UNKNOWN_AGENT", "/tasks/2/agent")],
    ),
    # types and ranges
    "out of range": ({"task": "x", "evaluate": {"maxIterations": 9}}, [("CALL_INVALID", "/evaluate/maxIterations")]),
    "in range and floored": ({"task": "x", "search": {"candidates": 2.5}}, []),
    "a fraction where none is floored": (
        {"monitor": {"command": "x", "maxChecks": 2.5}},
        [("CALL_INVALID", "/monitor/maxChecks")],
    ),
    "a critic that is none": ({"task": "x", "evaluate": {"redteam": 5}}, [("CALL_INVALID", "/evaluate/redteam")]),
    "an agent of another type": ({"agent": 5, "task": "x"}, [("CALL_INVALID", "/agent")]),
    "tasks of another type": ({"tasks": {"length": 2}}, [("CALL_INVALID", "/tasks")]),
    "a catalogue code before the shape": (
        {"agent": "recon", "task": "x", "timeoutMs": 1, "why": ""},
        [("WHY_REQUIRED", "/why"), ("CALL_INVALID", "/timeoutMs")],
    ),
    "a null is no key": ({**RECON, "cwd": None, "evaluate": None, "maxTokens": None}, []),
    # without effect, or not built yet
    "task of a parallel call": ({**tasks({"agent": "recon"}), "task": "x"}, [("PARAMETER_IGNORED", "/task")]),
    "tools that pi does not have": (
        {**RECON, "tools": "raed, Grep, web_search"},
        [("UNKNOWN_TOOL", "/tools"), ("UNKNOWN_TOOL", "/tools")],
    ),
    "tools and cwd of a graph": (
        {**graph(node("a")), "tools": "none", "cwd": "x"},
        [("PARAMETER_IGNORED", "/tools"), ("PARAMETER_IGNORED", "/cwd")],
    ),
    "the operator's task beside the call's": (
        {"task": "x", "evaluate": {"operator": {"agent": "operator", "task": "y"}}},
        [("PARAMETER_IGNORED", "/evaluate/operator/task")],
    ),
    "requirements of a monitor": (
        {"monitor": {"command": "x"}, "requireEvidence": True},
        [("PARAMETER_IGNORED", "/requireEvidence")],
    ),
    "every guarantee": (
        {
            **RECON,
            "maxTokens": 0,
            "recordContent": False,
            "redactSecrets": True,
            "handoffPolicy": "fail",
            "modeHandoffPolicy": {"graph": "warn", "loop": "fail"},
        },
        [],
    ),
    "as mild as the default": ({**RECON, "handoffPolicy": "warn", "recordContent": True}, []),
    "checkpoint and lessons": (
        {**RECON, "checkpoint": {}, "reflexion": {"enabled": True}},
        [("NOT_AVAILABLE", "/checkpoint"), ("NOT_AVAILABLE", "/reflexion")],
    ),
    "lessons that are off": ({**RECON, "reflexion": {"enabled": False}}, []),
    # answers
    "list": ({"list": True}, [("PARAMETER_IGNORED", "/why")]),
    "config beside everything": (
        {"showConfig": True, "preset": "nope", "evaluate": {}, "concurrency": 99, "agentScope": "all"},
        [("PARAMETER_IGNORED", f"/{key}") for key in ("why", "preset", "evaluate", "concurrency")],
    ),
    "list beside an unknown key": (
        {"list": True, "evaluate": {"foo": 1}},
        [("UNKNOWN_PARAMETER", "/evaluate/foo"), ("PARAMETER_IGNORED", "/why"), ("PARAMETER_IGNORED", "/evaluate")],
    ),
    "list of another type": ({**RECON, "list": 1}, [("CALL_INVALID", "/list")]),
    "config of another type": ({"list": False, "showConfig": "yes", **RECON}, [("CALL_INVALID", "/showConfig")]),
}


@pytest.mark.parametrize("name", CALLS)
def test_calls(name: str, compiled: Compile) -> None:
    call, expected = CALLS[name]
    result = compiled(call)
    assert [(found.code, found.where.pointer) for found in result.diagnostics] == expected
    assert (result.flow is None) == bool(result.errors)


WARNINGS = {"PARAMETER_IGNORED", "UNUSED_DEPENDENCY", "HANDOFF_EMPTY"}


def test_only_warnings_let_a_flow_through(compiled: Compile) -> None:
    for call, expected in CALLS.values():
        if {code for code, _ in expected} <= WARNINGS and call != CALLS["a contract that is none"][0]:
            assert compiled(call).flow is not None, call


def test_nested_directories_are_a_warning(compiled: Compile) -> None:
    found = compiled(CALLS["one inside the other"][0])
    assert [each.severity for each in found.diagnostics] == ["warning"]
    assert found.flow is not None
    assert "app/forms inside it: operator, operator" in found.diagnostics[0].message


MESSAGES = {
    "unknown agent": 'Did you mean "recon"?',
    "unknown dependency": 'node "report" depends on "reveiw", which is the id of no node, did you mean "review"',
    "two loops behind a root": "a -> b -> a",
    "retired in a task": "tasks[0].workerReturnContract",
    "unsized": ": 2.",
    "two writers": "operator as 1 (pi defaults), operator as 2 (pi defaults)",
    "out of range": "evaluate.maxIterations is 9, it must be at most 8",
    "a critic that is none": 'redteam is 5, it must be an object like {"agent": "recon"} or a list of such objects',
    "tasks of another type": "tasks is an object, it must be a list",
    "a broken pattern": "the pattern is no regular expression, ",
    "unknown at the top": '"tsak" is not a parameter of the call. Did you mean "task"?',
    "two modes": "tasks and evaluate",
    "agent alone": "`agent` needs a `task`",
    "one voter": "A vote needs at least 2 voters, and this one has 1.",
    "tools that pi does not have": 'Did you mean "read"?',
}


@pytest.mark.parametrize("name", MESSAGES)
def test_messages(name: str, compiled: Compile) -> None:
    assert MESSAGES[name] in compiled(CALLS[name][0]).diagnostics[0].message


def test_no_finding_speaks_of_a_cycle_where_a_node_is_missing(compiled: Compile) -> None:
    assert not any("CYCLE" in found.code for found in compiled(CALLS["unknown dependency"][0]).diagnostics)


def test_a_symlink_is_the_directory_that_it_leads_to(world: Any, compiled: Compile) -> None:
    context = world({"app/keep.txt": ""})
    (Path(context.cwd) / "web").symlink_to("app")
    result = compiled(tasks({"agent": "operator", "cwd": "web"}, {"agent": "operator", "cwd": "app"}))
    assert [error.code for error in result.errors] == ["SHARED_WRITE_CWD"]


PRESETS = {
    ".pi/flow-presets/glance.md": preset("glance", {**RECON, "task": "{task}"}, "overrides: timeoutMs, concurrency"),
    ".pi/flow-presets/fixed.md": preset("fixed", {**RECON, "concurrency": 2.5}),
    ".pi/flow-presets/typo.md": preset("typo", {**RECON, "tsak": 1, "returnContract": "x"}),
    ".pi/flow-presets/greedy.md": preset(
        "greedy", {**tasks(*OPERATORS), "why": "w", "allowSharedWriteCwd": True, "redactSecrets": False}
    ),
    ".pi/flow-presets/open.md": "---\nname: open\ndescription: never closed\n{}\n",
    ".pi/flow-agents/scribe.md": agent("scribe", "tool: none"),
}
# (call beside agentScope: project, [(code, file, pointer)])
PRESET_CALLS: dict[str, tuple[dict[str, Any], list[tuple[str, str, str]]]] = {
    "known": ({"preset": "glance", "task": "x"}, []),
    "trimmed": ({"preset": " glance ", "task": "x"}, []),
    "unknown": ({"preset": "glanc"}, [("UNKNOWN_PRESET", "call.json", "/preset")]),
    "skipped": ({"preset": "open"}, [("UNKNOWN_PRESET", "call.json", "/preset")]),
    "no text": ({"preset": 5, "task": "x"}, [("CALL_INVALID", "call.json", "/preset")]),
    "empty": ({"preset": ""}, [("CALL_INVALID", "call.json", "/preset")]),
    "no task": ({"preset": "glance"}, [("PRESET_TASK_REQUIRED", "call.json", "")]),
    "blank task": ({"preset": "glance", "task": " "}, [("PRESET_TASK_REQUIRED", "call.json", "/task")]),
    "undeclared": (
        {"preset": "glance", "task": "x", "tier": "fast"},
        [("PRESET_OVERRIDE_INVALID", "call.json", "/tier")],
    ),
    "undeclared and unknown": (
        {"preset": "glance", "task": "x", "foo": 1, "evaluate": {}},
        [("PRESET_OVERRIDE_INVALID", "call.json", "/foo"), ("PRESET_OVERRIDE_INVALID", "call.json", "/evaluate")],
    ),
    "retired": (
        {"preset": "glance", "task": "x", "returnContract": 1},
        [("PARAM_RENAMED", "call.json", "/returnContract")],
    ),
    "out of range": (
        {"preset": "glance", "task": "x", "timeoutMs": 0},
        [("PRESET_EXPANSION_INVALID", "call.json", "/timeoutMs")],
    ),
    "always": (
        {"preset": "glance", "task": "x", "maxCostUsd": -1},
        [("PRESET_EXPANSION_INVALID", "call.json", "/maxCostUsd")],
    ),
    "concurrency of the caller": (
        {"preset": "glance", "task": "x", "concurrency": 99},
        [("INVALID_CONCURRENCY", "call.json", "/concurrency")],
    ),
    "concurrency of the template": (
        {"preset": "fixed"},
        [("INVALID_CONCURRENCY", ".pi/flow-presets/fixed.md", "/concurrency")],
    ),
    "names in the template": (
        {"preset": "typo"},
        [
            ("PARAM_RENAMED", ".pi/flow-presets/typo.md", "/returnContract"),
            ("UNKNOWN_PARAMETER", ".pi/flow-presets/typo.md", "/tsak"),
        ],
    ),
    "what only the caller decides": (
        {"preset": "greedy", "task": "x"},
        [
            ("SHARED_WRITE_CWD", ".pi/flow-presets/greedy.md", "/tasks/1"),
            ("PARAMETER_IGNORED", ".pi/flow-presets/greedy.md", "/why"),
            ("PARAMETER_IGNORED", ".pi/flow-presets/greedy.md", "/allowSharedWriteCwd"),
            ("PARAMETER_IGNORED", ".pi/flow-presets/greedy.md", "/redactSecrets"),
            ("PARAMETER_IGNORED", "call.json", "/task"),
        ],
    ),
    "without a reason": (
        {"preset": "greedy", "why": None},
        [
            ("WHY_REQUIRED", "call.json", "/why"),
            ("PARAMETER_IGNORED", ".pi/flow-presets/greedy.md", "/why"),
            ("PARAMETER_IGNORED", ".pi/flow-presets/greedy.md", "/allowSharedWriteCwd"),
            ("PARAMETER_IGNORED", ".pi/flow-presets/greedy.md", "/redactSecrets"),
        ],
    ),
    "an agent whose file has a word that nobody knows": (
        {"agent": "scribe", "task": "x"},
        [("UNKNOWN_PARAMETER", ".pi/flow-agents/scribe.md", "")],
    ),
}


@pytest.mark.parametrize("name", PRESET_CALLS)
def test_presets(name: str, compiled: Compile) -> None:
    call, expected = PRESET_CALLS[name]
    result = compiled({"agentScope": "project", **call}, files=PRESETS)
    assert [(each.code, each.where.file, each.where.pointer) for each in result.diagnostics] == expected


HINTS = [
    ({"preset": "glanc", "agentScope": "project"}, 'Did you mean "glance"?'),
    ({"preset": "open", "agentScope": "project"}, "open.md is skipped: "),
    ({"preset": "glance"}, "The scopes project and all have it."),
    ({"agent": "scribe", "task": "x"}, "The scopes project and all have it."),
    ({"preset": "glanc"}, 'Did you mean "glance"? The scopes project and all have it.'),
    ({"agent": "scrib", "task": "x"}, 'Did you mean "scribe"? The scopes project and all have it.'),
    ({"preset": "glance", "agentScope": "project", "task": "x", "trceFile": "x"}, 'Did you mean "traceFile"?'),
    ({"agent": "nemo", "task": "x", "agentScope": "project"}, 'no agent named "nemo" in scope project.'),
]


@pytest.mark.parametrize(("call", "hint"), HINTS)
def test_hints(call: dict[str, Any], hint: str, compiled: Compile) -> None:
    assert hint in compiled(call, files=PRESETS).errors[0].message


def test_a_call_without_a_mode_is_shown_the_modes_that_there_are(compiled: Compile) -> None:
    message = compiled({}).errors[0].message
    assert all((f" {mode_key(mode)}" in message) == (mode in MODES) for mode in RUN_MODES if mode != "single")


def test_a_long_name_is_cut(compiled: Compile) -> None:
    assert len(compiled({"preset": "x" * 10_000}).errors[0].message) < 600


def test_lines_of_both_files(compiled: Compile) -> None:
    [renamed, unknown] = compiled({"preset": "typo", "agentScope": "project"}, files=PRESETS).errors
    assert [(each.where.line, each.where.column) for each in (renamed, unknown)] == [(5, 48), (5, 37)]
    [out_of_range] = compiled({"preset": "glance", "task": "x", "timeoutMs": 0, "agentScope": "project"}).errors
    assert (out_of_range.where.line, out_of_range.where.column) == (5, 15)
