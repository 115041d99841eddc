"""What a Flow means that never changes while it runs: looked up once, never part of the state."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from piflows.ir.flow import Flow, Gate, Stage, State
from piflows.ir.gates import Trigger
from piflows.ir.plan import Over
from piflows.ir.topology import levels
from piflows.ir.unit import Unit


@dataclass
class Shape:
    """A listed Plan by unit number: `needs` and `dependents` of each, its levels, and how long a path hangs on it."""

    units: tuple[Unit, ...]

    @cached_property
    def index(self) -> dict[str, int]:
        return {unit.name: number for number, unit in enumerate(self.units)}

    @cached_property
    def needs(self) -> list[list[int]]:
        return [sorted({self.index[need] for need in unit.needs}) for unit in self.units]

    @cached_property
    def dependents(self) -> list[list[int]]:
        out: list[list[int]] = [[] for _ in self.units]
        for number, needs in enumerate(self.needs):
            for need in needs:
                out[need].append(number)
        return out

    @cached_property
    def levels(self) -> list[list[int]]:
        named = levels({unit.name: unit.needs for unit in self.units})
        return [[self.index[name] for name in level] for level in named]

    @cached_property
    def wave(self) -> list[int]:
        """Each unit's wave, from 1."""
        out = [0] * len(self.units)
        for number, level in enumerate(self.levels, 1):
            for unit in level:
                out[unit] = number
        return out

    @cached_property
    def tail(self) -> list[int]:
        """The longest path that waits for each unit, in units: whom `ready` starts first."""
        out = [0] * len(self.units)
        for level in reversed(self.levels):
            for unit in level:
                out[unit] = 1 + max((out[dependent] for dependent in self.dependents[unit]), default=0)
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


class Program:
    """The states of a Flow by name, and the shapes of its listed Plans."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.states: dict[str, State] = {state.name: state for state in flow.states}
        self._shapes: dict[str, Shape] = {}

    def patterns(self, action: str) -> list[str]:
        """The patterns that Gates look for in what an Action observes."""
        tests = [state.test for state in self.states.values() if isinstance(state, Gate)]
        return [
            each.pattern for each in tests if isinstance(each, Trigger) and each.of == action and each.on == "match"
        ]

    def shape(self, name: str) -> Shape:
        """The shape of a Stage. One made `over` a list has its pattern as the only unit."""
        if name not in self._shapes:
            stage = self.states[name]
            assert isinstance(stage, Stage)
            units = (stage.work.unit,) if isinstance(stage.work, Over) else stage.work.units
            self._shapes[name] = Shape(units)
        return self._shapes[name]
