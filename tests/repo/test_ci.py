"""What other projects take into their CI: the pre-commit hook and the GitHub Action, run as those would run them."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from compiler.conftest import agent, lay, preset

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
(HOOK,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))

GOOD, BAD = ".pi/flow-presets/good.md", ".pi/flow-presets/bad.md"
READER, LOST = ".pi/flow-agents/reader.md", ".pi/flow-agents/lost.md"
WARNED = ".pi/flow-presets/warned.md"
FILES = {
    GOOD: preset("good", {"agent": "recon", "task": "{task}"}),
    BAD: preset("bad", {"agent": "recom", "task": "{task}"}),
    WARNED: preset("warned", {"agent": "recon", "task": "Look.", "tasks": []}),
    READER: agent("reader", "tools: read"),
    LOST: "---\nname: lost\n---\nYou are lost.\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    lay(tmp_path, FILES)
    return tmp_path


def done(command: list[str], cwd: Path, env: dict[str, str]) -> tuple[int, str]:
    world = {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", "HOME": str(cwd), **env}
    ran = subprocess.run(command, cwd=cwd, env=world, capture_output=True, text=True, check=False)
    assert "Traceback" not in ran.stderr
    return ran.returncode, ran.stdout


# ---- the hook ----------------------------------------------------------------------------------------------------


def test_the_hook_is_one_that_pre_commit_takes() -> None:
    assert (HOOK["id"], HOOK["language"], HOOK["types"]) == ("piflows-check", "python", ["markdown"])
    assert set(HOOK) <= {"id", "name", "description", "entry", "language", "files", "types"}


@pytest.mark.parametrize(
    ("path", "taken"),
    [
        (GOOD, True),
        ("part/.pi/flow-agents/reader.md", True),
        (".pi/flow-presets/notes.txt", False),
        (".pi/flow-presets/old/mine.md", False),
        ("x.pi/flow-presets/mine.md", False),
        ("docs/flow-presets/mine.md", False),
    ],
)
def test_the_hook_looks_at_the_files_of_discovery(path: str, taken: bool) -> None:
    assert (re.search(HOOK["files"], path) is not None) == taken


@pytest.mark.parametrize(
    ("files", "status", "says"),
    [
        ([GOOD, READER], 0, "2 files checked: nothing found"),
        ([BAD], 1, "UNKNOWN_AGENT"),
        ([GOOD, LOST], 1, "AGENT_FRONTMATTER_INVALID"),
        ([WARNED], 0, "1 warning"),
    ],
)
def test_the_hook(files: list[str], status: int, says: str, project: Path) -> None:
    got, out = done([*shlex.split(HOOK["entry"]), *files], project, {})
    assert got == status and says in out


# ---- the action --------------------------------------------------------------------------------------------------


def test_the_action_installs_itself() -> None:
    install, check = ACTION["runs"]["steps"]
    assert ACTION["runs"]["using"] == "composite" and install["env"] == {"SOURCE": "${{ github.action_path }}"}
    assert '"$SOURCE"' in install["run"]
    assert all("${{" not in step["run"] and step["shell"] == "bash" for step in (install, check))
    assert {name.lower() for name in check["env"]} == set(ACTION["inputs"]) == {"paths", "strict", "format"}


@pytest.mark.parametrize(
    ("given", "status", "says"),
    [
        ({"paths": f"{GOOD}\n{READER}\n"}, 0, ""),
        ({"paths": BAD}, 1, "::error file=.pi/flow-presets/bad.md,line="),
        ({}, 1, "::error file=.pi/flow-agents/lost.md"),
        ({"paths": WARNED}, 0, "::warning file="),
        ({"paths": WARNED, "strict": "true"}, 1, "::warning file="),
        ({"paths": GOOD, "format": "text"}, 0, "nothing found"),
        ({"paths": "$(touch pwned)"}, 1, "UNKNOWN_PRESET"),
        ({"paths": "--help"}, 1, "UNKNOWN_PRESET"),
    ],
)
def test_the_action(given: dict[str, str], status: int, says: str, project: Path) -> None:
    (project / "temp" / "piflows").mkdir(parents=True)
    (project / "temp" / "piflows" / "bin").symlink_to(BIN)
    inputs = {name: given.get(name, about["default"]) for name, about in ACTION["inputs"].items()}
    env: dict[str, str] = {name.upper(): str(value) for name, value in inputs.items()} | {
        "RUNNER_TEMP": str(project / "temp")
    }
    shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", ACTION["runs"]["steps"][1]["run"]]
    got, out = done(shell, project, env)
    assert got == status and says in out and not (project / "pwned").exists()
