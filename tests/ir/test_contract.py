"""What is wrong with a contract, in the order of its fields."""

from __future__ import annotations

from typing import Any

import pytest

from piflows.ir.contract import FIELDS, defects, strangers

GOOD: dict[str, Any] = {
    "objective": "Find it.",
    "constraints": ["Read only."],
    "nonGoals": [],
    "dependencies": [],
    "acceptanceChecks": [],
    "authority": {"may": [], "mustNot": [], "requiresApproval": []},
    "sideEffectClass": "read-only",
    "budget": {"maxTokens": 0, "timeoutMs": 1.5},
    "returnSchema": {"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"type": "string"}}},
    "owner": "parent",
}
DEFECTS: list[tuple[dict[str, Any], list[str]]] = [
    ({}, []),
    ({"objective": " "}, ["objective"]),
    ({"owner": 5}, ["owner"]),
    ({"constraints": "x"}, ["constraints"]),
    ({"nonGoals": ["x", " "]}, ["nonGoals"]),
    ({"authority": []}, ["authority"]),
    ({"authority": {"may": [1], "mustNot": []}}, ["authority/may", "authority/requiresApproval"]),
    ({"sideEffectClass": "some"}, ["sideEffectClass"]),
    ({"sideEffectClass": ["none"]}, ["sideEffectClass"]),
    ({"budget": None}, ["budget"]),
    (
        {"budget": {"maxCost": 1, "maxTokens": -1, "timeoutMs": True}},
        ["budget/maxCost", "budget/maxTokens", "budget/timeoutMs"],
    ),
    (
        {"budget": {"maxTokens": 10**400, "maxCostUsd": float("inf"), "timeoutMs": float("nan")}},
        ["budget/maxTokens", "budget/maxCostUsd", "budget/timeoutMs"],
    ),
    ({"returnSchema": True}, ["returnSchema"]),
    ({"returnSchema": {"$dynamicRef": "https://example.invalid/s.json#a"}}, ["returnSchema/$dynamicRef"]),
    ({"returnSchema": {"items": {"$dynamicRef": "#a"}}}, ["returnSchema/items/$dynamicRef"]),
    ({"returnSchema": {"$dynamicRef": "#a", "$defs": {"b": {"$dynamicAnchor": "a"}}}}, []),
    ({"returnSchema": {"type": "objekt"}}, ["returnSchema/type"]),
    ({"returnSchema": {"properties": {"a": {"pattern": "("}}}}, ["returnSchema/properties/a/pattern"]),
    ({"returnSchema": {"items": {"$ref": "#/$defs/b"}}}, ["returnSchema/items/$ref"]),
    ({"returnSchema": {"$ref": "https://example.invalid/s.json"}}, ["returnSchema/$ref"]),
    ({"returnSchema": {"$ref": "http://[x"}}, ["returnSchema/$ref"]),
    ({"returnSchema": {"$ref": "#"}}, []),
    ({"returnSchema": {"const": {"$ref": "nowhere"}}}, []),
    ({"returnSchema": {"properties": {"$ref": {"type": "string"}}}}, []),
    (
        {
            "returnSchema": {
                "$schema": "http://json-schema.org/draft-07/schema#",
                "definitions": {"x": {}},
                "$ref": "#/definitions/x",
            }
        },
        [],
    ),
    ({"returnSchema": {"$schema": "mine"}}, ["returnSchema/$schema"]),
    ({"returnSchema": {"$schema": "http://[x"}}, ["returnSchema/$schema"]),
    ({"returnSchema": {"$schema": 5}}, ["returnSchema/$schema"]),
]


@pytest.mark.parametrize(("change", "expected"), DEFECTS)
def test_defects(change: dict[str, Any], expected: list[str]) -> None:
    assert ["/".join(map(str, path)) for path, _ in defects({**GOOD, **change})] == expected


def test_each_field_is_required_and_they_come_in_order() -> None:
    assert [path for path, _ in defects({})] == [(name,) for name in FIELDS]
    for name in FIELDS:
        assert [path for path, _ in defects({key: GOOD[key] for key in GOOD if key != name})] == [(name,)]


def test_what_is_no_object() -> None:
    assert [list(defects(value)) for value in (None, [], "x")] == [[((), "it is no object")]] * 3


def test_members_that_no_contract_has() -> None:
    assert list(strangers({**GOOD, "extra": 1, "budgets": {}})) == ["extra", "budgets"]
