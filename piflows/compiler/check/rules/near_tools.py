"""A mistyped tool is no tool: the child starts without it, and with such names alone it has no tools at all.

Reports UNKNOWN_TOOL, a warning: extensions add tools, so only what is nearly one of pi's own is told.
Warned of: `tools: "raed,grep"`, `tools: "Read"`, `tools: "read grep"`, in any role.
Accepted: pi's own tools, `none`, `default`, and names that are like none of them.
"""

from __future__ import annotations

from collections.abc import Iterator

from piflows.compiler.check.rule import CallSubject
from piflows.grammar.tools import slip
from piflows.ir.diagnostic import Diagnostic, diagnostic
from piflows.ir.finding import NEAR_NAMES

CODES = ("UNKNOWN_TOOL",)
SUBJECT = "call"


def check(subject: CallSubject) -> Iterator[Diagnostic]:
    if subject.answer:
        return
    for path, value in subject.keyed("tools"):
        names = dict.fromkeys(part.strip() for part in value.split(",")) if isinstance(value, str) else {}
        for name in names if len(names) <= NEAR_NAMES else ():  # more are no slip, and each is compared with every tool
            if name and (clause := slip(name)):
                yield diagnostic("UNKNOWN_TOOL", subject.at(path), tool=name, hint=clause)
