"""Every `console` block of the docs shows what its command prints now; `pytest --accept` writes it there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [
    path for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))) if "```console" in path.read_text()
]
BLOCK = re.compile(r"```console\n\$ (?P<command>[^\n]+)\n(?P<shown>.*?)```\n", re.DOTALL)


def output(command: str, home: Path) -> str:
    """What a command prints in the repository, with `piflows` being the one under test."""
    env = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "HOME": str(home), "LC_ALL": "C"}
    done = subprocess.run(["sh", "-c", command], cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    return done.stdout


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_shows_is_what_comes_out(page: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    text = page.read_text(encoding="utf-8")
    now = BLOCK.sub(lambda block: f"```console\n$ {block['command']}\n{output(block['command'], tmp_path)}```\n", text)
    if request.config.getoption("--accept"):
        page.write_text(now, encoding="utf-8")
    assert now == page.read_text(encoding="utf-8")


def test_the_picture_is_that_of_the_example(tmp_path: Path) -> None:
    shown = (ROOT / "docs" / "images" / "two-views.svg").read_text(encoding="utf-8")
    drawn = output("piflows compile --emit dot examples/two-views.md", tmp_path)
    for label in ("code", "tests", "plan", "node.code", "node.tests", "wave 1", "wave 2"):
        assert label in shown and label in drawn


def test_the_first_two_commands_are_the_set_up() -> None:
    blocks = re.findall(r"```bash\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert all(block.count("\n") == 1 for block in blocks[:2])
    assert blocks[1].strip() in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
