"""What a preset and its overrides give together must be a valid call.

Reports PRESET_EXPANSION_INVALID.
Refused: `timeoutMs: 0` beside a preset that lets it be set.
Accepted: the same with 1000. A bad `concurrency` keeps its own code, as everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator

from piflows.compiler.check.rule import CallSubject
from piflows.compiler.expand import EXPANDED_MOST
from piflows.compiler.params import CUT
from piflows.ir.diagnostic import Diagnostic, diagnostic

CODES = ("PRESET_EXPANSION_INVALID",)
SUBJECT = "call"
OWN = ("UNKNOWN_PARAMETER", "INVALID_CONCURRENCY", "INVALID_SCOPE", "WHY_REQUIRED", "INVALID_DELEGATION_CONTRACT")


def check(subject: CallSubject) -> Iterator[Diagnostic]:
    expansion = subject.expansion
    if expansion is None or expansion.preset is None:
        return
    if expansion.too_large:
        problem = f"with the task put in it has more than {EXPANDED_MOST} characters"
        yield diagnostic("PRESET_EXPANSION_INVALID", subject.at(()), preset=expansion.name, problem=problem)
    for misfit in subject.misfits:
        if misfit.code not in (*OWN, CUT):
            where = subject.at(misfit.path)
            yield diagnostic("PRESET_EXPANSION_INVALID", where, preset=expansion.name, problem=misfit.problem)
