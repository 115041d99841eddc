"""`piflows graph`: forms, files, the real Graphviz and its absence."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from piflows.cli import main

WHY = "one context cannot hold both parts"
TASK = 'Say "hi" \\N <b> {x|y}\nnew line'
HOSTILE = {
    "task": "Read the store",
    "why": WHY,
    "graph": {
        "nodes": [
            {"id": 'a"b', "agent": "recon", "task": TASK},
            {"id": "node", "agent": "recon", "task": "end", "dependsOn": ['a"b']},
        ]
    },
}
CYCLE = {
    "task": "Read the store",
    "why": WHY,
    "graph": {
        "nodes": [
            {"id": "a", "agent": "recon", "task": "A", "dependsOn": ["b"]},
            {"id": "b", "agent": "recon", "task": "B", "dependsOn": ["a"]},
            {"id": "c", "agent": "recon", "task": "C"},
        ]
    },
}
MODES = {
    "single": {"agent": "operator", "task": "Fix it.", "why": WHY},
    "parallel": {"tier": "fast", "why": WHY, "tasks": [{"agent": "recon", "task": t} for t in ("A", "B", "C")]},
    "graph": HOSTILE,
    "evaluate": {"task": "Make it pass.", "why": WHY, "evaluate": {"checkCommand": "npm test -- <all>"}},
    "search": {"task": "Find one.", "why": WHY, "search": {"beamWidth": 2}},
    "monitor": {"why": WHY, "monitor": {"command": "make status", "trigger": "match", "pattern": "red|failed"}},
    "list": {"list": True},
}
needs_dot = pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty project and an empty home."""
    (tmp_path / "home").mkdir()
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


def call(value: object) -> str:
    Path("call.json").write_text(json.dumps(value), encoding="utf-8")
    return "call.json"


@needs_dot
@pytest.mark.parametrize("mode", MODES)
def test_every_mode_is_drawn(mode: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["graph", call(MODES[mode]), "-o", "flow.svg"]) == 0
    assert Path("flow.svg").read_text(encoding="utf-8").endswith("</svg>\n")
    assert capfd.readouterr().out == ""


@needs_dot
def test_the_pipe_to_dot_takes_any_label() -> None:
    made = subprocess.run(
        [sys.executable, "-m", "piflows", "graph", call(HOSTILE), "--format", "dot"], capture_output=True, timeout=60
    )
    assert made.returncode == 0
    assert b"UNUSED_DEPENDENCY" in made.stderr and b"UNUSED" not in made.stdout
    drawn = subprocess.run(["dot", "-Tsvg"], input=made.stdout, capture_output=True, timeout=60)
    assert (drawn.returncode, drawn.stderr) == (0, b"")
    assert b"&lt;b&gt;" in drawn.stdout and "\\N" in drawn.stdout.decode()


@pytest.mark.parametrize("form", ["dot", "mermaid", "svg"])
def test_a_flow_that_is_refused_is_not_drawn(form: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["graph", call(CYCLE), "--format", form, "-o", "out.any"]) == 1
    out, err = capfd.readouterr()
    assert out == ""
    assert "error GRAPH_CYCLE" in err and "a -> b -> a" in err
    assert not Path("out.any").exists()


@pytest.mark.parametrize(
    ("words", "start"),
    [
        ([], b"digraph flow {"),
        (["--format", "mermaid"], b"---\ntitle: "),
        (["-o", "x.dot"], b"digraph flow {"),
        (["-o", "x.GV"], b"digraph flow {"),
        (["-o", "x.mmd"], b"---\ntitle: "),
        (["-o", "x.txt", "--format", "dot"], b"digraph flow {"),
        pytest.param(["-o", "x.png"], b"\x89PNG", marks=needs_dot),
        pytest.param(["-o", "x.pdf"], b"%PDF", marks=needs_dot),
        pytest.param(["-o", "x.svg"], b"<?xml", marks=needs_dot),
        pytest.param(["--format", "png"], b"\x89PNG", marks=needs_dot),
    ],
)
def test_forms(words: list[str], start: bytes, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["graph", call(MODES["single"]), *words]) == 0
    out = capfdbinary.readouterr().out
    if "-o" in words:
        assert out == b""
        out = Path(words[words.index("-o") + 1]).read_bytes()
    assert out.startswith(start)


def test_a_file_whose_name_says_no_form(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["graph", call(MODES["single"]), "-o", "x.tif"]) == 2
    assert ".dot, .gv, .svg, .png, .pdf, .mmd" in " ".join(capfd.readouterr().err.split())


def test_a_terminal_gets_no_bytes_of_a_png(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert main(["graph", call(MODES["single"]), "--format", "png"]) == 2
    assert "use -o FILE" in capsys.readouterr().err


def test_without_graphviz(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("PATH", str(Path.cwd()))
    assert main(["graph", call(MODES["single"]), "-o", "x.svg"]) == 1
    err = " ".join(capfd.readouterr().err.split())
    assert "NOT_AVAILABLE" in err and "install it" in err and "--format dot or mermaid" in err
    assert not Path("x.svg").exists()
    assert main(["graph", call(MODES["single"]), "-o", "x.dot"]) == 0


def test_a_dot_that_fails(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    Path("dot").write_text("#!/bin/sh\necho 'no \033[2J layout' >&2\nexit 3\n", encoding="utf-8")
    Path("dot").chmod(0o755)
    monkeypatch.setenv("PATH", f"{Path.cwd()}:/bin:/usr/bin")
    assert main(["graph", call(MODES["single"]), "--format", "svg"]) == 1
    out, err = capfd.readouterr()
    assert out == "" and "ended with status 3 (no \\x1b[2J layout)" in err


def test_a_dot_that_cannot_be_started(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    Path("dot").write_bytes(b"\x00not a program")
    Path("dot").chmod(0o755)
    monkeypatch.setenv("PATH", str(Path.cwd()))
    assert main(["graph", call(MODES["single"]), "--format", "svg"]) == 1
    assert "cannot be started (Exec format error)" in capfd.readouterr().err


def test_a_dot_that_does_not_end(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    def hang(*_: object, timeout: float, **__: object) -> None:
        raise subprocess.TimeoutExpired("dot", timeout)

    monkeypatch.setattr(subprocess, "run", hang)
    assert main(["graph", call(MODES["single"]), "--format", "svg"]) == 1
    assert "had not drawn it after 120 seconds" in " ".join(capfd.readouterr().err.split())


def test_a_picture_that_cannot_be_written(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["graph", call(MODES["single"]), "-o", "no/x.dot"]) == 1
    assert capfd.readouterr().err == "piflows graph: no/x.dot cannot be written: No such file or directory\n"


def test_a_saved_plan_is_drawn_alike(capfd: pytest.CaptureFixture[str]) -> None:
    name = call(MODES["evaluate"])
    assert main(["plan", name, "--out", "plan.flow"]) == 0
    capfd.readouterr()
    assert main(["graph", name]) == 0
    first = capfd.readouterr().out
    assert main(["graph", "plan.flow"]) == 0
    assert capfd.readouterr().out == first


def test_a_preset_is_drawn_as_it_was_written(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["graph", "scout"]) == 0
    assert "{task}" in capfd.readouterr().out
