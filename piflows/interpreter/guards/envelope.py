"""Return envelopes: what a contracted child came back with, and whether it counts. Seed: delegation contracts.

The order is shape, identity, files and their digests, conformance of the data, completion: integrity comes first.
Facts about files are brought by the caller. A validated envelope proves whose return it is, that its files are what it
says, and that its data has the form that was asked for; never that a claim in it is true.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast

from piflows.grammar.control import reply_json
from piflows.grammar.envelope import FIELDS, misses
from piflows.ir.frozen import frozen
from piflows.ir.limits import LIMITS

Json = dict[str, Any]

HANDOFF = "pi-flows.handoff-envelope.v1"
_DRIVE = re.compile(r"[A-Za-z]:(?:/|$)")
INVALID, MISMATCH = "RETURN_ENVELOPE_INVALID", "RETURN_CONTRACT_MISMATCH"
INCOMPLETE, DIGEST = "RETURN_ENVELOPE_INCOMPLETE", "RETURN_DIGEST_MISMATCH"


@frozen
class Rejected:
    """Why a return does not count: a code, and the facts of its sentence but for the role."""

    code: str
    facts: dict[str, Any]


def candidate(text: str) -> Any:
    """The JSON value in a child's answer, or None: its last fenced block, else the whole or its bracketed part.

    At most 50 KiB of JSON; halves of surrogate pairs, which no prompt can carry, are replacement marks.
    """
    found = reply_json(text, LIMITS.candidate_bytes)
    return _whole(found) if "\\u" in text else found


def _whole(value: Any) -> Any:
    """A JSON value with every half of a surrogate pair replaced. Its reader has bounded its nesting."""
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, list):
        return [_whole(each) for each in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {_whole(key): _whole(member) for key, member in cast(Json, value).items()}
    return value


# ---- shape and identity ------------------------------------------------------------------------------------------


def examine(found: Any, contract: str) -> Rejected | None:
    """Shape, then identity: a return counts only for the contract that it names, exactly."""
    if found is None:
        return _invalid(f"its text holds no return envelope, a JSON object of at most {LIMITS.candidate_bytes} bytes")
    for path, problem in misses(found):
        return _invalid(problem, path)
    returned = found.get("contractId")
    if returned == contract:
        return None
    return Rejected(MISMATCH, {"returned": "it names none" if returned is None else returned, "dispatched": contract})


def _invalid(problem: str, path: Sequence[str | int] = ()) -> Rejected:
    """`path` leads to what is at fault, inside the envelope."""
    return Rejected(INVALID, {"problem": problem, "path": list(path)})


# ---- files -------------------------------------------------------------------------------------------------------


def paths(found: Json) -> list[str]:
    """The files that an envelope declares, each once."""
    return list(dict.fromkeys(each["path"] for each in found["artifactReferences"]))


def outside(path: str) -> bool:
    """Whether a path leaves the child's directory by its letters alone, here or where `\\` separates.

    `a/../b` may: `a` can be a link, and then the step back leads elsewhere than its letters say.
    """
    plain = path.replace("\\", "/")
    return "\0" in path or plain.startswith("/") or _DRIVE.match(plain) is not None or ".." in plain.split("/")


def artifacts(declared: Sequence[str], digests: Sequence[Json], facts: Mapping[str, Json]) -> Rejected | None:
    """Every declared file lies in the child's directory and is a regular file; every digest is that of its file.

    `facts` are those of `piflows.interpreter.hands.files`. A path that leaves the directory by its letters needs none.
    """
    for path in declared:
        problem = _unsound(path, facts.get(path, {}))
        if problem:
            return _invalid(f'the artifact "{path}" {problem}', ("artifactReferences", declared.index(path), "path"))
    named = {posixpath.normpath(path): path for path in declared}
    for at, digest in enumerate(digests):
        path = named.get(posixpath.normpath(digest["artifact"]))
        if path is None:
            place = ("digests", at, "artifact")
            return _invalid(f'there is a digest of "{digest["artifact"]}", which is no declared artifact', place)
        found = facts[path].get("sha256")
        if found is None:
            return _invalid(f'the artifact "{path}" is too large to be checked, or cannot be read', ("digests", at))
        if found != digest["value"].lower():
            return Rejected(DIGEST, {"artifact": path, "declared": digest["value"].lower(), "found": found})
    return None


def _unsound(path: str, known: Json) -> str:
    """What keeps a declared file from counting."""
    if outside(path) or (known.get("exists") and not known.get("inside")):
        return "lies outside the directory of the child, or may, by a step back"
    if not known.get("exists"):
        return "does not exist"
    return "" if known.get("regular") else "is no regular file"


# ---- data and completion -----------------------------------------------------------------------------------------


def conforms(found: Json, contract: Json) -> Rejected | None:
    """Whether the data fits the contract's `returnSchema`. Nothing is fetched, and a pattern cannot hang."""
    from piflows.interpreter.guards.schema import misfit

    fault = misfit(contract["returnSchema"], found["data"])
    if fault is None:
        return None
    path, problem = fault
    return _invalid(f"its data does not fit the `returnSchema`, {problem}", ("data", *path))


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
    usage = result.get("usage")
    return {"schemaVersion": HANDOFF, **body, "provenance": source} | ({} if usage is None else {"usage": usage})


LISTS = ("evidence", "artifactReferences", "digests", "changedState", "unresolvedQuestions")
