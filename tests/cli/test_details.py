"""The whole details object, and the answers of `list` and `config`, in a small world: goldens in `golden/details`.

The package of this world has one agent and one preset, so that no path and no text of ours stands in a golden.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from compiler.conftest import agent, lay, preset

import piflows
from piflows.cli import main
from piflows.ir.diagnostic import FlowError

Json = dict[str, Any]
GOLDEN = Path(__file__).parents[1] / "golden" / "details"
PACKAGE = {
    "package/agents/recon.md": agent("recon", "tools: read, grep", "tier: fast"),
    "package/scout.md": preset("scout", {"agent": "recon", "task": "{task}"}, "overrides: cwd, maxTokens"),
}
PROJECT = {
    "home/.pi/agent/flow-agents/scribe.md": agent("scribe"),
    "home/.pi/agent/flow-agents/broken.md": "no frontmatter",
    "home/project/.pi/flow-agents/recon.md": agent("recon", "tools: read"),
    "home/project/.pi/flow-presets/mine.md": preset("mine", {"agent": "scribe", "task": "Write {task}."}),
}
SINGLE: Json = {"agent": "recon", "task": "Look.", "why": "asked for", "maxCostUsd": 2.5, "maxTokens": 0}
ANSWERS: dict[str, Json] = {
    "list": {"list": True, "agentScope": "all"},
    "config": {"showConfig": True, "agentScope": "all"},
}
CALLS: dict[str, Json] = {
    **ANSWERS,
    "success": {"preset": "scout", "task": "Where?", "why": "asked for", "maxTokens": 9_000},
    "refused-by-the-call": {**SINGLE, "why": " ", "agentScope": "project"},
    "refused-by-the-host": {**SINGLE, "agentScope": "all"},
}


@pytest.fixture(autouse=True)
def _world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lay(tmp_path, {**PACKAGE, **PROJECT})
    monkeypatch.setattr("piflows.compiler.catalog.discover.BUNDLED", tmp_path / "package")
    monkeypatch.setattr("piflows.__version__", "0.0.0")
    monkeypatch.setattr("piflows.interpreter.result.__version__", "0.0.0")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("PI_FLOWS_DEPTH", raising=False)
    monkeypatch.chdir(tmp_path / "home" / "project")


def said(capsys: pytest.CaptureFixture[str], call: Json, *words: str) -> str:
    """What a run prints. The package lies outside of the home directory, at a place that is another each time."""
    lay(Path(), {"call.json": json.dumps(call)})
    main(["run", "call.json", *words])
    out = capsys.readouterr().out
    return out.replace(str(Path.home().parent), "")


def compare(request: pytest.FixtureRequest, name: str, now: str) -> None:
    file = GOLDEN / name
    if request.config.getoption("--accept"):
        file.write_text(now, encoding="utf-8")
    assert now == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", CALLS)
def test_details(name: str, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]) -> None:
    compare(request, f"{name}.json", said(capsys, CALLS[name], "--format", "json"))


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer(
    name: str, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if name == "config":  # whose lines would be folded elsewhere for another path
        monkeypatch.setattr("piflows.compiler.catalog.discover.BUNDLED", Path("/package"))
    answer = said(capsys, ANSWERS[name])
    assert all(len(line) <= 80 for line in answer.splitlines())
    compare(request, f"{name}.txt", answer)


def test_every_form_of_details_has_the_same_members(capsys: pytest.CaptureFixture[str]) -> None:
    printed = {name: json.loads(said(capsys, call, "--format", "json")) for name, call in CALLS.items()}
    assert len({frozenset(details) for details in printed.values()}) == 1
    for name in ("agents", "presets", "agentsDir", "presetsDir", "discoveryIssues", "config"):
        assert printed["list"][name] == printed["config"][name] == printed["refused-by-the-host"][name]


def test_python_callers_get_what_the_command_prints(capsys: pytest.CaptureFixture[str]) -> None:
    call = CALLS["success"]
    lay(Path(), {"call.json": json.dumps(call)})
    assert main(["run", "call.json", "--format", "json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert piflows.run(call) == piflows.run(piflows.compile(call)) == printed
    with pytest.raises(FlowError, match="WHY_REQUIRED"):
        piflows.run(CALLS["refused-by-the-call"])


def test_a_scope_that_does_not_exist_is_read_as_the_default() -> None:
    flow = piflows.compile(CALLS["success"])
    flow.about["agentScope"] = "everywhere"
    assert [each["name"] for each in piflows.run(flow)["agents"]] == ["recon", "scribe"]
