"""A monitor needs a command to run and, to match its output, a pattern that is one.

Reports MONITOR_INVALID.
Refused: no `command`, a blank one; `trigger: "match"` without `pattern`, or with `(unclosed`.
Accepted: a command; a valid JavaScript-style expression.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from piflows.compiler.check.rule import CallSubject
from piflows.compiler.params import text
from piflows.ir.diagnostic import Diagnostic, diagnostic

CODES = ("MONITOR_INVALID",)
SUBJECT = "call"


def check(subject: CallSubject) -> Iterator[Diagnostic]:
    value: Any = subject.call.get("monitor")
    if subject.mode != "monitor" or not isinstance(value, dict):
        return
    probe = cast("dict[str, Any]", value)
    command, pattern = probe.get("command", ""), probe.get("pattern")
    if isinstance(command, str) and not command.strip():
        yield diagnostic("MONITOR_INVALID", subject.at(("monitor", "command")), problem="it has no command")
    if probe.get("trigger") != "match":
        return
    if text(pattern) is None:
        problem = "the trigger `match` has no pattern" if pattern in (None, "") else "the pattern is blank"
        yield diagnostic("MONITOR_INVALID", subject.at(("monitor", "pattern")), problem=problem)
    elif (problem := _broken(pattern)) is not None:
        yield diagnostic("MONITOR_INVALID", subject.at(("monitor", "pattern")), problem=problem)


def _broken(pattern: Any) -> str | None:
    from piflows.ir.pattern import compile_pattern

    try:
        compile_pattern(str(pattern))
    except ValueError as error:
        return f"the pattern is no regular expression, {error}"
    return None
