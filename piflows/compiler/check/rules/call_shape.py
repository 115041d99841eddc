"""Every value has the type and the range that its place asks for.

Reports CALL_INVALID.
Refused: `maxIterations: 9`, `tier: "cheapest"`, `tasks` that are no list, a task without an agent.
Accepted: what `piflows schema call` describes.
"""

from __future__ import annotations

from collections.abc import Iterator

from piflows.compiler.check.rule import CallSubject
from piflows.ir.diagnostic import Diagnostic, diagnostic

CODES = ("CALL_INVALID",)
SUBJECT = "call"


def check(subject: CallSubject) -> Iterator[Diagnostic]:
    if subject.expansion is not None and subject.expansion.preset is not None:
        return  # PRESET_EXPANSION_INVALID
    for misfit in subject.misfits:
        if misfit.code in CODES:
            yield diagnostic("CALL_INVALID", subject.at(misfit.path), problem=misfit.problem)
