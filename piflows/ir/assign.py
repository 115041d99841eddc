"""Definite assignment, per exit: what is read is defined on every path to its reader, or its slot allows the absence.

A forward data flow over the graph of states: what holds on entering a state is what holds on every edge into it. Each
exit defines some values of its state and unsets the others. Sets of values are integers, one bit each. The graph must
be well-formed (`structure.py`), and what is read must be able to exist (`wiring.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import chain

from piflows.ir.contracted import units_of
from piflows.ir.finding import Finding, first, invalid, nearest, quoted
from piflows.ir.flow import Flow, Gate, Settle, Stage, State
from piflows.ir.frozen import frozen
from piflows.ir.gates import Round
from piflows.ir.plan import Over, Plan
from piflows.ir.structure import forward
from piflows.ir.topology import postorder, reach
from piflows.ir.unit import Handoff, Ref

VALUE, FAILED, UNITS, COMING = (
    1,
    2,
    4,
    8,
)  # of a state: its value, first failure, each unit; the value a Round will have
WIDTH = 4


def assigned(flow: Flow) -> list[Finding]:
    """Every value that some path to its reader leaves undefined, and every unit that does not exist."""
    states = {state.name: state for state in flow.states}
    place = {name: WIDTH * number for number, name in enumerate(states)}
    known = _solve(flow, states, place)
    stages = (state for state in flow.states if isinstance(state, Stage))
    units = {stage.name: {unit.name: unit.needs for unit in units_of(stage)} for stage in stages}
    readers = (_Reader(states, units, place, state, known[state.name]) for state in flow.states)
    return first(chain.from_iterable(reader.findings() for reader in readers))


# ---- the data flow ----------------------------------------------------------------------------------------------


def _solve(flow: Flow, states: dict[str, State], place: dict[str, int]) -> dict[str, int]:
    """State -> what is defined whenever it is entered. A worklist in reverse postorder: few states come up twice."""
    onward = forward(flow)
    order = postorder({name: [*onward[name], *state.exits.values()] for name, state in states.items()}, flow.entry)
    rank = {name: number for number, name in enumerate(reversed(order))}
    known = {flow.entry: 0}
    heap, waiting = [(0, flow.entry)], {flow.entry}
    while heap:
        _, name = heappop(heap)
        waiting.discard(name)
        for target, defined in _edges(states, place, onward, states[name], known[name]):
            before = known.get(target)
            known[target] = defined if before is None else before & defined
            if known[target] != before and target not in waiting:
                waiting.add(target)
                heappush(heap, (rank[target], target))
    return known


def _edges(
    states: dict[str, State], place: dict[str, int], onward: dict[str, list[str]], state: State, known: int
) -> Iterator[tuple[str, int]]:
    """Each edge out of a state, with what is defined on it."""
    if isinstance(state, Settle):
        for target in onward[state.name]:
            yield target, known
    at = place[state.name]
    native = state.test.outcomes if isinstance(state, Gate) else {}  # asked once: a choice makes it of its candidates
    for outcome, target in state.exits.items():
        defines = _defines(state, outcome, known, at, native.get(outcome, False))
        defined = known & ~(15 << at) | defines << at
        following = states[target]
        if isinstance(following, Gate) and isinstance(following.test, Round):
            coming = COMING << place[target]
            brings = isinstance(state, Gate) and defines
            defined = defined | coming if brings else defined & ~coming
        yield target, defined


def _defines(state: State, outcome: str, known: int, at: int, native: bool) -> int:
    """What an exit defines of its state, whose bits stand `at`; it unsets the rest. A refusal defines nothing.

    `native`: the outcome of a gate defines its value by itself, as far as its test alone says so.
    """
    if isinstance(state, Stage):
        alone = isinstance(state.work, Plan) and (len(state.work.units) == 1 or state.schedule == "first")
        failed = VALUE | FAILED | (UNITS if alone else 0)
        return {"then": VALUE | UNITS, "failed": failed, "stuck": VALUE | FAILED}.get(outcome, 0)
    if isinstance(state, Gate):
        value = known >> at & COMING if isinstance(state.test, Round) else native
        return VALUE if value or outcome in state.says else 0
    return VALUE if outcome == "then" else 0


# ---- the readers ------------------------------------------------------------------------------------------------


@frozen
class _Reader:
    """One state, and what is `known` to be defined on entering it. `units` has each Stage's units with their needs."""

    states: dict[str, State]
    units: dict[str, dict[str, tuple[str, ...]]]
    place: dict[str, int]
    state: State
    known: int

    def findings(self) -> Iterator[Finding]:
        state = self.state
        if isinstance(state, Stage):
            yield from self._stage(state)
            return
        if isinstance(state, Gate) and not isinstance(state.test, Round):
            yield from self._basis(f"gate {quoted(state.name)} decides over", Ref(state.test.of))
        for read in state.reads:
            yield from self._handoff(read)

    def _stage(self, stage: Stage) -> Iterator[Finding]:
        """A unit reads what it needs as of this visit, directly or through others; all else as of the entry."""
        if isinstance(stage.work, Over):
            yield from self._basis(f"stage {quoted(stage.name)} is made over", stage.work.value)
        needs = self.units[stage.name]
        own = {
            (unit.name, read.value.unit)
            for unit in units_of(stage)
            for read in unit.reads
            if read.value.state == stage.name and read.value.unit in needs and read.value.unit not in unit.needs
        }
        order = reach(needs, {need for _, need in own}) if own else None
        for unit in units_of(stage):
            for read in unit.reads:
                need = read.value.unit if read.value.state == stage.name else ""
                if need in unit.needs or (order and (unit.name, need) in own and order.needs(unit.name, need)):
                    continue
                yield from self._handoff(read, unit.name)

    def _basis(self, what: str, ref: Ref) -> Iterator[Finding]:
        """What a state cannot do without, whatever its slots say."""
        if not self._defined(ref):
            problem = f"{what} {_said(ref)}, which is not defined on every path to it"
            yield invalid(problem, self.state.name)

    def _handoff(self, read: Handoff, unit: str = "") -> Iterator[Finding]:
        problem = self._problem(read, unit)
        if problem:
            facts: dict[str, object] = {"placeholder": read.slot, "problem": problem}
            yield Finding("HANDOFF_UNRESOLVED", self.state.name, unit, facts)

    def _problem(self, read: Handoff, unit: str) -> str:
        ref = read.value
        units = self.units.get(ref.state, {})
        if ref.pick == "unit" and ref.unit not in units:
            return f"{quoted(ref.unit)} does not exist{nearest(ref.unit, units)}"
        if read.absent != "refuse" or self._defined(ref):
            return ""
        if ref.state == self.state.name and unit and ref.pick == "unit":
            return f"{quoted(unit)} does not depend on {quoted(ref.unit)}"
        return f"{_said(ref)} is not defined on every path to {self.state.kind} {quoted(self.state.name)}"

    def _defined(self, ref: Ref) -> bool:
        if ref.pick == "item":
            return True
        of = self.states[ref.state]
        if ref.pick == "unit" and isinstance(of, Stage) and of.schedule == "first":
            return ref.unit == next(iter(self.units[ref.state])) and bool(self.known >> self.place[ref.state] & UNITS)
        bit = {"failed": FAILED, "unit": UNITS}.get(ref.pick, VALUE)
        return bool(self.known >> self.place[ref.state] & bit)


def _said(ref: Ref) -> str:
    """A value in a sentence."""
    if ref.pick == "unit":
        return f"{quoted(ref.unit)} of {quoted(ref.state)}"
    return quoted(ref.state) if ref.pick == "value" else f"{ref.pick} of {quoted(ref.state)}"
