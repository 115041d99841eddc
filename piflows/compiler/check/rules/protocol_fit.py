"""A role that decides something can return its decision under its contract. Seed: Coordination-control protocol.

Reports CONTRACT_UNFIT, a warning: at run time such a decision falls back every time. Only what is certain is told.
Warned of: a critic whose `returnSchema` is closed and knows no `verdict`; a scorer whose `score` must be a text.
Accepted: schemas that leave the member open; contracts of roles that decide nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

from piflows.compiler.check.rule import CallSubject
from piflows.compiler.params import Path, owner
from piflows.ir.contract import defects
from piflows.ir.diagnostic import Diagnostic, diagnostic
from piflows.ir.unit import Protocol

CODES = ("CONTRACT_UNFIT",)
SUBJECT = "call"

CONTROLS: dict[tuple[str, str], Protocol] = {  # a loop's body decides only where there is no judge
    ("evaluate", "redteam"): "verdict",
    ("loop", "judge"): "verdict",
    ("loop", "body"): "loop",
    ("route", "controller"): "route",
    ("search", "scorer"): "score",
    ("orchestrate", "review"): "verdict",
    ("orchestrate", "verify"): "verdict",
}
SIZES: dict[Protocol, tuple[str, ...]] = {"score": ("number", "integer")}  # the types of the value; else a string
STEPS = 200  # parts of a schema that are looked at, each reference anew; one with more is taken to fit

Reader = Callable[[Any], bool]  # whether a value is a documented one
Schema = Mapping[str, Any]


def check(subject: CallSubject) -> Iterator[Diagnostic]:
    if subject.answer:
        return
    for path, contract in subject.contracts:
        protocol = _protocol(subject, path)
        if protocol is not None and next(defects(contract), None) is None:
            yield from _unfit(subject, path, contract["returnSchema"], protocol)


def _protocol(subject: CallSubject, path: Path) -> Protocol | None:
    role = path[:2]
    if len(role) < 2 or path[0] != subject.mode:
        return None
    if role == ("loop", "body") and subject.call["loop"].get("judge") is not None:
        return None
    return CONTROLS.get(cast("tuple[str, str]", role))


def _unfit(subject: CallSubject, path: Path, schema: Schema, protocol: Protocol) -> Iterator[Diagnostic]:
    from piflows.grammar.control import control_of_data
    from piflows.grammar.vocabulary import HIGHEST, LOWEST, NOBODY, VOCABULARY

    row = VOCABULARY[protocol]
    listed: Any = subject.call["route"].get("candidates") if protocol == "route" else None
    names = [each for each in cast("list[Any]", listed) if isinstance(each, str)] if isinstance(listed, list) else []
    carried = _Carried(schema, protocol, lambda value: control_of_data(protocol, {row.field: value}, names) is not None)
    problem = carried.by(schema)
    if problem:
        words = [*names, NOBODY] if protocol == "route" else [value.lower() for value in row.values]
        allowed = " or ".join(f'"{word}"' for word in words) or f"a number from {LOWEST} to {HIGHEST}"
        facts = {"field": row.field, "problem": problem, "allowed": allowed, "reason": row.fails}
        where = subject.at((*path, "returnSchema"))
        yield diagnostic("CONTRACT_UNFIT", where, role=owner(path[:-1]), **facts)


class _Carried:
    """Why no return that fits a schema has a documented value in the member `field`; empty when one may have."""

    def __init__(self, root: Schema, field: Protocol, documented: Reader) -> None:
        self._root, self._documented = root, documented
        self._field: str = field
        self._wanted = SIZES.get(field, ("string",))
        self._left = STEPS

    def by(self, schema: Any) -> str:
        """For the data as a whole."""
        if not isinstance(schema, dict):
            return "nothing fits it" if schema is False else ""
        rules = cast(Schema, schema)
        if "object" not in _types(rules, "object"):
            return "it admits no object"
        if (values := _listed(rules)) is not None and not any(self._holds(value) for value in values):
            return f"none of the values that it lists has a documented `{self._field}`"
        properties = rules.get("properties", {})
        if self._field in properties:
            if problem := self._value(properties[self._field]):
                return problem
        elif rules.get("additionalProperties") is False and not rules.get("patternProperties"):
            return f"it admits no member `{self._field}`"
        return self._branches(rules, self.by)

    def _value(self, schema: Any) -> str:
        """For the value of the member."""
        if not isinstance(schema, dict):
            return f"it forbids `{self._field}`" if schema is False else ""
        rules = cast(Schema, schema)
        if not set(self._wanted) & set(_types(rules, *self._wanted)):
            return f"its `{self._field}` is never a {self._wanted[0]}"
        if (values := _listed(rules)) is not None and not any(map(self._documented, values)):
            return f"it lists no documented value for `{self._field}`"
        if self._field == "score" and _apart(rules):
            return f"its `{self._field}` is never in the range"
        return self._branches(rules, self._value)

    def _branches(self, rules: Schema, ask: Callable[[Any], str]) -> str:
        """What all of its parts together leave: each of `allOf` and a reference must fit, and one of the others."""
        needed: list[Any] = list(rules.get("allOf", []))
        if isinstance(target := rules.get("$ref"), str):
            needed.append(self._target(target))
        for part in needed:
            if problem := self._part(part, ask):
                return problem
        for key in ("anyOf", "oneOf"):
            problems = [self._part(part, ask) for part in rules.get(key, [])]
            if problems and all(problems):
                return problems[0]
        return ""

    def _part(self, schema: Any, ask: Callable[[Any], str]) -> str:
        self._left -= 1
        return ask(schema) if self._left > 0 else ""

    def _target(self, reference: str) -> Any:
        """What a pointer of plain steps leads to; True, which anything fits, for another reference."""
        if not reference.startswith("#/"):
            return self._root if reference == "#" else True
        found: Any = self._root
        for step in reference[2:].split("/"):
            found = cast(Schema, found).get(step) if isinstance(found, dict) else None
        return True if found is None else found

    def _holds(self, value: Any) -> bool:
        return isinstance(value, dict) and self._documented(cast(Schema, value).get(self._field))


def _types(rules: Schema, *default: str) -> list[Any]:
    named = rules.get("type", list(default))
    listed = [named] if isinstance(named, str) else list(named)
    return [*default] if any(not isinstance(each, str) or each == "any" for each in listed) else listed


def _listed(rules: Schema) -> list[Any] | None:
    """The values that a schema lists, None for one that lists none."""
    return [rules["const"]] if "const" in rules else rules.get("enum")


def _apart(rules: Schema) -> bool:
    """Whether the bounds of a number leave nothing of the range of scores."""
    from piflows.grammar.vocabulary import HIGHEST, LOWEST

    def bound(name: str, otherwise: float) -> float:
        value = rules.get(name)
        return value if isinstance(value, int | float) and not isinstance(value, bool) else otherwise

    return (
        bound("minimum", LOWEST) > HIGHEST
        or bound("maximum", HIGHEST) < LOWEST
        or bound("exclusiveMinimum", LOWEST) >= HIGHEST
        or bound("exclusiveMaximum", HIGHEST) <= LOWEST
    )
