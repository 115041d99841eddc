"""`piflows schema`: JSON Schema of calls, of the IR, and of the frontmatter of agent and preset files, for editors; of
what contracted children return, for validators and for a `returnSchema`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, cast

from piflows.ir.visible import visible_json

HELP = "print the JSON Schema of calls, flows (ir), agent or preset files, or of what a contracted child returns"
DRAFT = "https://json-schema.org/draft/2020-12/schema"
INSIDE = ("properties", "$defs")  # name → schema
LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Whose schema."""
    parser.add_argument(
        "of",
        metavar="KIND",
        nargs="?",
        choices=tuple(KINDS),
        default="call",
        help=f"{', '.join(KINDS)} (default: call)",
    )


def run(args: argparse.Namespace) -> int:
    """Print it; 0."""
    print(visible_json({"$schema": DRAFT, **KINDS[args.of]()}))
    return 0


def call_schema() -> dict[str, Any]:
    """The schema of a call, without the noise of its model: titles, `null` for what may be left out."""
    from piflows.grammar.call import whole

    return {"title": "piflows call", **_plain(whole().model_json_schema())}


def _ir() -> dict[str, Any]:
    from piflows.ir.node import json_schema

    return json_schema()


def _agent() -> dict[str, Any]:
    from piflows.grammar.agent import LEVELS, TIERS

    return _front(
        "piflows agent file, frontmatter",
        {
            "tools": {"type": "string", "description": "names with commas; `none` for no tools; absent: pi's defaults"},
            "model": {"type": "string"},
            "tier": {"enum": list(TIERS)},
            "thinking": {"enum": list(LEVELS)},
        },
    )


def _preset() -> dict[str, Any]:
    """Frontmatter, and as `template` the body, which is one call."""
    from piflows.grammar.call import Call
    from piflows.grammar.preset import RESULTS, SHAPES

    keys = [str(field.alias) for field in Call.model_fields.values() if field.alias not in SHAPES]
    names = {"type": "array", "items": {"enum": keys}}
    call = call_schema()
    definitions = call.pop("$defs", {})
    front = _front(
        "piflows preset file: frontmatter, and as `template` the body",
        {
            "overrides": {"anyOf": [{"type": "string"}, names], "description": "top-level keys a caller may set"},
            "result": {"enum": list(RESULTS)},
            "template": call,
        },
    )
    front["properties"]["name"]["pattern"] = "^[a-z0-9]+(-[a-z0-9]+)*$"
    return front | {"$defs": definitions}


def _candidate() -> dict[str, Any]:
    from piflows.grammar.envelope import CANDIDATE

    return {"title": "FlowReturnCandidate", **CANDIDATE}


def _envelope() -> dict[str, Any]:
    from piflows.grammar.envelope import ENVELOPE

    return {"title": "FlowReturnEnvelope", **ENVELOPE}


def _decomposition() -> dict[str, Any]:
    """What the seed exports for the `returnSchema` of a contracted commander: the schema of its `data` alone."""
    from piflows.grammar.envelope import decomposition

    return {"title": "FlowDecompositionReturn", **decomposition()}


def _front(title: str, more: dict[str, Any]) -> dict[str, Any]:
    text = {"type": "string", "minLength": 1}
    return {
        "title": title,
        "type": "object",
        "properties": {"name": dict(text), "description": dict(text), **more},
        "required": ["name", "description"],
        "additionalProperties": False,
    }


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema without titles and without `null`, at every depth."""
    out = {key: value for key, value in schema.items() if key != "title" and not (key == "default" and value is None)}
    for key in INSIDE:
        if key in out:
            out[key] = {name: _plain(inner) for name, inner in cast("dict[str, Any]", out[key]).items()}
    for key in LISTS:
        if key in out:
            out[key] = [_plain(inner) for inner in cast("list[Any]", out[key]) if inner != {"type": "null"}]
    for key in ("items", "additionalProperties"):
        if isinstance(out.get(key), dict):
            out[key] = _plain(out[key])
    if isinstance(out.get("default"), dict):
        default = cast("dict[str, Any]", out["default"])
        out["default"] = {name: value for name, value in default.items() if value is not None}
    choices: list[Any] = out.get("anyOf", [])
    return {**choices[0], **{key: value for key, value in out.items() if key != "anyOf"}} if len(choices) == 1 else out


KINDS: dict[str, Callable[[], dict[str, Any]]] = {
    "call": call_schema,
    "ir": _ir,
    "agent": _agent,
    "preset": _preset,
    "return-candidate": _candidate,
    "return-envelope": _envelope,
    "decomposition-return": _decomposition,
}
