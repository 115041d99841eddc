"""The Markdown files of the package are what the reference says they are."""

import re
from pathlib import Path

import pytest

import piflows
from piflows.grammar.agent import Agent, parse_agent
from piflows.grammar.control import parse_control, reply_json
from piflows.grammar.placeholder import split
from piflows.grammar.preset import parse_preset

PRESETS = Path(piflows.__file__).parent / "presets"
READERS = ("read", "grep", "find", "ls")
CRITICS = (*READERS, "bash-ro")
AGENTS = {  # name: tools, tier, thinking
    "analyst": (READERS, "capable", None),
    "commander": ((), "capable", None),
    "controller": ((), "fast", "low"),
    "debrief": ((), "capable", None),
    "operator": (None, "capable", None),
    "overwatch": (CRITICS, "capable", None),
    "recon": (READERS, "fast", "low"),
    "redteam": (CRITICS, "deep", None),
    "strategist": (READERS, "capable", "high"),
}


def agent(name: str) -> Agent:
    path = PRESETS / "agents" / f"{name}.md"
    found, said = parse_agent(path.read_bytes(), path.name)
    assert found is not None and said == []
    return found


def test_there_are_these_files() -> None:
    assert sorted(path.stem for path in (PRESETS / "agents").iterdir()) == sorted(AGENTS)


@pytest.mark.parametrize("name", AGENTS)
def test_an_agent_is_as_documented(name: str) -> None:
    found = agent(name)
    assert (found.name, found.tools, found.tier, found.thinking) == (name, *AGENTS[name])
    assert found.model is None
    assert {"## What to return", "## Never"} <= set(found.prompt.split("\n"))


CONTROLS = [("redteam", "verdict", {"pass", "revise"}), ("overwatch", "verdict", {"pass", "revise"})]


@pytest.mark.parametrize(("name", "protocol", "values"), CONTROLS)
def test_the_control_lines_that_a_prompt_shows_are_understood(name: str, protocol: str, values: set[str]) -> None:
    shown = re.findall(r"`([A-Z]+: \S+)`", agent(name).prompt)
    assert {parse_control("verdict", line) for line in shown if line.startswith(protocol.upper())} == values


def test_the_controller_is_shown_a_route_that_is_understood() -> None:
    prompt = agent("controller").prompt
    assert "`ROUTE: <name>`" in prompt and "`ROUTE: none`" in prompt
    assert parse_control("route", "ROUTE: none", ["recon"]) == "none"


def test_the_commander_is_shown_arrays_that_are_json() -> None:
    blocks = re.findall(r"```json\n.*?\n```", agent("commander").prompt, re.DOTALL)
    flat, structured = [reply_json(block) for block in blocks]
    assert all(isinstance(objective, str) for objective in flat)
    assert [subtask["id"] for subtask in structured] == ["inventory", structured[1]["id"]]
    assert structured[1]["dependsOn"] == ["inventory"]


def test_scout_is_one_bounded_recon_run() -> None:
    path = PRESETS / "scout.md"
    scout, said = parse_preset(path.read_bytes(), path.name)
    assert scout is not None and said == []
    assert scout.name == "scout" and scout.result is None
    assert scout.overrides == ("cwd", "tier", "thinking", "timeoutMs", "maxTokens", "maxGeneratedTokens")
    sizes = {"tier": "fast", "thinking": "low", "timeoutMs": 900_000, "maxGeneratedTokens": 6_000}
    assert scout.template == {"agent": "recon", "task": "{task}", **sizes}
    assert len(split(scout.template["task"], ("task",))) == 1
