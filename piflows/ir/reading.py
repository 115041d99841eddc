"""What a consumer reads: that every part and every handoff of it names what exists.

Whether a value that can exist is defined on every path to its reader is `assign.py`'s matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from piflows.ir.finding import Finding, invalid, nearest, quoted
from piflows.ir.flow import Gate, Stage, State
from piflows.ir.gates import Round
from piflows.ir.limits import LIMITS
from piflows.ir.mentions import mentions
from piflows.ir.parts import ITEM, Count, Counter, Each, Index, Part, Parts, Section, Slot, Text
from piflows.ir.plan import Over
from piflows.ir.unit import Handoff, Ref

VALUE = "value"  # the slot of a condition's native value in what a Gate says
PUBLISHES = {"stage": {"value", "unit", "ok", "failed"}, "gate": {"value"}, "action": {"value", "all"}}

States = Mapping[str, State]


def mentioned(
    states: States,
    state: State,
    unit: str,
    texts: Iterable[Parts],
    reads: Sequence[Handoff],
    native: bool | None = None,
) -> Iterator[Finding]:
    """Everything that parts mention exists. `native`: whether they may say a Gate's own value, None = no Gate."""
    slots = {read.slot for read in reads}
    if native is not None:
        slots.add(VALUE)
    seen: set[tuple[str, str, bool, bool]] = set()
    for parts in texts:
        for part, in_each, depth in mentions(parts):
            if native is None and depth == 1 and isinstance(part, Slot) and part.name in slots:
                continue  # nearly all that is mentioned anywhere
            kind = "slot" if isinstance(part, Section | Each) else part.kind
            what = (kind, _named(part), in_each, depth > LIMITS.nesting)
            if what in seen:
                continue
            seen.add(what)
            if depth > LIMITS.nesting:
                problem = f"parts are nested deeper than {LIMITS.nesting}"
            elif isinstance(part, Index):
                problem = "" if in_each or unit else "an index stands outside a unit and a list"
            elif isinstance(part, Slot | Section | Each):
                problem = "" if in_each and _named(part) == ITEM else _no_slot(part, slots, native)
            else:
                problem = _no_number(states, part)
            if problem:
                yield invalid(f"{_called(state, unit)}: {problem}", state.name, unit)


def _named(part: Part) -> str:
    """The slot, round or stage that a part mentions, or empty."""
    match part:
        case Slot():
            return part.name
        case Section() | Each():
            return part.slot
        case Counter():
            return part.round
        case Count():
            return part.stage
        case Index() | Text():
            return ""


def _no_slot(part: Part, slots: set[str], native: bool | None) -> str:
    name = _named(part)
    if native is False and name == VALUE:
        return "an outcome without a value says it"
    return "" if name in slots else f"the slot {quoted(name)} has no handoff{nearest(name, slots)}"


def _no_number(states: States, part: Part) -> str:
    name, state = _named(part), states.get(_named(part))
    if isinstance(part, Counter) and not (isinstance(state, Gate) and isinstance(state.test, Round)):
        return f"{quoted(name)}, which is counted, is no round{nearest(name, states)}"
    if isinstance(part, Count) and not isinstance(state, Stage):
        return f"{quoted(name)}, whose units are counted, is no stage{nearest(name, states)}"
    return ""


def _called(state: State, unit: str) -> str:
    return f"{state.kind} {quoted(state.name)}" + (f", unit {quoted(unit)}" if unit else "")


def handoffs(states: States, state: State, unit: str, reads: Sequence[Handoff]) -> Iterator[Finding]:
    """Each handoff fills a slot of its own with a value that can exist."""
    over = isinstance(state, Stage) and isinstance(state.work, Over)
    slots: set[str] = set()
    for read in reads:
        problem = never(states, read.value, over)
        if not read.slot:
            problem = "a handoff has no slot"
        elif read.slot in slots:
            problem = f"two handoffs fill the slot {quoted(read.slot)}"
        elif problem:
            problem = f"the slot {quoted(read.slot)} reads {problem}"
        elif read.instead and read.absent != "text":
            problem = f"the slot {quoted(read.slot)} has a text for an absent value that it never uses"
        elif read.cap < 1:
            problem = f"the cap of slot {quoted(read.slot)} is not positive"
        slots.add(read.slot)
        if problem:
            yield invalid(f"{_called(state, unit)}: {problem}", state.name, unit)


def never(states: States, ref: Ref, over: bool) -> str:
    """Why a value can never exist; empty when it can. Whether a Stage has the unit, `assign.py` asks."""
    if ref.pick == "item":
        return "" if over else "an item, but is not made over a list"
    state = states.get(ref.state)
    if state is None:
        return f"{quoted(ref.state)}, which is no state{nearest(ref.state, states)}"
    if ref.pick not in PUBLISHES.get(state.kind, ()):
        return f"{ref.pick} of {state.kind} {quoted(ref.state)}, which has none"
    if ref.unit and ref.pick != "unit":
        return f"{ref.pick} of {quoted(ref.state)}, and names a unit"
    if ref.pick == "unit" and isinstance(state, Stage) and isinstance(state.work, Over):
        return f"one unit of {quoted(ref.state)}, which is made over a list"
    if isinstance(state, Gate) and not state.says and not any(state.test.outcomes.values()):
        return f"the value of {quoted(ref.state)}, which never has one"
    return ""
