"""Nothing runs before the first step of a chain or the first phase of a workflow, so its {previous} is empty.

Reports HANDOFF_EMPTY, a warning.
Warned of: {previous} in the task of the first step or phase.
Accepted: {previous} in any later one.
"""

from __future__ import annotations

from collections.abc import Iterator

from piflows.compiler.check.rule import CallSubject
from piflows.grammar.placeholder import placeholders
from piflows.ir.diagnostic import Diagnostic, diagnostic

CODES = ("HANDOFF_EMPTY",)
SUBJECT = "call"


def check(subject: CallSubject) -> Iterator[Diagnostic]:
    for path, step in (*subject.steps(), *subject.phases()):
        task = step.get("task")
        named = placeholders(task, ("previous",)) if path[-1] == 0 and isinstance(task, str) else ()
        if named:
            yield diagnostic("HANDOFF_EMPTY", subject.at((*path, "task")), placeholder=named[0].raw)
