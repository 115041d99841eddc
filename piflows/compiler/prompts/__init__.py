"""Prompts: a template and what fills it → parts.

In     a template's name (`evaluate-critic`, the file is beside this module) and its fillings: literal text, parts, and
       a `Hole` for each handoff of the unit
Out    parts in normal form
Rules  what a person wrote comes in as a filling and is text, whatever it holds: only our own files are templates
       `slots_only` imports no jinja2 and gives the holes alone: enough to check a flow, never to run one
Add    a prompt: one `.j2` file named <mode>-<role>, with `section(hole)` around what is dropped when the value is
       absent, and `each(hole)` around what is said of every element of a list
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

from piflows.ir.parts import Counter, Index, Part, Parts, Slot, Text, normal


class Hole:
    """The place of a handoff in a template: `{{ beam }}` is the value's text, `{{ beam.score }}` its field."""

    __slots__ = ("_slot",)

    def __init__(self, slot: str) -> None:
        self._slot = slot

    @property
    def hole(self) -> str:
        """The name of the handoff's slot."""
        return self._slot

    def __getitem__(self, field: str) -> Slot:
        return Slot(self._slot, field)


Filling = str | int | Counter | Index | Slot | Parts | Hole


class Renderer(Protocol):
    """What makes parts of a template."""

    def __call__(self, template: str, fillings: Mapping[str, Filling], /) -> Parts: ...


def slots_only(template: str, fillings: Mapping[str, Filling], /) -> Parts:
    """The parts that were given, in the order in which they were, without a word of text."""
    del template
    return tuple(part for filling in fillings.values() for part in pieces(filling) if not isinstance(part, Text))


def full(template: str, fillings: Mapping[str, Filling], /) -> Parts:
    """The whole prompt. Raises jinja2's errors for a template that does not exist or asks for what is not given."""
    from piflows.compiler.prompts.templates import render

    return normal(render(template, fillings))


def pieces(filling: Filling) -> Iterator[Part]:
    """The parts that a filling stands for."""
    match filling:
        case str() | int():
            yield Text(str(filling))
        case Hole():
            yield Slot(filling.hole)
        case tuple():
            yield from filling
        case _:
            yield filling
