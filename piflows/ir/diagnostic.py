"""Diagnostics: a code of the catalogue, the facts of one case, and the place in the text at fault.

Seed: Structured errors.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, cast

from piflows.ir.code import Severity
from piflows.ir.codes import CODES
from piflows.ir.frozen import frozen
from piflows.ir.source import NOWHERE, Where
from piflows.ir.visible import visible

CAUSE_BYTES = 25 * 1024  # the cause is cut first, so that what follows it in the text form never is
FACT_BYTES = 4 * 1024  # of one fact in a message or fix; only a cause may be long
LAST = "NOT_AVAILABLE"  # no correction of the text helps: read after all that one can correct

_FACT = re.compile(r"\{\{|\}\}|\{(\w+)(?:\|([^}]*))?\}(\.?)")


@frozen
class Diagnostic:
    """One finding, ready to show. Made by `diagnostic`, which bounds its texts and makes hidden characters visible."""

    code: str
    severity: Severity
    message: str
    cause: str
    fix: str
    retryable: bool
    where: Where


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
    with another severity than the catalogue's is a `dataclasses.replace` of the result.

    Raises KeyError for an unknown code or a fact that its sentences need and the caller did not give: a bug.
    """
    entry = CODES[code]
    return Diagnostic(
        code,
        entry.severity,
        _fill(entry.message, facts, FACT_BYTES),
        _cut(_fill(entry.cause, facts, None), CAUSE_BYTES, "\n\n[Cause truncated: {} bytes omitted.]"),
        _fill(entry.fix, facts, FACT_BYTES),
        facts.get("retryable") is True if entry.retryable is None else entry.retryable,
        where,
    )


def cut(last: Diagnostic, shown: int, more: int | None = None) -> Diagnostic:
    """The note behind `shown` findings of one kind, at the last of them; `more` None = nobody counted the rest."""
    rest = "there are more" if more is None else f"there {'is' if more == 1 else 'are'} {more} more"
    return diagnostic("FINDINGS_CUT", last.where, shown=shown, kind=last.code, rest=rest)


def error_object(d: Diagnostic) -> dict[str, Any]:
    """The reference's structured error."""
    return {"code": d.code, "message": d.message, "cause": d.cause, "fix": d.fix, "retryable": d.retryable}


def error_text(d: Diagnostic) -> str:
    """The text that a model reads, in five parts; further lines of a cause are indented, so it can forge none."""
    cause = d.cause.replace("\n", "\n  ")
    again = "yes" if d.retryable else "no"
    return f"{d.message}\nCause: {cause}\nRetryable unchanged: {again}\nFix: {d.fix}\nCode: {d.code}"


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
        if limit is None:
            text = visible(text.rstrip(), keep_newlines=True)
        else:
            text = _cut(visible(text), limit, " [… {} bytes omitted]")
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


def _cut(text: str, limit: int, marker: str) -> str:
    """At most `limit` UTF-8 bytes of `text`, whole characters only, then the marker with what was left out."""
    data = text.encode()
    if len(data) <= limit:
        return text
    kept = data[:limit].decode(errors="ignore")
    return kept + marker.format(len(data) - len(kept.encode()))
