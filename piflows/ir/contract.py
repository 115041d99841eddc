"""A delegation contract: its documented fields and what can be wrong with them.

Seed: Return requirements, delegation contracts, and write isolation. Members beyond these are no defect: they are part
of the contract's identity, and nothing reads them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any, cast

from piflows.ir.pattern import compile_pattern

EFFECTS = ("none", "read-only", "reversible", "irreversible")
BUDGET = ("timeoutMs", "maxCostUsd", "maxTokens", "maxGeneratedTokens")
AUTHORITY = ("may", "mustNot", "requiresApproval")
FIELDS = (
    "objective",
    "constraints",
    "nonGoals",
    "dependencies",
    "acceptanceChecks",
    "authority",
    "sideEffectClass",
    "budget",
    "returnSchema",
    "owner",
)  # in the order in which they are checked

MOST = sys.float_info.max  # a limit above it is no number that can be compared with what was spent
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_UNBOUNDED = ("unevaluatedProperties", "patternProperties")
LITERAL = ("const", "enum", "default", "examples")  # keywords of a schema that hold values, not schemas

Path = tuple[str | int, ...]
Defect = tuple[Path, str]  # the path inside the contract, and a clause


def defects(contract: object) -> Iterator[Defect]:
    """What is wrong with a contract, in the order of the fields. Nothing yielded: it is complete and well-formed."""
    if not isinstance(contract, dict):
        yield (), "it is no object"
        return
    fields = cast("dict[str, Any]", contract)
    for name in FIELDS:
        if name not in fields:
            yield (name,), f"`{name}` is missing"
        else:
            yield from _field(name, fields[name])


def strangers(contract: Mapping[str, Any]) -> Iterator[str]:
    """Members that no documented field has."""
    return (name for name in contract if name not in FIELDS)


def _field(name: str, value: Any) -> Iterator[Defect]:
    match name:
        case "objective" | "owner":
            if not _text(value):
                yield (name,), f"`{name}` must be a text that is not blank"
        case "authority":
            yield from _authority(value)
        case "sideEffectClass":
            if value not in EFFECTS:
                yield (name,), f"`{name}` must be one of {', '.join(EFFECTS)}"
        case "budget":
            yield from _budget(value)
        case "returnSchema":
            yield from _schema(value)
        case _:
            yield from _texts((name,), value)


def _text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _texts(path: tuple[str, ...], value: Any) -> Iterator[Defect]:
    if not isinstance(value, list) or not all(_text(member) for member in cast("list[Any]", value)):
        yield path, f"`{'.'.join(path)}` must be a list of texts that are not blank"


def _authority(value: Any) -> Iterator[Defect]:
    if not isinstance(value, dict):
        yield ("authority",), "`authority` must be an object"
        return
    for name in AUTHORITY:
        if name not in value:
            yield ("authority", name), f"`authority.{name}` is missing"
        else:
            yield from _texts(("authority", name), cast("dict[str, Any]", value)[name])


def _budget(value: Any) -> Iterator[Defect]:
    if not isinstance(value, dict):
        yield ("budget",), "`budget` must be an object"
        return
    for name, limit in cast("dict[str, Any]", value).items():
        if name not in BUDGET:
            yield ("budget", name), f"`budget.{name}` is unknown, a budget has {', '.join(BUDGET)}"
        elif isinstance(limit, bool) or not isinstance(limit, int | float) or not 0 <= limit <= MOST:
            yield ("budget", name), f"`budget.{name}` must be a finite number that is not negative"


def _schema(value: Any) -> Iterator[Defect]:
    """A JSON Schema of the draft that it names, else the newest, whose references lead into itself."""
    if not isinstance(value, dict):
        yield ("returnSchema",), "`returnSchema` must be a JSON Schema object"
        return
    from jsonschema.exceptions import SchemaError

    schema = cast("dict[str, Any]", value)
    dialect = draft(schema.get("$schema"))
    if dialect is None:
        yield ("returnSchema", "$schema"), "`returnSchema` does not compile, its `$schema` is no known draft"
        return
    try:
        dialect.check_schema(schema)
    except SchemaError as error:
        yield ("returnSchema", *error.absolute_path), f"`returnSchema` does not compile, {error.message}"
        return
    for path, target in _references(schema):
        if not _resolves(schema, target):
            yield ("returnSchema", *path), f'`returnSchema` does not compile, it does not hold "{target}"'
    for path, pattern in _patterns(schema):
        try:
            compile_pattern(pattern)
        except ValueError as error:
            problem = f'`returnSchema` does not compile, "{pattern}" is no regular expression: {error}'
            yield ("returnSchema", *path), problem
    yield from _unbounded(schema)


def _unbounded(schema: dict[str, Any]) -> Iterator[Defect]:
    """jsonschema matches what `unevaluatedProperties` leaves over by itself, and such a match cannot be stopped."""
    places = {name: path for path, members in _objects(schema) for name in members if name in _UNBOUNDED}
    if len(places) == len(_UNBOUNDED):
        problem = "`returnSchema` cannot be checked in bounded time, `{}` beside `{}`".format(*_UNBOUNDED)
        yield ("returnSchema", *places[_UNBOUNDED[0]], _UNBOUNDED[0]), problem


def draft(name: Any) -> Any:
    """The validator of the draft that a `$schema` names, None standing for the newest; None when there is none."""
    from jsonschema import Draft202012Validator, validators

    find: Any = validators.validator_for
    if name is None:
        return Draft202012Validator
    try:
        return find({"$schema": name}, default=None) if isinstance(name, str) else None
    except ValueError:  # it is no URI
        return None


def _references(schema: dict[str, Any]) -> Iterator[tuple[Path, str]]:
    """Every reference with its path."""
    for path, members in _objects(schema):
        for name in _REFERENCES:
            if isinstance(target := members.get(name), str):
                yield (*path, name), target


def _patterns(schema: dict[str, Any]) -> Iterator[tuple[Path, str]]:
    """Every regular expression with its path."""
    for path, members in _objects(schema):
        if isinstance(pattern := members.get("pattern"), str):
            yield (*path, "pattern"), pattern
        if isinstance(keyed := members.get("patternProperties"), dict):
            for pattern in cast("dict[str, Any]", keyed):
                yield (*path, "patternProperties", pattern), pattern


def _objects(schema: dict[str, Any]) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Every object of a schema with its path, in the order in which they stand there."""
    stack: list[tuple[Path, Any]] = [((), schema)]
    while stack:
        path, value = stack.pop()
        if isinstance(value, dict):
            members = cast("dict[str, Any]", value)
            yield path, members
            stack += [((*path, key), members[key]) for key in reversed(members) if key not in LITERAL]
        elif isinstance(value, list):
            items = cast("list[Any]", value)
            stack += [((*path, at), items[at]) for at in reversed(range(len(items)))]


def _resolves(schema: dict[str, Any], target: str) -> bool:
    """Whether a reference leads into the schema itself: nothing is ever fetched."""
    import referencing
    from referencing.exceptions import Unresolvable
    from referencing.jsonschema import DRAFT202012, specification_with

    draft = specification_with(schema.get("$schema", ""), default=DRAFT202012)
    resource: Any = draft.create_resource(schema)
    empty: Any = referencing
    try:
        empty.Registry().with_resource("", resource).crawl().resolver_with_root(resource).lookup(target)
    except (Unresolvable, ValueError):  # a ValueError: it is no URI
        return False
    return True
