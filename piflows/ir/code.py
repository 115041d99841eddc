"""What an entry of the error catalogue is."""

from __future__ import annotations

from typing import Literal

from piflows.ir.frozen import frozen

Level = Literal["flow", "run"]
Stage = Literal["compile", "prespawn", "run", "resume", "discovery"]
Severity = Literal["error", "warning", "note"]


@frozen
class Code:
    """One code with the only sentences that exist for it. `{fact}` stands for what the reporter knows.

    level      `flow` = the error of the whole flow, `run` = the error of one child run alone
    stage      the earliest moment at which it can be known: `compile` from the call and the files, `prespawn` from
               the host, `run`, `resume`, or `discovery` of agent and preset files; `also` = a later moment
    retryable  whether the same unchanged call can succeed; None = the case decides, by the fact `retryable`
    message    what happened · cause = why · fix = the next action. A fact that is a clause has no final full stop;
               `{fact|words}` shows the words for an empty fact, `{fact|}` one that is often empty;
               `{{` and `}}` are braces.
    """

    name: str
    level: Level
    stage: Stage
    retryable: bool | None
    severity: Severity
    message: str
    cause: str
    fix: str
    also: Stage | None = None


def compile_error(name: str, message: str, cause: str, fix: str, *, also: Stage | None = None) -> Code:
    """An error of the flow that the call and the discovered files decide."""
    return Code(name, "flow", "compile", False, "error", message, cause, fix, also)


def compile_warning(name: str, message: str, cause: str, fix: str) -> Code:
    """A finding that refuses nothing."""
    return Code(name, "flow", "compile", False, "warning", message, cause, fix)


def host_error(name: str, message: str, cause: str, fix: str, *, also: Stage | None = None) -> Code:
    """An error of the flow that needs the host but no child: a person, the environment, git."""
    return Code(name, "flow", "prespawn", False, "error", message, cause, fix, also)


def flow_error(
    name: str, message: str, cause: str, fix: str, *, retryable: bool | None = False, also: Stage | None = None
) -> Code:
    """An error of the flow that only a run can produce."""
    return Code(name, "flow", "run", retryable, "error", message, cause, fix, also)


def child_error(name: str, message: str, cause: str, fix: str, *, retryable: bool | None = False) -> Code:
    """An error of one child run; what it means for the flow is the mode's matter."""
    return Code(name, "run", "run", retryable, "error", message, cause, fix)


def resume_error(name: str, message: str, cause: str, fix: str, *, also: Stage | None = None) -> Code:
    """An error of the flow that only the resumption of a saved one can produce."""
    return Code(name, "flow", "resume", False, "error", message, cause, fix, also)


def issue(name: str, severity: Severity, message: str, cause: str, fix: str) -> Code:
    """A finding about one agent or preset file; the other files are not affected."""
    return Code(name, "flow", "discovery", False, severity, message, cause, fix)
