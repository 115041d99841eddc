"""The writers of a worktree call are several, complete, and have unique ids: their branches are named after them.

Reports WORKTREE_SETUP_FAILED.
Refused: one task; a task without `id`, `agent` or `task`; two tasks "left"; an id of two lines; an empty `baseRef`.
Accepted: 2 to 8 tasks. More are a matter of the range, as anywhere; whether git knows `baseRef` is one of the run.
"""

from __future__ import annotations

from collections.abc import Iterator

from piflows.compiler.check.rule import CallSubject
from piflows.ir.diagnostic import Diagnostic, diagnostic

CODES = ("WORKTREE_SETUP_FAILED",)
SUBJECT = "call"


def check(subject: CallSubject) -> Iterator[Diagnostic]:
    for misfit in subject.refused("WORKTREE_SETUP_FAILED"):
        yield diagnostic("WORKTREE_SETUP_FAILED", subject.at(misfit.path), problem=misfit.problem)
    seen: set[str] = set()
    for path, task in subject.writers():
        name = task.get("id")
        if isinstance(name, str):
            if name in seen:
                problem = f'there are two tasks with the id "{name}"'
                yield diagnostic("WORKTREE_SETUP_FAILED", subject.at((*path, "id")), problem=problem)
            seen.add(name)
