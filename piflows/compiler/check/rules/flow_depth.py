"""A flow that a child starts is nested; two levels are the limit.

Reports FLOW_DEPTH_EXCEEDED.
Refused: PI_FLOWS_DEPTH of 2 or more.
Accepted: 0 and 1; a text that is no number counts as 0, as in the reference.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import floor, isnan

from piflows.compiler.check.rule import HostSubject
from piflows.ir.diagnostic import Diagnostic, diagnostic
from piflows.ir.limits import LIMITS

CODES = ("FLOW_DEPTH_EXCEEDED",)
SUBJECT = "host"


def check(subject: HostSubject) -> Iterator[Diagnostic]:
    depth = _number(subject.env.get("PI_FLOWS_DEPTH", ""))
    if depth >= LIMITS.flow_depth:
        shown = floor(depth) if depth < 1e6 else "beyond counting"
        yield diagnostic("FLOW_DEPTH_EXCEEDED", depth=shown, limit=LIMITS.flow_depth)


def _number(text: str) -> float:
    try:
        depth = float(text)
    except ValueError:
        return 0
    return 0 if isnan(depth) else depth
