"""Every agent that a flow may start exists: in all roles, the default ones and a route's candidates too.

Reports UNKNOWN_AGENT.
Refused: `agent: "recom"`; a critic of a panel that no file defines; a project agent without its scope.
Accepted: agents that the scope gives.
"""

from __future__ import annotations

from collections.abc import Iterator

from piflows.compiler.check.rule import CallSubject
from piflows.grammar.near import hint, nearest
from piflows.ir.diagnostic import Diagnostic, diagnostic

CODES = ("UNKNOWN_AGENT",)
SUBJECT = "call"


def check(subject: CallSubject) -> Iterator[Diagnostic]:
    for mention in subject.mentions:
        if mention.agent not in subject.catalog.agents:
            near = _hint(mention.agent, subject)
            where = subject.at(mention.path)
            yield diagnostic("UNKNOWN_AGENT", where, agent=mention.agent, scope=subject.scope, hint=near)


def _hint(name: str, subject: CallSubject) -> str:
    """Why there is no such agent: its file was skipped, another scope has it, or its name is nearly this."""
    if skipped := subject.catalog.skipped.get(("agent", name)):
        return f" {skipped.message}"
    here, everywhere = subject.catalog.agents, subject.context.catalog("all").agents
    if other := everywhere.get(name):
        return f" The scopes {other.source} and all have it."
    if near := hint(name, here):
        return near
    there = nearest(name, everywhere)
    return f"{hint(name, everywhere)} The scopes {everywhere[there].source} and all have it." if there else ""
