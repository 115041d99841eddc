"""A vote compares several answers, and pays for each of them.

Reports TOO_FEW_VOTERS, TOO_MANY_TASKS.
Refused: one voter; `count: 1`; nine voters; `count: 9`.
Accepted: two to eight voters, listed or counted. A list goes before a count.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from piflows.compiler.check.rule import CallSubject
from piflows.compiler.params import shown
from piflows.ir.diagnostic import Diagnostic, diagnostic
from piflows.ir.limits import LIMITS
from piflows.ir.source import Where

CODES = ("TOO_FEW_VOTERS", "TOO_MANY_TASKS")
SUBJECT = "call"


def check(subject: CallSubject) -> Iterator[Diagnostic]:
    spec: Any = subject.call.get("vote") if subject.mode == "vote" else None
    if not isinstance(spec, dict):
        return
    vote = cast("dict[str, Any]", spec)
    voters: Any = vote.get("voters")
    count, most = len(cast("list[Any]", voters)) if isinstance(voters, list) else 0, LIMITS.voters_max
    if 0 < count < LIMITS.voters_min:
        yield _found("TOO_FEW_VOTERS", str(count), subject.at(("vote", "voters")))
    elif count > most:
        yield _found("TOO_MANY_TASKS", str(count), subject.at(("vote", "voters", most)))
    for misfit in () if subject.expansion else subject.misfits:  # beside a preset: PRESET_EXPANSION_INVALID
        if misfit.code in CODES:
            yield _found(misfit.code, shown(vote["count"]), subject.at(misfit.path))


def _found(code: str, count: str, where: Where) -> Diagnostic:
    if code == "TOO_FEW_VOTERS":
        return diagnostic(code, where, count=count, limit=LIMITS.voters_min)
    return diagnostic(code, where, what="voters", count=count, limit=LIMITS.voters_max)
