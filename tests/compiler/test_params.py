"""Mode selection, paths, and what the models refuse."""

from __future__ import annotations

from typing import Any

import pytest

from piflows.compiler.params import active, answers, keyed, keys, pointer, read, shown, spell, steps, texts
from piflows.ir.finding import FINDINGS_MOST

ACTIVE: list[tuple[dict[str, Any], list[str]]] = [
    ({}, []),
    ({"agent": "a"}, []),
    ({"agent": "a", "task": ""}, []),
    ({"agent": "", "task": "x"}, []),
    ({"agent": "a", "task": "x"}, ["single"]),
    ({"agent": "a", "contract": {}}, ["single"]),
    ({"agent": "a", "task": "x", "tasks": []}, ["single"]),
    ({"agent": "a", "task": "x", "graph": {}}, ["graph"]),
    ({"tasks": [{}]}, ["parallel"]),
    ({"chain": []}, []),
    ({"vote": {}, "chain": [1], "monitor": {}}, ["chain", "vote", "monitor"]),
    ({"evaluate": None, "search": False, "loop": 0, "debate": ""}, []),
    ({"evaluate": [], "search": "x"}, ["evaluate", "search"]),
]


@pytest.mark.parametrize(("call", "modes"), ACTIVE)
def test_active_modes(call: dict[str, Any], modes: list[str]) -> None:
    assert active(call) == modes


@pytest.mark.parametrize(
    ("call", "answer"),
    [
        ({"list": True, "showConfig": True}, "list"),
        ({"list": False, "showConfig": True}, "config"),
        ({"list": 1, "showConfig": "yes"}, None),
    ],
)
def test_answers(call: dict[str, Any], answer: str | None) -> None:
    assert answers(call) == answer


def test_paths() -> None:
    path = ("graph", "nodes", 2, "a/b~c")
    assert pointer(path) == "/graph/nodes/2/a~1b~0c"
    assert steps(pointer(path)) == ("graph", "nodes", "2", "a/b~c")
    assert (pointer(()), steps(""), spell(())) == ("", (), "")
    assert spell(path) == "graph.nodes[2].a/b~c"


def test_values_are_found_in_the_order_of_the_text_and_none_inside_a_contract() -> None:
    value = {"b": [{"contract": {"x": "1 {"}}, "{2", "3"], "x": {"contract": None, "x": {"x": "{"}}}
    assert [spell(path) for path, _ in keyed(value, ("x", "contract"))] == [
        "b[0].contract",
        "x",
        "x.contract",
        "x.x",
        "x.x.x",
    ]
    assert [spell(path) for path, _ in texts(value, "{", ("top",))] == ["top.b[1]", "top.x.x.x"]
    assert keys(value) == {"b", "x", "contract"}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("x", '"x"'),
        (None, "null"),
        (2.5, "2.5"),
        ([], "an empty list"),
        ([1, 2], "a list of 2"),
        ({}, "an object"),
        ("é" * 200, '"' + "é" * 79 + "…"),
    ],
)
def test_values_in_sentences(value: Any, text: str) -> None:
    assert shown(value) == text


MISFITS: list[tuple[dict[str, Any], list[tuple[str, str, str]]]] = [
    ({"timeoutMs": 3}, [("/timeoutMs", "CALL_INVALID", "timeoutMs is 3, it must be at least 1000")]),
    ({"maxCostUsd": "1"}, [("/maxCostUsd", "CALL_INVALID", 'maxCostUsd is "1", it must be a number')]),
    ({"list": 1}, [("/list", "CALL_INVALID", "list is 1, it must be true or false")]),
    ({"tier": "x"}, [("/tier", "CALL_INVALID", 'tier is "x", it must be fast, capable or deep')]),
    ({"tasks": [{}]}, [(f"/tasks/0/{key}", "CALL_INVALID", f"tasks[0].{key} is missing") for key in ("agent", "task")]),
    ({"graph": []}, [("/graph", "CALL_INVALID", "graph is an empty list, it must be an object")]),
    (
        {"evaluate": {"redteam": [{"agent": ""}]}},
        [
            (
                "/evaluate/redteam/0/agent",
                "CALL_INVALID",
                'evaluate.redteam[0].agent is "", it must be a text that is not empty',
            )
        ],
    ),
    (
        {"evaluate": {"redteam": []}},
        [("/evaluate/redteam", "CALL_INVALID", "evaluate.redteam is an empty list, it must be a list of at least 1")],
    ),
    (
        {"reflexion": {"enabled": True, "maxEntries": 21}},
        [("/reflexion/maxEntries", "CALL_INVALID", "reflexion.maxEntries is 21, it must be at most 20")],
    ),
    ({"concurrency": 2.5}, [("/concurrency", "INVALID_CONCURRENCY", "concurrency is 2.5, it must be a whole number")]),
    ({"agentScope": "x"}, [("/agentScope", "INVALID_SCOPE", 'agentScope is "x", it must be user, project or all')]),
    ({"why": 1}, [("/why", "WHY_REQUIRED", "why is 1, it must be a text")]),
    ({"contract": 1}, [("/contract", "INVALID_DELEGATION_CONTRACT", "contract is 1, it must be an object")]),
    ({"monitor": {}}, [("/monitor/command", "MONITOR_INVALID", "monitor.command is missing")]),
    (
        {"graph": {"nodes": [{"id": "a", "agent": "b"}]}},
        [("/graph/nodes/0/task", "GRAPH_INVALID", "graph.nodes[0].task is missing")],
    ),
    *(
        ({mode: spec}, [(f"/{mode}/{key}", code, f"{mode}.{problem}")])
        for mode, spec, key, code, problem in (
            ("vote", {"count": 1}, "count", "TOO_FEW_VOTERS", "count is 1, it must be at least 2"),
            ("vote", {"count": 9}, "count", "TOO_MANY_TASKS", "count is 9, it must be at most 8"),
            ("vote", {"count": 2.5}, "count", "CALL_INVALID", "count is 2.5, it must be a whole number"),
            ("debate", {}, "participants", "DEBATE_TOO_FEW_PARTICIPANTS", "participants is missing"),
            ("dossier", {}, "sections", "DOSSIER_TOO_FEW_SECTIONS", "sections is missing"),
            ("route", {}, "candidates", "INVALID_MODE", "candidates is missing"),
            ("loop", {}, "body", "INVALID_MODE", "body is missing"),
            ("loop", {"body": {}}, "body/agent", "INVALID_MODE", "body.agent is missing"),
            ("loop", {"body": 1}, "body", "CALL_INVALID", 'body is 1, it must be an object like {"agent": "recon"}'),
        )
    ),
    ({"taks": 1}, [("/taks", "UNKNOWN_PARAMETER", "taks")]),
    ({"one": 1}, [("/one", "UNKNOWN_PARAMETER", "one")]),
    ({"returnContract": 1}, []),
    (
        {"monitor": {"command": "x", "intervalMs": 1e400}},
        [("/monitor/intervalMs", "CALL_INVALID", "monitor.intervalMs is Infinity, it must be a finite number")],
    ),
]


@pytest.mark.parametrize(("call", "expected"), MISFITS)
def test_misfits(call: dict[str, Any], expected: list[tuple[str, str, str]]) -> None:
    model, found = read(call)
    assert model is None
    assert [(pointer(each.path), each.code, each.problem) for each in found] == expected


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        ({"taks": 1}, ' Did you mean "task"?'),
        ({"graph": {"nodes": [{"dependOn": []}]}}, ' Did you mean "dependsOn"?'),
        ({"evaluate": {"redteam": {"agnt": "x"}}}, ' Did you mean "agent"?'),
        ({"evaluate": {"redteam": [{"agnt": "x"}]}}, ' Did you mean "agent"?'),
        ({"modeHandoffPolicy": {"serch": "warn"}}, ' Did you mean "search"?'),
        ({"checkpoint": {"befor": "spawn"}}, ' Did you mean "before"?'),
        ({"quux": 1}, " `piflows schema call` shows all of them."),
        ({"checkpoint": {"quux": "spawn"}}, " It may hold before, message."),
    ],
)
def test_the_nearest_name_that_the_object_may_hold(call: dict[str, Any], hint: str) -> None:
    assert [each.hint for each in read(call)[1] if each.code == "UNKNOWN_PARAMETER"] == [hint]


def test_findings_are_as_many_as_a_person_reads() -> None:
    *shown, cut = read({"tasks": [1] * 5_000})[1]
    assert len(shown) == FINDINGS_MOST
    assert (cut.code, cut.problem) == ("FINDINGS_CUT", str(5_000 - FINDINGS_MOST))


def test_a_good_call_is_its_model() -> None:
    model, found = read({"agent": "recon", "task": "x", "concurrency": 3.0})
    assert model is not None and found == ()
    assert (model.agent, model.concurrency, model.timeout_ms) == ("recon", 3, 36_000_000)
