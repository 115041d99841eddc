"""Single, parallel, list and config."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from drive import Run, fail, keyed, ok

from piflows.compiler.context import Catalog
from piflows.compiler.discovered import tilde
from piflows.compiler.lower.make import Lowered
from piflows.grammar.preset import parse_preset
from piflows.ir.diagnostic import diagnostic
from piflows.ir.flow import Settle, Stage
from piflows.ir.parts import Parts, constant, text
from piflows.ir.plan import Plan
from piflows.ir.source import Where

Lower = Callable[..., Lowered]
Show = Callable[[Parts], str]

CONTRACT = {"objective": "Report the port."}


@pytest.mark.parametrize(
    ("call", "prompt"),
    [
        ({"task": "Look."}, "Look."),
        ({"task": "Look.", "contract": CONTRACT}, "Look."),
        ({"contract": CONTRACT}, "Report the port."),
        ({"task": "Look.", "returnRequirements": "Brief."}, "Look.\n\n## Return requirements\n\n- Brief."),
    ],
)
def test_single(call: dict[str, Any], prompt: str, lowered: Lower, show: Show) -> None:
    flow = lowered("single", {"agent": "recon", "cwd": "yard", "tools": "none", "role": "scout", **call}).flow
    stage = flow.states[0]
    assert {state.name: state.exits for state in flow.states} == {
        "run": {"then": "done", "failed": "failed"},
        "done": {},
        "failed": {},
    }
    assert isinstance(stage, Stage) and isinstance(stage.work, Plan)
    (unit,) = stage.work.units
    role = flow.roles[unit.role]
    own, contract, protocol = show(unit.prompt).partition("\n\n## Delegation contract\n")
    assert (show(unit.label), own) == ("single", prompt)
    assert bool(contract and "\n## Required return protocol\n" in protocol) == ("contract" in call)
    assert (role.slot, role.tools, role.cwd) == ("scout", (), text("yard"))


@pytest.mark.parametrize(("reply", "outcome"), [(ok("DONE"), "success"), (fail(), "stopped")])
def test_single_has_no_header(reply: dict[str, Any], outcome: str, lowered: Lower) -> None:
    end = Run(lowered("single", {"agent": "recon", "task": "x"}).flow, keyed({}, reply)).go().outcome["proposal"]
    assert (end["outcome"], end["header"], end["error"]) == (outcome, None, None)
    assert end["text"] == "DONE" if outcome == "success" else "CHILD_EXIT_NONZERO" in end["text"]


TASKS = [{"agent": "recon", "task": "a"}, {"agent": "analyst", "task": "b", "role": "spec", "cwd": "yard"}]


def test_parallel(lowered: Lower, show: Show) -> None:
    result = lowered("parallel", {"tasks": TASKS, "tier": "fast"})
    flow = result.flow
    assert {state.name: state.exits for state in flow.states} == {
        "tasks": {"then": "all-ok"},
        "all-ok": {"enough": "done", "short": "partial"},
        "done": {},
        "partial": {},
    }
    stage = flow.states[0]
    assert isinstance(stage, Stage) and isinstance(stage.work, Plan) and stage.failure == "drain"
    assert [show(unit.label) for unit in stage.work.units] == ["tasks.1", "tasks.2"]
    assert [flow.roles[unit.role].slot for unit in stage.work.units] == ["task", "spec"]
    assert result.pointers["tasks", "2"] == "/tasks/1"
    ends = [state for state in flow.states if isinstance(state, Settle)]
    assert [end.outcome for end in ends] == ["success", "stopped"] and ends[0].body == ends[1].body


@pytest.mark.parametrize(
    ("replies", "outcome", "header", "second"),
    [
        ({}, "success", "Flow parallel: 2/2 succeeded.", "### spec (analyst) — completed\n\nB"),
        ({"tasks.2": fail()}, "stopped", "Flow parallel: 1/2 succeeded.", "### analyst — failed (error)\n\n"),
    ],
)
def test_parallel_reports_every_task(
    replies: dict[str, Any], outcome: str, header: str, second: str, lowered: Lower
) -> None:
    flow = lowered("parallel", {"tasks": TASKS, "tier": "fast"}).flow
    run = Run(flow, keyed({"tasks.1": ok("A"), "tasks.2": ok("B")} | replies)).go()
    end = run.outcome["proposal"]
    assert (end["outcome"], end["header"], end["error"]) == (outcome, header, None)
    assert end["text"].startswith(f"### task (recon) — completed\n\nA\n\n---\n\n{second}")


PRESET = b'---\nname: scout\ndescription: "One\\nrun"\noverrides: cwd\n---\n{"agent":"recon","task":"{task}"}'


def filled(catalog: Catalog) -> Catalog:
    preset, issues = parse_preset(PRESET, "/home/pia/.pi/agent/flow-presets/scout.md")
    assert preset is not None and not issues
    preset = replace(preset, source="user")
    unread = diagnostic("AGENT_FILE_UNREADABLE", Where("/home/pia/x.md"), file="x.md", problem="permission denied")
    return Catalog(
        catalog.agents,
        {"scout": preset},
        (unread,),
        catalog.agents_dirs,
        {"package": "/opt/presets", "user": "/home/pia"},
    )


def test_list(catalog: Catalog, lowered: Lower) -> None:
    (end,) = lowered("list", {"list": True}, found=filled(catalog)).flow.states
    assert isinstance(end, Settle) and end.outcome == "success"
    body = constant(end.body)
    assert body is not None
    presets, agents, issues = body.split("\n\n")
    assert presets == "Workflow presets:\n- scout (user): One\\nrun (overrides: cwd)"
    assert agents.startswith("Flow agents:\n- analyst (package): The analyst (tools: read)\n- debrief ")
    assert "- operator (package): The operator (tools: pi defaults)" in agents
    assert issues.startswith("Discovery issues:\n- error AGENT_FILE_UNREADABLE: ~/x.md: ")
    assert end.data["presetsDir"] == {"package": "/opt/presets", "user": "~"}
    assert end.data["agentsDir"] == {"package": "~/agents"}
    assert [each["name"] for each in end.data["agents"]] == sorted(catalog.agents)
    assert end.data["presets"][0] == {
        "name": "scout",
        "description": "One\nrun",
        "source": "user",
        "overrides": ["cwd"],
        "file": "~/.pi/agent/flow-presets/scout.md",
    }
    assert end.data["discoveryIssues"][0]["file"] == "~/x.md"


def test_config(catalog: Catalog, lowered: Lower) -> None:
    (end,) = lowered("config", {"showConfig": True, "agentScope": "all"}, found=filled(catalog)).flow.states
    assert isinstance(end, Settle)
    body = constant(end.body) or ""
    lines = body.split("\n")
    assert lines[:3] == ["agentScope: all", "agentsDir.package: ~/agents", "presetsDir.package: /opt/presets"]
    assert {"concurrency: 4", "maxParallelTasks: 8", "timeoutMs: 36000000"} <= set(lines)
    assert [line.split(":")[0] for line in lines if line.startswith("modelTier")] == [
        "modelTier.fast",
        "modelTier.capable",
        "modelTier.deep",
    ]
    assert lines[-1].startswith("discoveryIssue: error AGENT_FILE_UNREADABLE")
    assert end.data["config"]["maxParallelTasks"] == 8 and end.data["agentsDir"] == {"package": "~/agents"}


@pytest.mark.parametrize(
    ("path", "home", "expected"),
    [
        ("/home/pia/x", "/home/pia", "~/x"),
        ("/home/pia/x", "/home/pia/", "~/x"),
        ("/home/pia", "/home/pia", "~"),
        ("/home/piano", "/home/pia", "/home/piano"),
        ("/x", "", "/x"),
        ("/x", "/", "/x"),
    ],
)
def test_home_is_written_short(path: str, home: str, expected: str) -> None:
    assert tilde(path, home) == expected
