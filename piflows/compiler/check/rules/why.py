"""Delegation has a price, so every call that starts a child says why it delegates.

Reports WHY_REQUIRED.
Refused: no `why`, a blank one, one that is no text.
Accepted: one sentence. `list` and `showConfig` need none.
"""

from __future__ import annotations

from collections.abc import Iterator

from piflows.compiler.check.rule import CallSubject
from piflows.compiler.params import text
from piflows.ir.diagnostic import Diagnostic, diagnostic

CODES = ("WHY_REQUIRED",)
SUBJECT = "call"


def check(subject: CallSubject) -> Iterator[Diagnostic]:
    if not subject.answer and text(subject.given.get("why")) is None:
        yield diagnostic("WHY_REQUIRED", subject.at.in_call(("why",)))
