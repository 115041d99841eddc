"""Under strict tracing a flow without complete evidence does not count, so it is not begun where there can be none.

Reports TRACE_INCOMPLETE.
Refused: `traceStrict: true`, or PI_FLOWS_TRACE_STRICT, without a trace file.
Accepted: the same with `traceFile` or PI_FLOWS_TRACE_FILE; `traceStrict: false`, which also goes before the variable.
"""

from __future__ import annotations

from collections.abc import Iterator

from piflows.compiler.check.rule import HostSubject
from piflows.ir.diagnostic import Diagnostic, diagnostic

CODES = ("TRACE_INCOMPLETE",)
SUBJECT = "host"


def check(subject: HostSubject) -> Iterator[Diagnostic]:
    strict = subject.trace_strict
    if strict is None:
        strict = subject.env.get("PI_FLOWS_TRACE_STRICT", "").strip().lower() in ("1", "true", "yes")
    if strict and not (subject.trace_file or subject.env.get("PI_FLOWS_TRACE_FILE")):
        yield diagnostic("TRACE_INCOMPLETE", problem="no trace file is named")
