"""A child's answer → the control value it carries, or None. Fail-closed: whatever is not documented is unparseable.

The first line that is not empty, trimmed, is either exactly a marker line of the protocol, or no marker line at all,
and then the answer's JSON is read. A marker line with another value (`VERDICT: PASSPORT`) settles the question: JSON
further down is not asked. The caller puts `FALLBACK[protocol]` in the place of None.

Seed: Coordination-control protocol.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any, cast

from piflows.grammar.located import strict_json
from piflows.grammar.vocabulary import HIGHEST, LOWEST, NOBODY, VOCABULARY, Row
from piflows.ir.unit import Protocol

# (?P<verdict>VERDICT\s*:\s*(?:(?P<verdict_value>PASS|REVISE)|.*)) | (?P<loop>…) | …; ASCII, so that no letter of
# another alphabet is folded into one of a marker.
_LINE = re.compile(
    "|".join(
        rf"(?P<{row.field}>{row.marker}\s*:\s*(?:(?P<{row.field}_value>{row.value})|.*))" for row in VOCABULARY.values()
    ),
    re.ASCII | re.IGNORECASE | re.DOTALL,
)
_FIRST_LINE = re.compile(r"\S[^\r\n]*")
_FENCE = re.compile(r"^[ \t]*+(`{3,})([^`\n]*)$", re.MULTILINE)


def parse_control(protocol: Protocol, text: str, candidates: Collection[str] = ()) -> str | float | None:
    """The value of `text` under `protocol`, or None.

    verdict: `pass` or `revise`. loop: `done` or `continue`. route: one of `candidates`, or `none`. score: 0.0 to 100.0.
    """
    row = VOCABULARY[protocol]
    first = _FIRST_LINE.search(text)
    line = _LINE.fullmatch(first[0].rstrip()) if first else None
    if line and line[protocol] is not None:
        value = line[f"{protocol}_value"]
        return None if value is None else _marked(row, value, candidates)
    return _structured(row, reply_json(text), candidates)


def control_of_data(protocol: Protocol, data: Any, candidates: Collection[str] = ()) -> str | float | None:
    """The value that the data of a return carries under `protocol`: the documented field with exactly a documented
    value, or None. Seed: Return requirements, delegation contracts, and write isolation."""
    return _structured(VOCABULARY[protocol], data, candidates)


def reply_json(text: str, most: int | None = None) -> Any:
    """The JSON value in a child's answer, or None when there is none, or none of at most `most` UTF-8 bytes.

    It is the last fenced block without a language or marked `json`, where there is one, and else the whole answer;
    where that is not JSON, its part from the first bracket that is closed again to the last such closing bracket.
    """
    source = _last_fenced(text)
    for candidate in (source, _bracketed(source)):
        if most is not None and len(candidate.encode("utf-8", "surrogatepass")) > most:
            continue
        try:
            return strict_json(candidate)
        except ValueError:
            continue
    return None


def _marked(row: Row, value: str, candidates: Collection[str]) -> str | float | None:
    if row.field == "score":
        return _score(float(value))
    return _candidate(value, candidates) if row.field == "route" else value.lower()


def _structured(row: Row, found: Any, candidates: Collection[str]) -> str | float | None:
    """The documented field with exactly a documented value of its type; a bool is no number."""
    value = cast("dict[str, Any]", found).get(row.field) if isinstance(found, dict) else None
    if row.field == "score":
        return _score(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
    known = (*candidates, NOBODY) if row.field == "route" else [each.lower() for each in row.values]
    return value if isinstance(value, str) and value in known else None


def _score(number: float) -> float | None:
    return float(number) if LOWEST <= number <= HIGHEST else None


def _candidate(value: str, candidates: Collection[str]) -> str | None:
    """The candidate that is exactly `value`, else the only one that differs in case alone."""
    known = [*candidates, NOBODY]
    if value in known:
        return value
    alike = {name for name in known if name.casefold() == value.casefold()}
    return alike.pop() if len(alike) == 1 else None


def _last_fenced(text: str) -> str:
    """The content of the last closed block fenced by backticks that may hold JSON, or the whole text. One pass."""
    found, opened = text, None
    for fence in _FENCE.finditer(text):
        if opened is None:
            opened = fence
        elif len(fence[1]) >= len(opened[1]) and not fence[2].strip():
            if opened[2].strip().lower() in ("", "json"):
                found = text[opened.end() : fence.start()]
            opened = None
    return found


def _bracketed(text: str) -> str:
    spans = [(start, end) for a, b in ("{}", "[]") if 0 <= (start := text.find(a)) < (end := text.rfind(b))]
    return text[min(spans)[0] : min(spans)[1] + 1] if spans else ""
