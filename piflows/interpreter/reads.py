"""What a consumer reads: its handoffs as the slots of its parts, capped, marked, absent as each handoff says."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, cast

from piflows.interpreter import record as known
from piflows.interpreter.fill import ABSENT, Values
from piflows.interpreter.program import Program
from piflows.ir.caps import cut
from piflows.ir.parts import Count, Counter
from piflows.ir.unit import Handoff

Json = dict[str, Any]


class Refused(Exception):
    """A state cannot begin: its handoff is absent, or a list breaks its bounds. Carries the code and its facts."""

    def __init__(self, code: str, **facts: object) -> None:
        super().__init__(code)
        self.code, self.facts = code, facts


def values(record: Json, program: Program, reads: Sequence[Handoff], reader: int = -1, item: Any = ABSENT) -> Values:
    """The slots of a consumer; `reader` is its number inside a Stage, `item` its element of an Over.

    Raises Refused when a handoff that must not be absent is.
    """
    number = partial(_number, record)
    if not reads:
        return Values({}, number)
    slots: dict[str, Any] = {}
    quoted: set[str] = set()
    for read in reads:
        value = known.value(record, program, read.value, reader, item)
        if value is ABSENT:
            value = _absent(read)
        elif read.form == "text":
            value = _capped(value, read.cap)
            quoted.add(read.slot)
        slots[read.slot] = value
    return Values(slots, number, frozenset(quoted))


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
