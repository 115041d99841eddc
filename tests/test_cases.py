"""The conformance cases, in one process: the runner of `tests/cases`, with the command called instead of started.

`python tests/cases/run_cases.py tests/cases` runs the same cases black-box against the installed command.
"""

from __future__ import annotations

import importlib.util
import io
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from piflows.cli import main

CASES = Path(__file__).parent / "cases"
_spec = importlib.util.spec_from_file_location("run_cases", CASES / "run_cases.py")
assert _spec is not None and _spec.loader is not None
run_cases = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(run_cases)

NOT_YET = json.loads((CASES / "not-yet.json").read_text(encoding="utf-8"))
ALL: list[dict[str, Any]] = list(run_cases.load([CASES]))


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    started = run_cases.execute

    def execute(command: list[str], cwd: Path, env: dict[str, str], stdin: str = "") -> tuple[int, str, str]:
        if command[0] != "piflows":
            return started(command, cwd, env, stdin)
        with monkeypatch.context() as patch:
            for name in set(os.environ) - set(env):
                patch.delenv(name)
            for name, value in env.items():
                patch.setenv(name, value)
            patch.chdir(cwd)
            streams = [io.TextIOWrapper(io.BytesIO(text), encoding="utf-8") for text in (stdin.encode(), b"", b"")]
            for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
                patch.setattr(sys, name, stream)
            status = main(command[1:])
            out, err = (stream.detach().getvalue() for stream in _flushed(streams[1:]))
        return status, out.decode(), err.decode()

    monkeypatch.setattr(run_cases, "execute", execute)


def _flushed(streams: list[Any]) -> list[Any]:
    for stream in streams:
        stream.flush()
    return streams


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("case", [case for case in ALL if case["id"] not in NOT_YET], ids=lambda case: case["id"])
def test_case(case: dict[str, Any]) -> None:
    assert run_cases.run_case(case, ["piflows"]) == []


def test_what_is_not_there_yet_is_named() -> None:
    assert set(NOT_YET) <= {case["id"] for case in ALL}
    assert set(NOT_YET.values()) <= {"orchestrate", "workflow", "worktree", "lessons"}
