"""What a Flow means that never changes while it runs: looked up once, never part of the state."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from piflows.interpreter.guards.budget import FLOW, Limit, limits
from piflows.ir.ceilings import of_contract
from piflows.ir.flow import Flow, Gate, Stage, State
from piflows.ir.frozen import frozen
from piflows.ir.gates import Trigger
from piflows.ir.parts import ITEM, Each, Parts, Section, Slot, constant
from piflows.ir.plan import Over
from piflows.ir.topology import levels
from piflows.ir.unit import Role, Unit

FAILURE = "stopReason"  # the field that only a failed run has
NONE: frozenset[str] = frozenset()
NAMES = ("agent", "unit", "key")  # fields that no child writes


def _fixed(unit: Unit) -> tuple[str, str] | None:
    key, prompt = constant(unit.label), constant(unit.prompt)
    return None if key is None or prompt is None else (key, prompt)


def spared(parts: Parts) -> frozenset[str]:
    """The slots whose texts stand only where no run failed: a text that nobody reads does not cross."""
    told: dict[str, bool] = {}  # slot → whether a failed run's text may be told

    def look(parts: Parts, each: str, safe: frozenset[str]) -> None:
        for part in parts:
            match part:
                case Slot():
                    name = each if part.name == ITEM and each else part.name
                    told[name] = told.get(name, False) or (part.field not in NAMES and name not in safe)
                case Section():
                    name = each if part.slot == ITEM and each else part.slot
                    look(part.parts, each, safe)
                    look(part.otherwise, each, safe | {name} if part.field == FAILURE else safe)
                case Each():
                    look(part.parts, part.slot, safe)
                case _:
                    pass

    look(parts, "", frozenset())
    return frozenset(name for name, tells in told.items() if not tells)


class Shape:
    """A listed Plan by unit number, all worked out when it is made.

    index       name → number
    needs       of each unit, each once; `dependents` the other way round
    levels      the waves
    wave        of each unit, from 1
    urgency     of each unit: its place when `ready` may choose among all, 0 before 1; the one that the longest path
                waits for is first, of equals the one that stands first
    by_urgency  the units in that order
    fixed       of each unit, its key and prompt when nothing is to be filled in
    spared      of each unit, the slots of its prompt that say nothing of what a failed run wrote
    """

    def __init__(self, units: tuple[Unit, ...]) -> None:
        self.units = units
        self.index = index = {unit.name: number for number, unit in enumerate(units)}
        self.fixed = [_fixed(unit) for unit in units]
        self.spared = [spared(unit.prompt) if unit.reads else NONE for unit in units]
        self.needs = [sorted({index[need] for need in unit.needs}) for unit in units]
        self.dependents: list[list[int]] = [[] for _ in units]
        for number, needs in enumerate(self.needs):
            for need in needs:
                self.dependents[need].append(number)
        self.levels = levels(dict(enumerate(self.needs)))
        self.wave = [0] * len(units)
        for number, level in enumerate(self.levels, 1):
            for unit in level:
                self.wave[unit] = number
        tail = self._tail()
        self.by_urgency = sorted(range(len(units)), key=lambda unit: -tail[unit])
        self.urgency = [0] * len(units)
        for place, unit in enumerate(self.by_urgency):
            self.urgency[unit] = place

    def _tail(self) -> list[int]:
        """The longest path that waits for each unit, itself counted, in units."""
        out = [1] * len(self.units)
        for level in reversed(self.levels):
            for unit in level:
                for need in self.needs[unit]:
                    out[need] = max(out[need], out[unit] + 1)
        return out

    def reaches(self, unit: int, name: str) -> bool:
        """Whether `name` is a direct or indirect need of the unit: then it is read as of this visit."""
        target = self.index.get(name)
        if target is None:
            return False
        seen, todo = {unit}, [unit]
        while todo:
            for need in self.needs[todo.pop()]:
                if need == target:
                    return True
                if need not in seen:
                    seen.add(need)
                    todo.append(need)
        return False


@frozen
class Terms:
    """Under what the children of a role run: the limits that govern them, their time, what their data must fit."""

    role: Role
    limits: tuple[Limit, ...]
    timeout_ms: int
    schema: object = None


class Program:
    """The states of a Flow by name, and the shapes of its listed Plans."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.states: dict[str, State] = {state.name: state for state in flow.states}
        # of every Stage; one made `over` a list has its pattern as the only unit
        self.shapes = {state.name: Shape(_units(state)) for state in flow.states if isinstance(state, Stage)}

        self.consumed = set(_consumed(flow))
        self.terms = {name: _terms(flow, role) for name, role in flow.roles.items()}  # of every role
        self.kept_whole = flow.record_content and not flow.contracts  # whether events are journalled as they are
        self.limited = any(terms.limits for terms in self.terms.values())

    def patterns(self, action: str) -> list[str]:
        """The patterns that Gates look for in what an Action observes."""
        tests = [state.test for state in self.states.values() if isinstance(state, Gate)]
        return [
            each.pattern for each in tests if isinstance(each, Trigger) and each.of == action and each.on == "match"
        ]


def _consumed(flow: Flow) -> Iterator[tuple[str, str]]:
    """The (stage, unit) whose return some other role reads."""
    stages = {state.name: _units(state) for state in flow.states if isinstance(state, Stage)}
    refs = {read.value for units in stages.values() for unit in units for read in unit.reads}
    whole = {ref.state for ref in refs if not ref.unit}
    yield from ((ref.state, ref.unit) for ref in refs if ref.unit)
    yield from ((state, unit.name) for state in whole for unit in stages.get(state, ()))
    for gate in flow.states:  # an answer that decides crosses too
        if isinstance(gate, Gate):
            yield from ((read.value.state, read.value.unit) for read in gate.reads if read.form == "control")


def _terms(flow: Flow, role: Role) -> Terms:
    """The flow's limits, then those of the role's contract, which count for its account and can tighten the time."""
    ours = limits(flow.ceilings, FLOW)
    if not role.contract:
        return Terms(role, ours, flow.timeout_ms)
    contract = flow.contracts[role.contract]
    own = limits(of_contract(contract), role.account or role.contract)
    timeout = min(flow.timeout_ms, ceil(contract["budget"].get("timeoutMs", flow.timeout_ms)))
    return Terms(role, ours + own, timeout, contract["returnSchema"])


def _units(stage: Stage) -> tuple[Unit, ...]:
    return (stage.work.unit,) if isinstance(stage.work, Over) else stage.work.units
