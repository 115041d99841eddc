"""Only a person at a terminal is asked, and only a clear yes is one."""

from __future__ import annotations

import io
import os
import pty
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

import pytest

from piflows.interpreter.hands.people import person


@contextmanager
def terminal(typed: str) -> Iterator[tuple[TextIO, TextIO, int]]:
    """Both streams of a terminal on which somebody types."""
    host, device = pty.openpty()
    os.write(host, typed.encode())
    source, screen = os.fdopen(os.dup(device), "r"), os.fdopen(device, "w")
    try:
        yield source, screen, host
    finally:
        source.close()
        screen.close()
        os.close(host)


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("y\n", True),
        ("YES\n", True),
        (" yes \n", True),
        ("n\n", False),
        ("\n", False),
        ("yeah\n", False),
        ("\x04", False),
    ],
)
def test_a_person_is_asked(typed: str, answer: bool) -> None:
    with terminal(typed) as (source, screen, host):
        ask = person(source, screen)
        assert ask is not None and ask("Run \x1b[2Jit?") is answer
        shown = ""
        while "[y/N] " not in shown:  # what was typed is echoed, before or after
            shown += os.read(host, 1_000).decode()
    assert "Run \\x1b[2Jit? [y/N] " in shown


def test_without_a_terminal_nobody_is_asked() -> None:
    pipe, closed = io.StringIO("y\nyes\n"), io.StringIO()
    closed.close()
    with terminal("y\n") as (source, screen, _):
        assert person(pipe, screen) is None
        assert person(source, io.StringIO()) is None
        assert person(closed, screen) is None
    assert pipe.read() == "y\nyes\n"


def test_a_process_without_streams_asks_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    assert person() is None
