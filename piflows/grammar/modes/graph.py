"""The object of a call in the mode graph. Graph: an author's DAG."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import Field

from piflows.grammar.call_parts import AgentRef, Codes, Id, Mode, NonEmpty, Sized
from piflows.ir.limits import LIMITS as L

_GRAPH = Codes("GRAPH_INVALID", "GRAPH_INVALID", "GRAPH_INVALID")


class GraphNode(Sized):
    """One node of a graph. It has no role of its own."""

    role: ClassVar[None] = None
    id: Id
    agent: NonEmpty
    task: NonEmpty
    depends_on: list[str] = []  # noqa: RUF012  (a model copies its defaults)
    cwd: str | None = None
    return_requirements: str | None = None
    require_evidence: bool | None = None


class Graph(Mode):
    """Seed: Graph mode (static DAG)."""

    CODES: ClassVar[Mapping[str, Codes]] = dict.fromkeys(("nodes", "nodes.id", "nodes.agent", "nodes.task"), _GRAPH)

    nodes: Annotated[list[GraphNode], Field(min_length=1, max_length=L.graph_nodes)]
    debrief: AgentRef | None = None
