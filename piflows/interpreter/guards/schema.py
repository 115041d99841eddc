"""Whether data fits a JSON Schema: jsonschema, with nothing fetched, and bounded whatever the data is.

What it says names the place and what is asked for there, never the value: that is the child's and may hold anything.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, cast

from piflows.grammar.envelope import Path, spelled
from piflows.ir.canonical import canonical
from piflows.ir.contract import draft
from piflows.ir.pattern import MATCH_SECONDS, found_in

SHOWN = 200  # characters of what a schema asks for
STEPS = 100_000  # keywords that are looked at for one value
LEAST_SECONDS = 0.02  # of one match, however many went before it

Fault = tuple[Path, str]  # the path inside the data, and a clause


def misfit(schema: dict[str, Any], data: Any) -> Fault | None:
    """The first thing that does not fit, or None when everything does.

    `schema` is one that `piflows.ir.contract.defects` lets through.
    """
    from jsonschema import exceptions
    from referencing.exceptions import Unresolvable

    best: Any = getattr(exceptions, "best_match")  # noqa: B009  (its type is not known)
    try:
        found = best(_validator(schema).iter_errors(data))
    except _TooLong:
        return (), "it takes too long to check, by a pattern or by what the schema refers to again and again"
    except (RecursionError, ArithmeticError):
        return (), "it cannot be checked: schema and data are nested too deeply, or a number is too large"
    except Unresolvable:
        return (), "it cannot be checked: a reference leads out of the schema"
    except ValueError as error:  # of a pattern
        return (), f"it cannot be checked: {error}"
    return None if found is None else (tuple(found.absolute_path), _clause(found))


class _TooLong(Exception):
    """A check was given up."""


def _validator(schema: dict[str, Any]) -> Any:
    """A validator for one use: its matches share one bound. References lead into the schema alone."""
    from jsonschema import validators
    from referencing import Registry

    extend: Any = getattr(validators, "extend")  # noqa: B009  (its type is not known)
    empty: Any = Registry
    base = draft(schema.get("$schema"))
    return extend(base, _counted(base.VALIDATORS | _bounded()))(schema, registry=empty())


def _counted(keywords: dict[str, Any]) -> dict[str, Any]:
    """The same keywords, which give up together after STEPS: small schemas can ask for endless work."""
    steps = 0

    def counted(keyword: Any) -> Any:
        def check(*args: Any) -> Any:
            nonlocal steps
            steps += 1
            if steps > STEPS:
                raise _TooLong
            return keyword(*args)

        return check

    return {name: counted(keyword) for name, keyword in keywords.items()}


def _bounded() -> dict[str, Any]:
    """The keywords that take time of their own, or walk a set, in the place of jsonschema's.

    Of n matches the k-th has a k-th part of the first one's time, so all of them together stay bounded.
    """
    from jsonschema.exceptions import ValidationError

    asked = 0

    def matches(pattern: str, text: str) -> bool:
        nonlocal asked
        asked += 1
        found = found_in(pattern, text, exact=True, seconds=max(MATCH_SECONDS / asked, LEAST_SECONDS))
        if found is None:
            raise _TooLong
        return found

    def pattern(_: Any, wanted: str, value: Any, __: Any) -> Iterator[Any]:
        if isinstance(value, str) and not matches(wanted, value):
            yield ValidationError("")

    def keyed(validator: Any, schemas: dict[str, Any], value: Any, _: Any) -> Iterator[Any]:
        for key, member in _items(value):
            for wanted, schema in schemas.items():
                if matches(wanted, key):
                    yield from validator.descend(member, schema, path=key, schema_path=wanted)

    def additional(validator: Any, wanted: Any, value: Any, schema: dict[str, Any]) -> Iterator[Any]:
        for key, member in _items(value):
            known = key in schema.get("properties", {})
            if known or any(matches(each, key) for each in schema.get("patternProperties", {})):
                continue
            if wanted is False:
                yield ValidationError("", path=[key])
            else:
                yield from validator.descend(member, wanted, path=key)

    def unique(_: Any, wanted: Any, value: Any, __: Any) -> Iterator[Any]:
        if wanted is True and isinstance(value, list):
            items = cast("list[Any]", value)
            if len(set(map(canonical, items))) < len(items):
                yield ValidationError("")

    keywords: dict[str, Callable[..., Iterator[Any]]] = {
        "pattern": pattern,
        "patternProperties": keyed,
        "additionalProperties": additional,
        "uniqueItems": unique,
    }
    return keywords


def _items(value: Any) -> list[tuple[str, Any]]:
    return list(cast("dict[str, Any]", value).items()) if isinstance(value, dict) else []


def _clause(error: Any) -> str:
    """What the schema asks for at the place of an error."""
    place = f"`{spelled(('data', *error.absolute_path))}`"
    wanted, keyword = error.validator_value, error.validator
    match keyword:
        case "type":
            return f"{place} must be of the type {_types(wanted)}"
        case "required":
            missing = next((name for name in wanted if name not in error.instance), "")
            return f"{place} lacks `{missing}`"
        case "additionalProperties" | "unevaluatedProperties":
            return f"{place} is not one of the members that the schema knows"
        case "enum" | "const":
            return f"{place} must be {'one of ' if keyword == 'enum' else ''}{_shown(wanted)}"
        case None:  # the schema is `false`
            return f"{place} is or holds what may not be there"
        case _:
            return f"{place} does not fit `{keyword}`: {_shown(wanted)}"


def _types(wanted: Any) -> str:
    named: list[Any] = [wanted] if isinstance(wanted, str) else wanted
    return " or ".join(each if isinstance(each, str) else _shown(each) for each in named)


def _shown(wanted: Any) -> str:
    said = json.dumps(wanted, ensure_ascii=False)
    return said if len(said) <= SHOWN else f"{said[:SHOWN]}…"
