"""Least and most child runs and waves of a Flow, before anything is spent.

Both are proved for every run: no run spends more than the most, none that succeeds spends less than the least. Linear
in states + edges, apart from the shortest path's heap. The Flow must verify.
"""

from __future__ import annotations

from collections.abc import Mapping
from heapq import heappop, heappush

from piflows.ir.flow import Flow, Gate, Settle, Stage, State
from piflows.ir.frozen import frozen
from piflows.ir.gates import Round
from piflows.ir.plan import Over
from piflows.ir.topology import components, levels, longest


@frozen
class Bounds:
    """Numbers of child runs and of waves. The least is that of a run that succeeds; None when no run can."""

    least_runs: int | None
    most_runs: int
    least_waves: int | None
    most_waves: int


@frozen
class _Weight:
    """One visit of a Stage. `all` units run, or those that must have run before it is left by `failed` or `stuck`."""

    most: int
    all: int
    begun: int

    def least(self, outcome: str) -> int:
        """What a visit costs at least that is left by this exit. A refused Stage may have started nothing."""
        return {"then": self.all, "refused": 0}.get(outcome, self.begun)


_NOTHING = _Weight(0, 0, 0)


def bounds(flow: Flow) -> Bounds:
    """What a Flow that verifies costs at least when it succeeds, and at most however it goes."""
    runs: dict[str, _Weight] = {}
    waves: dict[str, _Weight] = {}
    for state in flow.states:
        runs[state.name], waves[state.name] = _weights(state) if isinstance(state, Stage) else (_NOTHING, _NOTHING)
    loops = _loops(flow)
    least_runs, least_waves = (_least(flow, weights, _rounds_spent(flow, loops, weights)) for weights in (runs, waves))
    return Bounds(least_runs, _most(flow, loops, runs), least_waves, _most(flow, loops, waves))


def _weights(stage: Stage) -> tuple[_Weight, _Weight]:
    """Runs and waves of one visit. Only `ready` with `stop` can lose a unit of the first level."""
    work = stage.work
    if isinstance(work, Over):
        return _Weight(work.cap, work.least, max(1, work.least)), _Weight(1, min(1, work.least), 1)
    if stage.schedule == "first":
        return _Weight(1, 1, 1), _Weight(1, 1, 1)
    runs, waves, begun = len(work.units), 1, len(work.units)
    if any(unit.needs for unit in work.units):
        plan = levels({unit.name: unit.needs for unit in work.units})
        waves, begun = len(plan), len(plan[0])
    if stage.schedule == "ready" and stage.failure == "stop":
        begun = 1
    return _Weight(runs, runs, begun), _Weight(waves, waves, 1)


# ---- the worst case ---------------------------------------------------------------------------------------------


@frozen
class _Loops:
    """The state graph by its strongly connected parts, which stand in `parts` after those they lead to.

    `onward` state -> where it leads, `inside` the same within its part and without the way back, `back` the rounds that
    lead back into their own part -> where to.
    """

    parts: list[list[str]]
    onward: dict[str, list[str]]
    inside: dict[str, list[str]]
    back: dict[str, str]


def _loops(flow: Flow) -> _Loops:
    states = {state.name: state for state in flow.states}
    main = _distances(states, flow.entry, {}, {}) if flow.epilogue else {}
    onward: dict[str, list[str]] = {}
    for state in flow.states:
        onward[state.name] = [target for outcome, target in state.exits.items() if _taken(state, outcome)]
        if isinstance(state, Settle) and state.name in main:
            onward[state.name].append(flow.epilogue)
    parts = components(onward)
    part = {name: index for index, members in enumerate(parts) for name in members}
    back: dict[str, str] = {}
    inside: dict[str, list[str]] = {}
    for state in flow.states:
        inside[state.name] = [to for to in onward[state.name] if part[to] == part[state.name]]
        again = state.exits.get("again")
        if again is not None and again in inside[state.name]:
            back[state.name] = again
            inside[state.name] = [to for to in (state.exits["spent"],) if part[to] == part[state.name]]
    return _Loops(parts, onward, inside, back)


def _most(flow: Flow, loops: _Loops, weights: Mapping[str, _Weight]) -> int:
    """Longest path through the parts, each with what its rounds can add to the path from where it is entered."""
    totals = round_totals(flow)
    path = longest(loops.inside, {name: weight.most for name, weight in weights.items()})
    cost: dict[str, int] = {}
    for members in loops.parts:
        again = sum(totals[name] * path[loops.back[name]] for name in members if name in loops.back)
        after = max((cost[to] for name in members for to in loops.onward[name] if to in cost), default=0)
        for name in members:
            cost[name] = path[name] + again + after
    return cost[flow.entry]


def round_totals(flow: Flow) -> dict[str, int]:
    """How often each Round can go back in a whole run: `n · (1 + what the rounds that reset it go back)`."""
    tests = {state.name: state.test for state in flow.states if isinstance(state, Gate)}
    rounds = {name: test for name, test in tests.items() if isinstance(test, Round)}
    reset_by: dict[str, list[str]] = {name: [] for name in rounds}
    for name, test in rounds.items():
        for inner in dict.fromkeys(test.resets):
            reset_by[inner].append(name)
    totals: dict[str, int] = {}
    for level in levels(reset_by):
        for name in level:
            totals[name] = rounds[name].times * (1 + sum(totals[outer] for outer in reset_by[name]))
    return totals


# ---- the best case ----------------------------------------------------------------------------------------------


def _rounds_spent(flow: Flow, loops: _Loops, weights: Mapping[str, _Weight]) -> dict[str, int]:
    """What a round has cost at least before it is spent: all of its ways back, each the shortest.

    Only for one that is alone in its part: ways back of several rounds may be the same steps.
    """
    states = {state.name: state for state in flow.states}
    spent: dict[str, int] = {}
    for members in loops.parts:
        if len(rounds := [name for name in members if name in loops.back]) == 1:
            name = rounds[0]
            part = {member: states[member] for member in members}
            way = _distances(part, loops.back[name], weights, {})
            spent[name] = _times(states[name]) * way[name]
    return spent


def _times(state: State) -> int:
    return state.test.times if isinstance(state, Gate) and isinstance(state.test, Round) else 1


def _least(flow: Flow, weights: Mapping[str, _Weight], spent: Mapping[str, int]) -> int | None:
    """Shortest path to success: proposed and kept by the epilogue, or only made there."""
    states = {state.name: state for state in flow.states}
    main = _distances(states, flow.entry, weights, spent)
    proposed = _nearest(flow, main, "success")
    if not flow.epilogue:
        return proposed
    after = _distances(states, flow.epilogue, weights, spent)
    ends = [
        (proposed, _nearest(flow, after, "keep")),
        (_nearest(flow, main, "success", "stopped", "refused"), _nearest(flow, after, "success")),
    ]
    return min((before + then for before, then in ends if before is not None and then is not None), default=None)


def _nearest(flow: Flow, distances: Mapping[str, int], *outcomes: str) -> int | None:
    """The distance of the nearest Settle with one of these outcomes."""
    settles = (state for state in flow.states if isinstance(state, Settle) and state.outcome in outcomes)
    return min((distances[settle.name] for settle in settles if settle.name in distances), default=None)


def _distances(
    states: Mapping[str, State], start: str, weights: Mapping[str, _Weight], rounds: Mapping[str, int]
) -> dict[str, int]:
    """Dijkstra: the least that has been spent on entering each of the states that can be reached by way of them."""
    distances: dict[str, int] = {}
    heap = [(0, start)]
    while heap:
        spent, name = heappop(heap)
        if name in distances or name not in states:
            continue
        distances[name] = spent
        state, weight = states[name], weights.get(name, _NOTHING)
        for outcome, target in state.exits.items():
            if target not in distances and _taken(state, outcome):
                turns = rounds.get(name, 0) if outcome == "spent" else 0
                heappush(heap, (spent + turns + weight.least(outcome), target))
    return distances


def _taken(state: State, outcome: str) -> bool:
    """Whether an exit can be taken at all: a Round of no times never leads back."""
    return outcome != "again" or _times(state) > 0
