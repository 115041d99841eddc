"""What a CALL argument names."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import Any

import pytest
from compiler.conftest import lay, preset

from piflows.cli.source import add_call_arguments, is_saved, load_call
from piflows.ir.diagnostic import FlowError

RECON = {"agent": "recon", "task": "{task}"}
CALL = {**RECON, "why": "asked for"}


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path / "here"


def load(*words: str, general: bool = False) -> Any:
    parser = argparse.ArgumentParser()
    add_call_arguments(parser)
    return load_call(parser.parse_args(words), general=general)


def test_a_call_file(project: Path) -> None:
    lay(project, {"call.json": json.dumps(CALL), "other": json.dumps(CALL)})
    for name in ("call.json", "./other"):
        source = load(name)
        assert (json.loads(source.text), source.file, source.saved, source.made) == (CALL, name, False, False)
        assert source.compile().flow is not None


PRESET_CALLS: list[tuple[list[str], dict[str, Any]]] = [
    (["scout"], {"preset": "scout"}),
    (["scout", "--task", "x", "--why", "y"], {"preset": "scout", "task": "x", "why": "y"}),
    (
        ["scout", "--set", "timeoutMs=5000", "--set", "tier=fast", "--set", 'cwd="1"', "--set", "recordContent=false"],
        {"preset": "scout", "timeoutMs": 5000, "tier": "fast", "cwd": "1", "recordContent": False},
    ),
    (["scout", "--set", "cwd=a=b"], {"preset": "scout", "cwd": "a=b"}),
    (["scout", "--set", "cwd="], {"preset": "scout", "cwd": ""}),
    (["no-such-preset"], {"preset": "no-such-preset"}),
]


@pytest.mark.parametrize(("words", "call"), PRESET_CALLS)
def test_a_preset_by_its_name(words: list[str], call: dict[str, Any]) -> None:
    source = load(*words)
    assert (json.loads(source.text), source.made, source.saved) == (call, True, False)


def test_a_preset_is_completed_to_be_looked_at_but_not_to_be_run() -> None:
    assert [error.code for error in load("scout").compile().errors] == ["PRESET_TASK_REQUIRED", "WHY_REQUIRED"]
    looked_at = load("scout", general=True)
    assert looked_at.compile().errors == ()
    assert json.loads(load("scout", "--task", "x", general=True).text)["task"] == "x"


def test_a_preset_file(project: Path) -> None:
    lay(project, {"mine.md": preset("mine", RECON), ".pi/flow-presets/theirs.md": preset("theirs", RECON)})
    source = load("mine.md", "--task", "x", "--why", "y")
    assert json.loads(source.text) == {"preset": "mine", "agentScope": "all", "task": "x", "why": "y"}
    compiled = source.compile()
    assert compiled.flow is not None and compiled.preset is not None
    assert (compiled.preset.source, compiled.preset.file) == ("user", "mine.md")
    theirs = load(".pi/flow-presets/theirs.md", "--task", "x", "--why", "y").compile()
    assert theirs.preset is not None and theirs.preset.source == "project" and theirs.scope == "project"


def test_what_is_said_of_a_preset_file_is_kept(project: Path) -> None:
    lay(project, {"mine.md": preset("mine", RECON, "overides: cwd")})
    assert [each.code for each in load("mine.md", general=True).compile().diagnostics] == ["UNKNOWN_PARAMETER"]


@pytest.mark.parametrize("text", ["nothing", preset("mine", {"tasks": 5}), "---\nname: a\n---\n{}"])
def test_a_preset_file_that_would_be_skipped(text: str, project: Path) -> None:
    lay(project, {"mine.md": text})
    with pytest.raises(FlowError) as refused:
        load("mine.md")
    assert refused.value.first.severity == "error" and refused.value.first.where.file == "mine.md"


def test_a_preset_goes_before_a_file_of_its_name(project: Path) -> None:
    lay(project, {"scout": json.dumps(CALL), "mine": json.dumps(CALL)})
    assert load("scout").made and not load("./scout").made and not load("mine").made


def test_a_file_that_is_no_utf8(project: Path) -> None:
    (project / "call.json").write_bytes(b'{\n "\xc3\xa9\xff')
    with pytest.raises(FlowError) as refused:
        load("call.json")
    where = refused.value.first.where
    assert (where.file, where.line, where.column) == ("call.json", 2, 4)


def test_odd_files(project: Path) -> None:
    os.mkfifo(project / "fifo.json")
    (project / "folder.json").mkdir()
    for name, why in (("fifo.json", "it is a FIFO"), ("folder.json", "it is a directory")):
        with pytest.raises(FlowError, match=why):
            load(name)


@pytest.mark.parametrize(
    "words",
    [
        ["nothing.json"],
        ["nothing.md"],
        ["call.json", "--task", "x"],
        ["call.json", "--set", "cwd=x"],
        ["scout", "--set", "cwd"],
        ["scout", "--set", "=x"],
        ["scout", "--set", "preset=x"],
        ["scout", "--set", "task=x", "--task", "y"],
        ["scout", "--set", "cwd=x", "--set", "cwd=y"],
    ],
)
def test_wrong_usage(words: list[str], project: Path) -> None:
    lay(project, {"call.json": json.dumps(CALL)})
    with pytest.raises(SystemExit) as leaving:
        load(*words)
    assert leaving.value.code == 2


@pytest.mark.parametrize(
    ("text", "saved"),
    [
        ("piflows flow 1\nmode single\n", True),
        ("\ufeff# a comment\n\npiflows flow 1\n", True),
        ('{"piflows-plan": 1}', True),
        ('\n {"states": [], "mode": "x"}', True),
        ('{"task": "piflows flow \\"states\\""}', False),
        ('{"a": {"states": 1}}', False),
        ('{"states": ', False),
        ("piflowsx", False),
        ("", False),
        ("[" * 100_000 + '"states"', False),
    ],
)
def test_saved_plans_are_known(text: str, saved: bool) -> None:
    assert is_saved(text) is saved


def test_a_link_to_a_projects_preset_is_a_projects_preset(tmp_path: Path) -> None:
    from piflows.cli.source import lies_in

    file = tmp_path / ".pi" / "flow-presets" / "mon.md"
    file.parent.mkdir(parents=True)
    file.write_text("---\nname: mon\ndescription: x\n---\n{}\n", encoding="utf-8")
    link = tmp_path / "link.md"
    link.symlink_to(file)
    assert lies_in(str(link))[1] == lies_in(str(file))[1] == "project"


def test_a_closed_standard_input_is_wrong_usage(tmp_path: Path) -> None:
    import subprocess
    import sys

    command = f"{sys.executable} -m piflows compile --check - <&-"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 2 and "standard input is closed" in done.stderr
