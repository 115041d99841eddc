"""What a consumer reads: its handoffs as the slots of its parts, capped, marked, absent as each handoff says."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, cast

from piflows.interpreter import record as known
from piflows.interpreter.crossing import crossed
from piflows.interpreter.fill import ABSENT, Values
from piflows.interpreter.marks import Marks
from piflows.interpreter.program import Program
from piflows.interpreter.refused import Refused
from piflows.ir.caps import cut
from piflows.ir.parts import Count, Counter
from piflows.ir.unit import Handoff, Ref, Unit

Json = dict[str, Any]


CROSSING = ("text", "envelope", "control")  # the forms in which a value goes from one role to another


def values(
    record: Json,
    program: Program,
    reads: Sequence[Handoff],
    marks: Marks,
    reader: int = -1,
    item: Any = ABSENT,
    spared: frozenset[str] = frozenset(),
) -> Values:
    """The slots of a consumer; `reader` is its number inside a Stage, `item` its element of an Over, `spared` the slots
    of which it tells nothing that a failed run wrote.

    Raises Refused when a handoff that must not be absent is, or may not cross.
    """
    number = partial(_number, record)
    if not reads:
        return Values({}, number)
    slots: dict[str, Any] = {}
    quoted: set[str] = set()
    flagged: dict[str, tuple[str, ...]] = {}
    for read in reads:
        value = known.value(record, program, read.value, reader, item)
        if value is ABSENT:
            value = _absent(read)
        elif read.form in CROSSING:
            value, labels = crossed(record, value, read, marks, reader, spared=read.slot in spared)
            if read.form != "control":
                value = _capped(value, read.cap)
                quoted.add(read.slot)
            if labels:
                flagged[read.slot] = labels
        slots[read.slot] = value
    return Values(slots, number, frozenset(quoted), flagged)


def _absent(read: Handoff) -> Any:
    if read.absent == "refuse":
        raise Refused("HANDOFF_UNRESOLVED", placeholder=read.slot, problem=f"{read.value.state} has no value for it")
    return ABSENT if read.absent == "omit" else read.instead


def _number(record: Json, part: Counter | Count) -> int:
    if isinstance(part, Counter):
        return record["rounds"].get(part.round, 0) + 1
    return known.count(record, part.stage, part.status)


def _capped(value: Any, cap: int) -> Any:
    """A value whose texts are cut to the handoff's cap, with a marker that says so."""
    if isinstance(value, list):
        return [_capped(each, cap) for each in cast("list[Any]", value)]
    held = cast(Json, value) if isinstance(value, dict) else {}
    text = held.get("text")
    return {**held, "text": cut(text, cap, "Handoff")} if isinstance(text, str) else cast(Any, value)


def links(record: Json, program: Program, unit: Unit, reader: int) -> list[str]:
    """The unit keys that a unit depends on, for the trace: what it reads through the boundary that it crossed, and what
    it only waits for itself."""
    out: dict[str, None] = {}
    for read in unit.reads:
        value = known.value(record, program, read.value, reader)
        for each in cast("list[Any]", value) if isinstance(value, list) else [value]:
            key = cast(Json, each).get("key") if isinstance(each, dict) else None
            if isinstance(key, str):
                out[f"{key}.handoff" if read.form in CROSSING and "step" in each else key] = None
    seen = {key.removesuffix(".handoff") for key in out}
    for need in unit.needs:
        value = known.value(record, program, Ref(record["state"], "unit", need), reader)
        key = cast(Json, value)["key"] if isinstance(value, dict) else ""
        if key and key not in seen:
            out[key] = None
    return list(out)
