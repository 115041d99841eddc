"""Returns: what is found in a text, what counts, by which code it does not, and what is kept."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from piflows.interpreter.guards.envelope import (
    Rejected,
    artifacts,
    candidate,
    compact,
    completion,
    conforms,
    examine,
    handoff,
    kept,
    outside,
    paths,
)
from piflows.ir.canonical import identity
from piflows.ir.diagnostic import diagnostic
from piflows.ir.limits import LIMITS

Json = dict[str, Any]

CONTRACT: Json = {
    "objective": "Find the port.",
    "returnSchema": {"type": "object", "required": ["port"], "properties": {"port": {"type": "integer"}}},
}
ID = identity(CONTRACT)
HEX = "ab" * 32
GOOD: Json = {
    "schemaVersion": "pi-flows.return-envelope.v1",
    "contractId": ID,
    "status": "completed",
    "summary": "It is 8080.",
    "evidence": [{"claim": "The port is 8080.", "source": "service.conf:1"}],
    "artifactReferences": [{"path": "out/a.txt"}],
    "digests": [{"artifact": "out/a.txt", "algorithm": "sha256", "value": HEX.upper()}],
    "changedState": ["out/a.txt was written"],
    "unresolvedQuestions": ["Is it open?"],
    "retry": {"retryable": False, "reason": "nothing changes", "afterMs": 0},
    "data": {"port": 8080},
}
FACTS: Json = {"out/a.txt": {"inside": True, "exists": True, "regular": True, "sha256": HEX}}


def settled(found: Any, facts: Json = FACTS, policy: Any = "fail") -> Rejected | None:
    """All that is asked of a return, in the order in which it is."""
    refused = examine(found, ID)
    if refused is None:
        refused = artifacts(paths(found), found["digests"], facts) or conforms(found, CONTRACT)
    return refused or completion(found, policy)


def spoiled(change: Callable[[Json], object]) -> Json:
    made = deepcopy(GOOD)
    change(made)
    return made


def put(*way: Any) -> Callable[[Json], object]:
    """Sets the last of `way` at the path before it."""
    *path, name, value = way

    def change(found: Any) -> None:
        for step in path:
            found = found[step]
        found[name] = value

    return change


# ---- finding it ----------------------------------------------------------------------------------------------------

FOUND: list[tuple[str, Any]] = [
    ('{"a":1}', {"a": 1}),
    ('So:\n```json\n{"a":1}\n```\nDone.', {"a": 1}),
    ('```\n{"a":1}\n```\n```json\n{"a":2}\n```', {"a": 2}),
    ('```json\n{"a":1}\n```\n```python\nx = {}\n```', {"a": 1}),
    ('I return {"a":{"b":[1]}} now.', {"a": {"b": [1]}}),
    ('```json\nIt is {"a":1}.\n```', {"a": 1}),
    ("x" * LIMITS.candidate_bytes + '\n```json\n{"a":1}\n```', {"a": 1}),
    (r'{"a":"\ud83d\ude00 \ud83d"}', {"a": "\U0001f600 \ufffd"}),
    (json.dumps({"a": "x" * (LIMITS.candidate_bytes - 9)}), {"a": "x" * (LIMITS.text_bytes - 9)}),
    (json.dumps({"a": "x" * (LIMITS.candidate_bytes - 8)}), None),
    ('{"a":1,"a":2}', None),
    ('{"a":NaN}', None),
    ('{"a":1e999}', None),
    ("{'a':1}", None),
    ('{"a":1} and {"b":2}', None),
    ("[" * 100_000, None),
    ('{"a":' * 100_000, None),
    ("", None),
]


@pytest.mark.parametrize(("text", "value"), FOUND, ids=[str(number) for number in range(len(FOUND))])
def test_what_is_found_in_a_text(text: str, value: Any) -> None:
    assert candidate(text) == value


@given(st.text(st.sampled_from('`{}[]":,\\n\\ud8json 1')) | st.text())
def test_any_text_has_a_candidate_or_none(text: str) -> None:
    found = candidate(text)
    refused = examine(found, ID)
    assert refused is not None
    diagnostic(refused.code, role="recon", **refused.facts)


@pytest.mark.parametrize("piece", ["{", "[", "```\n", '{"', "{}", '{"a":[', "`", "\n", '"\\', "[]{"])
def test_finding_takes_time_in_proportion(piece: str) -> None:
    began = time.process_time()
    candidate(piece * 200_000)
    assert time.process_time() - began < 5


# ---- what counts ---------------------------------------------------------------------------------------------------


def test_a_return_counts_and_survives_its_text() -> None:
    text = f"Here it is.\n```json\n{json.dumps(GOOD, indent=2)}\n```"
    assert candidate(text) == GOOD
    assert settled(candidate(text)) is None


SPOILS: list[tuple[str, Callable[[Json], object], str]] = [
    *(("INVALID", put(name, None), name) for name in GOOD if name not in ("data", "contractId")),
    *(("INVALID", (lambda found, name=name: found.pop(name)), name) for name in GOOD if name != "contractId"),
    ("INVALID", put("schemaVersion", 1), "schemaVersion"),
    ("INVALID", put("schemaVersion", "pi-flows.return-envelope.v2"), "schemaVersion"),
    ("INVALID", put("contractId", None), "contractId"),
    ("INVALID", put("contractId", ID + "\n"), "contractId"),
    ("INVALID", put("contractId", ID[:-1]), "contractId"),
    ("INVALID", put("status", "done"), "status"),
    ("INVALID", put("status", ["completed"]), "status"),
    ("INVALID", put("summary", " \n"), "summary"),
    ("INVALID", put("evidence", {}), "evidence"),
    ("INVALID", put("evidence", 0, "it is so"), "evidence[0]"),
    ("INVALID", put("evidence", 0, "claim", " "), "evidence[0].claim"),
    ("INVALID", put("evidence", 0, {"claim": "x"}), "evidence[0].source"),
    ("INVALID", put("artifactReferences", 0, "out/a.txt"), "artifactReferences[0]"),
    ("INVALID", put("artifactReferences", 0, "path", ""), "artifactReferences[0].path"),
    ("INVALID", put("digests", 0, "algorithm", 1), "digests[0].algorithm"),
    ("INVALID", put("digests", 0, "algorithm", "md5"), "digests[0].algorithm"),
    ("INVALID", put("digests", 0, "value", HEX + "\n"), "digests[0].value"),
    ("INVALID", put("digests", 0, "value", "g" * 64), "digests[0].value"),
    ("INVALID", put("changedState", [1]), "changedState[0]"),
    ("INVALID", put("unresolvedQuestions", "none"), "unresolvedQuestions"),
    ("INVALID", put("retry", {}), "retry.retryable"),
    ("INVALID", put("retry", "retryable", "no"), "retry.retryable"),
    ("INVALID", put("retry", "reason", ""), "retry.reason"),
    ("INVALID", put("retry", "afterMs", -1), "retry.afterMs"),
    ("INVALID", put("retry", "afterMs", True), "retry.afterMs"),
    ("INVALID", put("artifactReferences", 0, "path", "../a.txt"), "outside the directory"),
    ("INVALID", put("artifactReferences", 0, "path", "/etc/passwd"), "outside the directory"),
    ("INVALID", put("artifactReferences", 0, "path", "b.txt"), "does not exist"),
    ("INVALID", put("artifactReferences", []), "no declared artifact"),
    ("INVALID", put("data", {}), "lacks `port`"),
    ("INVALID", put("data", None), "`data` must be of the type object"),
    ("INVALID", put("data", "port", "8080"), "`data.port` must be of the type integer"),
    ("MISMATCH", lambda found: found.pop("contractId"), "it names none"),
    ("MISMATCH", put("contractId", f"sha256:{HEX}"), HEX),
    ("MISMATCH", put("contractId", ID[:7] + ID[7:].upper()), ID[7:].upper()),
    ("DIGEST", put("digests", 0, "value", "c" * 64), "out/a.txt"),
    ("INCOMPLETE", put("status", "partial"), "partial"),
    ("INCOMPLETE", put("status", "blocked"), "blocked"),
    ("INCOMPLETE", put("status", "failed"), "failed"),
]
CODES = {
    "INVALID": "RETURN_ENVELOPE_INVALID",
    "MISMATCH": "RETURN_CONTRACT_MISMATCH",
    "DIGEST": "RETURN_DIGEST_MISMATCH",
    "INCOMPLETE": "RETURN_ENVELOPE_INCOMPLETE",
}


@pytest.mark.parametrize(("code", "change", "said"), SPOILS, ids=[f"{code}-{said}" for code, _, said in SPOILS])
def test_every_spoil_is_rejected_with_its_code(code: str, change: Callable[[Json], object], said: str) -> None:
    refused = settled(spoiled(change))
    assert refused is not None and refused.code == CODES[code]
    assert said in diagnostic(refused.code, role="recon", **refused.facts).message
    json.dumps(refused.facts)


def test_integrity_is_asked_before_conformance() -> None:
    both = spoiled(lambda found: (put("data", {})(found), put("digests", 0, "value", "c" * 64)(found)))
    assert settled(both) == Rejected(
        CODES["DIGEST"], {"artifact": "out/a.txt", "declared": "c" * 64, "found": HEX}
    )  # and identity before both
    assert settled(both | {"contractId": f"sha256:{HEX}"}).code == CODES["MISMATCH"]  # type: ignore[union-attr]


def test_a_misspelt_member_is_named() -> None:
    refused = settled(spoiled(lambda found: put("sumary", found.pop("summary"))(found)))
    assert refused and refused.facts["problem"] == '`summary` is missing; `sumary` is no member, did you mean "summary"'
    assert refused.facts["path"] == ["summary"]


def test_what_is_beyond_the_documented_members_is_tolerated_and_dropped() -> None:
    more = {"note": 1, **GOOD, "evidence": [{**GOOD["evidence"][0], "line": 1}]}
    assert settled(more) is None
    assert list(kept(more)) == list(GOOD)


@pytest.mark.parametrize(("status", "counts"), [("completed", 1), ("partial", 1), ("blocked", 1), ("failed", 0)])
def test_incomplete_returns_are_included_on_purpose(status: str, counts: int) -> None:
    assert (settled({**GOOD, "status": status}, policy="include") is None) == bool(counts)


@pytest.mark.parametrize("again", [True, False])
def test_the_envelope_says_whether_trying_again_helps(again: bool) -> None:
    refused = settled({**GOOD, "status": "partial", "retry": {"retryable": again}})
    assert refused and diagnostic(refused.code, role="recon", **refused.facts).retryable is again


# ---- files ----

OUTSIDE = [
    "..",
    "../a",
    "a/../b",
    "a/../../b",
    "/",
    "/a",
    "//a",
    "./../a",
    "C:\\a",
    "c:/a",
    "\\\\host\\a",
    "a\\..\\..\\b",
    "a\0",
]
INSIDE = ["a", "./a", "..a", "..a/b", "...", "~a", "a:b", ".", "a//b", "caf\u00e9"]


@pytest.mark.parametrize(("path", "leaves"), [*((each, True) for each in OUTSIDE), *((each, False) for each in INSIDE)])
def test_paths_that_leave_by_their_letters(path: str, leaves: bool) -> None:
    assert outside(path) is leaves


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"exists": False}, "does not exist"),
        ({"regular": False}, "no regular file"),
        ({"inside": False}, "outside"),
        ({"sha256": None}, "too large"),
    ],
)
def test_files_that_do_not_count(change: Json, said: str) -> None:
    refused = settled(GOOD, {"out/a.txt": FACTS["out/a.txt"] | change})
    assert refused and refused.code == CODES["INVALID"] and said in refused.facts["problem"]


def test_a_digest_names_its_artifact_however_it_is_spelled() -> None:
    found = spoiled(put("digests", 0, "artifact", "./out/../out/a.txt"))
    assert settled(found) is None


def test_a_file_without_a_digest_need_not_be_read() -> None:
    assert settled({**GOOD, "digests": []}, {"out/a.txt": FACTS["out/a.txt"] | {"sha256": None}}) is None


# ---- what crosses --------------------------------------------------------------------------------------------------

RESULT: Json = {"agent": "recon", "step": 2, "error": None, "text": "So it is."}
ORDER = "schemaVersion contractId compatibility status summary evidence artifactReferences digests changedState"
ORDER += " unresolvedQuestions retry data provenance"


def test_a_typed_handoff_has_the_documented_order() -> None:
    made = handoff(RESULT | {"envelope": kept(GOOD), "usage": {"input": 1}})
    assert list(made) == [*ORDER.split(), "usage"]
    assert (made["contractId"], made["compatibility"]) == (ID, "typed")
    assert made["provenance"] == {"agent": "recon", "step": 2}
    assert json.loads(compact(made)) == made and ": " not in compact(made)[:200]


@pytest.mark.parametrize(("error", "status"), [(None, "completed"), ({"code": "CHILD_TIMEOUT"}, "failed")])
def test_prose_says_what_prose_can(error: Any, status: str) -> None:
    made = handoff(RESULT | {"error": error})
    assert list(made) == ORDER.split()
    assert (made["contractId"], made["compatibility"], made["status"]) == (None, "legacy-prose", status)
    assert (made["summary"], made["data"], made["retry"]) == ("So it is.", {"text": "So it is."}, {"retryable": False})
    assert all(made[name] == [] for name in ORDER.split()[5:10])
