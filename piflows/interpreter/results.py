"""Child runs as the details object lists them, and the records that later states read."""

from __future__ import annotations

from typing import Any

from piflows.interpreter.events import FINAL, Event, fingerprint
from piflows.interpreter.guards.budget import STOPS
from piflows.interpreter.guards.envelope import compact
from piflows.interpreter.refused import Refused
from piflows.ir.diagnostic import diagnostic, error_object, error_text

Json = dict[str, Any]


def begun(sent: Json, unit: str) -> Json:
    """A child run that was asked for. `exitCode` -1 means that it has not settled."""
    return {
        "unit": sent["unit"],
        "name": unit,
        "stage": sent["stage"],
        "step": sent["step"],
        "agent": sent["agent"],
        "agentSource": sent["source"],
        "role": sent["role"],
        "prompt": sent["prompt"],
        "model": sent["model"],
        "exitCode": -1,
        "stopReason": None,
        "text": "",
        "stderr": "",
        "usage": None,  # see `usage`
        "durationMs": None,
        "error": None,
    }


NO_USAGE = (0, 0, 0, 0)  # what a child starts with: input, output, cost in USD (None is unknown), turns


def charge(spent: list[Any], number: int, said: Json) -> None:
    """Add a turn to what result `number` has used. `spent` holds the numbers of all results in one row.

    A run of many children is one of many small objects, which cost most when they hold other objects; so a result
    holds none until somebody asks for it.
    """
    at = len(NO_USAGE) * number
    spent[at] += said["input"]
    spent[at + 1] += said["output"]
    known = spent[at + 2] is not None and said["costUsd"] is not None
    spent[at + 2] = spent[at + 2] + said["costUsd"] if known else None
    spent[at + 3] += 1


def usage(spent: list[Any], number: int) -> Json:
    """What result `number` has used."""
    at = len(NO_USAGE) * number
    return dict(zip(("input", "output", "costUsd", "turns"), spent[at : at + len(NO_USAGE)], strict=True))


def settled(result: Json, event: Event, began: int | None) -> None:
    """Enter a child's final event; durations come from the events' own times."""
    result["exitCode"], result["stopReason"] = event["exit"], event["stopReason"]
    result["text"], result["stderr"] = event["text"], event["stderr"]
    result["model"] = event.get("model") or result["model"]
    result["durationMs"] = None if began is None else event["at"] - began
    result["error"] = _error(event)


def final(record: Json, over: int | list[Any], event: Event) -> tuple[tuple[int, int], bool]:
    """The stamp of the final event of what is over, and whether this one, when it is final too, says the same.

    `over` is the number of a child's result, or an effect's own stamp and fingerprint.
    """
    if isinstance(over, list):
        return (over[0], over[1]), event["kind"] not in FINAL or fingerprint(event) == over[2]
    incarnation, n = record["stamps"][2 * over : 2 * over + 2]
    return (incarnation, n), event["kind"] not in FINAL or _repeats(record["results"][over], event)


def _repeats(result: Json, event: Event) -> bool:
    """Whether a child's final event says what was entered already."""
    entered = (result["exitCode"], result["stopReason"], result["text"], result["stderr"], result["error"])
    return entered == (event["exit"], event["stopReason"], event["text"], event["stderr"], _error(event))


def _error(event: Event) -> Json | None:
    return error_object(diagnostic(event["code"], **event["facts"])) if event["kind"] == "childFailed" else None


def refused_run(result: Json, wave: int, refused: Refused) -> Json:
    """Enter a run whose process was never started; the record that later states read."""
    facts: Json = {"code": refused.code, "facts": refused.facts, "text": "", "stderr": "", "exit": 1}
    event: Event = {"kind": "childFailed", "at": 0, "stopReason": "error", **facts}
    settled(result, event, None)
    return unit_record(result, wave, event, None)


def unit_record(result: Json, wave: int, event: Event, envelope: Json | None) -> Json:
    """What later states read of a child run. Only one that failed has a `stopReason`, and its text is its error's.

    A return under a contract is its envelope; one that says of itself that it failed did not reach what it was asked
    for.
    """
    out: Json = {
        "agent": result["agent"],
        "role": result["role"],
        "step": result["step"],
        "key": result["unit"],
        "stage": result["stage"],
        "unit": result["name"],
        "wave": wave,
        "control": event.get("control"),
        "status": "ok",
        "text": event["text"] or "(no output)",
    }
    if event.get("withheld"):
        out["withheld"] = True
    if envelope is not None:
        out |= {"text": compact(envelope), "envelope": envelope}
        if envelope["status"] == "failed":
            out |= {"status": "failed", "stopReason": "failed"}
    if event["kind"] == "childFailed":
        text = error_text(diagnostic(event["code"], **event["facts"]))
        out |= {"status": "failed", "text": text, "stopReason": event["stopReason"]}
        if event["code"] in STOPS:
            out["error"] = result["error"]
    return out
