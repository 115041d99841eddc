"""Roles: what a call says goes before what an agent's file says. And which agents a call asks for."""

from __future__ import annotations

from typing import Any

import pytest
from models import model

from piflows.compiler.context import Catalog
from piflows.compiler.mentions import mentions
from piflows.compiler.params import spell
from piflows.compiler.resolve import resolve_role, split_level
from piflows.grammar.agent import Agent
from piflows.grammar.call import AgentRef, Call, OperatorRef
from piflows.grammar.modes.graph import GraphNode
from piflows.grammar.tools import effective_tools
from piflows.ir.parts import text


def agent(**more: Any) -> Agent:
    facts: dict[str, Any] = dict.fromkeys(("model", "tier", "thinking", "tools"))
    facts |= {"name": "a", "description": "d", "prompt": "Be brief.", "file": "a.md", "source": "user", "digest": "0"}
    return Agent(**(facts | more))


def role(ref: dict[str, Any], call: dict[str, Any], **of_agent: Any) -> Any:
    catalog = Catalog({"a": agent(**of_agent)}, {})
    reference = AgentRef.model_validate({"agent": "a", **ref})
    return resolve_role(reference, "critic", "verdict", model(call), catalog)


TOOLS = [
    # override, the agent's, effective
    (None, None, None),
    (None, (), ()),
    (None, ("read",), ("read",)),
    ("", ("read",), ("read",)),
    ("  ", ("read",), ("read",)),
    (" , ", ("read",), ("read",)),
    ("default", ("read",), None),
    (" DEFAULT ", (), None),
    ("None", None, ()),
    ("read, Bash ,,", (), ("read", "Bash")),
]


@pytest.mark.parametrize(("override", "own", "effective"), TOOLS)
def test_tools(override: str | None, own: tuple[str, ...] | None, effective: tuple[str, ...] | None) -> None:
    assert effective_tools(override, agent(tools=own)) == effective


def test_an_unknown_agent_has_no_tools_unless_the_call_gives_some() -> None:
    assert [effective_tools(word, None) for word in (None, "read", "default")] == [(), ("read",), None]


# reference, call, agent → (model, tier, thinking); spec/parameters.md 8
SIZES: list[tuple[dict[str, Any], dict[str, Any], dict[str, Any], tuple[str | None, str | None, str | None]]] = [
    ({}, {}, {}, (None, None, None)),
    ({"model": "m"}, {"model": "n", "tier": "fast"}, {"model": "o"}, ("m", None, None)),
    ({"tier": "fast"}, {"model": "n"}, {}, ("n", None, None)),
    ({"tier": "fast"}, {"tier": "deep"}, {"model": "o", "thinking": "high"}, (None, "fast", None)),
    ({}, {"tier": "deep"}, {"model": "o"}, (None, "deep", None)),
    ({}, {}, {"model": "p/o:high", "tier": "fast"}, ("p/o", None, "high")),
    ({}, {}, {"model": "o:high", "thinking": "low"}, ("o", None, "low")),
    ({}, {}, {"tier": "fast", "thinking": "low"}, (None, "fast", "low")),
    ({}, {}, {"tier": "cheapest"}, (None, None, None)),
    ({"model": " "}, {"model": ""}, {"model": "o"}, ("o", None, None)),
    ({"model": "m:low", "thinking": "max"}, {"thinking": "high"}, {}, ("m", None, "max")),
    ({"model": "m:low"}, {"thinking": "high"}, {"thinking": "off"}, ("m", None, "low")),
    ({"model": "m"}, {"thinking": "high"}, {"thinking": "off"}, ("m", None, "high")),
    ({"model": "m"}, {}, {"thinking": "off"}, ("m", None, "off")),
    ({"tier": "fast"}, {"thinking": "high"}, {"thinking": "off"}, (None, "fast", "high")),
]


@pytest.mark.parametrize(("ref", "call", "of_agent", "expected"), SIZES)
def test_sizes(ref: dict[str, Any], call: dict[str, Any], of_agent: dict[str, Any], expected: tuple[Any, ...]) -> None:
    found = role(ref, call, **of_agent)
    assert (found.model, found.tier, found.thinking) == expected


@pytest.mark.parametrize(
    ("model", "parts"),
    [
        ("p/m", ("p/m", None)),
        ("p/m:low", ("p/m", "low")),
        ("m:latest", ("m:latest", None)),
        ("m:low:x", ("m:low:x", None)),
        (":low", (":low", None)),
    ],
)
def test_only_a_real_level_is_split_off(model: str, parts: tuple[str, str | None]) -> None:
    assert split_level(model) == parts


def test_the_rest_of_a_role() -> None:
    found = role({"role": "standards", "cwd": "lib"}, {})
    assert (found.agent, found.slot, found.source, found.prompt) == ("a", "standards", "user", "Be brief.")
    assert (found.cwd, found.protocol) == (text("lib"), "verdict")
    assert role({"role": " "}, {}).slot == "critic"
    catalog = Catalog({}, {})
    for ref in (OperatorRef(agent="nemo"), GraphNode(id="n", agent="nemo", task="x")):
        unknown = resolve_role(ref, "node", None, Call(), catalog)
        assert (unknown.agent, unknown.tools, unknown.source, unknown.prompt) == ("nemo", (), "package", "")


MENTIONS: list[tuple[str, dict[str, Any], list[tuple[str, str]]]] = [
    ("single", {"agent": "a", "task": "x"}, [("agent", "a")]),
    ("parallel", {"tasks": [{"agent": "a"}, {"agent": "b"}, 5]}, [("tasks[0].agent", "a"), ("tasks[1].agent", "b")]),
    (
        "graph",
        {"graph": {"nodes": [{"id": "agent", "agent": "a"}], "debrief": {"agent": "d"}}},
        [("graph.nodes[0].agent", "a"), ("graph.debrief.agent", "d")],
    ),
    ("evaluate", {"evaluate": {}}, [("evaluate.operator", "operator"), ("evaluate.redteam", "redteam")]),
    (
        "evaluate",
        {"evaluate": {"redteam": [{"agent": "r", "contract": {"agent": "no"}}]}},
        [("evaluate.redteam[0].agent", "r"), ("evaluate.operator", "operator")],
    ),
    (
        "search",
        {"search": {"scorer": {"agent": "s"}}},
        [("search.scorer.agent", "s"), ("search.generator", "strategist"), ("search.debrief", "debrief")],
    ),
    ("monitor", {"monitor": {"command": "x"}}, [("monitor.reactor", "analyst")]),
    (
        "vote",
        {"vote": {"agent": "a", "voters": [{"agent": "b"}]}},
        [("vote.agent", "a"), ("vote.voters[0].agent", "b")],
    ),
    (
        "route",
        {"route": {"candidates": ["a", " ", 5], "fallback": "f"}},
        [("route.candidates[0]", "a"), ("route.fallback", "f"), ("route.controller", "controller")],
    ),
    ("chain", {"chain": [{"agent": "a"}, "x", {"agent": "b"}]}, [("chain[0].agent", "a"), ("chain[2].agent", "b")]),
    ("loop", {"loop": {"body": {"agent": "b"}}}, [("loop.body.agent", "b")]),
    (
        "debate",
        {"debate": {"participants": [{"agent": "p"}], "adjudicator": {"agent": "j"}}},
        [("debate.participants[0].agent", "p"), ("debate.adjudicator.agent", "j")],
    ),
    ("debate", {"debate": {}}, [("debate.adjudicator", "analyst")]),
    ("dossier", {"dossier": {}}, [("dossier.debrief", "debrief")]),
    ("route", {"route": "x"}, []),
]


@pytest.mark.parametrize(("mode", "call", "expected"), MENTIONS)
def test_mentions(mode: str, call: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    assert [(spell(found.path), found.agent) for found in mentions(call, mode)] == expected
