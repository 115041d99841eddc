"""The state graph of a Flow: names, exits, regions, ways back, order.

Every state but a Settle has an exit, every exit leads to a state, and without the `again` exits of its rounds, whose
resets are no loop either, the graph has no cycle: so every path settles.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import chain

from piflows.ir.finding import Finding, first, invalid, nearest, quoted
from piflows.ir.flow import IR_VERSION, Action, Flow, Gate, Settle, Stage, State
from piflows.ir.gates import Round
from piflows.ir.limits import LIMITS
from piflows.ir.plan import Plan
from piflows.ir.topology import cycles, postorder

TIMES_MOST = 1_000_000  # so that the numbers of the bounds stay numbers that a person can read


def structure(flow: Flow) -> list[Finding]:
    """What is wrong with the graph of states; the shape of the whole only when each state is right by itself."""
    names = {state.name for state in flow.states}
    exits = (each for state in flow.states for each in _exits(state))
    found = first(chain(_numbers(flow), _names(flow), exits, _targets(flow, names)))
    return found or first(chain(_regions(flow), _rounds(flow), _order(flow)))


def forward(flow: Flow) -> dict[str, list[str]]:
    """State -> where its exits lead, without the ways back; a Settle before the epilogue goes on to it."""
    after = _after(flow)
    edges: dict[str, list[str]] = {}
    for state in flow.states:
        edges[state.name] = [target for outcome, target in state.exits.items() if not is_way_back(state, outcome)]
        if flow.epilogue and isinstance(state, Settle) and state.name not in after:
            edges[state.name].append(flow.epilogue)
    return edges


def is_way_back(state: State, outcome: str) -> bool:
    """Whether an exit is the `again` of a Round."""
    return outcome == "again" and isinstance(state, Gate) and isinstance(state.test, Round)


def _numbers(flow: Flow) -> Iterator[Finding]:
    if flow.version != IR_VERSION:
        yield invalid(f"its version is {flow.version}, this program reads {IR_VERSION}")
    if not 1 <= flow.concurrency <= LIMITS.concurrency_max:
        yield invalid(f"concurrency is {flow.concurrency}, it must be 1 to {LIMITS.concurrency_max}")
    if flow.timeout_ms < 1:
        yield invalid(f"the timeout is {flow.timeout_ms} ms, it must be positive")
    for ceiling in flow.ceilings:
        if not ceiling.limit >= 0:
            yield invalid(f"the ceiling {ceiling.what} is {ceiling.limit}, it must not be negative")


def _names(flow: Flow) -> Iterator[Finding]:
    seen: set[str] = set()
    for state in flow.states:
        if not state.name:
            yield invalid(f"a {state.kind} has no name")
        elif state.name in seen:
            yield invalid(f"two states are named {quoted(state.name)}", state.name)
        seen.add(state.name)


def _exits(state: State) -> Iterator[Finding]:
    """Every exit that the state can take, and no other."""
    must, may = _expected(state)
    for missing in sorted(must - state.exits.keys()):
        yield invalid(f"{state.kind} {quoted(state.name)} has no exit {quoted(missing)}", state.name)
    for other in sorted(state.exits.keys() - must - may):
        hint = nearest(other, sorted(must | may))
        yield invalid(f"{state.kind} {quoted(state.name)} never takes the exit {quoted(other)}{hint}", state.name)


def _expected(state: State) -> tuple[set[str], set[str]]:
    """The exits that a state must have, and those that it may have."""
    match state:
        case Stage():
            if state.failure == "stop":
                return {"then", "failed"}, {"refused"}
            units = state.work.units if isinstance(state.work, Plan) and state.schedule != "first" else ()
            waits = any(unit.needs for unit in units)
            return ({"then", "stuck"} if waits else {"then"}), {"stuck", "refused"}
        case Gate():
            return set(state.test.outcomes), set()
        case Action():
            return {"then"}, {"refused"}
        case Settle():
            return set(), set()


def _targets(flow: Flow, names: Collection[str]) -> Iterator[Finding]:
    if flow.entry not in names:
        yield invalid(f"the entry {quoted(flow.entry)} is no state{nearest(flow.entry, names)}")
    if flow.epilogue and flow.epilogue not in names:
        yield invalid(f"the epilogue {quoted(flow.epilogue)} is no state{nearest(flow.epilogue, names)}")
    for state in flow.states:
        for outcome, target in state.exits.items():
            if target not in names:
                where = f"exit {quoted(outcome)} of {state.kind} {quoted(state.name)}"
                yield invalid(
                    f"the {where} leads to {quoted(target)}, which is no state{nearest(target, names)}", state.name
                )


def _after(flow: Flow) -> frozenset[str]:
    """The states of the epilogue."""
    every = {state.name: list(state.exits.values()) for state in flow.states}
    return frozenset(postorder(every, flow.epilogue)) if flow.epilogue else frozenset()


def _regions(flow: Flow) -> Iterator[Finding]:
    """Main part and epilogue are all there is and share nothing; only the epilogue may keep what was proposed."""
    every = {state.name: list(state.exits.values()) for state in flow.states}
    main, after = frozenset(postorder(every, flow.entry)), _after(flow)
    for state in flow.states:
        if state.name in main and state.name in after:
            yield invalid(f"{quoted(state.name)} is a state of the main part and of the epilogue", state.name)
        elif state.name not in main and state.name not in after:
            yield invalid(f"no path leads to {state.kind} {quoted(state.name)}", state.name)
        elif isinstance(state, Settle) and state.outcome == "keep" and state.name in main:
            yield invalid(f"settle {quoted(state.name)} keeps an outcome, which only the epilogue may", state.name)


def _rounds(flow: Flow) -> Iterator[Finding]:
    rounds = {
        state.name: state.test for state in flow.states if isinstance(state, Gate) and isinstance(state.test, Round)
    }
    for name, test in rounds.items():
        if not 0 <= test.times <= TIMES_MOST:
            yield invalid(f"round {quoted(name)} goes back {test.times} times, it must be 0 to {TIMES_MOST}", name)
        for inner in test.resets:
            if inner not in rounds:
                near = nearest(inner, rounds)
                yield invalid(f"round {quoted(name)} resets {quoted(inner)}, which is no round{near}", name)
    for loop in cycles({name: test.resets for name, test in rounds.items()}):
        yield invalid(f"rounds reset each other without end: {' -> '.join(loop)}", loop[0])


def _order(flow: Flow) -> Iterator[Finding]:
    """The states stand in topological order; a cycle has none."""
    edges = forward(flow)
    loops = cycles(edges)
    for loop in loops:
        yield invalid(f"a cycle without a round never ends: {' -> '.join(loop)}", loop[0])
    if loops:
        return
    place = {state.name: number for number, state in enumerate(flow.states)}
    for name, targets in edges.items():
        for target in targets:
            if place[target] < place[name]:
                yield invalid(f"{quoted(target)} stands before {quoted(name)}, which leads to it", target)
