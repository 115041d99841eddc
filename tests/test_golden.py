"""Goldens: a folder is a case, what lies in it is compared; `pytest --accept` rewrites what people then review.

`call.json`, the project's `files/` and the children's `script.json` go in; `diagnostics.txt`, `flow.ir`, `plan.txt` and
`result.json` come out. `flow.ir` serves three tests: it is printed, read back, and run without the compiler.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from piflows.cli import main
from piflows.grammar.flow_text import parse_flow, print_flow
from piflows.interpreter.result import FOUND

GOLDEN = Path(__file__).parent / "golden"
FOLDERS = sorted(path.parent for path in GOLDEN.glob("*/*/call.json"))
WITHOUT_COMPILER = "import sys; sys.modules['piflows.compiler'] = None\nfrom piflows.cli import main\nsys.exit(main())"


def name(folder: Path) -> str:
    return folder.relative_to(GOLDEN).as_posix()


@pytest.fixture
def project(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder: Path = request.getfixturevalue("folder")
    place = tmp_path / "project"
    shutil.copytree(folder / "files", place) if (folder / "files").is_dir() else place.mkdir()
    for file in ("call.json", "script.json", "flow.ir"):
        if (folder / file).exists():
            shutil.copy(folder / file, tmp_path / file)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("PI_FLOWS_DEPTH", raising=False)
    monkeypatch.chdir(place)
    return place


def compare(request: pytest.FixtureRequest, file: Path, now: str) -> None:
    if request.config.getoption("--accept"):
        file.write_text(now, encoding="utf-8")
    assert now == file.read_text(encoding="utf-8")


def tidy(text: str) -> str:
    """A result without what every run says alike, and what a saved plan leaves out (`cli/test_details.py`)."""
    result: dict[str, Any] = json.loads(text)
    for name in ("version", "config", "approvals", *FOUND):
        result.pop(name)
    return json.dumps(result, indent=2, ensure_ascii=False) + "\n"


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("folder", FOLDERS, ids=name)
def test_golden(folder: Path, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["compile", "--check", "../call.json"])
    compare(request, folder / "diagnostics.txt", capsys.readouterr().out)
    if status:
        return
    for arguments, file in ((["compile", "--emit", "ir"], "flow.ir"), (["plan"], "plan.txt")):
        assert main([*arguments, "../call.json"]) == 0
        compare(request, folder / file, capsys.readouterr().out)
    main(["run", "--script", "../script.json", "--format", "json", "../call.json"])
    compare(request, folder / "result.json", tidy(capsys.readouterr().out))


RUNNABLE = [folder for folder in FOLDERS if (folder / "flow.ir").exists()]


@pytest.mark.parametrize("folder", RUNNABLE, ids=name)
def test_a_golden_flow_reads_back_as_itself(folder: Path) -> None:
    text = (folder / "flow.ir").read_text(encoding="utf-8")
    assert print_flow(parse_flow(text)) == text


@pytest.mark.parametrize("folder", RUNNABLE, ids=name)
def test_a_golden_flow_runs_from_its_saved_ir_without_the_compiler(folder: Path, project: Path) -> None:
    command = [sys.executable, "-c", WITHOUT_COMPILER, "run", "--script", "../script.json", "--format", "json"]
    done = subprocess.run([*command, "../flow.ir"], cwd=project, capture_output=True, text=True, check=False)
    assert tidy(done.stdout) == (folder / "result.json").read_text(encoding="utf-8"), done.stderr


def test_a_handwritten_flow_is_checked_drawn_and_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two loops, one resetting the other, a quorum, every meaning of absent: no mode makes it, the machine runs it."""
    flow = str(GOLDEN / "handwritten" / "two-loops.flow")
    script = tmp_path / "script.json"
    refuse = {"agent": "redteam", "reply": "VERDICT: REVISE\nToo dry.", "times": 5}
    script.write_text(json.dumps({"children": [refuse]}), encoding="utf-8")
    assert main(["compile", "--check", flow]) == 0
    assert main(["graph", flow]) == 0
    assert "digraph" in capsys.readouterr().out
    assert main(["run", flow, "--script", str(script), "--format", "json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["outcome"] == "success" and len(result["results"]) > 9
    assert "Too dry." in next(each["prompt"] for each in result["results"] if each["unit"].endswith("draft-2.author"))
