"""Nothing is ignored in silence: a key that nobody knows is an error, with the nearest known one.

Reports UNKNOWN_PARAMETER.
Refused: `{"agent": …, "tsak": …}`; an unknown key in a task, a node, a mode or a preset's template.
Accepted: known keys. An undeclared key beside `preset` is the matter of `preset_overrides`.
"""

from __future__ import annotations

from collections.abc import Iterator

from piflows.compiler.check.rule import CallSubject
from piflows.compiler.params import owner
from piflows.ir.diagnostic import Diagnostic, diagnostic

CODES = ("UNKNOWN_PARAMETER",)
SUBJECT = "call"


def check(subject: CallSubject) -> Iterator[Diagnostic]:
    for misfit in subject.misfits:
        if misfit.code in CODES:
            where = subject.at(misfit.path, key=True)
            yield diagnostic(
                "UNKNOWN_PARAMETER", where, key=misfit.problem, owner=owner(misfit.path[:-1]), hint=misfit.hint
            )
