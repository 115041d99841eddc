"""The line for whatever settles."""

from __future__ import annotations

import io
from typing import Any

import pytest
from batteries.backend import spawn
from batteries.driver import EXITED, SETTLED

from piflows.cli.progress import Progress, duration
from piflows.interpreter.effects import command

Json = dict[str, Any]
FAILED: Json = {"kind": "childFailed", "code": "CHILD_TIMEOUT"}


def lines(sent: Json, *events: Json) -> list[str]:
    stream = io.StringIO()
    progress = Progress(stream)
    progress({"kind": "opened", "effect": ""}, None)
    for event in events:
        progress({"effect": sent["effect"], "at": 0, **event}, sent)
    return stream.getvalue().splitlines()


def turn(cost: float | None) -> Json:
    return {"kind": "turnEnded", "usage": {"input": 10, "output": 5, "costUsd": cost}}


START: Json = {"kind": "childStarted"}
UNKNOWN = "tokens unknown, cost unknown"


@pytest.mark.parametrize(
    ("events", "line"),
    [
        ([START | {"at": 100}, turn(0.25), turn(0.5), SETTLED | {"at": 400}], "ok, 300 ms, 30 tokens, $0.7500"),
        ([START, turn(0.25), turn(None), SETTLED], "ok, 0 ms, 30 tokens, cost unknown"),
        ([START, FAILED | {"at": 60_000}], f"failed, CHILD_TIMEOUT, 1 min 0 s, {UNKNOWN}"),
        ([FAILED], f"failed, CHILD_TIMEOUT, {UNKNOWN}"),
        ([START | {"at": 5}, turn(1), START | {"at": 9}, SETTLED | {"at": 9}], "ok, 0 ms, 15 tokens, $1.0000"),
    ],
)
def test_a_child(events: list[Json], line: str) -> None:
    assert lines(spawn("a"), *events) == [f"a (recon): {line}"]


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (EXITED, "exit 0"),
        ({**EXITED, "exit": 3}, "exit 3"),
        ({**EXITED, "exit": None}, "ended by a signal"),
        ({**EXITED, "exit": None, "timedOut": True}, "timed out"),
        ({**EXITED, "started": False, "reason": "no\x1bsuch"}, "did not start, no\\x1bsuch"),
    ],
)
def test_a_command(event: Json, line: str) -> None:
    assert lines(command("c#1/!1", "make\n-k", "", 1, 1), event) == [f"`make\\n-k`: {line}"]


def test_a_long_command_is_cut() -> None:
    (line,) = lines(command("c#1/!1", "x" * 61, "", 1, 1), EXITED)
    assert line == f"`{'x' * 59}…`: exit 0"


@pytest.mark.parametrize(
    ("ms", "words"),
    [
        (0, "0 ms"),
        (999, "999 ms"),
        (1_000, "1.0 s"),
        (59_999, "59.9 s"),
        (60_000, "1 min 0 s"),
        (3_599_999, "59 min 59 s"),
        (3_600_000, "1 h 0 min"),
        (36_000_000, "10 h 0 min"),
    ],
)
def test_durations(ms: int, words: str) -> None:
    assert duration(ms) == words
