"""`piflows report`: statuses, forms, and files that are none."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path

import pytest
from cli.conftest import Run
from trace_streams import chain, folded

from piflows.interpreter.trace.rows import line


@pytest.fixture
def trace(run: Run) -> Path:  # noqa: ARG001  (`run` makes the working directory)
    path = Path("t.jsonl")
    path.write_bytes(b"".join(map(line, folded(chain(), owed=["handoff"]))))
    return path


def test_a_whole_trace(run: Run, trace: Path) -> None:
    status, out, err = run("report", str(trace), "--strict")
    assert (status, err) == (0, "") and out.startswith("Trace report: t.jsonl\nRuns: 1\n")


def test_incomplete_evidence_counts_under_strict_alone(run: Run, trace: Path) -> None:
    with trace.open("ab") as file:
        file.write(b"{torn")
    assert run("report", str(trace))[0] == 0
    status, out, _ = run("report", str(trace), "--strict", "--format", "json")
    assert (status, json.loads(out)["parse_errors"], json.loads(out)["complete"]) == (1, 1, False)


def test_an_empty_file_holds_no_evidence(run: Run, trace: Path) -> None:
    trace.write_bytes(b"")
    assert (run("report", str(trace))[0], run("report", str(trace), "--strict")[0]) == (0, 1)


@pytest.mark.parametrize("name", ["gone.jsonl", ".", "fifo", "a\nb"])
def test_what_cannot_be_read_is_wrong_usage(name: str, run: Run) -> None:
    os.mkfifo("fifo")
    status, out, err = run("report", name)
    assert (status, out) == (2, "") and err.startswith("piflows report: ") and "Traceback" not in err


def test_standard_input(run: Run, trace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(trace.read_bytes())))
    status, out, _ = run("report", "-", "--strict")
    assert status == 0 and out.startswith("Trace report: standard input\n")
