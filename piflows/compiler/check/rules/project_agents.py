"""Whoever can write to a project can write its agents, so a person must approve them before they run.

Reports PROJECT_AGENT_APPROVAL_REQUIRED, PROJECT_AGENT_APPROVAL_DENIED.
Refused: an agent of `.pi/flow-agents` in any role, without a terminal to ask on, or when the answer is no.
Accepted: the same after a yes, or with `confirmProjectAgents: false`.
"""

from __future__ import annotations

from collections.abc import Iterator

from piflows.compiler.catalog.trust import agents_question
from piflows.compiler.check.rule import HostSubject
from piflows.ir.diagnostic import Diagnostic, diagnostic

CODES = ("PROJECT_AGENT_APPROVAL_REQUIRED", "PROJECT_AGENT_APPROVAL_DENIED")
SUBJECT = "host"


def check(subject: HostSubject) -> Iterator[Diagnostic]:
    if not subject.agents or not subject.confirm:
        return
    agents = ", ".join(subject.agents)
    answer = subject.ask(agents_question(subject.agents)) if subject.ask else None
    if answer is None:
        yield diagnostic("PROJECT_AGENT_APPROVAL_REQUIRED", agents=agents)
    elif not answer:
        yield diagnostic("PROJECT_AGENT_APPROVAL_DENIED", agents=agents)
