"""Whether data fits a JSON Schema: jsonschema, with nothing fetched and no pattern that can hang."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, cast

from piflows.ir.canonical import canonical
from piflows.ir.pattern import found_in

SHOWN = 200  # characters of a message


def misfit(schema: dict[str, Any], data: Any) -> str:
    """The first thing that does not fit, with its place in the data; empty when everything does."""
    from jsonschema import exceptions

    best: Any = exceptions.best_match  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    try:
        found: Any = best(_validator(canonical(schema)).iter_errors(data))
    except RecursionError:
        return "it is nested too deeply to be checked"
    if found is None:
        return ""
    steps: list[str | int] = list(found.absolute_path)
    place = "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in steps)
    said: str = found.message
    said = said if len(said) <= SHOWN else f"{said[:SHOWN]}…"
    return f"at `{place}`: {said}" if place else said


@lru_cache(maxsize=32)
def _validator(schema: str) -> Any:
    """The validator of a schema. References lead into the schema alone: its registry is empty and fetches nothing."""
    import json

    from jsonschema import Draft202012Validator, validators
    from referencing import Registry

    value = json.loads(schema)
    find: Any = validators.validator_for
    base: Any = find(value, default=Draft202012Validator)
    extend: Any = validators.extend  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    registry: Any = Registry
    bounded = extend(base, {"pattern": _pattern, "patternProperties": _pattern_properties})
    return bounded(value, registry=registry())


def _pattern(_: Any, pattern: str, instance: Any, __: Any) -> Iterator[Any]:
    from jsonschema.exceptions import ValidationError

    if isinstance(instance, str) and not found_in(pattern, instance, exact=True):
        yield ValidationError(f"{instance[:SHOWN]!r} does not match {pattern!r}, or takes too long to match")


def _pattern_properties(validator: Any, patterns: dict[str, Any], instance: Any, _: Any) -> Iterator[Any]:
    if not isinstance(instance, dict):
        return
    for pattern, schema in patterns.items():
        for key, value in cast("dict[str, Any]", instance).items():
            if found_in(pattern, key, exact=True):
                yield from validator.descend(value, schema, path=key, schema_path=pattern)
