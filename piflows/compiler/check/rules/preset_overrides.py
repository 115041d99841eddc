"""A preset must exist, have the task that its template asks for, and be changed only where it allows that.

Reports UNKNOWN_PRESET, PRESET_TASK_REQUIRED, PRESET_OVERRIDE_INVALID.
Refused: a name that the scope does not have; no `task` for a template with {task}; `evaluate` beside preset `scout`.
Accepted: what every call decides for itself (`why`, `maxCostUsd`, …), and the keys in the preset's `overrides`.
"""

from __future__ import annotations

from collections.abc import Iterator

from piflows.compiler.check.rule import CallSubject
from piflows.compiler.expand import CALLER_ALWAYS
from piflows.compiler.params import RETIRED
from piflows.grammar.near import hint, nearest
from piflows.ir.diagnostic import Diagnostic, diagnostic
from piflows.ir.limits import LIMITS

CODES = ("UNKNOWN_PRESET", "PRESET_TASK_REQUIRED", "PRESET_OVERRIDE_INVALID")
SUBJECT = "call"


def check(subject: CallSubject) -> Iterator[Diagnostic]:
    expansion = subject.expansion
    if expansion is None:
        return
    name, at = bounded(expansion.name), subject.at.in_call
    if expansion.preset is None:
        yield diagnostic(
            "UNKNOWN_PRESET", at(("preset",)), preset=name, scope=subject.scope, hint=_hint(expansion.name, subject)
        )
        return
    if expansion.taskless:
        yield diagnostic("PRESET_TASK_REQUIRED", at(("task",)), preset=name)
    for key in expansion.rejected:
        if key not in RETIRED:
            where = at((key,), key=True)
            allowed = ", ".join(expansion.preset.overrides)
            near = hint(key, (*expansion.preset.overrides, *CALLER_ALWAYS))
            yield diagnostic(
                "PRESET_OVERRIDE_INVALID", where, preset=name, key=bounded(key), allowed=allowed, hint=near
            )


def bounded(name: str) -> str:
    """A name in a message: at most 256 bytes of it."""
    return name.encode()[: LIMITS.id_bytes].decode(errors="ignore")


def _hint(name: str, subject: CallSubject) -> str:
    """Why there is no such preset: its file was skipped, another scope has it, or its name is nearly this."""
    if skipped := subject.catalog.skipped.get(("preset", name)):
        return f" {skipped.message}"
    here, everywhere = subject.catalog.presets, subject.context.catalog("all").presets
    if other := everywhere.get(name):
        return f" The scopes {other.source} and all have it."
    if near := hint(name, here):
        return near
    there = nearest(name, everywhere)
    return f"{hint(name, everywhere)} The scopes {everywhere[there].source} and all have it." if there else ""
