"""The pipeline: what comes out of it, what a run is refused for, and that nothing makes it stumble."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from compiler.conftest import Compile, World, agent, preset
from hypothesis import given
from hypothesis import strategies as st

from piflows.compiler import Compiled, admit, admit_flow, compile_call, compile_preset
from piflows.compiler.catalog import host_context
from piflows.grammar.preset import parse_preset
from piflows.ir.codes import CODES
from piflows.ir.digest import digest, text_digest

CALL = {"agent": "recon", "task": "Look.", "why": "asked for"}
PROJECT = {
    ".pi/flow-presets/glance.md": preset("glance", {"agent": "scribe", "task": "{task}"}, "overrides: timeoutMs"),
    ".pi/flow-agents/scribe.md": agent("scribe"),
    ".pi/flow-agents/redteam.md": agent("redteam", "tools: none"),
}


def test_what_comes_out(compiled: Compile) -> None:
    text = json.dumps(CALL)
    result = compiled(text)
    assert (result.mode, result.scope, result.preset, result.requested) == ("single", "user", None, ())
    assert result.call == CALL
    assert result.diagnostics == () == result.errors
    assert result.flow is not None and result.flow.mode == "single"
    [own, recon] = result.inputs
    assert own == ("call.json", text_digest(text.encode()))
    assert recon[0] == "package:agents/recon.md"


def test_what_comes_out_of_a_preset(compiled: Compile) -> None:
    result = compiled({"preset": "glance", "task": "Look.", "agentScope": "project"}, files=PROJECT)
    assert result.preset is not None and result.preset.source == "project"
    assert result.call == {
        "preset": "glance",
        "agent": "scribe",
        "task": "Look.",
        "agentScope": "project",
        "why": "asked for",
    }
    assert result.requested == ("scribe",)
    assert [file for file, _ in result.inputs] == [
        "call.json",
        ".pi/flow-presets/glance.md",
        ".pi/flow-agents/scribe.md",
    ]
    assert result.flow is not None
    assert {name: result.flow.about[name] for name in ("preset", "presetSource", "agentScope")} == {
        "preset": "glance",
        "presetSource": "project",
        "agentScope": "project",
    }


def test_a_default_role_that_the_project_replaces_is_requested(compiled: Compile) -> None:
    call = {"task": "x", "evaluate": {}, "agentScope": "project"}
    assert compiled(call, files=PROJECT).requested == ("redteam",)


def test_a_text_that_is_no_call(compiled: Compile) -> None:
    for text in ("", "[]", "{", '{"a": 1, "a": 2}', "\x00", '{"a": NaN}', "[" * 10_000):
        result = compiled(text)
        [refused] = result.diagnostics
        assert refused.code == "CALL_INVALID" and refused.where.file == "call.json" and refused.where.line
        assert (result.flow, result.mode) == (None, None)


def test_a_check_without_prompts_finds_the_same(world: World) -> None:
    for call in (CALL, {**CALL, "agent": "recom"}, {"why": "w", "task": "x", "evaluate": {}}, {"list": True}):
        whole, bare = (compile_call(json.dumps(call), world(), full=full) for full in (True, False))
        assert whole.diagnostics == bare.diagnostics
        assert bare.flow is None


def test_equal_calls_give_equal_flows(world: World) -> None:
    call = {"why": "w", "task": "x", "evaluate": {"redteam": [{"agent": "redteam"}, {"agent": "overwatch"}]}}
    flows = [compile_call(json.dumps(call), world()).flow for _ in range(2)]
    assert flows[0] is not None and flows[1] is not None
    assert digest(flows[0]) == digest(flows[1])


def test_a_call_made_of_options_has_no_lines(world: World) -> None:
    [error] = compile_call('{"agent": "nemo", "task": "x", "why": "w"}', world(), made=True).errors
    assert (error.where.file, error.where.pointer, error.where.line) == ("", "/agent", None)


# ---- what a run is refused for, after everything that the call decides ---------------------------------------------

HOST: list[tuple[str, dict[str, Any], dict[str, str], str | None]] = [
    ("nothing", CALL, {}, None),
    ("an error of the call first", {**CALL, "why": ""}, {"PI_FLOWS_DEPTH": "2"}, "WHY_REQUIRED"),
    ("depth", CALL, {"PI_FLOWS_DEPTH": "2"}, "FLOW_DEPTH_EXCEEDED"),
    ("depth, floored", CALL, {"PI_FLOWS_DEPTH": "1.9"}, None),
    ("depth, no number", CALL, {"PI_FLOWS_DEPTH": "deep"}, None),
    ("depth, no number either", CALL, {"PI_FLOWS_DEPTH": "nan"}, None),
    ("depth, a number of Python alone", CALL, {"PI_FLOWS_DEPTH": "2_0"}, None),
    ("depth, endless", CALL, {"PI_FLOWS_DEPTH": "inf"}, "FLOW_DEPTH_EXCEEDED"),
    ("depth of an answer", {"list": True}, {"PI_FLOWS_DEPTH": "2"}, None),
    (
        "project preset",
        {**CALL, "agent": None, "preset": "glance", "agentScope": "project"},
        {},
        "PRESET_OVERRIDE_INVALID",
    ),
    (
        "project preset before its agents",
        {"preset": "glance", "task": "x", "why": "w", "agentScope": "project"},
        {},
        "PROJECT_PRESET_APPROVAL_REQUIRED",
    ),
    (
        "project preset, reviewed",
        {"preset": "glance", "task": "x", "why": "w", "agentScope": "all", "confirmProjectAgents": False},
        {},
        None,
    ),
    ("project agent", {**CALL, "agent": "scribe", "agentScope": "all"}, {}, "PROJECT_AGENT_APPROVAL_REQUIRED"),
    ("no project agent in this scope", {"task": "x", "evaluate": {}, "why": "w"}, {}, None),
    ("strict, no file", {**CALL, "traceStrict": True}, {}, "TRACE_INCOMPLETE"),
    ("strict by the environment", CALL, {"PI_FLOWS_TRACE_STRICT": "yes"}, "TRACE_INCOMPLETE"),
    ("strict, taken back", {**CALL, "traceStrict": False}, {"PI_FLOWS_TRACE_STRICT": "1"}, None),
    ("strict with a file", {**CALL, "traceStrict": True, "traceFile": "t.jsonl"}, {}, None),
    ("checkpoint", {**CALL, "checkpoint": {"before": "finalize"}}, {}, "CHECKPOINT_APPROVAL_REQUIRED"),
    (
        "checkpoint of a mode of a later version",
        {"task": "x", "orchestrate": {}, "why": "w", "checkpoint": {}},
        {},
        "CHECKPOINT_APPROVAL_REQUIRED",
    ),
    ("a mode of a later version", {"task": "x", "orchestrate": {}, "why": "w"}, {}, "NOT_AVAILABLE"),
]


@pytest.mark.parametrize(("call", "env", "code"), [row[1:] for row in HOST], ids=[row[0] for row in HOST])
def test_admission(call: dict[str, Any], env: dict[str, str], code: str | None, world: World) -> None:
    context = world(PROJECT, env=env)
    refused = admit(compile_call(json.dumps(call), context), context)
    assert (refused and refused.code) == code


@pytest.mark.parametrize(
    ("answers", "code", "asked"),
    [
        ([True, True], None, 2),
        ([False], "PROJECT_PRESET_APPROVAL_DENIED", 1),
        ([True, False], "PROJECT_AGENT_APPROVAL_DENIED", 2),
        ([None], "PROJECT_PRESET_APPROVAL_REQUIRED", 1),
    ],
)
def test_a_person_is_asked_in_order(answers: list[bool | None], code: str | None, asked: int, world: World) -> None:
    context = world(PROJECT)
    call = {"preset": "glance", "task": "x", "why": "w", "agentScope": "project"}
    questions: list[str] = []

    def ask(question: str) -> bool | None:
        questions.append(question)
        return answers[len(questions) - 1]

    compiled = compile_call(json.dumps(call), context)
    refused = admit(compiled, context, ask)
    assert (refused and refused.code, len(questions)) == (code, asked)
    assert '"glance"' in questions[0]
    assert compiled.flow is not None
    questions.clear()
    again = admit_flow(compiled.flow, context, ask)
    assert (again and again.code, len(questions)) == (code, asked)


def test_a_checkpoint_with_a_person_there_is_not_built_yet(world: World) -> None:
    context = world()
    refused = admit(compile_call(json.dumps({**CALL, "checkpoint": {}}), context), context, lambda _: True)
    assert refused is not None and refused.code == "NOT_AVAILABLE"


def test_a_saved_flow_is_asked_about_like_its_call(world: World) -> None:
    context = world(PROJECT)
    for extra, code in (
        ({}, "PROJECT_AGENT_APPROVAL_REQUIRED"),
        ({"confirmProjectAgents": False}, None),
        ({"confirmProjectAgents": False, "traceStrict": True}, "TRACE_INCOMPLETE"),
    ):
        call = {**CALL, "agent": "scribe", "agentScope": "project", **extra}
        flow = compile_call(json.dumps(call), context).flow
        assert flow is not None
        refused = admit_flow(flow, context)
        assert (refused and refused.code) == code
        assert admit_flow(flow, replace(context, env={"PI_FLOWS_DEPTH": "2"})) is not None


# ---- a preset file alone -------------------------------------------------------------------------------------------


def alone(world: World, template: dict[str, Any], *more: str) -> Compiled:
    made, _ = parse_preset(preset("mine", template, *more).encode(), "mine.md")
    assert made is not None
    return compile_preset(made, world(), "user")


def test_a_preset_alone_is_checked_under_the_most_general_call(world: World) -> None:
    result = alone(world, {"agent": "recon", "task": "Look at {task}."})
    assert result.diagnostics == () and result.flow is not None
    assert result.call["task"] == "Look at {task}."
    assert alone(world, {"agent": "recon", "task": "Fixed."}).diagnostics == ()


ALONE: list[tuple[dict[str, Any], list[tuple[str, str]]]] = [
    ({"tasks": {"length": 2}}, [("PRESET_TEMPLATE_SCHEMA_INVALID", "/tasks")]),
    ({"task": "x"}, [("INVALID_MODE", "")]),
    ({"agent": "nemo", "task": "{task}"}, [("UNKNOWN_AGENT", "/agent")]),
    ({"agent": "recon", "task": "x", "foo": 1}, [("UNKNOWN_PARAMETER", "/foo")]),
    ({"agent": "recon", "task": "x", "tier": "x"}, [("PRESET_TEMPLATE_SCHEMA_INVALID", "/tier")]),
]


@pytest.mark.parametrize(("template", "expected"), ALONE)
def test_what_is_wrong_with_a_preset_alone(
    template: dict[str, Any], expected: list[tuple[str, str]], world: World
) -> None:
    result = alone(world, template)
    assert [(each.code, each.where.pointer) for each in result.errors] == expected
    assert {(each.where.file, each.where.line) for each in result.errors} == {("mine.md", 5)}


def test_the_file_counts_not_what_was_found_under_its_name(world: World) -> None:
    made, _ = parse_preset(preset("scout", {"agent": "analyst", "task": "{task}"}).encode(), "mine.md")
    assert made is not None
    assert compile_preset(made, world(), "user").call["agent"] == "analyst"


# ---- nothing makes it stumble --------------------------------------------------------------------------------------

WORDS = """
    agent task tasks chain evaluate vote route orchestrate graph loop search workflow worktree debate dossier
    monitor preset list showConfig why agentScope concurrency timeoutMs contract checkpoint reflexion nodes id
    dependsOn redteam operator body voters candidates phases command pattern trigger returnContract
    modeHandoffPolicy cwd tools confirmProjectAgents traceStrict one several [key] budget returnSchema $ref
    authority owner
"""
KEYS = st.sampled_from(WORDS.split())
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 20),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=5),
    st.sampled_from(
        ["recon", "operator", "scout", "{task}", "{node.a}", "a", "match", "(", "user", "project", "x/y", "~"]
    ),
)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5), max_leaves=20
)
SHAPED = st.fixed_dictionaries(
    {"why": st.just("w")},
    optional={
        "agent": VALUES,
        "task": VALUES,
        "tasks": st.lists(st.dictionaries(KEYS, VALUES, max_size=4), max_size=3),
        "graph": st.fixed_dictionaries({"nodes": st.lists(st.dictionaries(KEYS, VALUES, max_size=5), max_size=4)}),
        "evaluate": st.dictionaries(KEYS, VALUES, max_size=4),
        "route": st.dictionaries(KEYS, VALUES, max_size=4),
        "workflow": st.fixed_dictionaries({"phases": st.lists(st.dictionaries(KEYS, VALUES, max_size=4), max_size=3)}),
        "monitor": st.dictionaries(KEYS, VALUES, max_size=4),
        "contract": st.dictionaries(KEYS, VALUES, max_size=6),
        "preset": st.sampled_from(["scout", "nope", 5, ""]),
    },
)


@given(st.one_of(st.dictionaries(KEYS, VALUES, max_size=6), SHAPED))
def test_any_object_gives_a_flow_or_errors_with_a_place(call: dict[str, Any]) -> None:
    context = host_context(Path("/nonexistent-project"), {"HOME": "/nonexistent-home"})
    result = compile_call(json.dumps(call), context, file="call.json")
    assert (result.flow is None) == bool(result.errors)
    for found in result.diagnostics:
        assert found.code in CODES
        assert "{" not in found.fix.replace("{task}", "").replace("{node", "")
        assert found.where.file and found.where.line
    refused = admit(result, context)
    assert refused is None or refused.severity == "error"
    if result.errors:
        assert refused is not None
