"""langgraph on the same graph, joins as edges from several parents. Microseconds a node, as one JSON line.

Only `ainvoke` is timed: building and compiling the graph is not.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypedDict

from langgraph.graph import END, START, StateGraph
from shapes import SHAPES, Deps, dependents
from timing import arguments, say, timed


class State(TypedDict, total=False):
    """Nothing is handed on."""

    x: int


def compiled(deps: Deps, ran: list[int]) -> Any:
    graph = StateGraph(State)
    for number in range(len(deps)):

        async def node(_: State, number: int = number) -> None:
            ran.append(number)

        graph.add_node(f"n{number}", node)
    for number, needs in enumerate(deps):
        parents = [f"n{need}" for need in needs]
        graph.add_edge((parents if len(parents) > 1 else parents[0]) if parents else START, f"n{number}")
    for number, after in enumerate(dependents(deps)):
        if not after:
            graph.add_edge(f"n{number}", END)
    return graph.compile()


def main() -> None:
    args = arguments()
    deps = SHAPES[args.shape](args.n)
    ran: list[int] = []
    graph = compiled(deps, ran)

    def job() -> None:
        ran.clear()
        asyncio.run(graph.ainvoke({"x": 0}, {"recursion_limit": len(deps) + 10}))
        assert sorted(ran) == list(range(len(deps)))

    make: Callable[[], Callable[[], None]] = lambda: job  # noqa: E731
    say(timed(make, args.runs), len(deps))


main()
