"""The command in a project that has something of everything."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from compiler.conftest import agent, lay, preset

from piflows.cli import main

Run = Callable[..., tuple[int, str, str]]
FILES = {
    ".pi/flow-presets/mine.md": preset("mine", {"agent": "scribe", "task": "Write {task}."}, "overrides: cwd"),
    ".pi/flow-presets/odd.md": "nothing",
    ".pi/flow-agents/scribe.md": agent("scribe", "tools: read"),
}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """`run("list", …)`: the command in a project with a preset, an agent, and a file that is skipped."""
    lay(tmp_path / "here", FILES)
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))

    def command(*words: str) -> tuple[int, str, str]:
        status = main(list(words))
        out, err = capsys.readouterr()
        return status, out, err

    return command
