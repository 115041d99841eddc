"""`piflows compile`: what it looks at, what it prints, and its exit status."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from compiler.conftest import agent, lay, preset

from piflows.cli import main

RECON = {"agent": "recon", "task": "{task}"}
CALL = {"agent": "recon", "task": "Look.", "why": "asked for"}


class Project:
    """A directory to work in, and the command."""

    def __init__(self, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.root, self._capsys = root, capsys

    def lay(self, **files: Any) -> None:
        """Files by keyword: `call_json={…}`; objects become JSON."""
        lay(self.root, {name.replace("_", "."): _text(value) for name, value in files.items()})

    def run(self, *words: str) -> tuple[int, str, str]:
        status = main(["compile", *words])
        out, err = self._capsys.readouterr()
        return status, out, err

    def found(self, *words: str) -> tuple[int, list[dict[str, Any]]]:
        status, out, _ = self.run("--check", "--format", "json", *words)
        return status, json.loads(out)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Project:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in [name for name in os.environ if name.startswith("PI_FLOWS_")]:
        monkeypatch.delenv(name)
    return Project(tmp_path / "here", capsys)


def test_a_clean_call(project: Project) -> None:
    project.lay(call_json=CALL)
    assert project.run("--check", "call.json") == (0, "1 file checked: nothing found\n", "")
    assert project.found("call.json") == (0, [])
    assert project.run("--check", "--format", "github", "call.json") == (0, "", "")
    status, out, _ = project.run("--check", "--format", "sarif", "call.json")
    assert status == 0 and json.loads(out)["runs"][0]["results"] == []


def test_a_refused_call(project: Project) -> None:
    project.lay(call_json='{\n  "agent": "recom",\n  "task": "x", "why": "w"\n}')
    status, out, err = project.run("--check", "call.json")
    assert (status, err) == (1, "")
    assert out.startswith('call.json:2:12: error UNKNOWN_AGENT There is no agent named "recom"')
    assert out.endswith("1 file checked: 1 error\n")
    status, [found] = project.found("call.json")
    assert status == 1
    assert {name: found[name] for name in ("code", "severity", "file", "line", "column", "pointer")} == {
        "code": "UNKNOWN_AGENT",
        "severity": "error",
        "file": "call.json",
        "line": 2,
        "column": 12,
        "pointer": "/agent",
    }


def test_a_warning_counts_when_it_shall(project: Project) -> None:
    project.lay(call_json={**CALL, "tasks": []})
    assert project.run("--check", "call.json")[0] == 0
    status, out, _ = project.run("--check", "--strict", "call.json")
    assert status == 1 and out.endswith("1 file checked: 1 warning\n")


def test_standard_input(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    for data, code in ((json.dumps(CALL).encode(), None), (b'{"\xff', "CALL_INVALID"), (b"", "CALL_INVALID")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        status, found = project.found("-")
        assert (status, [each["code"] for each in found]) == (1 if code else 0, [code] if code else [])
        assert all(each["file"] == "" and each["line"] == 1 for each in found)


PRESETS: list[tuple[str, list[tuple[str, str, int | None]]]] = [
    (preset("mine", RECON), []),
    (preset("mine", {**RECON, "agent": "nemo"}), [("UNKNOWN_AGENT", "error", 5)]),
    (preset("mine", {**RECON, "tier": "x"}), [("PRESET_TEMPLATE_SCHEMA_INVALID", "error", 5)]),
    (preset("mine", {"task": "x"}), [("INVALID_MODE", "error", 5)]),
    (preset("mine", RECON, "overides: cwd"), [("UNKNOWN_PARAMETER", "warning", 4)]),
    ('---\nname: a\ndescription: d\n---\n{\n "agent": "recon",,\n}', [("PRESET_TEMPLATE_INVALID", "error", 6)]),
    ("---\nname: a\ndescription: d\n---", [("PRESET_TEMPLATE_INVALID", "error", 4)]),
    ("---\nname: a\n", [("PRESET_FRONTMATTER_INVALID", "error", 1)]),
    ("no frontmatter", [("PRESET_FRONTMATTER_INVALID", "error", 1)]),
    ("", [("PRESET_FRONTMATTER_INVALID", "error", 1)]),
    ("\0", [("PRESET_FILE_UNREADABLE", "error", 1)]),
]


@pytest.mark.parametrize(("text", "expected"), PRESETS)
def test_a_preset_file_alone(text: str, expected: list[tuple[str, str, int | None]], project: Project) -> None:
    project.lay(mine_md=text)
    status, found = project.found("mine.md")
    assert [(each["code"], each["severity"], each["line"]) for each in found] == expected
    assert status == any(severity == "error" for _, severity, _ in expected)
    assert {each["file"] for each in found} <= {"mine.md"}


def test_the_scope_is_the_one_that_a_preset_lies_in(project: Project) -> None:
    uses = preset("mine", {"agent": "scribe", "task": "{task}"})
    lay(
        project.root,
        {
            "app/.pi/flow-agents/scribe.md": agent("scribe"),
            "app/.pi/flow-presets/mine.md": uses,
            "loose/mine.md": uses,
            ".pi/flow-presets/mine.md": uses,
        },
    )
    lay(project.root.parent / "home", {".pi/agent/flow-presets/mine.md": uses})
    assert project.found("app/.pi/flow-presets/mine.md") == (0, [])
    for path in ("loose/mine.md", ".pi/flow-presets/mine.md", "../home/.pi/agent/flow-presets/mine.md"):
        status, [found] = project.found(path)
        assert (status, found["code"]) == (1, "UNKNOWN_AGENT"), path


def test_a_preset_by_its_name(project: Project) -> None:
    lay(project.root, {".pi/flow-presets/mine.md": preset("mine", RECON)})
    assert project.found("scout")[0] == 0
    assert project.found("mine") == (0, [])
    status, [found] = project.found("mime")
    assert (status, found["code"]) == (1, "UNKNOWN_PRESET") and 'Did you mean "mine"?' in found["message"]


def test_agents_are_checked_as_agents(project: Project) -> None:
    lay(project.root, {"flow-agents/a.md": agent("a", "tool: read"), "flow-agents/b.md": "---\nname: b\n---\n"})
    assert [(each["code"], each["severity"]) for each in project.found("flow-agents")[1]] == [
        ("UNKNOWN_PARAMETER", "warning"),
        ("AGENT_FRONTMATTER_INVALID", "error"),
    ]
    assert project.found("flow-agents/a.md")[0] == 0
    assert project.run("flow-agents/a.md")[:2] == (2, "")


def test_a_folder_without_anything_to_check(project: Project) -> None:
    (project.root / "empty").mkdir()
    assert project.run("--check", "empty") == (0, "0 files checked: no preset, agent or call is there\n", "")


def test_a_folder(project: Project) -> None:
    lay(
        project.root,
        {
            "all/README.md": "Read me.",
            "all/call.json": json.dumps({**CALL, "why": ""}),
            "all/notes.txt": "",
            "all/sub/good.md": preset("good", RECON),
            "all/.git/config": "",
            "all/.pi/flow-agents/a.md": agent("a"),
        },
    )
    (project.root / "all/sub/up").symlink_to("..")
    (project.root / "all/loop.md").symlink_to("loop.md")
    os.mkfifo(project.root / "all/fifo.md")
    os.mkfifo(project.root / "all/.pi/flow-agents/fifo.md")
    (project.root / "all/odd.json").mkdir()
    status, found = project.found("all")
    assert [(each["file"], each["severity"], each["code"]) for each in found] == [
        ("all/.git", "note", "FILE_SKIPPED"),
        ("all/.pi/flow-agents/fifo.md", "error", "AGENT_FILE_UNREADABLE"),
        ("all/README.md", "note", "FILE_SKIPPED"),
        ("all/call.json", "error", "WHY_REQUIRED"),
        ("all/fifo.md", "error", "PRESET_FILE_UNREADABLE"),
        ("all/loop.md", "error", "PRESET_FILE_UNREADABLE"),
        ("all/notes.txt", "note", "FILE_SKIPPED"),
        ("all/sub/up", "note", "FILE_SKIPPED"),
    ]
    assert status == 1
    (project.root / "all/call.json").unlink()
    (project.root / "all/loop.md").unlink()
    (project.root / "all/fifo.md").unlink()
    (project.root / "all/.pi/flow-agents/fifo.md").unlink()
    assert project.run("--check", "--strict", "all")[0] == 0


def test_several_paths_and_no_finding_twice(project: Project) -> None:
    project.lay(a_json={**CALL, "why": ""}, b_json=CALL)
    status, found = project.found("a.json", "b.json", "a.json")
    assert (status, len(found)) == (1, 1)


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--check"],
        ["nothing.json"],
        ["a/b"],
        ["--emit", "ir", "--check", "call.json"],
        ["--emit", "ir", "call.json", "."],
        ["--emit", "xml", "."],
    ],
)
def test_wrong_usage(words: list[str], project: Project) -> None:
    project.lay(call_json=CALL)
    status, out, err = project.run(*words)
    assert (status, out) == (2, "") and "usage: piflows compile" in err and "Did you mean" not in err


def test_odd_files_that_are_named(project: Project) -> None:
    os.mkfifo(project.root / "fifo.json")
    (project.root / "loop.json").symlink_to("loop.json")
    for name in ("fifo.json", "loop.json"):
        status, [found] = project.found(name)
        assert (status, found["code"], found["file"]) == (1, "CALL_INVALID", name)
        assert f"{name} cannot be read, " in found["message"]


# ---- what is emitted -----------------------------------------------------------------------------------------------


def test_emitted_forms(project: Project) -> None:
    project.lay(call_json=CALL)
    forms = {form: project.run("--emit", form, "call.json") for form in ("ir", "json", "plan", "dot", "mermaid")}
    assert {(status, err) for status, _, err in forms.values()} == {(0, "")}
    assert forms["ir"][1].startswith("piflows flow 1\nmode single\n")
    assert project.run("call.json")[1] == forms["ir"][1]
    assert json.loads(forms["json"][1])["mode"] == "single"
    assert forms["dot"][1].startswith("digraph")


def test_findings_go_beside_what_is_emitted(project: Project) -> None:
    project.lay(call_json={**CALL, "tasks": []}, bad_json={**CALL, "why": ""})
    status, out, err = project.run("call.json")
    assert status == 0 and out.startswith("piflows flow 1") and "PARAMETER_IGNORED" in err
    status, out, err = project.run("bad.json")
    assert (status, out) == (1, "") and "WHY_REQUIRED" in err


def test_a_saved_plan_is_proved(project: Project) -> None:
    project.lay(call_json=CALL)
    plan = project.run("--emit", "ir", "call.json")[1]
    project.lay(plan_flow=plan, json_json=project.run("--emit", "json", "call.json")[1])
    assert project.found("plan.flow") == (0, [])
    assert project.found("json.json") == (0, [])
    assert project.run("plan.flow")[1] == plan
    project.lay(broken_flow=plan.replace("then -> done", "then -> gone"))
    status, found = project.found("broken.flow")
    assert status == 1 and {each["code"] for each in found} == {"IR_INVALID"}


def test_what_a_file_holds_cannot_drive_the_terminal(project: Project) -> None:
    project.lay(call_json={**CALL, "agent": "a\x1b[2J\u202eb", "k\x07": 1})
    for form in ("text", "json", "github", "sarif"):
        _, out, err = project.run("--check", "--format", form, "call.json")
        assert not set("\x1b\x07\u202e") & set(out + err)


def test_a_deep_folder_is_read_as_far_as_the_system_names_it(project: Project) -> None:
    (project.root / "deep").mkdir()
    at = os.open(project.root / "deep", os.O_RDONLY)
    for _ in range(30):  # more than a path can say
        os.mkdir("d" * 200, dir_fd=at)
        outer, at = at, os.open("d" * 200, os.O_RDONLY, dir_fd=at)
        os.close(outer)
    os.close(at)
    status, (one, *more) = project.found("deep")
    assert (status, one["code"], more) == (1, "PRESET_DIR_UNREADABLE", [])
    assert "file name too long" in one["message"]
