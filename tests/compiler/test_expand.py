"""A preset and a call give one call: merge, tightening, the task put in, and what has no effect."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from piflows.compiler.expand import (
    EXPANDED_MOST,
    Expansion,
    expand,
    general_call,
    holds_task,
    substitute,
    template_faults,
)
from piflows.grammar.located import read_json
from piflows.grammar.preset import Preset


def preset(template: dict[str, Any], *overrides: str) -> Preset:
    import json

    body = read_json(json.dumps(template), "p.md", 5)
    return Preset("p", "A preset.", overrides, None, template, "p.md", body, "sha256:0")


def expanded(template: dict[str, Any], given: dict[str, Any], *overrides: str) -> Expansion:
    found = expand({"preset": "p", **given}, {"p": preset(template, *overrides)})
    assert found is not None
    return found


ONE = {"agent": "recon", "task": "{task}"}
CAPTURE = [
    # template, caller, effective
    ({"recordContent": False}, {}, {"recordContent": False}),
    ({"recordContent": False}, {"recordContent": True}, {"recordContent": False}),
    ({"recordContent": True}, {"recordContent": False}, {"recordContent": False}),
    ({}, {"recordContent": False}, {"recordContent": False}),
    ({"redactSecrets": False}, {}, {}),
    ({"redactSecrets": False}, {"redactSecrets": False}, {"redactSecrets": False}),
    ({"redactSecrets": True}, {"redactSecrets": False}, {"redactSecrets": True}),
    ({}, {"redactSecrets": False}, {"redactSecrets": False}),
    ({"traceStrict": True}, {}, {"traceStrict": True}),
    ({"traceStrict": True}, {"traceStrict": False}, {"traceStrict": True}),
    ({"traceStrict": False}, {}, {}),
    ({"traceStrict": False}, {"traceStrict": False}, {"traceStrict": False}),
    ({"traceStrict": False}, {"traceStrict": True}, {"traceStrict": True}),
]


@pytest.mark.parametrize(("template", "caller", "effective"), CAPTURE)
def test_the_stricter_side_stands(template: dict[str, Any], caller: dict[str, Any], effective: dict[str, Any]) -> None:
    call = expanded(template, caller).call
    assert {key: call[key] for key in call if key != "preset"} == effective


def test_declared_overrides_replace_whole_values() -> None:
    template = {**ONE, "checkpoint": {"before": "finalize"}, "traceContext": {"runId": "a"}, "timeoutMs": 5000}
    found = expanded(template, {"task": "Look.", "timeoutMs": 9000, "traceContext": {"caseId": "b"}}, "timeoutMs")
    assert found.call == {
        "preset": "p",
        "agent": "recon",
        "task": "Look.",
        "checkpoint": {"before": "finalize"},
        "traceContext": {"caseId": "b"},
        "timeoutMs": 9000,
    }
    assert found.templated == {"agent", "task", "checkpoint"}
    assert (found.rejected, found.taskless, found.ignored) == ((), False, ())


def test_what_is_rejected_is_left_out() -> None:
    found = expanded(ONE, {"task": "x", "tier": "fast", "foo": 1, "why": "w", "list": False})
    assert found.rejected == ("tier", "foo")
    assert found.call == {"preset": "p", "list": False, **ONE, "task": "x", "why": "w"}


def test_no_preset_and_an_unknown_one() -> None:
    assert [expand(given, {}) for given in ({}, {"preset": None}, {"preset": 5}, {"preset": ""})] == [None] * 4
    found = expand({"preset": " q ", "tier": "fast", "why": "w"}, {})
    assert found is not None
    assert (found.name, found.preset, found.call) == ("q", None, {"why": "w"})


TASKLESS = [(ONE, {}, True), (ONE, {"task": "  "}, True), (ONE, {"task": 5}, True), (ONE, {"task": "x"}, False)]
TASKLESS += [({"agent": "a", "x": [{"y": "to {task}"}]}, {}, True), ({"{task}": 1}, {}, False)]


@pytest.mark.parametrize(("template", "given", "expected"), TASKLESS)
def test_a_template_with_the_task_in_any_string_needs_one(
    template: dict[str, Any], given: dict[str, Any], expected: bool
) -> None:
    assert expanded(template, given).taskless is expected


def test_the_task_is_put_in_literally_and_once() -> None:
    template = {"{task}": "{task} and {task}", "deep": [{"a": ["{task}", 1, None, "{tasks} {node.a}"]}]}
    assert substitute(template, "{task}!") == {
        "{task}": "{task}! and {task}!",
        "deep": [{"a": ["{task}!", 1, None, "{tasks} {node.a}"]}],
    }


@given(
    st.recursive(st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8), st.text()
)
def test_putting_the_task_in_changes_nothing_where_it_is_not(template: Any, task: str) -> None:
    if not holds_task(template):
        assert substitute(template, task) == template
    assert substitute(template, "{task}") == template


def test_a_task_that_makes_the_call_too_large_is_not_put_in() -> None:
    found = expanded({"task": "{task}" * 100}, {"task": "x" * (EXPANDED_MOST // 100)})
    assert found.too_large and found.call["task"] == "{task}" * 100
    assert not expanded(ONE, {"task": "x" * 1000}).too_large


IGNORED = [
    ({**ONE, "why": "w", "agentScope": "all"}, {"task": "x"}, [("template", "why"), ("template", "agentScope")]),
    ({**ONE, "list": True, "preset": "q"}, {"task": "x"}, [("template", "list"), ("template", "preset")]),
    ({**ONE, "redactSecrets": False}, {"task": "x"}, [("template", "redactSecrets")]),
    ({"agent": "recon", "task": "y"}, {"task": "x"}, [("call", "task")]),
    ({**ONE, "recordContent": False}, {"task": "x", "recordContent": True}, [("call", "recordContent")]),
    ({**ONE, "recordContent": False}, {"task": "x", "recordContent": False}, []),
]


@pytest.mark.parametrize(("template", "given", "expected"), IGNORED)
def test_what_has_no_effect_is_said(
    template: dict[str, Any], given: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    assert [(each.of, each.key) for each in expanded(template, given).ignored] == expected


BASES = [
    # cwd of the call, cwd of a task, where it works
    ("lib", None, "lib"),
    ("lib", "", "lib"),
    ("lib", "sub", "lib/sub"),
    ("lib", "/abs", "/abs"),
    ("", "sub", "sub"),
    ("/", "sub", "//sub"),
]


@pytest.mark.parametrize(("base", "own", "where"), BASES)
def test_the_cwd_of_a_parallel_preset_is_where_its_tasks_start(base: str, own: str | None, where: str) -> None:
    task = {"agent": "recon", "task": "x", **({} if own is None else {"cwd": own})}
    call = expanded({"tasks": [task, 5]}, {"cwd": base}, "cwd").call
    assert "cwd" not in call
    assert call["tasks"] == [{**task, "cwd": where}, 5]


def test_the_cwd_of_another_preset_stays() -> None:
    assert expanded(ONE, {"task": "x", "cwd": "lib"}, "cwd").call["cwd"] == "lib"


def test_the_most_general_call() -> None:
    assert general_call(preset(ONE), {"why": "mine"}) == {"preset": "p", "task": "{task}", "why": "mine"}
    assert "task" not in general_call(preset({"agent": "recon", "task": "Fixed."}), {})


FAULTS = [
    (ONE, []),
    ({**ONE, "foo": 1}, []),
    ({**ONE, "concurrency": 99}, []),
    ({"tasks": {"length": 2}}, ["/tasks"]),
    ({**ONE, "tier": "{task}", "timeoutMs": 1}, ["/timeoutMs", "/tier"]),
    ({"graph": {"nodes": []}}, ["/graph/nodes"]),
]


@pytest.mark.parametrize(("template", "pointers"), FAULTS)
def test_a_template_must_be_a_call(template: dict[str, Any], pointers: list[str]) -> None:
    found = template_faults(preset(template))
    assert [each.where.pointer for each in found] == pointers
    assert {(each.code, each.where.file, each.where.line) for each in found} <= {
        ("PRESET_TEMPLATE_SCHEMA_INVALID", "p.md", 6)
    }
