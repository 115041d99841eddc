"""A debate and a dossier rest on several voices, and one alone is none.

Reports DEBATE_TOO_FEW_PARTICIPANTS, DOSSIER_TOO_FEW_SECTIONS.
Refused: `debate: {}`; one participant; `dossier: {}`; one section.
Accepted: two of them. More than the mode takes is a matter of the range, as anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from piflows.compiler.check.rule import CallSubject
from piflows.ir.diagnostic import Diagnostic, diagnostic
from piflows.ir.limits import LIMITS

CODES = ("DEBATE_TOO_FEW_PARTICIPANTS", "DOSSIER_TOO_FEW_SECTIONS")
SUBJECT = "call"


def check(subject: CallSubject) -> Iterator[Diagnostic]:
    if subject.expansion is not None:
        return  # PRESET_EXPANSION_INVALID
    for misfit in subject.misfits:
        if misfit.code in CODES:
            mode, key = str(misfit.path[0]), str(misfit.path[1])
            count = len(cast("dict[str, Any]", subject.call[mode]).get(key, ()))
            yield _found(misfit.code, count, subject.at(misfit.path))


def _found(code: str, count: int, where: Any) -> Diagnostic:
    if code == "DEBATE_TOO_FEW_PARTICIPANTS":
        return diagnostic(code, where, count=count, limit=LIMITS.participants_min)
    given = "was given" if count == 1 else "were given"
    return diagnostic(code, where, count=count, limit=LIMITS.sections_min, problem=given)
