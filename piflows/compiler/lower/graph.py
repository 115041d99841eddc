"""Graph: the author's DAG in waves, then an optional debrief over what nothing else reads. Seed: Graph mode."""

from __future__ import annotations

from collections.abc import Sequence

from piflows.compiler.lower.make import RUN, Maker, report
from piflows.compiler.lower.sentences import first_text, joined, t
from piflows.grammar.call import AgentRef, Call
from piflows.grammar.modes.graph import Graph, GraphNode
from piflows.grammar.placeholder import GRAPH_KINDS, split
from piflows.ir.flow import Flow
from piflows.ir.names import escape_key
from piflows.ir.parts import Parts, Slot, text
from piflows.ir.topology import terminals
from piflows.ir.unit import Handoff, Ref, Unit

NAME, RECORDS = "graph", frozenset[str]()


def lower(call: Call, make: Maker) -> Flow:
    """One Stage for all nodes, which stops after the wave of a failure; with a debrief a second one."""
    graph = call.graph
    assert graph is not None
    units = [_unit(f"/graph/nodes/{number}", node, call, make) for number, node in enumerate(graph.nodes)]
    ends = terminals({node.id: node.depends_on for node in graph.nodes})
    then = "done" if graph.debrief is None else "debrief"
    make.stage("nodes", text("nodes"), units, then=then, failed="node-failed", at="/graph/nodes")
    if graph.debrief is None:
        header = t("Flow graph: {n} nodes completed.", n=len(units))
        reads = [report(_slot(end), Ref("nodes", "unit", end)) for end in ends]
        make.settle("done", "success", header=header, body=_outputs(ends, "\n\n---\n\n"), reads=reads)
    else:
        _debrief(graph.debrief, graph, ends, call, make)
    where = {"id": Slot(RUN, "unit"), "agent": Slot(RUN, "agent"), "wave": Slot(RUN, "wave")}
    make.stopped("node-failed", "nodes", t('Flow graph stopped at node "{id}" ({agent}) in wave {wave}:', **where))
    return make.flow("nodes")


def _unit(at: str, node: GraphNode, call: Call, make: Maker) -> Unit:
    """A node. What it needs and reads is taken as written, also what does not exist: the checker knows its place."""
    prompt: Parts = ()
    reads: dict[str, Handoff] = {}
    for piece in split(node.task, GRAPH_KINDS):
        if isinstance(piece, str):
            prompt += text(piece)
        elif piece.kind == "task":
            prompt += text(call.task or "")
        else:
            slot = _slot(piece.name)
            prompt += (Slot(slot),)
            reads[slot] = make.reads(slot, Ref("nodes", "unit", piece.name), form="envelope")
    return make.unit(
        "nodes",
        node.id,
        make.role(node, "node"),
        text(escape_key(node.id)),
        prompt + make.requirements(node),
        needs=tuple(dict.fromkeys(node.depends_on)),
        reads=tuple(reads.values()),
        at=at,
    )


def _debrief(ref: AgentRef, graph: Graph, ends: Sequence[str], call: Call, make: Maker) -> None:
    reads = [make.reads(_slot(end), Ref("nodes", "unit", end), form="envelope") for end in ends]
    goal = first_text(call.task)
    prompt = make.prompt("graph-debrief", goal=goal, outputs=_outputs(ends, "\n\n")) + make.requirements()
    role = make.role(ref, "debrief", resolved=True)
    unit = make.unit("debrief", "debrief", role, text("debrief"), prompt, reads=reads, at="/graph/debrief")
    make.stage("debrief", text("debrief"), [unit], then="done", failed="debrief-failed", at="/graph/debrief")
    header = t("Flow graph: {n} nodes completed; synthesized by {agent}.", n=len(graph.nodes), agent=ref.agent)
    answer = report("answer", Ref("debrief", "unit", "debrief"))
    make.settle("done", "success", header=header, body=(Slot("answer"),), reads=[answer])
    make.stopped("debrief-failed", "debrief", t('Flow graph: debrief "{agent}" failed.', agent=ref.agent))


def _outputs(ends: Sequence[str], between: str) -> Parts:
    """The terminal outputs, each under its node's id."""
    return joined([t("### {id}\n\n{output}", id=end, output=Slot(_slot(end))) for end in ends], between)


def _slot(node: str) -> str:
    return f"node.{node}"
