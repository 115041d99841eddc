"""A backend is what a child run is. It knows nothing of flows: a child spec in, turns and one settlement out.

In     the `spawn` effect as it is; at its making the run's directory, a clock and its own settings
Out    reports: `turnEnded` for each completed response, with its text, `noticeSeen` for a message that arrived, then
       exactly one of `childSettled` and `childFailed`
Rules  a backend never imports the machine. What a child does wrong is a `childFailed` with a code and its facts, never
       an exception; a cancelled child is gone when its iterator has ended. Time comes from the clock alone.
Add    a backend: one module here with `open_backend(host)` and `VIRTUAL_TIME`, a row in `BACKENDS`, a parameter of
       `tests/batteries/backend.py`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from importlib import import_module
from typing import Any, Protocol, cast, runtime_checkable

from piflows.grammar.near import hint
from piflows.interpreter.hands.clock import Clock
from piflows.ir.diagnostic import FlowError, diagnostic
from piflows.ir.frozen import frozen

Json = dict[str, Any]

BACKENDS = {"scripted": "piflows.interpreter.backends.scripted"}


class Backend(Protocol):
    """Runs children."""

    def begin(self, spawn: Json, /) -> AsyncIterator[Json]:
        """Start a child. Called in the order of the starts; what the order decides is decided in this call."""
        ...

    def recall(self, spawn: Json, /) -> None:
        """An earlier process of this run began this child. Called in the order of those starts, before any `begin`;
        a child that had not settled is begun again later."""

    def steer(self, effect: str, text: str, /) -> None:
        """Give a live child a message before its next response. When it has arrived, whole, the child reports
        `noticeSeen`."""


@runtime_checkable
class Noting(Protocol):
    """A backend that has something to say once a run is over."""

    def notes(self) -> list[str]: ...


@frozen
class Host:
    """What every backend gets: the run's directory, its clock, and the script (text, file name) if one was given."""

    cwd: str
    clock: Clock
    script: tuple[str, str] | None = None


class _Module(Protocol):
    VIRTUAL_TIME: bool

    def open_backend(self, host: Host) -> Backend: ...


def virtual_time(name: str) -> bool:
    """Whether the children of this backend live on the virtual clock."""
    return _module(name).VIRTUAL_TIME


def open_backend(name: str, host: Host) -> Backend:
    """The backend of that name. Raises FlowError CALL_INVALID for an unknown name or a wrong setting."""
    return _module(name).open_backend(host)


def _module(name: str) -> _Module:
    if name not in BACKENDS:
        raise FlowError(diagnostic("CALL_INVALID", problem=f'there is no backend "{name}".{hint(name, BACKENDS)}'))
    return cast("_Module", import_module(BACKENDS[name]))


def settlement(text: str, *, exit_status: int = 0, stderr: str = "", model: str | None = None) -> Json:
    """How a child's end counts: a failed exit, an answer without a word, or an answer."""
    if exit_status:
        facts: Json = {"exit": exit_status, "stderr": stderr}
        return failure("CHILD_EXIT_NONZERO", facts, text=text, exit_status=exit_status, stderr=stderr)
    if not text.strip():
        problem = "it exited well without an answer"
        return failure("CHILD_PROTOCOL_ERROR", {"problem": problem}, text=text, stderr=stderr)
    return {"kind": "childSettled", "text": text, "exit": 0, "stopReason": "stop", "model": model, "stderr": stderr}


def failure(
    code: str,
    facts: Json,
    *,
    text: str = "",
    exit_status: int = 1,
    stop_reason: str = "error",
    stderr: str = "",
) -> Json:
    """The report of a child that failed; its exit status is never 0."""
    return {
        "kind": "childFailed",
        "code": code,
        "facts": facts,
        "text": text,
        "exit": exit_status,
        "stopReason": stop_reason,
        "stderr": stderr,
    }
