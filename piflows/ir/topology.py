"""Pure graph theory over `needs`: id -> the ids it needs. Everything here is linear in nodes + edges.

The order of the mapping is the order of declaration and decides every tie, so equal inputs give equal outputs whatever
the hash seed. Nothing recurses: a chain of ten thousand nodes is an ordinary input. An id that is needed but is no key
is left out of every answer but `unknown`. For states the same functions take state -> the states its exits lead to.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from piflows.ir.frozen import frozen

Needs = Mapping[str, Sequence[str]]
N = TypeVar("N", bound=Hashable)


def levels(needs: Mapping[N, Sequence[N]]) -> list[list[N]]:
    """Waves (Kahn): each node in the first wave after all it needs; within a wave in order of declaration.

    Nodes on a loop, and those that need one, are in no wave: `cycles` names the loops.
    """
    dependents, waiting = _links(needs)
    level: dict[N, int] = {}
    wave = [node for node, count in waiting.items() if not count]
    depth = 0
    while wave:
        ready: list[N] = []
        for node in wave:
            level[node] = depth
            for dependent in dependents[node]:
                waiting[dependent] -= 1
                if not waiting[dependent]:
                    ready.append(dependent)
        wave = ready
        depth += 1
    waves: list[list[N]] = [[] for _ in range(depth)]
    for node in needs:
        if node in level:
            waves[level[node]].append(node)
    return waves


def _links(needs: Mapping[N, Sequence[N]]) -> tuple[dict[N, list[N]], dict[N, int]]:
    """Who needs each node, and how many needs of its own it waits for."""
    dependents: dict[N, list[N]] = {node: [] for node in needs}
    waiting: dict[N, int] = {}
    for node, wanted in needs.items():
        count = 0
        for need in wanted:
            if need in dependents:
                dependents[need].append(node)
                count += 1
        waiting[node] = count
    return dependents, waiting


def unknown(needs: Needs) -> list[tuple[str, str]]:
    """Each (id, missing) where `id` needs something that is no key; a repeated one once."""
    return list(dict.fromkeys((node, need) for node, wanted in needs.items() for need in wanted if need not in needs))


def terminals(needs: Needs) -> list[str]:
    """The nodes that no other node needs."""
    needed = {need for node, wanted in needs.items() for need in wanted if need != node}
    return [node for node in needs if node not in needed]


def postorder(needs: Needs, start: str) -> list[str]:
    """Every node that `start` reaches, itself too, each after those that were first found from it; `start` is last."""
    seen = {start}
    done: list[str] = []
    path = [(start, iter(needs[start]))]
    while path:
        node, rest = path[-1]
        for need in rest:
            if need not in seen and need in needs:
                seen.add(need)
                path.append((need, iter(needs[need])))
                break
        else:
            done.append(node)
            path.pop()
    return done


def components(needs: Needs) -> list[list[str]]:
    """Strongly connected components, each after those it needs (Tarjan, with an explicit stack)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    open_nodes: list[str] = []
    closed: set[str] = set()
    found: list[list[str]] = []
    for root in needs:
        if root in index:
            continue
        path: list[tuple[str, Iterator[str]]] = [(root, iter(needs[root]))]
        index[root] = low[root] = len(index)
        open_nodes.append(root)
        while path:
            node, rest = path[-1]
            for need in rest:
                if need not in index:
                    if need in needs:
                        index[need] = low[need] = len(index)
                        open_nodes.append(need)
                        path.append((need, iter(needs[need])))
                        break
                elif need not in closed and index[need] < low[node]:
                    low[node] = index[need]
            else:
                path.pop()
                if path and low[node] < low[path[-1][0]]:
                    low[path[-1][0]] = low[node]
                if low[node] == index[node]:
                    found.append(_close(node, open_nodes, closed))
    return found


def _close(node: str, open_nodes: list[str], closed: set[str]) -> list[str]:
    """Take the component that `node` is the root of off the stack."""
    component: list[str] = []
    while not component or component[-1] != node:
        component.append(open_nodes.pop())
    closed.update(component)
    return component[::-1]


def cycles(needs: Needs) -> list[list[str]]:
    """One loop of every component that has one, as a chain `[a, b, a]` in which each id needs the next.

    The chain starts at the component's first declared id and is the shortest through it; the loops come in the order
    of these ids. So all disjoint loops are named, also those behind nodes that can run.
    """
    if _in_order(needs):
        return []
    runnable = {node for wave in levels(needs) for node in wave}
    if len(runnable) == len(needs):
        return []
    position = {node: index for index, node in enumerate(needs) if node not in runnable}
    stuck = {node: [need for need in needs[node] if need in position] for node in position}
    chains: list[list[str]] = []
    for component in components(stuck):
        first = min(component, key=position.__getitem__)
        if len(component) > 1 or first in stuck[first]:
            chains.append(_shortest_loop(stuck, first, set(component)))
    return sorted(chains, key=lambda chain: position[chain[0]])


def _in_order(needs: Needs) -> bool:
    """Whether each node needs only what is declared before it, as in most graphs that people write."""
    later = set(needs)
    for node, wanted in needs.items():
        if not later.isdisjoint(wanted):
            return False
        later.discard(node)
    return True


def _shortest_loop(needs: Needs, first: str, component: set[str]) -> list[str]:
    """Breadth first from `first` within its component, until something needs `first`."""
    came_from = {first: first}
    queue = [first]
    for node in queue:  # grows while it is walked
        for need in needs[node]:
            if need == first:
                chain = [first, node]
                while chain[-1] != first:
                    chain.append(came_from[chain[-1]])
                return chain[::-1] if node != first else chain
            if need in component and need not in came_from:
                came_from[need] = node
                queue.append(need)
    raise AssertionError("a component without a loop")


@frozen
class Reach:
    """Who needs whom, directly or through others: asked about the marked nodes only, so that it stays small.

    `bit` gives each marked node its bit, in an order where a node comes after what it needs; `before` gives every node
    the bits of the marked nodes that it needs.
    """

    bit: dict[str, int]
    before: dict[str, int]

    def needs(self, node: str, need: str) -> bool:
        """Whether there is a path from `node` to the marked `need`."""
        return bool(self.before[node] & self.bit[need])


def reach(needs: Needs, marked: Iterable[str] | None = None) -> Reach:
    """The transitive closure towards the `marked` nodes (all of them when None); loops are allowed.

    One integer of len(marked) bits per node: 10,000 nodes with all of them marked take some 12 MB.
    """
    wanted = set(needs if marked is None else marked)
    bit: dict[str, int] = {}
    before: dict[str, int] = {}
    for component in components(needs):
        for node in component:
            if node in wanted:
                bit[node] = 1 << len(bit)
        mask = 0
        for node in component:
            for need in needs[node]:
                if need in needs:
                    mask |= before.get(need, 0) | bit.get(need, 0)
        for node in component:
            before[node] = mask
    return Reach(bit, before)


def antichain(order: Reach, group: Sequence[str]) -> list[str]:
    """Nodes of `group` (marked ones, without loops) of which none needs another; empty when they stand in one line.

    It starts at the first pair found in the order of `Reach` and takes in whatever fits; given back as in `group`.
    """
    by_need = sorted(group, key=order.bit.__getitem__)
    earlier = 0
    for node in by_need:
        missing = earlier & ~order.before[node]
        if missing:
            first = missing & -missing
            break
        earlier |= order.bit[node]
    else:
        return []
    taken = first
    for node in by_need:
        if order.bit[node] > first and not order.before[node] & taken:
            taken |= order.bit[node]
    return [node for node in group if order.bit[node] & taken]


def longest(needs: Needs, weight: Mapping[str, int]) -> dict[str, int]:
    """Id -> weight of the heaviest path that ends in it, itself counted. Nodes that need a loop are left out."""
    heaviest: dict[str, int] = {}
    for wave in levels(needs):
        for node in wave:
            before = max((heaviest[need] for need in needs[node] if need in needs), default=0)
            heaviest[node] = before + weight[node]
    return heaviest
