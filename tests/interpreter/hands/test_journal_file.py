"""The journal's file: what was appended is there, one process owns it, and a file that cannot serve is refused."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from piflows.interpreter import journal
from piflows.interpreter.hands.journal_file import JournalFile
from piflows.ir.diagnostic import FlowError

FLOW = "sha256:0f"
CANCELLED: dict[str, Any] = {"seq": 2, "at": 5, "effect": "", "incarnation": 0, "n": 1, "kind": "cancelled"}
OPENED = CANCELLED | {
    "seq": 1,
    "n": 0,
    "kind": "opened",
    "run": "r",
    "invocation": "i",
    "flow": FLOW,
    "ir": 1,
    "cwd": "/",
}


def problem(path: Path) -> str:
    with pytest.raises(FlowError) as raised:
        JournalFile(str(path), FLOW, 1)
    assert raised.value.first.code == "JOURNAL_INVALID"
    return raised.value.first.message


def test_a_new_journal_holds_what_was_appended(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    with JournalFile(str(path), FLOW, 1) as opened:
        assert opened.events == []
        assert path.read_text() == journal.header(FLOW, 1)
        opened.append(OPENED)
        assert path.read_text() == journal.header(FLOW, 1) + journal.line(OPENED)  # before it is closed
    assert path.stat().st_mode & 0o777 == 0o600
    with JournalFile(str(path), FLOW, 1) as again:
        assert again.events == [OPENED]
        again.append(CANCELLED)
    assert journal.parse(path.read_bytes(), FLOW, 1)[0] == [OPENED, CANCELLED]


@pytest.mark.parametrize("kept", range(0, len(journal.header(FLOW, 1) + journal.line(OPENED)) + 20, 7))
def test_a_torn_end_is_cut_off_and_written_over(tmp_path: Path, kept: int) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text((journal.header(FLOW, 1) + journal.line(OPENED) + journal.line(CANCELLED))[:kept])
    with JournalFile(str(path), FLOW, 1) as opened:
        for event in [OPENED, CANCELLED][len(opened.events) :]:
            opened.append(event)
    assert path.read_text() == journal.header(FLOW, 1) + journal.line(OPENED) + journal.line(CANCELLED)


def test_a_torn_end_is_gone_also_when_nothing_is_appended(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    whole = journal.header(FLOW, 1) + journal.line(OPENED)
    path.write_text(whole + journal.line(CANCELLED)[:-1])
    JournalFile(str(path), FLOW, 1).close()
    assert path.read_text() == whole


def test_one_owner_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    with JournalFile(str(path), FLOW, 1) as owner:
        assert "another process is using it" in problem(path)
        owner.append(OPENED)
    with JournalFile(str(path), FLOW, 1) as next_owner:
        assert next_owner.events == [OPENED]


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda path: path.mkdir(), "Is a directory"),
        (lambda path: os.mkfifo(path), "no regular file"),
        (lambda path: path.symlink_to("/dev/null"), "no regular file"),
        (lambda path: path.symlink_to(path.parent / "none" / "x"), "No such file or directory"),
        (lambda path: path.write_text("shopping list"), "no journal"),
        (lambda path: path.write_text(journal.header("sha256:99", 1)), "another flow"),
    ],
)
def test_a_file_that_cannot_serve(tmp_path: Path, make: Callable[[Path], object], says: str) -> None:
    path = tmp_path / "run.jsonl"
    make(path)
    before = path.read_bytes() if path.is_file() else b""
    assert says in problem(path)
    assert (path.read_bytes() if path.is_file() else b"") == before


def test_a_path_that_is_none() -> None:
    assert "cannot be used" in problem(Path("a\0b"))


def test_a_full_disk_is_a_refusal(tmp_path: Path) -> None:
    with JournalFile(str(tmp_path / "run.jsonl"), FLOW, 1) as opened:
        full = os.open("/dev/full", os.O_WRONLY)
        os.dup2(full, opened._file.fileno())
        os.close(full)
        with pytest.raises(FlowError) as raised:
            opened.append(OPENED)
    assert "No space left" in raised.value.first.message
