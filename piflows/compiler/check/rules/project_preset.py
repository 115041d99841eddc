"""Whoever can write to a project can write its presets, so a person must approve one before it runs.

Reports PROJECT_PRESET_APPROVAL_REQUIRED, PROJECT_PRESET_APPROVAL_DENIED.
Refused: a preset of `.pi/flow-presets` without a terminal to ask on, or when the answer is no.
Accepted: the same after a yes, or with `confirmProjectAgents: false`.
"""

from __future__ import annotations

from collections.abc import Iterator

from piflows.compiler.catalog.trust import preset_question
from piflows.compiler.check.rule import HostSubject
from piflows.ir.diagnostic import Diagnostic, diagnostic

CODES = ("PROJECT_PRESET_APPROVAL_REQUIRED", "PROJECT_PRESET_APPROVAL_DENIED")
SUBJECT = "host"


def check(subject: HostSubject) -> Iterator[Diagnostic]:
    if subject.preset is None or not subject.confirm:
        return
    answer = subject.ask(preset_question(subject.preset)) if subject.ask else None
    if answer is None:
        yield diagnostic("PROJECT_PRESET_APPROVAL_REQUIRED", preset=subject.preset)
    elif not answer:
        yield diagnostic("PROJECT_PRESET_APPROVAL_DENIED", preset=subject.preset)
