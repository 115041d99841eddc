"""The units of a Stage as a person meets them before a run: their keys, and the waves they stand in.

A key at plan time is the one of the first round: a counter is 1. What only a run can know is `…`.
"""

from __future__ import annotations

from piflows.ir.barrier import Barrier, barrier
from piflows.ir.flow import Flow, Stage, State
from piflows.ir.parts import Counter, Index, Noun, Part, Parts, Text
from piflows.ir.plan import Over
from piflows.ir.topology import levels
from piflows.ir.unit import Unit

UNKNOWN = "…"


def key(label: Parts, index: str = UNKNOWN) -> str:
    """The text of a label in the first round; `index` is the unit's place in its `Over`."""
    return "".join(_part(part, index) for part in label)


def _part(part: Part, index: str) -> str:
    match part:
        case Text():
            return part.text
        case Counter():
            return counted(1, part.noun)
        case Index():
            return index
        case _:
            return UNKNOWN


def counted(number: int, noun: Noun | None) -> str:
    """A number, with its noun when it has one."""
    return str(number) if noun is None else f"{number} {noun.one if number == 1 else noun.many}"


def waves(stage: Stage) -> list[list[Unit]]:
    """The units by level of `needs`, in the Plan's order. One made `over` a list is its pattern alone, under `first`
    only the unit that runs is there."""
    if isinstance(stage.work, Over):
        return [[stage.work.unit]]
    by_name = {unit.name: unit for unit in stage.work.units}
    named = levels({name: unit.needs for name, unit in by_name.items()})
    if stage.schedule == "first":
        named = [named[0][:1]]
    return [[by_name[name] for name in level] for level in named]


def unit_key(stage: Stage, unit: Unit) -> str:
    """A unit's key; one made `over` a list stands for all of its units: `score-1..3`."""
    if not isinstance(stage.work, Over):
        return key(unit.label)
    cap = stage.work.cap
    return key(unit.label, "1" if cap == 1 else f"1..{cap}")


def wave_keys(stage: Stage) -> list[list[str]]:
    """The keys of each wave, those of a Stage made `over` a list one by one up to its cap."""
    if isinstance(stage.work, Over):
        return [[key(stage.work.unit.label, str(number)) for number in range(1, stage.work.cap + 1)]]
    return [[key(unit.label) for unit in wave] for wave in waves(stage)]


def flow_units(flow: Flow) -> list[Unit]:
    """Every unit that may run, in the Flow's order."""
    stages = (state for state in flow.states if isinstance(state, Stage))
    return [unit for stage in stages for wave in waves(stage) for unit in wave]


def flow_waves(flow: Flow) -> list[list[str]]:
    """The waves of all Stages in the Flow's order, each visited once."""
    return [wave for state in flow.states if isinstance(state, Stage) for wave in wave_keys(state)]


def barriers(flow: Flow) -> list[tuple[str, Barrier]]:
    """What its barrier costs each Stage that has one: (name, price)."""
    return [
        (stage.name, barrier({unit.name: unit.needs for unit in stage.work.units}, flow.concurrency))
        for stage in flow.states
        if isinstance(stage, Stage) and stage.schedule == "wave" and not isinstance(stage.work, Over)
        if any(unit.needs for unit in stage.work.units)
    ]


def reading_order(flow: Flow) -> list[State]:
    """The states as they are read: from the entry on; what stands before it follows the first state that leads there.

    A Flow's own order is topological, so the wait before a second look stands before the first.
    """
    at = next(number for number, state in enumerate(flow.states) if state.name == flow.entry)
    before = {state.name: state for state in flow.states[:at]}
    out: list[State] = []
    todo = list(reversed(flow.states[at:]))
    while todo:
        state = todo.pop()
        out.append(state)
        led = [before.pop(target) for target in state.exits.values() if target in before]
        todo += reversed(led)
    return [*out, *before.values()]
