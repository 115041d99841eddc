"""The reports that a driver makes itself: of what it ended, and of a backend or a hand that broke its rules."""

from __future__ import annotations

from typing import Any

from piflows.interpreter.backends import failure
from piflows.interpreter.events import ANSWERS
from piflows.interpreter.journal import flaw

Json = dict[str, Any]

_OURS = frozenset({"control", "returned", "withheld"})  # the machine's own words in an event
_FROM_BACKENDS = ANSWERS["spawn"] - {"childStarted"}  # that a child started, the driver says


def proper(report: Json) -> Json:
    """A backend's report, or the failure that stands for one that no backend may send."""
    kind = report.get("kind")
    problem = flaw(report) if kind in _FROM_BACKENDS else f"its backend reported `{kind}`"
    if problem:
        return broken(problem)
    if _OURS.isdisjoint(report):
        return report
    return {name: value for name, value in report.items() if name not in _OURS}


def broken(problem: str | Exception) -> Json:
    """A child whose backend broke the rules, or broke."""
    return failure("CHILD_PROTOCOL_ERROR", {"problem": _words(problem)})


def timed_out(sent: Json, said: str) -> Json:
    """A child that was ended because its time was over; `said` is what its last response said."""
    return failure("CHILD_TIMEOUT", {"ms": sent["timeoutMs"]}, text=said, stop_reason="timeout")


def stopped(sent: Json, said: str = "") -> Json:
    """The final report of an effect that was asked to stop; of a child with what its last response said."""
    match sent["kind"]:
        case "spawn":
            return failure("CHILD_ABORTED", {}, text=said, stop_reason="aborted")
        case "command":
            return _exited("", started=True)
        case "inspect":
            return {"kind": "inspected", "files": {}}
        case _:
            return {"kind": "timePassed"}


def unstarted(error: Exception) -> Json:
    """A command that the hand could not run."""
    return _exited(_words(error), started=False)


def _exited(reason: str, *, started: bool) -> Json:
    return {"kind": "commandExited", "exit": None, "text": "", "timedOut": False, "started": started, "reason": reason}


def _words(problem: str | Exception) -> str:
    return problem if isinstance(problem, str) else f"{type(problem).__name__}: {problem}"
