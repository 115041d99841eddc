r"""The smallest pieces of the textual form, each with its inverse: names, quoted strings, literal text, durations.

A name is bare when it is one plain word, else it is a JSON string. Literal text is raw but for `{` and `\`, which are
`\{` and `\\`; hidden characters are JSON's escapes, and the last of a line's trailing spaces is `\s`, since editors
strip what nobody sees.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from math import isfinite

from piflows.ir.digest import canonical
from piflows.ir.visible import visible, visible_json

NONE, DEFAULT = "none", "default"  # bare: the empty list, and a field that is left to its default

_BARE = re.compile(r"[A-Za-z0-9_](?:[\w.%+@:/-]*[\w%+@])?", re.ASCII)
JOINTS = frozenset({"of", "between"})  # words inside a tag, where no name may be bare that is one of them …
TAGS = JOINTS | {"if", "else", "end", "each", "round", "index", "count"}  # … and words that may open a tag
_PLAIN = re.compile(r"[ -\[\]-z|}~]*")  # what most lines are made of: ASCII without a backslash and `{`
_ESCAPES = re.compile(r"((?:\\u[0-9a-fA-F]{4})+)|\\(.)")
_SHORT = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "s": " "}
_DURATIONS = {"h": 3_600_000, "min": 60_000, "s": 1_000, "ms": 1}
_EXACT = 2**53
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_DIGITS = 300  # of a number: longer ones are beyond a float and slow to read


class Unsound(ValueError):
    """A phrase that says what is wrong with a piece, at `offset` characters from where it begins."""

    def __init__(self, phrase: str, offset: int = 0) -> None:
        super().__init__(phrase)
        self.offset = offset


def quoted(value: str) -> str:
    """A JSON string on one line, hidden characters as escapes."""
    return visible_json(value, None)


def name(value: str) -> str:
    """A name as one bare word where it is one, else quoted."""
    return value if _BARE.fullmatch(value) and value not in (NONE, DEFAULT) else quoted(value)


def tag_name(value: str, opens: bool = False) -> str:
    """A name inside a tag, where some words of tags are not bare; more of them when it `opens` the tag."""
    return quoted(value) if value in (TAGS if opens else JOINTS) else name(value)


def unquote(raw: str) -> str:
    """The string of a quoted one. Raises Unsound."""
    try:
        value = json.loads(raw)
    except json.JSONDecodeError as error:
        raise Unsound("this is no escape of a quoted string; a backslash itself is `\\\\`", error.pos) from None
    return _sound(raw, value)


def escape(text: str) -> str:
    """Literal text as it stands behind a bar; its newlines stay newlines."""
    return "\n".join(_escape_line(line) for line in text.split("\n"))


def unescape(raw: str) -> str:
    """The inverse of `escape`, for a run within one line. Raises Unsound."""
    if "\\" not in raw:
        return _sound(raw, raw)
    return _sound(raw, _ESCAPES.sub(lambda m: json.loads(f'"{m[1]}"') if m[1] else _SHORT.get(m[2], m[2]), raw))


def keep_spaces(line: str) -> str:
    r"""A finished line of text whose last character is no space: a trailing one is `\s`."""
    return line[:-1] + "\\s" if line.endswith(" ") else line


def compact(value: object) -> str:
    """A JSON value on one line, as its digest sees it: keys sorted, whole numbers whole; hidden characters escaped."""
    return visible_json(json.loads(canonical(value)), None)


def read_number(raw: str) -> int | float:
    """Raises ValueError for what is no finite JSON number, or one of absurd length."""
    match = _NUMBER.fullmatch(raw)
    if match is None or len(raw) > _DIGITS:
        raise ValueError("no number")
    value = float(raw) if match[1] or match[2] else int(raw)
    if not isfinite(value):
        raise ValueError("too great a number")
    return value


def duration(ms: float) -> str:
    """Milliseconds in the greatest unit that they are a whole number of: `10 h`, `1500 ms`."""
    if ms and abs(ms) < _EXACT and ms == int(ms):
        unit, size = next((unit, size) for unit, size in _DURATIONS.items() if int(ms) % size == 0)
        return f"{int(ms) // size} {unit}"
    return f"{compact(ms)} ms"


def read_duration(words: Sequence[str]) -> int | float:
    """Milliseconds of a number and its unit (ms when there is none). Raises ValueError."""
    raw, unit = (*words, "ms")[:2]
    if unit not in _DURATIONS:
        raise ValueError("no unit of time")
    ms = read_number(raw) * _DURATIONS[unit]
    if not isfinite(ms):
        raise ValueError("too great a number")
    return int(ms) if abs(ms) < _EXACT and ms == int(ms) else ms


def _escape_line(line: str) -> str:
    """JSON's escapes, but a quote is raw and a brace that opens is not."""
    if _PLAIN.fullmatch(line):
        return line
    return visible_json(line, None)[1:-1].replace('\\"', '"').replace("{", "\\{")


def _sound(raw: str, value: str) -> str:
    for offset, char in enumerate(raw if visible(raw, keep_newlines=True) != raw else ""):
        if visible(char, keep_newlines=True) != char:
            raise Unsound(f"a hidden character is written as an escape, `\\u{ord(char):04x}`", offset)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise Unsound("half of a surrogate pair is no character", raw.lower().index("\\ud")) from None
    return value
