"""One pool serves every wave of a flow; its size is checked in every mode, also in those that run one child at a time.

Reports INVALID_CONCURRENCY.
Refused: 0, 9, 2.5, true, "4", in a call, beside a preset, or in a template.
Accepted: 1 to 8.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from piflows.compiler.check.rule import CallSubject
from piflows.compiler.params import shown
from piflows.ir.diagnostic import Diagnostic, diagnostic
from piflows.ir.limits import LIMITS

CODES = ("INVALID_CONCURRENCY",)
SUBJECT = "call"
KEY = "concurrency"


def check(subject: CallSubject) -> Iterator[Diagnostic]:
    if subject.answer:
        return
    if KEY in subject.given:
        if not _valid(subject.given[KEY]):
            where = subject.at.in_call((KEY,))
            yield diagnostic("INVALID_CONCURRENCY", where, value=shown(subject.given[KEY]))
    elif KEY in subject.call and not _valid(subject.call[KEY]):
        yield diagnostic("INVALID_CONCURRENCY", subject.at((KEY,)), value=shown(subject.call[KEY]))


def _valid(value: Any) -> bool:
    whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    return whole and not isinstance(value, bool) and 1 <= value <= LIMITS.concurrency_max
