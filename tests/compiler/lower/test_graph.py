"""Graph as states, and as runs on the machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from drive import Run, fail, keyed, ok

from piflows.compiler.lower.make import Lowered
from piflows.ir.flow import Flow, Settle, Stage
from piflows.ir.parts import Parts
from piflows.ir.plan import Plan
from piflows.ir.unit import Handoff, Ref, Unit

Lower = Callable[..., Lowered]
Show = Callable[[Parts], str]


def node(name: str, task: str = "Look.", *needs: str, **rest: Any) -> dict[str, Any]:
    return {"id": name, "agent": "recon", "task": task, "dependsOn": list(needs), **rest}


DIAMOND = [
    node("a"),
    node("b", "{node.a}", "a"),
    node("c", "{node.a}", "a", agent="analyst"),
    node("d", "Join {node.b} and {node.c}", "b", "c"),
]
DEBRIEF = {"agent": "debrief"}


def graph(lowered: Lower, nodes: list[dict[str, Any]], debrief: Any = None, **call: Any) -> Flow:
    given = {"nodes": nodes} | ({} if debrief is None else {"debrief": debrief})
    return lowered("graph", {"task": "the pier", "graph": given, **call}).flow


def units(flow: Flow, stage: str = "nodes") -> tuple[Unit, ...]:
    found = next(state for state in flow.states if state.name == stage)
    assert isinstance(found, Stage) and isinstance(found.work, Plan)
    return found.work.units


def test_states_and_exits(lowered: Lower) -> None:
    plain = {"nodes": {"then": "done", "failed": "node-failed"}, "done": {}, "node-failed": {}}
    assert {state.name: state.exits for state in graph(lowered, DIAMOND).states} == plain
    assert {state.name: state.exits for state in graph(lowered, DIAMOND, DEBRIEF).states} == {
        "nodes": {"then": "debrief", "failed": "node-failed"},
        "debrief": {"then": "done", "failed": "debrief-failed"},
        "done": {},
        "debrief-failed": {},
        "node-failed": {},
    }
    stage = graph(lowered, DIAMOND).states[0]
    assert isinstance(stage, Stage) and (stage.schedule, stage.failure) == ("wave", "stop")


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        ([node("a"), node("b", "x", "a", "a")], [("a", "a", (), "Look."), ("b", "b", ("a",), "x")]),
        ([node("a.b%c")], [("a.b%c", "a%2Eb%25c", (), "Look.")]),
        ([node("a", "x", "ghost", "a")], [("a", "a", ("ghost", "a"), "x")]),
        ([node("a"), node("a", "y")], [("a", "a", (), "Look."), ("a", "a", (), "y")]),
        ([node("a", "{task}: {node.b} {node.b} {previous} {x}")], [
            ("a", "a", (), "the pier: {node.b} {node.b} {previous} {x}")
        ]),
    ],
)  # fmt: skip
def test_nodes_are_taken_as_written(
    nodes: list[dict[str, Any]], expected: list[Any], lowered: Lower, show: Show
) -> None:
    found = units(graph(lowered, nodes))
    assert [(unit.name, show(unit.label), unit.needs, show(unit.prompt)) for unit in found] == expected


def test_what_a_node_reads(lowered: Lower) -> None:
    last = units(graph(lowered, DIAMOND))[-1]
    assert last.reads == (
        Handoff("node.b", Ref("nodes", "unit", "b"), "envelope"),
        Handoff("node.c", Ref("nodes", "unit", "c"), "envelope"),
    )
    (twice,) = units(graph(lowered, [node("a", "{node.ghost} {node.ghost}")]))
    assert twice.reads == (Handoff("node.ghost", Ref("nodes", "unit", "ghost"), "envelope"),)


def test_pointers_and_roles(lowered: Lower) -> None:
    result = lowered("graph", {"graph": {"nodes": DIAMOND, "debrief": DEBRIEF}})
    assert (
        result.pointers["nodes", "c"] == "/graph/nodes/2" and result.pointers["debrief", "debrief"] == "/graph/debrief"
    )
    assert [unit.role for unit in units(result.flow)] == ["node-recon", "node-recon", "node-analyst", "node-recon"]
    assert {role.slot for role in result.flow.roles.values()} == {"node", "debrief"}


def test_return_requirements(lowered: Lower, show: Show) -> None:
    nodes = [node("a", returnRequirements="In metres."), node("b")]
    flow = graph(lowered, nodes, DEBRIEF, returnRequirements="In knots.")
    said = [show(unit.prompt) for unit in (*units(flow), *units(flow, "debrief"))]
    assert [("In metres." in each, "In knots." in each) for each in said] == [
        (True, False),
        (False, True),
        (False, True),
    ]


def test_the_debrief_reads_what_nothing_else_does(lowered: Lower, show: Show) -> None:
    (unit,) = units(graph(lowered, [*DIAMOND, node("lone")], DEBRIEF), "debrief")
    assert [read.value.unit for read in unit.reads] == ["d", "lone"]
    assert "## Original goal\n\nthe pier\n" in show(unit.prompt)
    assert "### d\n\n{node.d}\n\n### lone\n\n{node.lone}\n\n## Your job" in show(unit.prompt)
    (untold,) = units(graph(lowered, DIAMOND, DEBRIEF, task=None), "debrief")
    assert "No overall task was given" in show(untold.prompt)


def test_headers_and_reports(lowered: Lower, show: Show) -> None:
    def ends(*given: Any) -> dict[str, tuple[str, str]]:
        found = [state for state in graph(lowered, *given).states if isinstance(state, Settle)]
        return {end.name: (show(end.header), show(end.body)) for end in found}

    failed = ('Flow graph stopped at node "{run.unit}" ({run.agent}) in wave {run.wave}:', "{run}")
    assert ends([*DIAMOND, node("lone")]) == {
        "done": ("Flow graph: 5 nodes completed.", "### d\n\n{node.d}\n\n---\n\n### lone\n\n{node.lone}"),
        "node-failed": failed,
    }
    assert ends(DIAMOND, DEBRIEF) == {
        "done": ("Flow graph: 4 nodes completed; synthesized by debrief.", "{answer}"),
        "debrief-failed": ('Flow graph: debrief "debrief" failed.', "{run}"),
        "node-failed": failed,
    }


def test_runs(lowered: Lower) -> None:
    flow = graph(lowered, DIAMOND, DEBRIEF)
    run = Run(flow, keyed({"b": ok("OUT-B {task}"), "c": ok("OUT-C"), "debrief": ok("MERGED")})).go()
    assert run.unit_keys() == ["a", "b", "c", "d", "debrief"]
    assert "OUT-B {task}" in run.spawned[3]["prompt"] and "OUT-C" in run.spawned[3]["prompt"]
    assert run.outcome["proposal"]["text"] == "MERGED"
    stopped = Run(flow, keyed({"c": fail()})).go()
    assert stopped.unit_keys() == ["a", "b", "c"]
    end = stopped.outcome["proposal"]
    assert (end["outcome"], end["header"]) == ("stopped", 'Flow graph stopped at node "c" (analyst) in wave 2:')
