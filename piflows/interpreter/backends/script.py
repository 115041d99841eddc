"""The scripted backend's script: `{"children": [rule, …]}` → rules, or one diagnostic with its position.

A rule matches by `agent` (exact), `unit` (a glob over the unit key) and `role` (exact), answers `times` children, and
says what they do. Whatever is not such a rule is refused, so that a misspelt script never passes for a rehearsal.
"""

from __future__ import annotations

import fnmatch
import json
import math
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, cast

from piflows.grammar.located import read_json
from piflows.grammar.near import hint
from piflows.ir.diagnostic import FlowError, diagnostic
from piflows.ir.frozen import frozen
from piflows.ir.limits import LIMITS

Json = dict[str, Any]

USAGE: Json = {"input": 100, "output": 50, "costUsd": 0.001}  # of a child that says nothing else


@frozen
class Rule:
    """One rule. `glob` is the text of `unit`. `reply` and `envelope` None: the rehearsal reply. `turns`: a usage per
    model response. `deaf` concerns only children that can be told to wrap up.
    """

    agent: str | None = None
    unit: re.Pattern[str] | None = None
    glob: str = ""
    role: str | None = None
    times: float = 1
    reply: str | None = None
    envelope: Json | None = None
    turns: tuple[Json, ...] = (USAGE,)
    deaf: bool = False
    exit: int = 0
    stderr: str = ""
    delay_ms: float = 0
    hang: bool = False
    writes: tuple[tuple[str, str], ...] = ()
    runs: str = ""

    def matches(self, spawn: Json) -> bool:
        """Whether the rule speaks of this child."""
        return (
            (self.agent is None or self.agent == spawn["agent"])
            and (self.role is None or self.role == spawn["role"])
            and (self.unit is None or self.unit.match(spawn["unit"]) is not None)
        )

    def whom(self) -> str:
        """Of which children the rule speaks."""
        said = [
            f"{name} {value}"
            for name, value in (("agent", self.agent), ("unit", self.glob), ("role", self.role))
            if value
        ]
        return ", ".join(said) or "any child"


REHEARSAL = Rule(times=math.inf)


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _name(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _flag(value: Any) -> bool:
    return isinstance(value, bool)


def _count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _amount(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value <= LIMITS.amount


FIELDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "agent": (_name, "a name"),
    "unit": (_name, "a pattern"),
    "role": (_name, "a name"),
    "times": (lambda value: value == "always" or (_count(value) and value > 0), 'a number from 1, or "always"'),
    "reply": (_text, "a text"),
    "envelope": (lambda value: isinstance(value, dict), "an object"),
    "usage": (lambda value: isinstance(value, dict), "an object"),
    "turns": (lambda value: isinstance(value, list) and value != [], "a list of usages"),
    "deaf": (_flag, "true or false"),
    "exit": (lambda value: _count(value) and value < 256, "an exit status from 0 to 255"),
    "stderr": (_text, "a text"),
    "delayMs": (_amount, "milliseconds from 0"),
    "hang": (_flag, "true or false"),
    "writes": (lambda value: isinstance(value, dict), "an object of paths and texts"),
    "runs": (_name, "a command"),
}
USAGE_FIELDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "input": (_count, "a whole number from 0"),
    "output": (_count, "a whole number from 0"),
    "costUsd": (lambda value: value is None or _amount(value), "a number from 0, or null"),
}


class Wrong(NamedTuple):
    """Something that is wrong at a pointer, or with the key before it."""

    pointer: str
    problem: str
    at_key: bool = False


def parse_script(text: str, file: str = "") -> list[Rule]:
    """The rules of a script, in order. Raises FlowError CALL_INVALID at the first thing that is wrong."""
    located = read_json(text, file)
    for wrong in _problems(located.value):
        where = located.where(wrong.pointer, key=wrong.at_key)
        raise FlowError(diagnostic("CALL_INVALID", where, problem=wrong.problem))
    return [_rule(each) for each in located.value["children"]]


def _problems(script: Json) -> Iterator[Wrong]:
    for key in script:
        if key != "children":
            problem = f"`{key}` is no member of a script.{hint(key, ['children'])}"
            yield Wrong(f"/{_escaped(key)}", problem, at_key=True)
    children = script.get("children")
    if not isinstance(children, list):
        yield Wrong("/children" if "children" in script else "", "a script needs `children`, a list of rules")
        return
    for number, rule in enumerate(cast("list[Any]", children)):
        place = f"/children/{number}"
        if isinstance(rule, dict):
            yield from _wrong_in_rule(cast(Json, rule), place)
        else:
            yield Wrong(place, f"children[{number}] is no object")


def _wrong_in_rule(rule: Json, place: str) -> Iterator[Wrong]:
    yield from _wrong_fields(rule, FIELDS, place, "a rule")
    for one, other in (("reply", "envelope"), ("usage", "turns")):
        if one in rule and other in rule:
            yield Wrong(f"{place}/{other}", f"`{one}` and `{other}` exclude each other")
    if "usage" in rule:
        yield from _wrong_usage(rule["usage"], f"{place}/usage")
    for number, turn in enumerate(rule.get("turns", [])):
        yield from _wrong_usage(turn, f"{place}/turns/{number}")
    for path, text in rule.get("writes", {}).items():
        where = f"{place}/writes/{_escaped(path)}"
        if not isinstance(text, str):
            yield Wrong(where, f"`{path}` must be a text")
        elif not _inside(path):
            yield Wrong(where, f'"{path}" is no path inside the directory of the child')


def _wrong_usage(usage: Any, place: str) -> Iterator[Wrong]:
    if not isinstance(usage, dict):
        yield Wrong(place, "a usage must be an object")
        return
    yield from _wrong_fields(cast(Json, usage), USAGE_FIELDS, place, "a usage")
    for name in ("input", "output"):
        if name not in usage:
            yield Wrong(place, f"a usage needs `{name}`")


def _wrong_fields(
    value: Json, fields: dict[str, tuple[Callable[[Any], bool], str]], place: str, owner: str
) -> Iterator[Wrong]:
    for key, member in value.items():
        if key not in fields:
            known = hint(key, fields) or f" It may hold {', '.join(fields)}"
            problem = f"`{key}` is no member of {owner}.{known}"
            yield Wrong(f"{place}/{_escaped(key)}", problem, at_key=True)
        elif not fields[key][0](member):
            yield Wrong(f"{place}/{key}", f"`{key}` must be {fields[key][1]}")


def _inside(path: str) -> bool:
    """Whether a relative path stays inside, as far as its letters tell; who writes there looks at symbolic links."""
    parts = path.split("/")
    return ".." not in parts and parts[0] != "" and parts[-1] not in ("", ".")


def _rule(raw: Json) -> Rule:
    hang = raw.get("hang", False)
    usages: list[Json] = raw.get("turns") or ([raw["usage"]] if "usage" in raw else [] if hang else [USAGE])
    return Rule(
        agent=raw.get("agent"),
        unit=re.compile(fnmatch.translate(raw["unit"])) if "unit" in raw else None,
        glob=raw.get("unit", ""),
        role=raw.get("role"),
        times=math.inf if raw.get("times") == "always" else raw.get("times", 1),
        reply=raw.get("reply"),
        envelope=raw.get("envelope"),
        turns=tuple({"costUsd": None, **usage} for usage in usages),
        deaf=raw.get("deaf", False),
        exit=raw.get("exit", 0),
        stderr=raw.get("stderr", ""),
        delay_ms=raw.get("delayMs", 0),
        hang=hang,
        writes=tuple(raw.get("writes", {}).items()),
        runs=raw.get("runs", ""),
    )


def envelope_text(envelope: Json, contract: str | None) -> str:
    """A return envelope as a child would print it; `$contract` stands for the identity that the child was given."""
    if contract is not None and envelope.get("contractId") == "$contract":
        envelope = {**envelope, "contractId": contract}
    return json.dumps(envelope, ensure_ascii=False, indent=2)


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
