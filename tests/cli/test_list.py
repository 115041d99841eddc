"""`piflows list`: what is there, and what is wrong with it."""

from __future__ import annotations

import json

from cli.conftest import Run


def test_list(run: Run) -> None:
    status, out, _ = run("list")
    assert status == 0
    presets, agents, issues = out.split("\nAgents\n")[0], out.split("\nAgents\n")[1], out.split("\nIssues\n")[1]
    assert "  mine (project)\n    A preset.\n    overrides cwd\n" in presets and "  scout (package)\n" in presets
    assert "  scribe (project)\n    A helper.\n    tools read\n" in agents and "tools pi's defaults" in agents
    assert ".pi/flow-presets/odd.md:1:1: warning PRESET_FRONTMATTER_INVALID" in issues
    _, out, _ = run("list", "--scope", "user")
    assert "mine" not in out and "Issues" not in out


def test_list_as_json(run: Run) -> None:
    status, out, err = run("list", "--format", "json")
    found = json.loads(out)
    assert (status, err, found["scope"]) == (0, "", "all")
    [mine] = [each for each in found["presets"] if each["name"] == "mine"]
    assert (mine["source"], mine["overrides"], mine["file"]) == ("project", ["cwd"], ".pi/flow-presets/mine.md")
    [issue] = found["discoveryIssues"]
    assert issue["code"] == "PRESET_FRONTMATTER_INVALID"
