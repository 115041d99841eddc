"""What the barrier between the waves of a plan costs, against starting each unit once its needs are done.

Nobody knows how long a child takes, so the price is told in three ways that need no durations: steps when all take
equally long, units that the barrier holds back, and how much longer it can take whatever the durations are. Linear in
nodes + edges, apart from the heap of the ready set.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from heapq import heapify, heappop, heappush

from piflows.ir.frozen import frozen
from piflows.ir.topology import Needs, levels, longest


@frozen
class Barrier:
    """`steps` and `ready_steps` are makespans in child runs of equal length, by waves and by the ready set.

    `held` counts the units that wait for a unit which they do not need, directly or through others. `worst`: with a
    worker for every unit the waves take at most so many times as long as the ready set, whatever the durations are.
    It is 1 exactly when no unit is held.
    """

    units: int
    waves: int
    steps: int
    ready_steps: int
    held: int
    worst: int


def barrier(needs: Needs, concurrency: int) -> Barrier:
    """The price for a plan without loops and unknown needs, with at most `concurrency` (from 1) units alive."""
    plan = levels(needs)
    held = _held(needs, plan)
    return Barrier(
        units=sum(map(len, plan)),
        waves=len(plan),
        steps=sum(-(-len(wave) // concurrency) for wave in plan),
        ready_steps=_ready_steps(needs, concurrency),
        held=sum(held),
        worst=_worst(held),
    )


def _held(needs: Needs, plan: Sequence[Sequence[str]]) -> list[int]:
    """For each wave, how many of its units do not need all that stands in earlier waves.

    What a wave has before it, each of these is needed by one that no other of them needs: a last one. So a unit needs
    them all when it directly needs all last ones. A unit is a last one from the wave after its own up to that of its
    first dependent.
    """
    level = {unit: number for number, wave in enumerate(plan) for unit in wave}
    first_dependent = dict.fromkeys(level, len(plan))
    for unit, wanted in needs.items():
        for need in wanted:
            first_dependent[need] = min(first_dependent[need], level[unit])
    begin, end = Counter(number + 1 for number in level.values()), Counter(first_dependent.values())
    last, out = 0, list[int]()
    for number, wave in enumerate(plan):
        last += begin[number]
        out.append(sum(sum(first_dependent[need] == number for need in set(needs[unit])) < last for unit in wave))
        last -= end[number]
    return out


def _worst(held: Sequence[int]) -> int:
    """The waves of the longest stretch without a wave that needs all before it.

    Such a wave begins a new stretch under both schedules, so the ratio is that of the worst stretch; within one, the
    ready set takes at least as long as the longest unit, the waves at most that for each wave.
    """
    stretch = most = 0
    for wave_held in held:
        stretch = stretch + 1 if wave_held else 1
        most = max(most, stretch)
    return most


def _ready_steps(needs: Needs, concurrency: int) -> int:
    """Steps of the ready set as the interpreter starts it: what has the longest path behind it goes first."""
    dependents: dict[str, list[str]] = {unit: [] for unit in needs}
    waiting: dict[str, int] = {}
    for unit, wanted in needs.items():
        for need in dict.fromkeys(wanted):
            dependents[need].append(unit)
        waiting[unit] = len(set(wanted))
    tail = longest(dependents, dict.fromkeys(needs, 1))
    place = {unit: number for number, unit in enumerate(needs)}
    ready = [(-tail[unit], place[unit], unit) for unit, count in waiting.items() if not count]
    heapify(ready)
    steps = 0
    while ready:
        steps += 1
        for _, _, unit in [heappop(ready) for _ in range(min(concurrency, len(ready)))]:
            for dependent in dependents[unit]:
                waiting[dependent] -= 1
                if not waiting[dependent]:
                    heappush(ready, (-tail[dependent], place[dependent], dependent))
    return steps
