"""The graphs of the benchmarks: `deps[i]` lists the nodes, all before `i`, that node `i` waits for."""

from __future__ import annotations

import random

Deps = list[list[int]]


def fan(n: int) -> Deps:
    """n nodes and one that joins them."""
    return [[] for _ in range(n)] + [list(range(n))]


def chain(n: int) -> Deps:
    """n nodes in a row."""
    return [[number - 1] if number else [] for number in range(n)]


def layered(n: int, seed: int = 0, needs: int = 3) -> Deps:
    """Some sqrt(n) layers of as many nodes; each needs one node of the layer before it, the rest from the last four."""
    rng = random.Random(seed)
    width = max(1, round(n**0.5))
    deps: Deps = []
    for number in range(n):
        first = number // width * width  # of this node's layer
        if first == 0:
            deps.append([])
            continue
        wanted = {rng.randrange(first - width, first)}
        oldest = max(0, first - 4 * width)
        while len(wanted) < min(needs, first - oldest):
            wanted.add(rng.randrange(oldest, first))
        deps.append(sorted(wanted))
    return deps


SHAPES = {"fan": fan, "chain": chain, "layered": layered}


def dependents(deps: Deps) -> Deps:
    """Who waits for each node."""
    out: Deps = [[] for _ in deps]
    for number, needs in enumerate(deps):
        for need in needs:
            out[need].append(number)
    return out
