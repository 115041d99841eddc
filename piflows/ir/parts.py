"""Parts: the one small algebra of prompts, labels, headers, bodies and error facts.

No string is formatted at run time: a mode's sentences are parts in its own file, and `interpreter/fill.py` only fills
them. Text is always literal, so what a child wrote is never read as a placeholder or a template.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Literal

from pydantic import Field

from piflows.ir.node import node


@node
class Noun:
    """A noun that agrees with a number: `iteration`, `iterations`."""

    one: str
    many: str


@node
class Text:
    """Literal text."""

    text: str
    kind: Literal["text"] = "text"


@node
class Slot:
    """One field of the value that the consumer's handoff of that name brings. Inside `Each`, `item` is the element."""

    name: str
    field: str = "text"
    kind: Literal["slot"] = "slot"


@node
class Counter:
    """How often a round has been begun, from 1: `2`, or with a noun `2 iterations`."""

    round: str
    noun: Noun | None = None
    kind: Literal["counter"] = "counter"


@node
class Index:
    """The place of the element in its `Each`, or of the unit in its `Over`, from 1."""

    kind: Literal["index"] = "index"


@node
class Count:
    """How many units of a Stage's latest visit have a status: `3`, or with a noun `3 subtasks`."""

    stage: str
    status: Literal["all", "ok", "failed", "stranded"] = "all"
    noun: Noun | None = None
    kind: Literal["count"] = "count"


@node
class Section:
    """`parts` when the slot has the field, else `otherwise`."""

    slot: str
    parts: Parts
    field: str = "text"
    otherwise: Parts = ()
    kind: Literal["section"] = "section"


@node
class Each:
    """`parts` once for each element of a list value, joined by `between`. An absent or empty list gives nothing,
    unless its handoff has a text instead."""

    slot: str
    parts: Parts
    between: str = "\n\n"
    kind: Literal["each"] = "each"


Part = Annotated[Text | Slot | Counter | Index | Count | Section | Each, Field(discriminator="kind")]
Parts = tuple[Part, ...]

ITEM = "item"  # the name under which Each and Over give their element


def text(value: str) -> Parts:
    """Parts of one literal text."""
    return (Text(value),) if value else ()


_EMPTY = Text("")


def normal(parts: Iterable[Part]) -> Parts:
    """Normal form: neighbouring texts are one, empty texts are gone, at every depth."""
    given = tuple(parts)
    if len(given) == 1 and isinstance(given[0], Text | Slot):  # as most labels and many prompts are
        return given if given[0] != _EMPTY else ()
    out: list[Part] = []
    for part in given:
        match part:
            case Text():
                if out and isinstance(last := out[-1], Text):
                    out[-1] = Text(last.text + part.text)
                elif part.text:
                    out.append(part)
            case Section():
                out.append(Section(part.slot, normal(part.parts), part.field, normal(part.otherwise)))
            case Each():
                out.append(Each(part.slot, normal(part.parts), part.between))
            case _:
                out.append(part)
    return tuple(out)


def constant(parts: Parts) -> str | None:
    """The text of parts that hold nothing but text, else None."""
    if all(isinstance(part, Text) for part in parts):
        return "".join(part.text for part in parts if isinstance(part, Text))
    return None


def walk(parts: Parts) -> Iterator[Part]:
    """Every part, the nested ones too, in reading order."""
    for part in parts:
        yield part
        if isinstance(part, Section):
            yield from walk(part.parts)
            yield from walk(part.otherwise)
        elif isinstance(part, Each):
            yield from walk(part.parts)
