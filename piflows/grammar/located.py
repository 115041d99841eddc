"""Strict JSON with one object at the top, and the line and column of everything in it.

The standard library reads. Only when a position or a reason is asked for, `json_places` reads the text once more. Both
take the same texts: strict JSON (RFC 8259) without duplicate keys, without numbers
that overflow, without NUL and halves of surrogate pairs in its strings, in bounds of size and nesting. A byte order
mark before the text is dropped; CRLF and CR count as line breaks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isinf
from typing import TYPE_CHECKING, Any, cast

from piflows.ir.diagnostic import FlowError, diagnostic
from piflows.ir.limits import LIMITS
from piflows.ir.source import Where

if TYPE_CHECKING:
    from piflows.grammar.json_places import Index

DIGITS = 300  # of a whole number: one with more fits into no number of most other readers of JSON

_SUSPECT = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")
_REFUSED = "[\0\ud800-\udfff]"  # this and the next are asked seldom, so they are compiled when they are
_BRACKET = r'(?s)"[^"\\]*+(?:\\.[^"\\]*+)*"?|([\[{])|[\]}]'


class NotJson(ValueError):
    """A text that is refused. `problem` is a clause, `where` the place."""

    def __init__(self, problem: str, where: Where) -> None:
        super().__init__(problem)
        self.problem, self.where = problem, where


@dataclass(slots=True)
class Located:
    """A JSON object and, on demand, the places of its parts. `line_offset` lines of the file precede the text.

    `plain`: its text holds no character by its number, so each of its keys stands there as it is.
    """

    value: dict[str, Any]
    text: str = field(repr=False)
    file: str = ""
    line_offset: int = 0
    plain: bool = False
    _index: Index | None = field(default=None, repr=False, compare=False)

    def may_hold(self, name: str) -> bool:
        """Whether a key of this name, which is made of letters, can stand in it."""
        return not self.plain or name in self.text

    def where(self, pointer: str, *, key: bool = False, within: str = "") -> Where:
        """The place of the value at an RFC 6901 pointer or, with `key`, of the key before it, where it has one.

        `within` is a placeholder in the text that the value is: its own place.

        A pointer to something that is not there gives the nearest ancestor that is; the result's pointer says which.
        """
        from piflows.grammar.json_places import Index

        if self._index is None:
            self._index = Index(self.text)
        at, reached = 0, ""
        for part in pointer.split("/")[1:]:
            inner = self._index.below(at, part.replace("~1", "/").replace("~0", "~"))
            if inner is None:
                break
            at, reached = inner, f"{reached}/{part}"
        place = self._index.within(at, within) if within else self._index.place(at, key=key)
        return Where(self.file, reached, place.line + self.line_offset, place.column)


def read_json(text: str, file: str = "", line_offset: int = 0) -> Located:
    """Read a call. Raises FlowError (CALL_INVALID) for whatever is no strict JSON object, at its place."""
    try:
        return load(text, file, line_offset)
    except NotJson as refusal:
        raise FlowError(diagnostic("CALL_INVALID", refusal.where, problem=refusal.problem)) from None


def load(text: str, file: str = "", line_offset: int = 0) -> Located:
    """Read one strict JSON object. Raises NotJson."""
    text = text.removeprefix("\ufeff")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    plain = "\\u" not in text
    try:
        value = strict_json(text) if size(text) <= LIMITS.file_bytes else None
    except ValueError:
        value = None
    if not isinstance(value, dict) or (
        not plain and _SUSPECT.search(text) and any(refused(each) for each in _texts(value))
    ):
        from piflows.grammar.json_places import fault

        found = fault(text, line_offset)
        raise NotJson(found.problem, Where(file, found.pointer, found.place.line + line_offset, found.place.column))
    return Located(cast("dict[str, Any]", value), text, file, line_offset, plain)


def strict_json(text: str) -> Any:
    """The JSON value of `text`, whatever its type. Raises ValueError when it is not strict JSON.

    Its strings may hold NUL and halves of surrogate pairs: who reads a call refuses them, who reads a reply need not.
    """
    if too_deep(text) is not None:
        raise ValueError("nested too deeply")
    return _STRICT.decode(text)


def size(text: str) -> int:
    """UTF-8 bytes. Raises UnicodeEncodeError, a ValueError, for halves of surrogate pairs."""
    return len(text) if text.isascii() else len(text.encode())


def too_deep(text: str) -> int | None:
    """The offset of the first bracket that is nested deeper than allowed. Few brackets in all cannot be."""
    if text.count("{") + text.count("[") <= LIMITS.nesting:
        return None
    depth = 0
    for match in re.finditer(_BRACKET, text):
        if match[1]:
            depth += 1
            if depth > LIMITS.nesting:
                return match.start()
        elif match[0][0] != '"':
            depth -= 1
    return None


def refused(text: str) -> bool:
    """Whether a string holds what no prompt, path or command can carry."""
    return re.search(_REFUSED, text) is not None


def _texts(value: Any) -> Iterator[str]:
    """Every string in a JSON value, keys too. Nesting is bounded, so recursion is safe."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in cast("dict[str, Any]", value).items():
            yield key
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in cast("list[Any]", value):
            yield from _texts(inner)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a key is given twice")
    return made


def _whole(digits: str) -> int:
    if len(digits) > DIGITS:
        raise ValueError("the number is too large")
    return int(digits)


def _fraction(digits: str) -> float:
    if isinf(number := float(digits)):
        raise ValueError("the number is too large")
    return number


def _constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


_STRICT = json.JSONDecoder(object_pairs_hook=_object, parse_int=_whole, parse_float=_fraction, parse_constant=_constant)
