"""The second reader of a JSON text: where each key and value stands, and why a text is refused.

It is asked only to report. Each reading is one pass whose time and memory follow the length of the text alone.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from piflows.grammar.json_syntax import Failed, explained, parse
from piflows.grammar.located import refused, size, strict_json, too_deep
from piflows.grammar.placeholder import find
from piflows.ir.limits import LIMITS

# The tokens of a well-formed text but for its commas: a key, an opening bracket, a closing one, any other value.
_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*"'
_TOKEN = re.compile(rf"({_STRING})(?=[ \t\r\n]*+:)|([{{\[])|([}}\]])|{_STRING}|[\w+.-]++")
_KEY, _OPEN, _CLOSE = 1, 2, 3
_NO_KEY = -1
_TEXT = re.compile(_STRING)
_CHARACTER = re.compile(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\?.", re.DOTALL)  # inside a string
_NUMBER = re.compile(r"-?[0-9][0-9.eE+-]*+")


class Place(NamedTuple):
    """Line and column in the text, from 1; columns count characters."""

    line: int
    column: int


class Fault(NamedTuple):
    """Why a text is refused: a clause, and the pointer and place of what is wrong."""

    problem: str
    pointer: str
    place: Place


class Index:
    """All values of a well-formed text in its order, the object at its top is number 0; as offsets, 12 bytes for each.

    `starts` where a value begins, `keys` where its key does (-1 without one), `ends` the number of the first value that
    is neither the value itself nor inside it.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts, self.keys, self.ends = array("i"), array("i"), array("i")
        self._named: dict[int, dict[str, int]] = {}
        opened: list[int] = []
        key = _NO_KEY
        for match in _TOKEN.finditer(text):
            kind = match.lastindex
            if kind == _KEY:
                key = match.start()
            elif kind == _CLOSE:
                self.ends[opened.pop()] = len(self.starts)
            else:
                if kind == _OPEN:
                    opened.append(len(self.starts))
                self.starts.append(match.start())
                self.keys.append(key)
                self.ends.append(len(self.starts))
                key = _NO_KEY

    def inside(self, at: int) -> Iterator[tuple[str, int]]:
        """What an object or a list holds: the name that a pointer uses, and the number."""
        inner, index = at + 1, 0
        while inner < self.ends[at]:
            key = self.keys[inner]
            yield (str(index) if key == _NO_KEY else self.name(key)), inner
            inner, index = self.ends[inner], index + 1

    def below(self, at: int, part: str) -> int | None:
        """One step of a pointer: a key, or the index of a list's item without leading zeros."""
        if at not in self._named:
            self._named[at] = dict(self.inside(at))
        return self._named[at].get(part)

    def pointer(self, wanted: int) -> str:
        """The RFC 6901 pointer of a value."""
        at, pointer = 0, ""
        while at != wanted:
            name, at = next((name, inner) for name, inner in self.inside(at) if wanted < self.ends[inner])
            pointer += f"/{name.replace('~', '~0').replace('/', '~1')}"
        return pointer

    def place(self, at: int, *, key: bool = False) -> Place:
        """Where a value stands or, with `key`, the key before it, where it has one."""
        return place_at(self.text, self.keys[at] if key and self.keys[at] != _NO_KEY else self.starts[at])

    def within(self, at: int, raw: str) -> Place:
        """Where a placeholder stands in the text that a value is: behind its quote, each escape as long as written."""
        start = self.starts[at]
        quoted = self.quoted(start)
        before = find(strict_json(quoted), raw) if quoted else -1
        if before < 0:  # it came from elsewhere, as the task of a preset does
            return place_at(self.text, start)
        written = islice(_CHARACTER.finditer(quoted, 1), before) if "\\" in quoted else ()
        return place_at(self.text, start + 1 + (sum(len(each[0]) for each in written) if written else before))

    def name(self, start: int) -> str:
        """The key at an offset."""
        quoted = self.quoted(start)
        return strict_json(quoted) if "\\" in quoted else quoted[1:-1]

    def quoted(self, start: int) -> str:
        """The string at an offset as it is written, empty where none begins."""
        match = _TEXT.match(self.text, start)
        return match[0] if match else ""


def place_at(text: str, offset: int) -> Place:
    """The place of a character."""
    return Place(text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))


def fault(text: str, line_offset: int) -> Fault:
    """Why `located.load` refuses `text`; of several reasons the first in the text, but bounds and syntax go before."""
    try:
        if size(text) > LIMITS.file_bytes:
            return Fault(f"the text has more than {LIMITS.file_bytes} bytes", "", Place(1, 1))
    except UnicodeEncodeError as error:
        return Fault("the text holds half of a surrogate pair", "", place_at(text, error.start))
    deep = too_deep(text)
    if deep is not None:
        return Fault(f"brackets are nested more than {LIMITS.nesting} deep", "", place_at(text, deep))
    try:
        parse(text)
    except Failed as failed:
        problem, offset = explained(failed, text, line_offset)
        return Fault(problem, "", place_at(text, offset))
    index = Index(text)
    problem, at, key = next(_faults(index, line_offset))
    return Fault(problem, index.pointer(at), index.place(at, key=key))


def _faults(index: Index, line_offset: int) -> Iterator[tuple[str, int, bool]]:
    """What is wrong in a well-formed text, in its order: a clause, the number of the value, whether it is its key."""
    around: list[tuple[int, dict[str, int]]] = []  # of each object and list: its end, its keys so far
    for at, (start, key, end) in enumerate(zip(index.starts, index.keys, index.ends, strict=True)):
        while around and around[-1][0] <= at:
            around.pop()
        if key != _NO_KEY:
            name, keys = index.name(key), around[-1][1]
            if problem := _wrong(index, key):
                yield problem, at, True
            if (first := keys.setdefault(name, key)) != key:
                line = place_at(index.text, first).line + line_offset
                yield f"the key {index.quoted(key)} is given twice, first in line {line}", at, True
        if problem := _wrong(index, start):
            yield problem, at, False
        if end > at + 1:
            around.append((end, {}))


def _wrong(index: Index, start: int) -> str:
    """What is wrong with the string or number at an offset, else empty."""
    first = index.text[start]
    if first == '"':
        quoted = index.quoted(start)
        wrong = "\\u" in quoted and refused(strict_json(quoted))
        return "a string may hold neither `\\u0000` nor half of a surrogate pair" if wrong else ""
    number = _NUMBER.match(index.text, start) if first in "-0123456789" else None
    if number is None or (number[0].isdigit() and len(number[0]) < 100):
        return ""
    try:
        strict_json(number[0])
    except ValueError:
        return "the number is too large"
    return ""
