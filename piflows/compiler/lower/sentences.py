"""Sentences of our own, and how texts of an author are chosen: what every mode's words are made with."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from piflows.compiler.prompts import Filling, pieces
from piflows.ir.parts import ITEM, Each, Part, Parts, Section, Slot, Text, normal, text

_split = cache(re.compile(r"\{(\w+)\}").split)  # of our own sentences alone


def t(sentence: str, **fillings: Filling) -> Parts:
    """A sentence of our own as parts: each `{name}` is replaced once, what it is replaced by is never read again.

    Raises KeyError for a name without a filling.
    """
    out: list[Part] = []
    for place, piece in enumerate(_split(sentence)):
        if place % 2:
            out.extend(pieces(fillings[piece]))
        elif piece:
            out.append(Text(piece))
    return normal(out)


def joined(blocks: Sequence[Parts], between: str) -> Parts:
    """Blocks of parts with a text between each two."""
    out: Parts = ()
    for number, block in enumerate(blocks):
        out += (*text(between), *block) if number else block
    return normal(out)


def first_text(*candidates: str | None) -> str:
    """The first that is there and not blank, else empty."""
    return next((each for each in candidates if each is not None and each.strip()), "")


def objective(contract: Mapping[str, Any] | None) -> str | None:
    """The objective of a delegation contract, which can stand for a task."""
    found = contract.get("objective") if contract is not None else None
    return found if isinstance(found, str) else None


def every_run(slot: str) -> Parts:
    """One block per run of a Stage, in item order, failed or not."""
    failed = t("{agent} — failed ({reason})", agent=Slot(ITEM, "agent"), reason=Slot(ITEM, "stopReason"))
    completed = t("{role} ({agent}) — completed", role=Slot(ITEM, "role"), agent=Slot(ITEM, "agent"))
    heading = (Section(ITEM, failed, "stopReason", completed),)
    return (Each(slot, t("### {heading}\n\n{text}", heading=heading, text=Slot(ITEM)), "\n\n---\n\n"),)
