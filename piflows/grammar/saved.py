"""Saved plans: written in the textual form, read in either.

The textual form is a Flow's with `made_by` and `input` lines in its header. The JSON form is
`{"piflows-plan": 1, "made_by": …, "inputs": [{"file": …, "digest": …}], "flow": {…}}`, or a bare Flow.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from piflows.grammar.flow_print import print_record
from piflows.grammar.flow_text import MOST, parse_record, wrong_version
from piflows.grammar.located import Located, NotJson, load
from piflows.ir.diagnostic import Diagnostic, FlowError, diagnostic
from piflows.ir.flow import IR_VERSION, Flow
from piflows.ir.limits import LIMITS
from piflows.ir.saved import Input, Saved
from piflows.ir.source import Where

if TYPE_CHECKING:
    from pydantic import TypeAdapter
    from pydantic_core import ErrorDetails

_MARK = "piflows-plan"
_TYPES = {
    "string": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "tuple": "a list",
    "dict": "an object",
    "dataclass": "an object",
}


def write_saved(flow: Flow, inputs: Iterable[tuple[str, str]]) -> str:
    """The textual form of a plan made now, of these files with their digests."""
    from importlib.metadata import version

    saved = Saved(flow, version("piflows"), tuple(Input(file, digest) for file, digest in inputs))
    return print_record(saved, flow.version)


def read_saved(text: str, file: str = "") -> Saved:
    """The plan of a text. Raises FlowError with IR_INVALID and a place for each of up to ten findings."""
    if len(text) > LIMITS.saved_bytes:
        problem = f"the text has more than {LIMITS.saved_bytes} bytes"
        raise FlowError(diagnostic("IR_INVALID", Where(file, line=1, column=1), problem=problem))
    if text.lstrip("\ufeff \t\r\n").startswith(("{", "[")):
        return _read_json(text, file)
    return parse_record(Saved, text, file)


def _read_json(text: str, file: str) -> Saved:
    from pydantic import ValidationError

    try:
        located = load(text, file)
    except NotJson as refusal:
        raise FlowError(diagnostic("IR_INVALID", refusal.where, problem=refusal.problem)) from None
    marked = _MARK in located.value
    value = {key: each for key, each in located.value.items() if key != _MARK} if marked else {"flow": located.value}
    _check_versions(located, value)
    try:
        return _adapter().validate_json(json.dumps(value))
    except ValidationError as error:
        details = error.errors(include_url=False)[:MOST]
        raise FlowError(*(_finding(each, value, located, marked) for each in details)) from None


@cache
def _adapter() -> TypeAdapter[Saved]:
    from pydantic import TypeAdapter

    return TypeAdapter(Saved)


def _check_versions(located: Located, value: dict[str, Any]) -> None:
    """Refuses another version before anything else: what it holds may be anything."""
    marked, flow = _MARK in located.value, value.get("flow")
    made = cast("dict[str, Any]", flow).get("version", IR_VERSION) if isinstance(flow, dict) else IR_VERSION
    versions = {f"/{_MARK}": located.value.get(_MARK, IR_VERSION), "/flow/version" if marked else "/version": made}
    for pointer, version in versions.items():
        if problem := wrong_version(version):
            raise FlowError(diagnostic("IR_INVALID", located.where(pointer), problem=problem))


def _finding(error: ErrorDetails, value: object, located: Located, marked: bool) -> Diagnostic:
    steps = _steps(error["loc"], value)
    pointer = "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in steps[0 if marked else 1 :])
    unknown = error["type"] in ("unexpected_keyword_argument", "extra_forbidden")
    where = located.where(pointer, key=unknown)
    return diagnostic("IR_INVALID", where, problem=f"{_named(pointer)} {_problem(error)}")


def _steps(loc: Sequence[int | str], value: object) -> list[int | str]:
    """The way into the JSON value. Pydantic's own also names the kind of each record that it passes."""
    steps: list[int | str] = []
    passed = False
    for step in loc:
        members = cast("dict[int | str, object]", value) if isinstance(value, dict) else {}
        if not passed and members.get("kind") == step:
            passed = True
            continue
        if isinstance(value, list):
            members = dict[int | str, object](enumerate(cast("list[object]", value)))
        steps.append(step)
        value, passed = members.get(step), False
    return steps


def _named(pointer: str) -> str:
    return f"`{pointer}`" if pointer else "the text"


def _problem(error: ErrorDetails) -> str:
    kind, facts = error["type"], error.get("ctx", {})
    type_ = kind.removesuffix("_type")
    if kind.startswith("missing"):
        return "is missing"
    if kind in ("unexpected_keyword_argument", "extra_forbidden"):
        return "is not known here"
    if kind == "literal_error":
        return f"must be {facts['expected']}"
    if kind == "union_tag_not_found":
        return "lacks its `kind`"
    if kind == "union_tag_invalid":
        return f"has the kind {facts['tag']!r}, and must be one of {facts['expected_tags']}"
    return f"must be {_TYPES[type_]}" if type_ in _TYPES else f"is refused: {error['msg']}"
