"""Several tasks multiply a price, so their number is bounded and somebody has chosen what each runs on.

Reports TOO_MANY_TASKS, PARALLEL_SIZING_REQUIRED.
Refused: nine tasks; two tasks of which one has neither `tier` nor `model`, in a call that has neither.
Accepted: one task; a `tier` or `model` on each task or on the call. `thinking` chooses no model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from piflows.compiler.check.rule import CallSubject
from piflows.compiler.params import text
from piflows.grammar.agent import TIERS
from piflows.ir.diagnostic import Diagnostic, diagnostic
from piflows.ir.limits import LIMITS

CODES = ("TOO_MANY_TASKS", "PARALLEL_SIZING_REQUIRED")
SUBJECT = "call"


def check(subject: CallSubject) -> Iterator[Diagnostic]:
    tasks = subject.call.get("tasks")
    if subject.mode != "parallel" or not isinstance(tasks, list):
        return
    listed = cast("list[Any]", tasks)
    if len(listed) > (limit := LIMITS.parallel_tasks):
        where = subject.at(("tasks", limit))
        yield diagnostic("TOO_MANY_TASKS", where, what="tasks", count=len(listed), limit=limit)
    if len(listed) < 2 or _sized(subject.call):
        return
    unsized = [
        at for at, task in enumerate(listed) if isinstance(task, dict) and not _sized(cast("dict[str, Any]", task))
    ]
    if unsized:
        where = subject.at(("tasks", unsized[0]))
        yield diagnostic("PARALLEL_SIZING_REQUIRED", where, tasks=", ".join(str(at + 1) for at in unsized))


def _sized(value: Mapping[str, Any]) -> bool:
    return text(value.get("model")) is not None or value.get("tier") in TIERS
