"""networkx on the same graph: build, cycle check, generations, longest path. Microseconds a node, as one JSON line."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
from shapes import SHAPES, Deps
from timing import arguments, say, timed


def analyse(deps: Deps) -> None:
    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(deps)))
    graph.add_edges_from((need, node) for node, needs in enumerate(deps) for need in needs)
    assert nx.is_directed_acyclic_graph(graph)
    generations = list(nx.topological_generations(graph))
    assert len(nx.dag_longest_path(graph)) == len(generations)


def main() -> None:
    args = arguments()
    deps = SHAPES[args.shape](args.n)
    job: Callable[[], None] = lambda: analyse(deps)  # noqa: E731
    say(timed(lambda: job, args.runs), len(deps))


main()
