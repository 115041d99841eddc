"""Return envelopes: the JSON Schema of each form, and what a value misses of the candidate's.

One table serves all: the prompt that asks for an envelope, the reader of what came back, and `piflows schema`. Members
beyond the documented ones are tolerated at every level. Seed: Return requirements, delegation contracts, and write
isolation; Contracted commanders.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from piflows.grammar.near import meant
from piflows.ir.limits import LIMITS

Json = dict[str, Any]
Path = tuple[str | int, ...]

VERSION = "pi-flows.return-envelope.v1"
STATUSES = ("completed", "partial", "blocked", "failed")
HINTED = 32  # unknown members that a missing one is looked for among; more are no slip

_TEXT: Json = {"type": "string", "pattern": r"\S", "description": "a text that is not blank"}
_TEXTS: Json = {"type": "array", "items": _TEXT}


def _record(**members: Json) -> Json:
    return {"type": "object", "properties": members, "required": list(members)}


def _hex(prefix: str) -> Json:
    """A text of hexadecimal digits; the length keeps out a line break behind them, which `$` lets through."""
    said = (f'"{prefix}" and ' if prefix else "") + "64 hexadecimal digits"
    return {
        "type": "string",
        "pattern": f"^{prefix}[0-9a-fA-F]{{64}}$",
        "maxLength": len(prefix) + 64,
        "description": said,
    }


FIELDS: dict[str, Json] = {  # in the documented order
    "schemaVersion": {"const": VERSION},
    "contractId": _hex("sha256:"),
    "status": {"enum": list(STATUSES)},
    "summary": _TEXT,
    "evidence": {"type": "array", "items": _record(claim=_TEXT, source=_TEXT)},
    "artifactReferences": {"type": "array", "items": _record(path=_TEXT)},
    "digests": {"type": "array", "items": _record(artifact=_TEXT, algorithm={"const": "sha256"}, value=_hex(""))},
    "changedState": _TEXTS,
    "unresolvedQuestions": _TEXTS,
    "retry": {
        "type": "object",
        "properties": {
            "retryable": {"type": "boolean"},
            "reason": _TEXT,
            "afterMs": {"type": "number", "minimum": 0},
        },
        "required": ["retryable"],
    },
    "data": {},
}

CANDIDATE: Json = {
    "type": "object",
    "properties": FIELDS,
    "required": [name for name in FIELDS if name != "contractId"],
}

_USAGE = {"type": "object", "description": "what the run that returned it spent"}
ENVELOPE: Json = {
    "type": "object",
    "properties": {**FIELDS, "usage": _USAGE},
    "required": list(FIELDS),
}


def decomposition() -> Json:
    """JSON Schema of a Decomposition in both shapes: for the `returnSchema` of a contracted commander."""
    prose: Json = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
    id: Json = {
        "type": "string",
        "pattern": "^[A-Za-z0-9][A-Za-z0-9_.-]*$",
        "maxLength": LIMITS.id_chars,
        "description": "unique in the Decomposition",
    }
    listed = ("scope", "nonGoals", "inputs", "expectedReturn", "acceptanceEvidence")
    named = {
        "id": id,
        "objective": prose,
        "task": {**prose, "description": "another word for `objective`"},
        "dependsOn": {"type": ["array", "null"], "items": _TEXT},
        **{name: {"anyOf": [*prose["anyOf"], {"type": "null"}]} for name in listed},
        "effortWeight": {"type": ["integer", "null"], "minimum": 1, "maximum": 5},
    }
    either: list[Json] = [{"required": ["objective"]}, {"required": ["task"]}]
    subtask: Json = {"type": "object", "properties": named, "required": ["id"], "anyOf": either}
    return {"anyOf": [_TEXTS, {"type": "array", "items": subtask}]}


# ---- what a value misses -------------------------------------------------------------------------------------------


def misses(value: object) -> Iterator[tuple[Path, str]]:
    """What keeps a value from being a candidate, in the documented order: a path, and a clause that names it."""
    if isinstance(value, dict):
        yield from _missed(value, CANDIDATE, ())
    else:
        yield (), "it is no JSON object"


def spelled(path: Path) -> str:
    """A path as a person writes it: `evidence[0].claim`."""
    out = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return out.removeprefix(".")


def _missed(value: Any, schema: Json, path: Path) -> Iterator[tuple[Path, str]]:
    """By the few keywords that the table above uses. Its depth is fixed, so recursion is safe."""
    if not _fits(value, schema):
        yield path, f"`{spelled(path)}` must be {_wanted(schema)}"
    elif schema.get("type") == "object":
        yield from _members(value, schema, path)
    elif schema.get("type") == "array":
        for at, item in enumerate(value):
            yield from _missed(item, schema["items"], (*path, at))


def _members(value: Json, schema: Json, path: Path) -> Iterator[tuple[Path, str]]:
    known: Mapping[str, Json] = schema["properties"]
    for name, inner in known.items():
        if name in value:
            yield from _missed(value[name], inner, (*path, name))
        elif name in schema["required"]:
            yield (*path, name), f"`{spelled((*path, name))}` is missing{_slip(name, value, known)}"


def _slip(name: str, value: Json, known: Mapping[str, Json]) -> str:
    """What was written in its place, if that is a slip."""
    strangers = [key for key in value if key not in known]
    if len(strangers) <= HINTED:
        for key in strangers:
            if near := meant(key, [name]):
                return f"; `{key}` is no member{near}"
    return ""


def _fits(value: Any, schema: Json) -> bool:
    """Whether a value fits by itself; what is inside it is asked afterwards."""
    if "const" in schema:
        return isinstance(value, str) and value == schema["const"]
    if "enum" in schema:
        return isinstance(value, str) and value in schema["enum"]
    match schema.get("type"):
        case "object":
            return isinstance(value, dict)
        case "array":
            return isinstance(value, list)
        case "boolean":
            return isinstance(value, bool)
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool) and value >= schema["minimum"]
        case "string":
            return (
                isinstance(value, str) and len(value) <= schema.get("maxLength", len(value)) and _matches(value, schema)
            )
        case _:
            return True


def _matches(value: str, schema: Json) -> bool:
    if len(value) > schema.get("maxLength", len(value)):
        return False
    return re.search(schema["pattern"], value) is not None


def _wanted(schema: Json) -> str:
    if "const" in schema:
        return f'"{schema["const"]}"'
    if "enum" in schema:
        return f"one of {', '.join(schema['enum'])}"
    if "description" in schema:
        return str(schema["description"])
    match schema["type"]:
        case "object":
            return f"an object with {', '.join(f'`{name}`' for name in schema['required'])}"
        case "array":
            items = schema["items"]
            return "a list of texts that are not blank" if items is _TEXT else f"a list, each {_wanted(items)}"
        case "boolean":
            return "true or false"
        case _:
            return "a number that is not negative"
