"""Return envelopes: what a contracted child came back with, and whether it counts. Seed: delegation contracts.

The order is shape, identity, files and their digests, conformance of the data, completion: integrity comes first.
Facts about files are brought by the caller. A validated envelope proves whose return it is, that its files are what it
says, and that its data has the form that was asked for; never that a claim in it is true.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, cast

from piflows.grammar.control import reply_json
from piflows.grammar.near import hint
from piflows.ir.frozen import frozen
from piflows.ir.limits import LIMITS

Json = dict[str, Any]

SCHEMA = "pi-flows.return-envelope.v1"
HANDOFF = "pi-flows.handoff-envelope.v1"
STATUSES = ("completed", "partial", "blocked", "failed")
INVALID, MISMATCH = "RETURN_ENVELOPE_INVALID", "RETURN_CONTRACT_MISMATCH"
INCOMPLETE, DIGEST = "RETURN_ENVELOPE_INCOMPLETE", "RETURN_DIGEST_MISMATCH"
_IDENTITY = re.compile(r"sha256:[0-9a-f]{64}", re.ASCII)
_HEX = re.compile(r"[0-9a-fA-F]{64}", re.ASCII)


@frozen
class Rejected:
    """Why a return does not count: a code, and the facts of its sentence but for the role."""

    code: str
    facts: dict[str, Any]


def candidate(text: str) -> Any:
    """The JSON value in a child's answer, or None: its last fenced block, else the whole or its bracketed part."""
    return reply_json(text) if len(text.encode("utf-8", "replace")) <= LIMITS.candidate_bytes else None


# ---- shape and identity ------------------------------------------------------------------------------------------


def examine(found: Any, contract: str) -> Rejected | None:
    """Shape, then identity: a return counts only for the contract that it names, exactly."""
    problem = next(_misshapen(found), "")
    if problem:
        return _invalid(problem)
    returned = found.get("contractId")
    if returned == contract:
        return None
    return Rejected(MISMATCH, {"returned": "it names none" if returned is None else returned, "dispatched": contract})


def _invalid(problem: str) -> Rejected:
    return Rejected(INVALID, {"problem": problem})


def _misshapen(found: Any) -> Iterator[str]:
    if not isinstance(found, dict):
        yield "no JSON object of a return envelope stands in its text"
        return
    members = cast(Json, found)
    for name, (fits, wanted, needed) in FIELDS.items():
        if name in members:
            if not fits(members[name]):
                yield f"`{name}` must be {wanted}"
        elif needed:
            near = next((key for key in members if key not in FIELDS and name in hint(key, FIELDS)), None)
            yield f"`{name}` is missing" + (f"; `{near}` is no member of an envelope" if near else "")


def _text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_text, cast("list[Any]", value)))


def _records(**members: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """Whether it is a list of objects whose named members fit."""

    def fits(value: Any) -> bool:
        return isinstance(value, list) and all(
            isinstance(each, dict) and all(test(cast(Json, each).get(name)) for name, test in members.items())
            for each in cast("list[Any]", value)
        )

    return fits


def _retry(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    retry = cast(Json, value)
    after = retry.get("afterMs", 0)
    number = isinstance(after, int | float) and not isinstance(after, bool) and after >= 0
    return isinstance(retry.get("retryable"), bool) and number and ("reason" not in retry or _text(retry["reason"]))


def _matches(pattern: re.Pattern[str]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and pattern.fullmatch(value) is not None


FIELDS: dict[str, tuple[Callable[[Any], bool], str, bool]] = {  # member → test, what it must be, whether it must be
    "schemaVersion": (SCHEMA.__eq__, f'"{SCHEMA}"', True),
    "contractId": (_matches(_IDENTITY), '"sha256:" and 64 hexadecimal digits', False),
    "status": (STATUSES.__contains__, f"one of {', '.join(STATUSES)}", True),
    "summary": (_text, "a text that is not blank", True),
    "evidence": (_records(claim=_text, source=_text), "a list of objects with `claim` and `source`", True),
    "artifactReferences": (_records(path=_text), "a list of objects with `path`", True),
    "digests": (
        _records(artifact=_text, algorithm="sha256".__eq__, value=_matches(_HEX)),
        'a list of objects with `artifact`, the `algorithm` "sha256" and a `value` of 64 hexadecimal digits',
        True,
    ),
    "changedState": (_texts, "a list of texts that are not blank", True),
    "unresolvedQuestions": (_texts, "a list of texts that are not blank", True),
    "retry": (_retry, "an object with `retryable`, true or false, and perhaps `reason` and `afterMs`", True),
    "data": (lambda _: True, "there", True),
}


# ---- files -------------------------------------------------------------------------------------------------------


def paths(found: Json) -> list[str]:
    """The files that an envelope declares, each once."""
    return list(dict.fromkeys(each["path"] for each in found["artifactReferences"]))


def outside(path: str) -> bool:
    """Whether a path leaves the child's directory by its letters alone."""
    plain = path.replace("\\", "/")
    return (
        "\0" in path or plain.startswith(("/", "~")) or plain[1:2] == ":" or posixpath.normpath(plain).startswith("..")
    )


def artifacts(declared: Sequence[str], digests: Sequence[Json], facts: Mapping[str, Json]) -> Rejected | None:
    """Every declared file lies in the child's directory and is a regular file; every digest is that of its file."""
    for path in declared:
        known = facts.get(path, {})
        if outside(path) or (known.get("exists") and not known.get("inside")):
            return _invalid(f'the artifact "{path}" lies outside the directory of the child')
        if not known.get("exists"):
            return _invalid(f'the artifact "{path}" does not exist')
        if not known.get("regular"):
            return _invalid(f'the artifact "{path}" is no regular file')
    for digest in digests:
        path = digest["artifact"]
        if path not in declared:
            return _invalid(f'there is a digest of "{path}", which is no declared artifact')
        actual = facts[path].get("sha256")
        if actual is None:
            return _invalid(f'the artifact "{path}" is too large to be checked')
        if actual != digest["value"].lower():
            told = {"artifact": path, "declared": digest["value"].lower(), "found": actual}
            return Rejected(DIGEST, told)
    return None


# ---- data and completion -----------------------------------------------------------------------------------------


def conforms(found: Json, contract: Json) -> Rejected | None:
    """Whether the data fits the contract's `returnSchema`. Nothing is fetched, and a pattern cannot hang."""
    from piflows.interpreter.guards.schema import misfit

    problem = misfit(contract["returnSchema"], found["data"])
    return _invalid(f"its data does not fit the `returnSchema`, {problem}") if problem else None


def completion(found: Json, policy: Literal["fail", "include"]) -> Rejected | None:
    """Whether a return may be used: a partial or blocked one only under the policy `include`, a failed one never."""
    status = found["status"]
    if status == "completed" or (policy == "include" and status != "failed"):
        return None
    open_points = "; ".join(found["unresolvedQuestions"]) or found["summary"]
    return Rejected(INCOMPLETE, {"status": status, "reason": open_points, "retryable": found["retry"]["retryable"]})


# ---- what is kept of it, and what crosses ------------------------------------------------------------------------


def kept(found: Json) -> Json:
    """The validated envelope: its documented members, in their order."""
    return {name: found[name] for name in FIELDS if name in found}


def compact(value: Json) -> str:
    """An envelope as it crosses into a prompt."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def handoff(result: Json) -> Json:
    """The handoff envelope of a result that another role consumed; of prose, what prose can say."""
    envelope: Json | None = result.get("envelope")
    source: Json = {"agent": result["agent"], "step": result["step"]}
    failed = result["error"] is not None
    body: Json
    if envelope is None:
        body = {
            "contractId": None,
            "compatibility": "legacy-prose",
            "status": "failed" if failed else "completed",
            "summary": result["text"],
            **{name: [] for name in LISTS},
            "retry": {"retryable": False},
            "data": {"text": result["text"]},
        }
    else:
        rest = ("status", "summary", *LISTS, "retry", "data")
        body = {"contractId": envelope["contractId"], "compatibility": "typed"} | {
            name: envelope[name] for name in rest
        }
    return {"schemaVersion": HANDOFF, **body, "provenance": source, "usage": result.get("usage")}


LISTS = ("evidence", "artifactReferences", "digests", "changedState", "unresolvedQuestions")
