"""A flow that a child starts is nested; two levels are the limit.

Reports FLOW_DEPTH_EXCEEDED.
Refused: PI_FLOWS_DEPTH of 2 or more.
Accepted: 0 and 1; a text that is no number counts as 0, as in the reference.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import floor

from piflows.compiler.check.rule import HostSubject
from piflows.ir.diagnostic import Diagnostic, diagnostic
from piflows.ir.limits import LIMITS

CODES = ("FLOW_DEPTH_EXCEEDED",)
SUBJECT = "host"

_DECIMAL = r"(?i)[+-]?(?:[0-9]++\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|\+?inf(?:inity)?"


def check(subject: HostSubject) -> Iterator[Diagnostic]:
    depth = _number(subject.env.get("PI_FLOWS_DEPTH", ""))
    if depth >= LIMITS.flow_depth:
        shown = floor(depth) if depth < 1e6 else "beyond counting"
        yield diagnostic("FLOW_DEPTH_EXCEEDED", depth=shown, limit=LIMITS.flow_depth)


def _number(text: str) -> float:
    """The reference's reading: decimal, in ASCII; what is none counts as 0, and Python's `1_0` is none."""
    return float(text) if re.fullmatch(_DECIMAL, text.strip()) else 0
