"""What a child answers in a rehearsal: the shortest text that satisfies its protocol and its contract."""

from __future__ import annotations

import json
from typing import Any, cast

from piflows.grammar.vocabulary import HIGHEST, LOWEST, NOBODY, VOCABULARY
from piflows.ir.unit import Protocol

Json = dict[str, Any]

PLAIN_REPLY = "Done."  # of a rehearsed child without a protocol
DEPTH = 20  # of a schema, from where on nothing more is made up


def reply(spawn: Json) -> str:
    """The answer of a child that no rule speaks of."""
    if spawn["contract"] is not None:
        return json.dumps(envelope(spawn), ensure_ascii=False, indent=2)
    value = _value(spawn["protocol"], spawn["candidates"])
    if value is None:
        return PLAIN_REPLY
    row = VOCABULARY[spawn["protocol"]]
    return f"{row.marker}: {value.upper() if isinstance(value, str) and row.values else value}"


def envelope(spawn: Json) -> Json:
    """A complete return under a contract, with data that its schema asks for."""
    data = sample(spawn["returnSchema"], spawn["returnSchema"])
    value = _value(spawn["protocol"], spawn["candidates"])
    if value is not None and isinstance(data, dict):
        data = {**cast(Json, data), VOCABULARY[spawn["protocol"]].field: value}
    return {
        "schemaVersion": "pi-flows.return-envelope.v1",
        "contractId": spawn["contract"],
        "status": "completed",
        "summary": PLAIN_REPLY,
        "evidence": [],
        "artifactReferences": [],
        "digests": [],
        "changedState": [],
        "unresolvedQuestions": [],
        "retry": {"retryable": False},
        "data": data,
    }


def _value(protocol: Protocol | None, candidates: list[str]) -> str | int | None:
    """The value that goes on: the first of a protocol's, half a score, which is neither end."""
    if protocol is None:
        return None
    if protocol == "score":
        return int(LOWEST + HIGHEST) // 2
    row = VOCABULARY[protocol]
    return row.values[0].lower() if row.values else (candidates or [NOBODY])[0]


def sample(schema: Any, root: Any, depth: int = 0) -> Any:
    """A small value for a JSON Schema. Simple schemas get one that fits; of others, what their first words ask for."""
    if not isinstance(schema, dict) or depth > DEPTH:
        return None
    given = cast(Json, schema)
    if "const" in given:
        return given["const"]
    for word in ("enum", "examples"):
        if given.get(word):
            return given[word][0]
    if "default" in given:
        return given["default"]
    if isinstance(target := given.get("$ref"), str):
        return sample(_target(root, target), root, depth + 1)
    for word in ("oneOf", "anyOf"):
        if given.get(word):
            return sample(given[word][0], root, depth + 1)
    if given.get("allOf"):
        merged: Json = {}
        for each in given["allOf"]:
            merged |= cast(Json, each) if isinstance(each, dict) else {}
        return sample(merged | {key: given[key] for key in given if key != "allOf"}, root, depth + 1)
    return _typed(given, root, depth)


def _typed(schema: Json, root: Any, depth: int) -> Any:
    named = schema.get("type")
    kind = cast("list[str]", named)[0] if isinstance(named, list) and named else cast("str | None", named)
    match kind:
        case "object":
            known = schema.get("properties", {})
            return {name: sample(known.get(name, {}), root, depth + 1) for name in schema.get("required", ())}
        case "array":
            return [
                sample(schema.get("items", {}), root, depth + 1) for _ in range(min(schema.get("minItems", 0), 100))
            ]
        case "string":
            return "x" * min(schema.get("minLength", 1), 10_000)
        case "integer" | "number":
            return _number(schema, kind == "integer")
        case "boolean":
            return True
        case None if "properties" in schema or "required" in schema:
            return _typed({**schema, "type": "object"}, root, depth)
        case _:
            return None


def _number(schema: Json, whole: bool) -> float:
    if "minimum" in schema:
        return schema["minimum"]
    if "exclusiveMinimum" in schema:
        return int(schema["exclusiveMinimum"]) + 1 if whole else schema["exclusiveMinimum"] + 1
    return min(0, schema.get("maximum", 0), schema.get("exclusiveMaximum", 1) - 1)


def _target(root: Any, reference: str) -> Any:
    """What a reference inside the schema leads to."""
    found = root
    for step in reference.removeprefix("#").split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        found = cast(Json, found).get(name) if isinstance(found, dict) else None
    return found
