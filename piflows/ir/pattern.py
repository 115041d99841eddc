r"""JavaScript-style regular expressions as Python's: the patterns of a Trigger and of schemas.

A pattern is read token by token and written again in Python's syntax, so that what both accept means what JavaScript
means: `$` is the very end, `.` no line separator, `\d` and `\w` are ASCII, an unknown escape stands for its letter.
What only Python knows (`(?P<n>…)`, `a*+`, `(?i)`) is refused. A Trigger ignores case. Seed: Monitor mode.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import import_module
from typing import Any

MATCH_SECONDS = 2.0
_GROUP = re.compile(r"\(\?(?:(?P<plain>[:=!]|<[=!])|<(?P<name>[A-Za-z_$][\w$]*)>)")
_COUNT = re.compile(r"\{\d+(?:,\d*)?\}")
_ESCAPE = re.compile(
    r"\\(?:c(?P<control>[A-Za-z])|x(?P<hex>[0-9A-Fa-f]{2})|u(?P<unit>[0-9A-Fa-f]{4})|k<(?P<name>[^>]*)>"
    r"|(?P<number>[1-9]\d*)|(?P<char>.))",
    re.DOTALL,
)
_SETS = {
    "d": "0-9",
    "w": "A-Za-z0-9_",
    "s": r"\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff",
}
_LITERAL = {"0": r"\x00", "t": r"\t", "n": r"\n", "r": r"\r", "f": r"\f", "v": r"\v"}
_ANY = r"[^\n\r\u2028\u2029]"


@lru_cache(maxsize=64)
def compile_pattern(text: str) -> re.Pattern[str]:
    """The compiled pattern. Raises ValueError with a sentence for one that is no JavaScript pattern, or too hard."""
    try:
        return re.compile(_translate(text), re.IGNORECASE)
    except re.error as error:
        raise ValueError(f"{error.msg}") from error
    except OverflowError as error:
        raise ValueError("a repetition count is too large") from error
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def found_in(pattern: str, text: str, *, exact: bool = False, seconds: float = MATCH_SECONDS) -> bool | None:
    """Whether a pattern that compiles is found in a text; None when that took longer than `seconds`. `exact`: case
    counts.

    A pattern may take longer than the age of the world on a text that somebody else wrote; `re` cannot be stopped.
    """
    regex: Any = import_module("regex")
    made = regex.compile(compile_pattern(pattern).pattern, 0 if exact else regex.IGNORECASE)
    try:
        return made.search(text, timeout=seconds) is not None
    except TimeoutError:
        return None


def _translate(text: str) -> str:
    out: list[str] = []
    at, repeatable = 0, False
    while at < len(text):
        char = text[at]
        if char == "[":
            piece, at = _character_class(text, at + 1)
            repeatable = True
        elif char == "\\":
            piece, at, repeatable = _escape(text, at)
        elif char == "(":
            piece, at = _group(text, at)
            repeatable = False
        elif char in "*+?" or (char == "{" and _COUNT.match(text, at)):
            if not repeatable:
                raise ValueError(f"nothing to repeat at position {at + 1}")
            piece, at = _repetition(text, at)
            repeatable = False
        else:
            piece = {".": _ANY, "$": r"\Z"}.get(char) or (char if char in ")|^" else re.escape(char))
            at, repeatable = at + 1, char not in "|^$"
        out.append(piece)
    return "".join(out)


def _group(text: str, at: int) -> tuple[str, int]:
    if not text.startswith("(?", at):
        return "(", at + 1
    match = _GROUP.match(text, at)
    if match is None:
        raise ValueError(f"invalid group at position {at + 1}")
    return (f"(?P<{_name(match['name'])}>" if match["name"] else match[0]), match.end()


def _name(name: str) -> str:
    """JavaScript's names may hold `$`."""
    return name.replace("$", "_dollar_")


def _repetition(text: str, at: int) -> tuple[str, int]:
    count = _COUNT.match(text, at)
    end = count.end() if count else at + 1
    if text.startswith("?", end):
        end += 1
    return text[at:end], end


def _escape(text: str, at: int) -> tuple[str, int, bool]:
    """An escape outside a class: its translation, where it ends, whether it may be repeated."""
    match = _ESCAPE.match(text, at)
    if match is None:
        raise ValueError("a backslash at the end of the pattern")
    char = match["char"] or ""
    if match["name"] is not None or match["number"]:
        return _back(match), match.end(), True
    if char in ("b", "B"):
        return (r"(?a:\b)" if char == "b" else r"(?!(?a:\b))"), match.end(), False
    if char.lower() in _SETS:
        return f"[{'^' if char.isupper() else ''}{_SETS[char.lower()]}]", match.end(), True
    return _one(match), match.end(), True


def _back(match: re.Match[str]) -> str:
    """A back reference: to a group that took no part it matches the empty text."""
    if match["number"]:
        return rf"(?({match['number']})\{match['number']}|)"
    name = _name(match["name"])
    return f"(?({name})(?P={name})|)"


def _one(match: re.Match[str]) -> str:
    """An escape that stands for one character."""
    if match["control"]:
        return rf"\x{ord(match['control']) % 32:02x}"
    digits = match["hex"] or match["unit"]
    if digits:
        return rf"\u{int(digits, 16):04x}"
    char = match["char"]
    if char in "pP":
        raise ValueError(rf"\{char}{{…}} is not supported")
    return _LITERAL.get(char) or re.escape(char)


def _character_class(text: str, at: int) -> tuple[str, int]:
    """From behind `[` to behind `]`. `[]` matches nothing, `[^]` everything."""
    negated = text.startswith("^", at)
    at += negated
    members: list[tuple[str, str]] = []
    while not text.startswith("]", at):
        if at >= len(text):
            raise ValueError("a character class is not closed")
        if text[at] == "\\":
            match = _ESCAPE.match(text, at)
            if match is None:
                raise ValueError("a backslash at the end of the pattern")
            members.append(_member(match))
            at = match.end()
        else:
            members.append(("dash", r"\-") if text[at] == "-" else ("one", re.escape(text[at])))
            at += 1
    choices = [f"[^{piece}]" for kind, piece in members if kind == "all but"]
    listed = _listed([member for member in members if member[0] != "all but"])
    if negated:
        return "".join(f"(?!{choice})" for choice in choices) + (f"[^{listed}]" if listed else r"[\s\S]"), at + 1
    choices += [f"[{listed}]"] if listed else []
    return ("(?:" + "|".join(choices) + ")" if choices else "(?!)"), at + 1


def _listed(members: list[tuple[str, str]]) -> str:
    """A dash is a range only between two characters."""
    out: list[str] = []
    at = 0
    while at < len(members):
        kinds = [kind for kind, _ in members[at : at + 3]]
        if kinds[:2] == ["one", "dash"] and kinds[2:] and kinds[2] != "set":
            out.append(f"{members[at][1]}-{members[at + 2][1]}")
            at += 3
        else:
            out.append(members[at][1])
            at += 1
    return "".join(out)


def _member(match: re.Match[str]) -> tuple[str, str]:
    """An escape in a class: `one` character, a `set` of them, or `all but` those of a set."""
    char = match["char"] or ""
    if match["name"] is not None or match["number"]:
        raise ValueError("a back reference in a character class")
    if char == "b":
        return "one", r"\x08"
    if char.lower() in _SETS:
        return ("set" if char.islower() else "all but"), _SETS[char.lower()]
    return "one", _one(match)
