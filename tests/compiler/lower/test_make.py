"""The Maker's own work: sentences, roles, return requirements, policies, the call's numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from models import model

from piflows.compiler.context import Catalog
from piflows.compiler.lower.make import Lowered, Maker
from piflows.compiler.lower.sentences import first_text, joined, objective, t
from piflows.compiler.prompts import Hole, full
from piflows.grammar.call import AgentRef, TaskItem
from piflows.grammar.preset import parse_preset
from piflows.ir.flow import Ceiling, Flow, Settle, Stage
from piflows.ir.parts import Counter, Parts, Section, Slot, Text, text
from piflows.ir.plan import Plan
from piflows.ir.unit import Unit

Lower = Callable[..., Lowered]


def maker(catalog: Catalog, mode: str = "graph", **call: Any) -> Maker:
    return Maker(mode, model(call), catalog, full)


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (t("plain"), text("plain")),
        (t("{a}{a}", a="x"), text("xx")),
        (t("a {b} c", b="{a} {b}"), text("a {a} {b} c")),
        (t("round {n} of {max}", n=Counter("r"), max=3), (Text("round "), Counter("r"), Text(" of 3"))),
        (t("{x}", x=Hole("h")), (Slot("h"),)),
        (t("({x})", x=(Text("y"), Slot("z"))), (Text("(y"), Slot("z"), Text(")"))),
        (t("{not one} { a } {}"), text("{not one} { a } {}")),
        (joined([text("a"), text("b"), (Slot("c"),)], "|"), (Text("a|b|"), Slot("c"))),
        (joined([], "|"), ()),
    ],
)
def test_sentences_become_parts(made: Parts, expected: Parts) -> None:
    assert made == expected


def test_a_sentence_without_its_filling_is_a_mistake() -> None:
    with pytest.raises(KeyError, match="agent"):
        t("{agent} failed")


def test_the_first_text_that_says_something() -> None:
    assert first_text(None, "  \n", " kept as it is ", "later") == " kept as it is "
    assert first_text(None, "") == ""


@pytest.mark.parametrize(
    ("contract", "expected"), [(None, None), ({}, None), ({"objective": 7}, None), ({"objective": "x"}, "x")]
)
def test_a_contract_may_have_no_usable_objective(contract: dict[str, Any] | None, expected: str | None) -> None:
    assert objective(contract) == expected


def test_equal_references_are_one_role(catalog: Catalog) -> None:
    make = maker(catalog)
    plain = AgentRef(agent="recon")
    assert make.role(plain, "node") == make.role(AgentRef(agent="recon"), "node") == "node-recon"
    assert make.role(AgentRef(agent="recon", tools="none"), "node") == "node-recon-2"
    assert make.role(AgentRef(agent="recon", tools="none"), "node") == "node-recon-2"
    assert make.role(plain, "node") == "node-recon"
    assert make.role(AgentRef(agent="debrief"), "debrief") == "debrief"
    assert make.role(AgentRef(agent="recon", role="scribe"), "node") == "scribe-recon"
    assert list(make.roles) == ["node-recon", "node-recon-2", "debrief", "scribe-recon"]
    assert make.roles["scribe-recon"].slot == "scribe" and make.roles["node-recon-2"].tools == ()


SECTION = "\n\n## Return requirements\n\n"
EVIDENCE = "file:line"


@pytest.mark.parametrize(
    ("call", "item", "bullets"),
    [
        ({}, None, []),
        ({"returnRequirements": "  \n"}, None, []),
        ({"returnRequirements": " Short. "}, None, ["- Short."]),
        ({"requireEvidence": True}, None, [EVIDENCE]),
        ({"returnRequirements": "Short.", "requireEvidence": True}, None, ["- Short.", EVIDENCE]),
        ({"returnRequirements": "Short."}, {}, ["- Short."]),
        ({"returnRequirements": "Short."}, {"returnRequirements": "Long."}, ["- Long."]),
        ({"returnRequirements": "Short."}, {"returnRequirements": ""}, []),
        ({"requireEvidence": True}, {"requireEvidence": False}, []),
        ({}, {"requireEvidence": True}, [EVIDENCE]),
    ],
)
def test_an_items_return_requirements_come_before_the_calls(
    call: dict[str, Any], item: dict[str, Any] | None, bullets: list[str], catalog: Catalog
) -> None:
    given = None if item is None else TaskItem.model_validate({"agent": "recon", "task": "x", **item})
    found = maker(catalog, **call).requirements(given)
    if not bullets:
        assert found == ()
        return
    (only,) = found
    assert isinstance(only, Text) and only.text.startswith(SECTION)
    lines = only.text.removeprefix(SECTION).split("\n")
    assert len(lines) == len(bullets) and all(bullet in line for bullet, line in zip(bullets, lines, strict=True))


@pytest.mark.parametrize(
    ("call", "policy"),
    [
        ({}, "warn"),
        ({"handoffPolicy": "quarantine"}, "quarantine"),
        ({"modeHandoffPolicy": {"graph": "fail"}}, "fail"),
        ({"modeHandoffPolicy": {"search": "fail"}}, "warn"),
        ({"handoffPolicy": "fail", "modeHandoffPolicy": {"graph": "warn"}}, "fail"),
    ],
)
def test_the_stricter_policy_holds(call: dict[str, Any], policy: str, lowered: Lower) -> None:
    nodes = [{"id": "a", "agent": "recon", "task": "x"}, {"id": "b", "agent": "recon", "task": "{node.a}"}]
    flow = lowered("graph", {"graph": {"nodes": nodes}, **call}).flow
    stage = flow.states[0]
    assert isinstance(stage, Stage) and isinstance(stage.work, Plan)
    assert [read.policy for read in stage.work.units[1].reads] == [policy]
    assert {read.policy for state in flow.states if isinstance(state, Settle) for read in state.reads} == {"warn"}


def test_the_calls_numbers_reach_the_flow(lowered: Lower) -> None:
    call = {
        "agent": "recon",
        "task": "x",
        "why": "it must",
        "preset": "scout",
        "agentScope": "all",
        "concurrency": 7,
        "timeoutMs": 1500.9,
        "maxCostUsd": 0,
        "maxGeneratedTokens": 10,
        "allowSharedWriteCwd": True,
    }
    flow: Flow = lowered("single", call).flow
    assert (flow.concurrency, flow.timeout_ms, flow.allow_shared_write) == (7, 1500, True)
    assert flow.ceilings == (Ceiling("flow", "maxCostUsd", 0.0), Ceiling("flow", "maxGeneratedTokens", 10.0))
    assert flow.about == {"preset": "scout", "why": "it must", "agentScope": "all"}


def test_what_must_be_asked_before_a_saved_flow_runs(catalog: Catalog, lowered: Lower) -> None:
    preset, _ = parse_preset(b'---\nname: glance\ndescription: x\n---\n{"agent":"recon","task":"x"}', "glance.md")
    assert preset is not None
    found = replace(catalog, presets={"glance": replace(preset, source="project")})
    call = {"agent": "recon", "task": "x", "preset": " glance ", "confirmProjectAgents": False, "traceStrict": False}
    about = lowered("single", {**call, "traceFile": "t.jsonl"}, found=found).flow.about
    assert about == {
        "preset": "glance",
        "presetSource": "project",
        "agentScope": "user",
        "confirmProjectAgents": False,
        "traceStrict": False,
        "traceFile": "t.jsonl",
    }


def test_a_header_is_one_line(catalog: Catalog) -> None:
    make = maker(catalog)
    inner = (Section("x", text("a\nb"), otherwise=text("c\rd")),)
    make.settle("end", "success", header=t("one\ntwo {inner}", inner=inner), body=text("three\nfour"))
    (end,) = make.flow("end").states
    assert isinstance(end, Settle) and end.body == text("three\nfour")
    assert end.header == (Text("one\\ntwo "), Section("x", text("a\\nb"), otherwise=text("c\\rd")))


def test_units_point_to_what_the_author_wrote(catalog: Catalog) -> None:
    make = maker(catalog)
    role = make.role(AgentRef(agent="recon"), "node")
    unit = make.unit("work", "a", role, (Text("a"), Text("b")), text("do"), at="/x/0")
    make.stage("work", text("work"), [unit], then="end", at="/x")
    make.settle("end", "success")
    result = make.lowered(make.flow("work"))
    assert unit == Unit("a", role, text("ab"), text("do"))
    assert result.pointers == {("work", "a"): "/x/0", ("work", ""): "/x", ("end", ""): ""}
