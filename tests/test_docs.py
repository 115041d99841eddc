"""Every `console` block and every sample of the docs shows what its command prints now; `pytest --accept` writes it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import pytest
from samples import tried

from piflows.compiler.check.registry import RULES
from piflows.compiler.lower import MODES
from piflows.compiler.params import ANSWERS
from piflows.compiler.samples import Sample, pairs
from piflows.ir.flow import State
from piflows.ir.fold import fold
from piflows.ir.gates import Condition

ROOT = Path(__file__).parents[1]
PAGES = [
    path for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))) if "```console" in path.read_text()
]
BLOCK = re.compile(r"```console\n\$ (?P<command>[^\n]+)\n(?P<shown>.*?)```\n", re.DOTALL)


SAMPLE = re.compile(r"<!-- sample (?P<code>\w+) (?P<rule>[\w-]+) -->\n.*?<!-- end -->\n", re.DOTALL)
CHECKS = ROOT / "docs" / "checks.md"


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


def test_the_page_of_checks_shows_what_comes_out(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    monkeypatch.setenv("COLUMNS", "80")

    def output_of(sample: Sample, name: str) -> str:
        root = tmp_path / name

        def folded(text: str, *rest: Any, **named: Any) -> list[str]:  # lines break as they do in a short directory
            return fold(text.replace(f"{root}/here", "/project"), *rest, **named)

        with monkeypatch.context() as world:
            world.setattr("piflows.compiler.render.diagnostics.fold", folded)
            return tried(sample, root, monkeypatch, capfd)[1].replace(f"{root}/here", "/project")

    def shown(marker: re.Match[str]) -> str:
        rule = None if marker["rule"] == "-" else marker["rule"]
        (pair,) = (each for each in pairs(marker["code"]) if each.rule == rule)
        refused = output_of(pair.refused, f"{marker['code']}-{rule}-refused")
        accepted = output_of(pair.accepted, f"{marker['code']}-{rule}-accepted")
        blocks = (*laid(pair.refused, refused), "\nAccepted:\n", *laid(pair.accepted, accepted, pair.refused))
        return f"<!-- sample {marker['code']} {marker['rule']} -->\n{''.join(blocks)}\n<!-- end -->\n"

    now = SAMPLE.sub(shown, CHECKS.read_text(encoding="utf-8"))
    if request.config.getoption("--accept"):
        CHECKS.write_text(now, encoding="utf-8")
    assert now == CHECKS.read_text(encoding="utf-8")


def laid(sample: Sample, said: str, before: Sample | None = None) -> Iterator[str]:
    """The files of a sample, those of `before` apart, and what its command prints, as blocks of Markdown."""
    for path, text in sample.files.items():
        if before is None or before.files.get(path) != text:
            kind = "json" if path.endswith(".json") else "text"
            yield f"\n`{path}`\n\n```{kind}\n{text.rstrip()}\n```\n"
    assigned = "".join(f"{name}={value} " for name, value in sample.env.items())
    person = "" if sample.person is None else f"   # asked on the terminal, a person says {sample.person}"
    yield f"\n```text\n$ {assigned}{sample.command}{person}\n{said.rstrip()}\n```\n"


def test_the_page_of_checks_has_every_rule_in_order() -> None:
    names = [rule.__name__.rsplit(".", 1)[1] for rule in RULES]  # pyright: ignore
    text = CHECKS.read_text(encoding="utf-8")
    told = dict.fromkeys(marker["rule"] for marker in SAMPLE.finditer(text))
    assert [rule for rule in told if rule != "-"] == [name for name in names if name != "chain_size"]
    assert text.count("\n## ") == len(names) + 1  # one for each, and one for files


def test_the_page_of_modes_has_every_mode() -> None:
    headings = re.findall(r"^## (\w+)$", (ROOT / "docs" / "modes.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert headings == [mode for mode in MODES if mode not in ANSWERS]


def test_the_page_of_states_has_every_kind_and_every_condition() -> None:
    told = set(re.findall(r"^\| `(\w+)` \|", (ROOT / "docs" / "states.md").read_text(encoding="utf-8"), re.MULTILINE))
    kinds = (kind for union in (State, Condition) for kind in get_args(get_args(union)[0]))
    assert told == {field.default for kind in kinds for field in fields(kind) if field.name == "kind"}


def test_the_picture_is_that_of_the_example(tmp_path: Path) -> None:
    shown = (ROOT / "docs" / "images" / "two-views.svg").read_text(encoding="utf-8")
    drawn = output("piflows compile --emit dot examples/two-views.md", tmp_path)
    for label in ("code", "tests", "plan", "node.code", "node.tests", "wave 1", "wave 2"):
        assert label in shown and label in drawn


def test_the_first_two_commands_are_the_set_up() -> None:
    blocks = re.findall(r"```bash\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert all(block.count("\n") == 1 for block in blocks[:2])
    assert blocks[1].strip() in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
