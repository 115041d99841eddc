"""`piflows schema`: valid schemas, and that of a call says what the models say."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cli.conftest import Run
from jsonschema import Draft202012Validator

from piflows.cli.schema import call_schema


@pytest.mark.parametrize("of", ["call", "ir", "agent", "preset"])
def test_every_schema_is_one(of: str, run: Run) -> None:
    status, out, _ = run("schema", of)
    schema = json.loads(out)
    Draft202012Validator.check_schema(schema)
    assert status == 0 and schema["$schema"].endswith("2020-12/schema")
    assert run("schema")[1] == run("schema", "call")[1]


CALLS: list[tuple[dict[str, Any], bool]] = [
    ({"agent": "recon", "task": "x", "why": "w"}, True),
    ({"task": "x", "evaluate": {"redteam": [{"agent": "a"}], "maxIterations": 2.5}}, True),
    ({"task": "x", "evaluate": {"redteam": {"agent": "a"}}}, True),
    ({"task": "x", "evaluate": {"maxIterations": 9}}, False),
    ({"task": "x", "search": {"beamWidth": 0}}, False),
    ({"graph": {"nodes": [{"id": "a", "agent": "b", "task": "c", "dependsOn": []}]}}, True),
    ({"graph": {"nodes": []}}, False),
    ({"graph": {"nodes": [{"id": "a"}]}}, False),
    ({"tsak": 1}, False),
    ({"concurrency": 9}, False),
    ({"modeHandoffPolicy": {"graph": "fail"}}, True),
    ({"modeHandoffPolicy": {"graf": "fail"}}, False),
    ({"tier": None}, False),
]


@pytest.mark.parametrize(("call", "valid"), CALLS)
def test_the_schema_of_a_call_says_what_the_models_say(call: dict[str, Any], valid: bool) -> None:
    assert Draft202012Validator(call_schema()).is_valid(call) is valid


def test_the_schema_is_without_noise() -> None:
    text = json.dumps(call_schema())
    assert '"null"' not in text and '"default": null' not in text and text.count('"title"') == 1
