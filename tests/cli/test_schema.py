"""`piflows schema`: valid schemas, and that of a call says what the models say."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cli.conftest import Run
from jsonschema import Draft202012Validator

from piflows.cli.schema import KINDS, call_schema
from piflows.grammar.envelope import misses


@pytest.mark.parametrize("of", list(KINDS))
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


RETURNED: dict[str, Any] = {
    "schemaVersion": "pi-flows.return-envelope.v1",
    "status": "completed",
    "summary": "Done.",
    "evidence": [{"claim": "It is so.", "source": "a.txt:1"}],
    "artifactReferences": [{"path": "a.txt"}],
    "digests": [{"artifact": "a.txt", "algorithm": "sha256", "value": "aB" * 32}],
    "changedState": [],
    "unresolvedQuestions": ["Why?"],
    "retry": {"retryable": False},
    "data": None,
}
CHANGES: list[dict[str, Any]] = [
    {},
    {"contractId": "sha256:" + "0" * 64},
    {"contractId": "sha256:" + "0" * 64 + "\n"},
    {"contractId": None},
    {"more": 1},
    {"status": "done"},
    {"summary": " "},
    {"schemaVersion": 1},
    {"evidence": [{"claim": "x"}]},
    {"evidence": [{"claim": "x", "source": "y", "more": 1}]},
    {"artifactReferences": [{"path": ""}]},
    {"digests": [{"artifact": "a", "algorithm": "md5", "value": "0" * 64}]},
    {"digests": [{"artifact": "a", "algorithm": "sha256", "value": "0" * 63}]},
    {"changedState": "x"},
    {"retry": {"retryable": True, "reason": "x", "afterMs": 1.5}},
    {"retry": {"retryable": True, "afterMs": -1}},
    {"retry": {"reason": "x"}},
]


@pytest.mark.parametrize("change", CHANGES)
def test_the_schema_of_a_candidate_says_what_its_reader_says(change: dict[str, Any]) -> None:
    value = RETURNED | change
    assert Draft202012Validator(KINDS["return-candidate"]()).is_valid(value) is (next(misses(value), None) is None)


@pytest.mark.parametrize("name", RETURNED)
def test_every_member_of_a_candidate_is_required(name: str) -> None:
    value = {key: member for key, member in RETURNED.items() if key != name}
    assert not Draft202012Validator(KINDS["return-candidate"]()).is_valid(value)
    assert [path for path, _ in misses(value)] == [(name,)]


def test_an_envelope_names_its_contract() -> None:
    fits = Draft202012Validator(KINDS["return-envelope"]()).is_valid
    assert not fits(RETURNED)
    assert fits(RETURNED | {"contractId": "sha256:" + "0" * 64, "usage": {"input": 1}})


DECOMPOSITIONS: list[tuple[Any, bool]] = [
    (["Map the client.", "Map the server."], True),
    ([], True),
    ([{"id": "a", "objective": "Map."}, {"id": "b.1", "task": ["Join", "it."], "dependsOn": ["a"]}], True),
    ([{"id": "a", "objective": "x", "scope": ["x"], "effortWeight": 5, "inputs": None}], True),
    ([{"id": "a", "objective": "x", "effortWeight": 6}], False),
    ([{"id": "-a", "objective": "x"}], False),
    ([{"id": "a" * 65, "objective": "x"}], False),
    ([{"id": "a"}], False),
    ([{"objective": "x"}], False),
    (["x", {"id": "a", "objective": "x"}], False),
    ([" "], False),
    ({"id": "a"}, False),
    (None, False),
]


@pytest.mark.parametrize(("data", "valid"), DECOMPOSITIONS)
def test_the_schema_of_a_decomposition(data: Any, valid: bool) -> None:
    assert Draft202012Validator(KINDS["decomposition-return"]()).is_valid(data) is valid
