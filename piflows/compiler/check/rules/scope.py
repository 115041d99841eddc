"""Agents and presets are looked up in one of three scopes.

Reports INVALID_SCOPE.
Refused: `agentScope: "team"`.
Accepted: `user` (the default), `project`, `all`.
"""

from __future__ import annotations

from collections.abc import Iterator

from piflows.compiler.check.rule import CallSubject, scope_of
from piflows.compiler.params import shown
from piflows.ir.diagnostic import Diagnostic, diagnostic

CODES = ("INVALID_SCOPE",)
SUBJECT = "call"


def check(subject: CallSubject) -> Iterator[Diagnostic]:
    if "agentScope" in subject.given and (scope := subject.given["agentScope"]) != scope_of(subject.given):
        where = subject.at.in_call(("agentScope",))
        yield diagnostic("INVALID_SCOPE", where, value=scope if isinstance(scope, str) else shown(scope))
