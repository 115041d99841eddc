"""Action: the request an Action makes, and the result its final event gives."""

from __future__ import annotations

from typing import Any, assert_never

from piflows.interpreter import effects
from piflows.interpreter.fill import Values, fill
from piflows.ir.actions import Command, Doing, Wait

Json = dict[str, Any]


def request(doing: Doing, effect: str, values: Values) -> Json:
    """The effect of an Action."""
    match doing:
        case Command():
            cwd = fill(doing.cwd, values)
            values.shell = True
            line = fill(doing.command, values)
            return effects.command(effect, line, cwd, doing.timeout_ms, doing.cap)
        case Wait():
            return effects.wait(effect, doing.ms)
        case _:
            assert_never(doing)


def result(doing: Doing, visit: int, sent: Json, event: Json) -> Json:
    """The value of an Action whose effect has its final event."""
    if isinstance(doing, Wait):
        return {"check": visit, "ms": doing.ms}
    kept = {name: event[name] for name in ("exit", "text", "timedOut", "started", "reason")}
    return {"command": sent["command"], "check": visit, "matched": dict(event.get("matched", {})), **kept}
