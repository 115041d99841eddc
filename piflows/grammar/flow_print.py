"""IR → textual form. Every Flow that has a JSON form is printed; equal digests give equal texts.

One field is one line, so that one changed field is one changed line; of a text, its changed lines. A field that has
its default is left out, but for the few that a reader of a plan looks for (flow_shape.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, assert_never, cast

from piflows.grammar.flow_shape import Field, Json, Kinds, Lines, Record, Scalar, Shape, shape
from piflows.grammar.flow_words import DEFAULT, NONE, compact, duration, escape, keep_spaces, name, quoted, tag_name
from piflows.ir.parts import Count, Counter, Each, Index, Noun, Parts, Section, Slot, Text

_INDENT = "  "
_BETWEEN = Each("", ()).between


def print_record(record: object, version: int) -> str:
    """A whole text: the header with the IR's version, and the lines of a record."""
    return "\n".join((f"piflows flow {version}", *_record(record, ""), ""))


def print_parts(parts: Parts) -> str:
    """The inline notation of parts; its newlines are those of their literal texts."""
    return "".join(map(_part, parts))


def _record(record: object, pad: str) -> Iterator[str]:
    """The lines of a record but for its first."""
    look = _shape(record)
    for spec in look.body:
        value = getattr(record, spec.name)
        if look.flat and type(value) is look.flat[1]:
            yield from _record(value, pad)
        elif spec.shown or not _is_default(look, record, spec.name):
            yield from _field(spec, value, pad)


def _field(spec: Field, value: Any, pad: str) -> Iterator[str]:
    if spec.arrows:
        for outcome in sorted(value, key=lambda outcome: (outcome != "then", outcome)):
            yield f"{pad}{name(outcome)} -> {name(value[outcome])}"
    elif value is None:
        yield f"{pad}{spec.word} {DEFAULT}"
    elif spec.holds == "keyed":
        for key in sorted(value):
            yield from _member(spec, f"{spec.word} {name(key)}", value[key], pad)
    elif spec.holds == "one":
        yield from _member(spec, spec.word, value, pad)
    elif isinstance(spec.of, Scalar):
        yield f"{pad}{spec.word} {', '.join(_scalar(spec.of, each) for each in value) or NONE}"
    else:
        for member in value:
            yield from _member(spec, spec.word, member, pad)


def _member(spec: Field, first: str, value: Any, pad: str) -> Iterator[str]:
    """One value, on a line that begins with `first`."""
    match spec.of:
        case Scalar():
            yield f"{pad}{first} {_scalar(spec.of, value)}"
        case Json():
            yield f"{pad}{first} {compact(value)}"
        case Lines():
            yield from _lines(spec.of, first, value, pad)
        case Record() | Kinds():
            if not pad and spec.holds != "one" and _shape(value).body:
                yield ""
            if isinstance(spec.of, Kinds):
                first = value.kind if spec.of.by_kind else f"{first} {value.kind}"
            yield pad + " ".join((first, *_head(_shape(value), value)))
            yield from _record(value, pad + _INDENT)


def _head(look: Shape, record: object) -> Iterator[str]:
    """What stands on a record's first line; the last fields are left out while they have their default."""
    known = [field for field in look.head if field not in look.fields or not _is_default(look, record, field)]
    for field in look.head[: look.head.index(known[-1]) + 1 if known else 0]:
        spec = look.fields.get(field)
        if spec is None:
            yield field[1:-1]
        elif isinstance(spec.of, Record):
            value = getattr(record, field)
            yield from _head(_shape(value), value)
        else:
            yield _scalar(cast("Scalar", spec.of), getattr(record, field))


def _is_default(look: Shape, record: object, field: str) -> bool:
    return getattr(record, field) == look.fields[field].default


def _scalar(of: Scalar, value: Any) -> str:
    if of.type is str:
        return name(value)
    return duration(value) if of.duration else compact(value)


def _lines(of: Lines, first: str, value: Any, pad: str) -> Iterator[str]:
    """A text. Below its word, adding its first line or removing it changes one line; short ones stand beside it."""
    written = print_parts(value) if of.parts else escape(value)
    head, *rest = [f"| {line}" if line else "|" for line in map(keep_spaces, written.split("\n"))]
    if of.below:
        yield pad + first
        yield from (pad + _INDENT + line for line in (head, *rest))
    else:
        yield f"{pad}{first} {head}"
        yield from (" " * len(f"{pad}{first} ") + line for line in rest)


def _shape(record: object) -> Shape:
    return shape(cast("type", type(record)))


def _part(part: Text | Slot | Counter | Index | Count | Section | Each) -> str:
    match part:
        case Text():
            return escape(part.text)
        case Slot():
            return f"{{{_path(part.name, part.field, 'text', opens=True)}}}"
        case Counter():
            return f"{{round {tag_name(part.round)}{_noun(part.noun)}}}"
        case Index():
            return "{index}"
        case Count():
            return f"{{count {_path(part.stage, part.status, 'all')}{_noun(part.noun)}}}"
        case Section():
            otherwise = "{else}" + print_parts(part.otherwise) if part.otherwise else ""
            return f"{{if {_path(part.slot, part.field, 'text')}}}{print_parts(part.parts)}{otherwise}{{end}}"
        case Each():
            between = "" if part.between == _BETWEEN else f" between {quoted(part.between)}"
            return f"{{each {tag_name(part.slot)}{between}}}{print_parts(part.parts)}{{end}}"
        case _:
            assert_never(part)


def _path(of: str, field: str, default: str, opens: bool = False) -> str:
    return tag_name(of, opens) if field == default else f"{tag_name(field, opens)} of {tag_name(of)}"


def _noun(noun: Noun | None) -> str:
    return "" if noun is None else f" {tag_name(noun.one)}|{tag_name(noun.many)}"
