"""The command in an empty project that a report describes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from piflows.cli import main

Project = Callable[..., Callable[..., tuple[int, str, str]]]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Project:
    """`project(report)` lays out an empty project and gives the command in it."""

    def make(report: dict[str, Any], at: str = "project") -> Callable[..., tuple[int, str, str]]:
        here = tmp_path / at
        here.mkdir(exist_ok=True)
        for name, text in report.get("files", {}).items():
            (here / name).parent.mkdir(parents=True, exist_ok=True)
            (here / name).write_bytes(text.encode())
        for name, target in report.get("links", {}).items():
            (here / name).symlink_to(target)
        (tmp_path / "call.json").write_text(json.dumps(report.get("call", {})), encoding="utf-8")
        (tmp_path / "script.json").write_text(json.dumps({"children": report.get("children", [])}), encoding="utf-8")
        monkeypatch.setenv("HOME", str(tmp_path / "home"))
        for name, value in report.get("env", {}).items():
            monkeypatch.setenv(name, value)

        def command(*words: str) -> tuple[int, str, str]:
            monkeypatch.chdir(here)
            try:
                status = main(list(words))
            except SystemExit as wrong:
                assert isinstance(wrong.code, int)
                status = wrong.code
            out, err = capsys.readouterr()
            return status, out, err

        return command

    return make
