"""What a completed response means for every live child under the same ceilings, and what an ended child counts as.

The arithmetic is in `guards/budget.py`; here it meets the run's record. A child's `live` entry holds `role`, `notice`
(empty, sent, seen) and `budget`, the refusal that ended it: code, facts, and whether its own response was the one.
"""

from __future__ import annotations

from typing import Any

from piflows.interpreter import effects
from piflows.interpreter.events import Event
from piflows.interpreter.guards import budget
from piflows.interpreter.marks import Marks
from piflows.interpreter.program import Program
from piflows.interpreter.tables import ALIVE, STOPPING

Json = dict[str, Any]


def started(record: Json, program: Program, effect: str, live: Json, out: list[Json]) -> None:
    """A child starts, or starts anew: inside the window of a ceiling it is told before its first response."""
    live.pop("notice", None)
    if program.terms[live["role"]].limits:
        _warn(record, program, effect, live, out)


def turned(record: Json, program: Program, effect: str, usage: Json, out: list[Json]) -> None:
    """A response completed. A crossing belongs to the ceiling, so whoever lives under it is told or stopped."""
    governing = program.terms[record["live"][effect]["role"]].limits
    if not governing:
        return
    budget.charge(record["accounts"], governing, usage)
    for other, live in record["live"].items():
        if live["asked"] != "spawn" or live["phase"] != ALIVE:  # whose files are looked at has ended already
            continue
        limits = program.terms[live["role"]].limits
        refused = budget.must_stop(record["accounts"], limits, program.flow.roles[live["role"]].agent)
        if refused is None:
            _warn(record, program, other, live, out)
        else:
            live["phase"], live["budget"] = STOPPING, [*refused, other == effect]
            out.append(effects.stop(other))


def verdict(record: Json, live: Json, event: Event, marks: Marks) -> Event:
    """The final event of a child as it counts. A budget that ended it owns its end; one that had been told to wrap up,
    provably, and has something to say, settles well."""
    result = record["results"][live["result"]]
    told = live.get("notice")
    if told:
        marks.wrapped_up(result, told == "seen")
    if "budget" not in live:
        return event
    code, facts, own = live["budget"]
    if not own and event["kind"] == "childSettled":  # it was done before it could be stopped
        return event
    graceful = code == budget.EXCEEDED and told == "seen" and bool(event["text"].strip())
    marks.ended(result, code, graceful)
    if graceful:
        settled = {"kind": "childSettled", "exit": 0, "stopReason": budget.WRAPPED_UP, "model": event.get("model")}
        return {**event, **settled}
    reason = {"stopReason": budget.STOPS[code], "exit": max(1, event["exit"])}
    return {**event, "kind": "childFailed", "code": code, "facts": facts, **reason}


def _warn(record: Json, program: Program, effect: str, live: Json, out: list[Json]) -> None:
    """Tell a child that a ceiling is near, once; the first budget wins."""
    near = None if "notice" in live else budget.wrap_up(record["accounts"], program.terms[live["role"]].limits)
    if near is None:
        return
    live["notice"] = "sent"
    contract = program.flow.roles[live["role"]].contract or None
    out.append(effects.steer(effect, budget.notice(record["accounts"], near, contract)))
