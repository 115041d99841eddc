"""What the reference can do and this version cannot yet is refused by name, after every other error.

Reports NOT_AVAILABLE.
Refused: the modes without a module in `compiler/lower/`; `checkpoint`; `reflexion` that is enabled.
Accepted: `reflexion: {"enabled": false}`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from piflows.compiler.check.rule import CallSubject
from piflows.compiler.params import mode_key
from piflows.ir.diagnostic import Diagnostic, diagnostic

CODES = ("NOT_AVAILABLE",)
SUBJECT = "call"


def check(subject: CallSubject) -> Iterator[Diagnostic]:
    if subject.answer:
        return
    for mode in subject.modes:
        if mode not in subject.available:
            where = subject.at((mode_key(mode),), key=True)
            yield diagnostic("NOT_AVAILABLE", where, what=f"the mode {mode}")
    if subject.call.get("checkpoint") is not None:
        yield diagnostic("NOT_AVAILABLE", subject.at(("checkpoint",), key=True), what="a checkpoint")
    lessons: Any = subject.call.get("reflexion")
    if isinstance(lessons, dict) and cast("dict[str, Any]", lessons).get("enabled") is True:
        yield diagnostic("NOT_AVAILABLE", subject.at(("reflexion",), key=True), what="lessons of earlier runs")
