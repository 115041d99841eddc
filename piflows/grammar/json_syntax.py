"""The syntax of JSON for texts that the standard library has refused: the first token that cannot stand where it does.

One compiled expression gives the tokens, also those that people write in the place of JSON's; what may follow is a set
of tokens that the innermost open bracket decides. One pass, whatever the text holds.
"""

from __future__ import annotations

import re
from functools import cache

from piflows.grammar.mistakes import JSON_MISTAKES, JSON_TOKENS, UNKNOWN, Mistake, Situation, taught

_OPENERS = {"{": "object", "[": "list"}
_VALUES = frozenset(("{", "[", "STRING", "NUMBER", "LITERAL"))
_START, _END = frozenset("{"), frozenset(("END",))
_KEY, _COLON = frozenset(("STRING",)), frozenset(":")
_OPENED = {"{": _KEY | {"}"}, "[": _VALUES | {"]"}}
_AFTER_VALUE = {"{": frozenset(",}"), "[": frozenset(",]")}
_AFTER_COMMA = {"{": _KEY, "[": _VALUES}

# The first that matches counts. A string that is cut off ends where its fault is. A possessive quantifier stands after
# a class, never after a group: before 3.11.5 Python matched too much there.
_TOKEN = re.compile(
    r"""
    "[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*
        (?:(?P<STRING>")|(?P<UNCLOSED_STRING>(?=\n|\Z))|(?P<CONTROL_STRING>(?=[\x00-\x1f]))|(?P<ESCAPE_STRING>))
    |(?P<MARK>[{}\[\]:,])
    |(?P<NUMBER>-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?(?![\w.+]))
    |(?P<LITERAL>(?:true|false|null)(?!\w))
    |(?P<CODE_FENCE>```)
    |(?P<COMMENT>/[/*]|\#)
    |(?P<QUOTE>['`‘’“”«»])
    |(?P<FOREIGN_LITERAL>(?:True|False|None|undefined|nil)(?!\w))
    |(?P<NO_NUMBER>[+-]?(?:NaN|Infinity|inf|nan)(?!\w))
    |(?P<FOREIGN_NUMBER>[+.-]?[0-9][\w.+-]*+)
    |(?P<WORD>[^\W\d][\w$.-]*+)
    |(?P<STRAY>[^ \t\r\n])
    """,
    re.VERBOSE,
)


class Failed(Exception):
    """Why a text is no JSON object: the token at fault with its offsets, that of the token before it, and that of the
    innermost bracket that is open there, each None where there is none."""

    def __init__(self, situation: Situation, start: int, end: int, before: int | None, opened: int | None) -> None:
        super().__init__(situation.met)
        self.situation, self.start, self.end, self.before, self.opened = situation, start, end, before, opened


def parse(text: str) -> None:
    """Raises Failed for a text that is not one JSON object. Numbers may overflow, keys come twice."""
    expected, kind = _START, ""
    opened: list[re.Match[str]] = []
    before = match = None
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or ""
        if kind == "MARK":
            kind = match[0]
        if kind not in expected:
            break
        if kind == ":":
            expected = _VALUES
        elif kind == ",":
            expected = _AFTER_COMMA[opened[-1][0]]
        elif kind in _OPENERS:
            opened.append(match)
            expected = _OPENED[kind]
        elif (expected is _OPENED["{"] and kind != "}") or expected is _KEY:
            expected = _COLON
        else:
            if kind == "}" or kind == "]":
                opened.pop()
            expected = _AFTER_VALUE[opened[-1][0]] if opened else _END
        before = match
    if match is before:  # nothing is left
        match, kind = None, "END"
    if kind not in expected:
        start, end = match.span() if match else (len(text), len(text))
        after_comma = before is not None and before[0] == ","
        situation = Situation(expected, after_comma, kind)
        raise Failed(situation, start, end, before and before.start(), opened[-1].start() if opened else None)


def explained(failed: Failed, text: str, line_offset: int) -> tuple[str, int]:
    """The fault in words, a clause, and the offset to point at; `line_offset` lines of the file precede the text."""
    kind, token = failed.situation.met, text[failed.start : failed.end]
    mistake = _mistakes().get(failed.situation) or JSON_TOKENS.get(kind, UNKNOWN)
    opened = failed.opened
    problem = mistake.sentence.format(
        token=f"`{token}` (U+{ord(token):04X})" if kind == "STRAY" else token[:40],
        what="text" if opened is None else _OPENERS[text[opened]],
        line=text.count("\n", 0, opened or 0) + 1 + line_offset,
    )
    match mistake.place:
        case "last":
            return problem, len(text.rstrip())
        case "end":
            return problem, failed.end
        case "before":
            return problem, failed.start if failed.before is None else failed.before
        case "token":
            return problem, failed.start


@cache
def _mistakes() -> dict[Situation, Mistake]:
    return taught(JSON_MISTAKES, situation)


def situation(sample: str) -> Situation:
    """Where a sample of a mistake fails."""
    try:
        parse(sample)
    except Failed as failed:
        return failed.situation
    raise AssertionError(f"a sample of a mistake is well-formed: {sample}")
