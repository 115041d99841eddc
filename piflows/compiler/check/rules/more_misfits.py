"""Only the first values that the models refuse are told, and that there are more is told too.

Reports FINDINGS_CUT, a note.
Warned of: a call with 20,000 unknown keys, of which the first hundred are named.
Accepted: as many faults as a person reads.
"""

from __future__ import annotations

from collections.abc import Iterator

from piflows.compiler.check.rule import CallSubject
from piflows.compiler.params import CUT
from piflows.ir.diagnostic import Diagnostic, diagnostic

CODES = (CUT,)
SUBJECT = "call"


def check(subject: CallSubject) -> Iterator[Diagnostic]:
    for misfit in subject.misfits:
        if misfit.code == CUT:
            shown, rest = len(subject.misfits) - 1, f"there are {misfit.problem} more"
            yield diagnostic(CUT, subject.at(misfit.path), shown=shown, kind="in the parameters", rest=rest)
