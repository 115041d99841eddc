"""`piflows show`: one preset, expanded, or one agent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.conftest import Run
from compiler.conftest import preset

from piflows.ir.fold import cells


def test_show_a_preset(run: Run) -> None:
    status, out, err = run("show", "mine", "--task", "it down")
    assert (status, err) == (0, "")
    head, _, call = out.partition("\n\n")
    assert head.startswith("name        mine\ndescription A preset.\nsource      project\n")
    assert json.loads(call)["task"] == "Write it down."
    assert {"why", "agentScope"}.isdisjoint(json.loads(call))
    assert json.loads(run("show", "mine", "--why", "mine")[1].partition("\n\n")[2])["why"] == "mine"
    status, out, _ = run("show", ".pi/flow-presets/mine.md", "--format", "json")
    shown = json.loads(out)
    assert (status, shown["kind"], shown["call"]["task"], shown["diagnostics"]) == (0, "preset", "Write {task}.", [])


def test_show_a_preset_that_is_refused(run: Run) -> None:
    status, out, err = run("show", "mine", "--set", "tier=fast")
    assert status == 1 and "PRESET_OVERRIDE_INVALID" in err and out.startswith("name        mine\n")
    assert run("show", "mine", "--set", "agentScope=user")[0] == 1
    assert run("show", ".pi/flow-presets/odd.md")[0] == 1


def test_show_an_agent(run: Run) -> None:
    status, out, _ = run("show", "scribe")
    assert status == 0
    assert "tools       read\n" in out and out.endswith("\n\nAnswer briefly.\n")
    shown = json.loads(run("show", "operator", "--format", "json")[1])
    assert (shown["kind"], shown["tools"], shown["source"]) == ("agent", None, "package")


def test_show_nothing(run: Run) -> None:
    status, out, err = run("show", "scribbe")
    assert (status, out) == (2, "") and 'Did you mean "scribe"?' in " ".join(err.split())


def test_lists_and_presets_are_as_wide_as_the_terminal(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    long = {"agent": "scribe", "task": "Write {task} " + "and more " * 40 + "x" * 300}
    Path(".pi/flow-presets/long.md").write_text(preset("long", long, "overrides: cwd, tier, thinking"), "utf-8")
    for columns in (40, 80, 130):
        monkeypatch.setenv("COLUMNS", str(columns))
        for words in ("list", "show long", "show scribe", "show overwatch", "explain WHY_REQUIRED"):
            out = run(*words.split())[1].partition("\nRefused:\n")[0]  # samples are shown as they are
            assert out and max(map(cells, out.split("\n"))) <= columns, words
