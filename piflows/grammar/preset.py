"""Preset files: frontmatter and, as the rest of the file, one JSON object, the call that the preset stands for.

Keys: `name` (lowercase kebab-case) and `description` (required), `overrides` (parameters that a caller may set),
`result` (the formatter of the result). Whether the template is a valid call is the compiler's matter.
Seed: Workflow presets.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from pydantic.alias_generators import to_camel

from piflows.grammar.agent import Source
from piflows.grammar.call import Call
from piflows.grammar.frontmatter import (
    FileFault,
    Front,
    Value,
    called,
    decode,
    each_of,
    read_front,
    unknown_keys,
    unknown_name,
)
from piflows.grammar.located import Located, NotJson, load
from piflows.grammar.modes import OBJECTS
from piflows.grammar.near import hint
from piflows.ir.diagnostic import Diagnostic, diagnostic
from piflows.ir.digest import text_digest
from piflows.ir.frozen import frozen
from piflows.ir.source import Where

KEYS = ("name", "description", "overrides", "result")
RESULTS = ("code-review-v1",)
# parameters that are a mode: they decide what the flow is, so they are the preset's alone
SHAPES = frozenset(("tasks", "chain", *OBJECTS))

_WORDS = {
    **called("name", "title", "id", "preset"),
    **called("description", "summary", "purpose", "about"),
    **called("overrides", "allow", "allowed", "allowedoverrides", "parameters", "params", "arguments", "args"),
    **called("result", "output", "formatter", "format"),
}
NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_FENCED = r"(?s)\s*+(```[^\n`]*)(\n(?:.*\n)?)[ \t]*```\s*+"
_CODES = {
    "unreadable": "PRESET_FILE_UNREADABLE",
    "frontmatter": "PRESET_FRONTMATTER_INVALID",
    "template": "PRESET_TEMPLATE_INVALID",
}


@frozen
class Preset:
    """A preset as its file says. `body` gives the places of `template`; `digest` is that of the file's bytes."""

    name: str
    description: str
    overrides: tuple[str, ...]
    result: str | None
    template: dict[str, Any]
    file: str
    body: Located
    digest: str
    source: Source = "package"


def parse_preset(data: bytes, file: str) -> tuple[Preset | None, list[Diagnostic]]:
    """The preset of a file and what is to be said about the file; without a preset the last finding says why."""
    found: list[Diagnostic] = []
    try:
        return _preset(read_front(decode(data), file), data, found), found
    except FileFault as fault:
        where = Where(file, line=fault.line, column=fault.column)
        return None, [*found, diagnostic(_CODES[fault.kind], where, file=file, problem=fault.problem)]


def _preset(front: Front, data: bytes, found: list[Diagnostic]) -> Preset:
    """Adds to `found` what refuses nothing. Raises FileFault."""
    found += front.warnings
    found += unknown_keys(front, "a preset file", KEYS, _WORDS)
    name = front.required("name")
    if not NAME.fullmatch(name):
        problem = f'the name "{name}" is not lowercase kebab-case, as in `map-codebase`'
        raise FileFault("frontmatter", problem, front.entries["name"].value.line, front.entries["name"].value.column)
    description = front.required("description")
    overrides = _overrides(front, found)
    result = _result(front, found)
    body = _body(front, found)
    return Preset(name, description, overrides, result, body.value, front.file, body, text_digest(data))


@cache
def _parameters() -> tuple[str, ...]:
    return tuple(field.alias or to_camel(name) for name, field in Call.model_fields.items())


@cache
def _settable() -> frozenset[str]:
    return frozenset(_parameters()) - SHAPES


def _overrides(front: Front, found: list[Diagnostic]) -> tuple[str, ...]:
    """Those of the names that a caller can set; for each other one a warning."""
    settable = _settable()
    names = front.names("overrides")

    def warning(name: Value) -> Diagnostic:
        if name.text in SHAPES:
            reason = "no caller may replace the shape of a preset's flow"
            return diagnostic("PARAMETER_IGNORED", front.where(name), key=name.text, reason=reason)
        return unknown_name(name.text, "a call", hint(name.text, _parameters()), front.where(name))

    found += each_of([name for name in names if name.text not in settable], warning)
    return tuple(dict.fromkeys(name.text for name in names if name.text in settable))


def _result(front: Front, found: list[Diagnostic]) -> str | None:
    result = front.text("result")
    if result and result not in RESULTS:
        reason = f'"{result}" is none of {", ".join(RESULTS)}.{hint(result, RESULTS)}'
        found.append(
            diagnostic("PARAMETER_IGNORED", front.where(front.entries["result"].value), key="result", reason=reason)
        )
    return result if result in RESULTS else None


def _body(front: Front, found: list[Diagnostic]) -> Located:
    """The template. Raises FileFault ("template") in the file's own lines."""
    text, offset = front.body, front.body_offset
    if not text.strip():
        problem = "nothing follows after the frontmatter: one JSON object is expected"
        raise FileFault("template", problem, offset, 1)
    fenced = re.fullmatch(_FENCED, text) if "```" in text else None
    if fenced:
        offset += text.count("\n", 0, fenced.start(2))
        where = Where(front.file, line=offset + 1, column=1)
        reason = "the body is JSON by itself and needs no code fence"
        found.append(diagnostic("PARAMETER_IGNORED", where, key=fenced[1], reason=reason))
        text = fenced[2]
    try:
        return load(text, front.file, offset)
    except NotJson as refusal:
        raise FileFault("template", refusal.problem, refusal.where.line, refusal.where.column) from None
