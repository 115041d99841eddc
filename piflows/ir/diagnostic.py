"""Diagnostics: a code of the catalogue, the facts of one case, and the place in the text at fault.

Seed: Structured errors.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, cast

from piflows.ir.caps import beginning, cut_line, marker
from piflows.ir.code import Severity
from piflows.ir.codes import CODES
from piflows.ir.frozen import frozen
from piflows.ir.limits import LIMITS
from piflows.ir.source import NOWHERE, Where
from piflows.ir.visible import visible

CEILING = "budgetCeiling"  # the fact of a budget's code that names its ceiling: `{"authority": …, "maxCostUsd": 2}`
INDENTED = "\n  "  # a line break of a cause in the text form
LAST = "NOT_AVAILABLE"  # no correction of the text helps: read after all that one can correct

_FACT = re.compile(r"\{\{|\}\}|\{(\w+)(?:\|([^}]*))?\}(\.?)")


@frozen
class Diagnostic:
    """One finding, ready to show. Made by `diagnostic`, which bounds its texts and makes hidden characters visible.

    `ceiling`: the ceiling that binds, as pairs of name and value; empty for all codes but those of budgets.
    """

    code: str
    severity: Severity
    message: str
    cause: str
    fix: str
    retryable: bool
    where: Where
    ceiling: tuple[tuple[str, Any], ...] = ()


class FlowError(Exception):
    """One or more findings that refuse what was asked for: `FlowError(first, *more)`."""

    def __init__(self, first: Diagnostic, *more: Diagnostic) -> None:
        super().__init__(first, *more)
        self.first = first
        self.diagnostics: tuple[Diagnostic, ...] = (first, *more)

    def __str__(self) -> str:
        return "\n".join(f"{each.code}: {each.message}" for each in self.diagnostics)


def diagnostic(code: str, where: Where = NOWHERE, /, **facts: object) -> Diagnostic:
    """The finding `code` at `where`.

    Where the catalogue leaves `retryable` to the case, the fact `retryable` (True) says so; without it, no. A case
    with another severity than the catalogue's is a `dataclasses.replace` of the result. The fact `budgetCeiling` is the
    error object's member of that name.

    Raises KeyError for an unknown code or a fact that its sentences need and the caller did not give: a bug.
    """
    entry, ceiling = CODES[code], cast("Mapping[str, Any]", facts.get(CEILING) or {})
    return Diagnostic(
        code,
        entry.severity,
        _fill(entry.message, facts, LIMITS.line_bytes),
        _cause(_fill(entry.cause, facts, None)),
        _fill(entry.fix, facts, LIMITS.line_bytes),
        facts.get("retryable") is True if entry.retryable is None else entry.retryable,
        where,
        tuple(ceiling.items()),
    )


def cut(last: Diagnostic, shown: int, more: int | None = None) -> Diagnostic:
    """The note behind `shown` findings of one kind, at the last of them; `more` None = nobody counted the rest."""
    rest = "there are more" if more is None else f"there {'is' if more == 1 else 'are'} {more} more"
    return diagnostic("FINDINGS_CUT", last.where, shown=shown, kind=last.code, rest=rest)


def error_object(d: Diagnostic) -> dict[str, Any]:
    """The reference's structured error; with `budgetCeiling` where a ceiling binds."""
    told = {"code": d.code, "message": d.message, "cause": d.cause, "fix": d.fix, "retryable": d.retryable}
    return told | {CEILING: dict(d.ceiling)} if d.ceiling else told


def error_text(d: Diagnostic) -> str:
    """The text that a model reads, in five parts; further lines of a cause are indented, so it can forge none."""
    return error_lines(error_object(d))


def error_lines(error: Mapping[str, Any]) -> str:
    """The same of an error object."""
    cause = error["cause"].replace("\n", INDENTED)
    again = "yes" if error["retryable"] else "no"
    message, fix, code = error["message"], error["fix"], error["code"]
    return f"{message}\nCause: {cause}\nRetryable unchanged: {again}\nFix: {fix}\nCode: {code}"


def tidy(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Sorted for people: by file, what no correction mends last, then line and column; repeats dropped."""
    return tuple(sorted(dict.fromkeys(diagnostics), key=_place))


def outline(sentence: str, opening: str = "<", closing: str = ">") -> str:
    """A sentence of the catalogue without a case: each fact as `<name>`, those that are often empty left out."""

    def fact(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0][0]
        return match[3] if match[2] == "" else f"{opening}{match[1]}{closing}{match[3]}"

    return _FACT.sub(fact, sentence)


def _place(d: Diagnostic) -> tuple[str, bool, int, int]:
    return d.where.file, d.code == LAST, d.where.line or 0, d.where.column or 0


def _fill(sentence: str, facts: Mapping[str, object], limit: int | None) -> str:
    """Each `{fact}` replaced once, by one pass: braces inside a fact are text. With a limit the result is one line."""

    def fact(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0][0]
        text = _shown(facts[match[1]])
        text = visible(text.rstrip(), keep_newlines=True) if limit is None else cut_line(visible(text), limit)
        text = text or match[2] or ""
        return text if text.endswith((".", "!", "?")) else text + match[3]

    return _FACT.sub(fact, sentence)


def _shown(value: object) -> str:
    """Text as it is, a sequence as its members with commas, anything else as JSON writes it."""
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)):
        return ", ".join(_shown(member) for member in cast("Iterable[object]", value))
    return json.dumps(value, ensure_ascii=False)


def _cause(text: str) -> str:
    """A cause cut so that it fits its cap also as the text form indents it."""
    if len(text) * 4 <= LIMITS.cause_bytes:
        return text
    kept, missing = beginning(text.replace("\n", INDENTED), LIMITS.cause_bytes)
    if not missing:
        return text
    kept = (kept[:-1] if kept.endswith(INDENTED[:-1]) else kept).replace(INDENTED, "\n")
    return f"{kept}\n\n{marker('Cause', len(text.encode()) - len(kept.encode()))}"
