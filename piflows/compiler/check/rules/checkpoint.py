"""A checkpoint that nobody can answer is refused before the first child, not after the money is spent.

Reports CHECKPOINT_APPROVAL_REQUIRED.
Refused: `checkpoint` before `spawn` or `finalize` without a terminal to ask on.
Accepted: the same with a person there.
"""

from __future__ import annotations

from collections.abc import Iterator

from piflows.compiler.check.rule import HostSubject
from piflows.ir.diagnostic import Diagnostic, diagnostic

CODES = ("CHECKPOINT_APPROVAL_REQUIRED",)
SUBJECT = "host"


def check(subject: HostSubject) -> Iterator[Diagnostic]:
    if subject.checkpoint is not None and subject.ask is None:
        yield diagnostic("CHECKPOINT_APPROVAL_REQUIRED", when=subject.checkpoint)
