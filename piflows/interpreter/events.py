"""Events: what a driver tells the machine, typed as the journal's lines are.

Each has `seq` (1, 2, … of the run), `at` (ms, never decreasing), `effect` (the id it answers, empty for the run's
own), `incarnation` (one per real start of the effect, larger for a later one), `n` (1, 2, … within the incarnation)
and its `kind`. Delivery is at least once.
"""

from __future__ import annotations

import json
from typing import Any, TypedDict

from piflows.ir.digest import text_digest

Event = dict[str, Any]


class Usage(TypedDict):
    """Tokens of one model response and its cost in USD; None when the provider told no cost."""

    input: int
    output: int
    costUsd: float | None


class Opened(TypedDict):
    """First event: what the machine may not make itself."""

    run: str
    invocation: str
    flow: str
    ir: int
    cwd: str


class TurnEnded(TypedDict):
    """A model response completed."""

    usage: Usage


class ChildSettled(TypedDict):
    """The child ended well; `control` is what distil read under its protocol, None when unparseable."""

    text: str
    exit: int
    stopReason: str
    model: str | None
    stderr: str
    control: Any


class ChildFailed(TypedDict):
    """The child failed with a code of the catalogue and its facts."""

    code: str
    facts: dict[str, Any]
    text: str
    exit: int
    stopReason: str
    stderr: str


class CommandExited(TypedDict):
    """A command ended; `exit` None when it did not by itself, `started` False with a `reason` when it never ran."""

    exit: int | None
    text: str
    timedOut: bool
    started: bool
    reason: str


class Inspected(TypedDict):
    """What was found of each file: `inside` its directory, `exists`, `regular`, `sha256` or None."""

    files: dict[str, dict[str, Any]]


# childStarted, noticeSeen, timePassed and cancelled carry nothing of their own.
FINAL = frozenset({"childSettled", "childFailed", "commandExited", "timePassed", "inspected"})

_NOT_SAID = frozenset(
    {"seq", "at", "control", "matched", "returned", "withheld"}
)  # what delivery and `distil` add to a report


def fingerprint(event: Event) -> str:
    """A digest of what a final event says: that of an exact repeat is the same, whenever it is delivered."""
    return text_digest(json.dumps({key: event[key] for key in event if key not in _NOT_SAID}, sort_keys=True).encode())


# what may answer each kind of effect
ANSWERS = {
    "spawn": frozenset({"childStarted", "turnEnded", "noticeSeen", "childSettled", "childFailed"}),
    "command": frozenset({"commandExited"}),
    "wait": frozenset({"timePassed"}),
    "inspect": frozenset({"inspected"}),
}
