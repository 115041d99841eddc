"""The edges of a picture: exits between states, needs between units, and handoffs from a value to a slot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from piflows.compiler.render import amounts, words
from piflows.compiler.render.units import reading_order, waves
from piflows.ir.flow import Flow, Gate, Settle, Stage, State
from piflows.ir.frozen import frozen
from piflows.ir.gates import Round
from piflows.ir.plan import Over
from piflows.ir.unit import Handoff, Ref
from piflows.ir.visible import visible

SLOT = 40  # characters of a slot's name in a label

Kind = Literal["then", "end", "again", "back", "needs", "handoff"]


@frozen
class Ids:
    """The id of each state (a Stage's is that of its group) and of each (state, unit) that is drawn."""

    states: Mapping[str, str]
    units: Mapping[tuple[str, str], str]


@frozen
class Edge:
    """From a node or group to another.

    `end` leads to an outcome that is no success, `again` out of a Round for one more time, `back` to an earlier state.
    `needs` with a label also carries the handoffs of those slots.
    """

    source: str
    target: str
    kind: Kind
    label: str = ""


def edges(flow: Flow, ids: Ids, start: str) -> Iterator[Edge]:
    """All edges, in the Flow's order; `start` is the id of the node from which the entry is reached."""
    yield Edge(start, ids.states[flow.entry], "then")
    inside, order = _epilogue(flow), {state.name: (n, state) for n, state in enumerate(reading_order(flow))}
    for state in flow.states:
        yield from _exits(state, order, ids)
        if isinstance(state, Settle) and flow.epilogue and state.name not in inside:
            yield Edge(ids.states[state.name], ids.states[flow.epilogue], "then", "epilogue")
        if isinstance(state, Stage):
            yield from _inside(state, ids)
        else:
            yield from _handoffs(
                (read for read in state.reads if not is_report(state, read)), ids.states[state.name], ids
            )


def _epilogue(flow: Flow) -> set[str]:
    """The states that the epilogue reaches: their Settles end the flow."""
    by_name = {state.name: state for state in flow.states}
    todo, seen = [flow.epilogue] if flow.epilogue else [], set[str]()
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo += by_name[name].exits.values()
    return seen


def _exits(state: State, order: Mapping[str, tuple[int, State]], ids: Ids) -> Iterator[Edge]:
    """One edge for each target, labelled with the outcomes that lead there; a lone `then` needs no word."""
    targets: dict[str, list[str]] = {}
    for outcome, target in words.exits(state):
        targets.setdefault(target, []).append(short(outcome, SLOT))
    for target, outcomes in targets.items():
        label = "" if outcomes == ["then"] else ", ".join(outcomes)
        (place, end), own = order[target], order[state.name][0]
        kind: Kind = "end" if isinstance(end, Settle) and end.outcome in ("stopped", "refused") else "then"
        if isinstance(state, Gate) and isinstance(state.test, Round) and "again" in outcomes:
            kind, label = "again", f"↺ {label}, at most {amounts.counted(state.test.times, 'time')}"
        kind = "back" if place <= own else kind
        yield Edge(ids.states[state.name], ids.states[target], kind, label)


def _inside(stage: Stage, ids: Ids) -> Iterator[Edge]:
    """Needs between the units, and what they read; what every unit of several reads goes to the group as one edge."""
    units = [unit for wave in waves(stage) for unit in wave]
    common = [read for read in units[0].reads if all(read in unit.reads for unit in units)] if len(units) > 1 else []
    common = [read for read in common if read.value.state != stage.name]
    yield from _handoffs(common, ids.states[stage.name], ids)
    for unit in units:
        own = ids.units[stage.name, unit.name]
        passed = [read for need in unit.needs for read in unit.reads if read.value == Ref(stage.name, "unit", need)]
        for need in dict.fromkeys(unit.needs):
            slots = [read for read in passed if read.value.unit == need]
            yield Edge(ids.units[stage.name, need], own, "needs", _slots(slots))
        rest = [read for read in unit.reads if read not in passed and read not in common]
        yield from _handoffs(rest, own, ids, stage)
        if isinstance(stage.work, Over) and not any(read.value.pick == "item" for read in rest):
            yield Edge(_source(stage.work.value, ids), own, "handoff", "each")


def _handoffs(reads: Iterable[Handoff], target: str, ids: Ids, stage: Stage | None = None) -> Iterator[Edge]:
    """One edge for each source, labelled with the slots it fills. `stage` is that of a target which is a unit: an item
    comes from the value that it is made over, and what is read of its own last visit is an edge of the unit to itself,
    since no group has an edge into itself.
    """
    over = stage.work.value if stage and isinstance(stage.work, Over) else None
    own = ids.states[stage.name] if stage else ""
    sources: dict[str, list[Handoff]] = {}
    for read in reads:
        source = _source(over if over and read.value.pick == "item" else read.value, ids)
        sources.setdefault(target if source == own else source, []).append(read)
    for source, slots in sources.items():
        yield Edge(source, target, "handoff", _slots(slots))


def is_report(state: State, read: Handoff) -> bool:
    """Whether a value goes to the parent: no role reads it, so it is written in its Settle and not drawn."""
    return isinstance(state, Settle) and read.form == "report"


def _source(ref: Ref, ids: Ids) -> str:
    """The unit that a value names when it is drawn, else its state."""
    return ids.units.get((ref.state, ref.unit), ids.states[ref.state])


def _slots(reads: list[Handoff]) -> str:
    """The slots' names; `each` before one that is an item, `?` after one that may be absent."""
    return ", ".join(map(_slot, reads))


def _slot(read: Handoff) -> str:
    each = "each " if read.value.pick == "item" else ""
    return f"{each}{short(read.slot, SLOT)}{'' if read.absent == 'refuse' else '?'}"


def short(text: str, most: int) -> str:
    """One visible line of at most `most` characters."""
    line = visible(text)
    return line if len(line) <= most else line[: most - 1] + "…"
