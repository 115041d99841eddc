"""What is wrong with a text, taught by example: a sentence and malformed samples of it.

A table belongs to one language; a better message is one more sample. A failed parse is looked up by what the parser
could have taken, whether a comma came before, and what it met; failing that, by the token alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from piflows.ir.frozen import frozen

Place = Literal["token", "end", "before", "last"]


@frozen
class Situation:
    """Where a parse failed: the tokens it could have taken, the token before, the token that it met."""

    accepts: frozenset[str]
    after_comma: bool
    met: str


@frozen
class Mistake:
    """`sentence` may hold `{token}`, `{what}` and `{line}` of the innermost bracket that is open. `place` is where to
    point: at the token, at its end, at the token before it, or behind the last character of the text."""

    sentence: str
    samples: tuple[str, ...] = ()
    place: Place = "token"


UNKNOWN = Mistake("`{token}` is not expected here")

JSON_TOKENS: Mapping[str, Mistake] = {
    "UNCLOSED_STRING": Mistake("the string that opens here is not closed on its line (a line break in it is `\\n`)"),
    "CONTROL_STRING": Mistake("a control character in a string is written as an escape: `\\t`, `\\u0007`", place="end"),
    "ESCAPE_STRING": Mistake(
        "this backslash begins no escape of JSON; a backslash itself is written `\\\\`", place="end"
    ),
    "COMMENT": Mistake("comments are not JSON"),
    "CODE_FENCE": Mistake("a code fence is not JSON, and this one does not stand around the whole"),
    "QUOTE": Mistake("strings take double quotes"),
    "FOREIGN_LITERAL": Mistake("`{token}` is not JSON: the words are true, false and null"),
    "NO_NUMBER": Mistake("`{token}` is not a JSON number"),
    "FOREIGN_NUMBER": Mistake("`{token}` is not a JSON number: no sign `+`, no leading zero, digits around the point"),
    "WORD": Mistake("`{token}` is not JSON: a text takes double quotes"),
    "STRAY": Mistake("the character {token} is not JSON"),
}

JSON_MISTAKES: tuple[Mistake, ...] = (
    Mistake("the text is empty: one JSON object is expected", ("", "\n"), "last"),
    Mistake("one JSON object is expected, and this is none", ("[]", '"a"', "1", "true", "}", "]", ",", ":", "x")),
    Mistake(
        "only one JSON object is expected, and more text follows it",
        ("{}{", "{}}", "{}[", "{}]", "{},", "{}:", '{}"a"', "{}1", "{}true", "{}x"),
    ),
    Mistake(
        "the {what} that opens at line {line} is not closed",
        ("{", '{"a"', '{"a":', '{"a":1', '{"a":1,', '{"a":[', '{"a":[1', '{"a":[1,'),
        "last",
    ),
    Mistake(
        "the {what} that opens at line {line} is not closed before this `{token}`",
        ("{]", '{"a":1]', '{"a":1,]', '{"a":[}', '{"a":[1}', '{"a":[1,}'),
    ),
    Mistake("a trailing comma before `}}`", ('{"a":1,}',), "before"),
    Mistake("a trailing comma before `]`", ('{"a":[1,]}',), "before"),
    Mistake("a comma with nothing before it", ("{,", '{"a":[,', '{"a":1,,', '{"a":[1,,')),
    Mistake("a comma is missing before this", ('{"a":1 "b"', '{"a":1 {', '{"a":1 [', '{"a":1 1', '{"a":1 true')),
    Mistake("a comma is missing before this", ('{"a":[1 "b"', '{"a":[1 {', '{"a":[1 [', '{"a":[1 1', '{"a":[1 true')),
    Mistake("a list holds no `key: value`; an object `{{…}}` does", ('{"a":["b":', '{"a":[:', '{"a":[1,:')),
    Mistake(
        "a colon is missing between a key and its value",
        ('{"a" 1', '{"a" "b"', '{"a" {', '{"a" [', '{"a" true', '{"a" x'),
    ),
    Mistake("this key has no value", ('{"a"}', '{"a",', '{"a":}', '{"a":,', '{"a"]', '{"a":]', '{"a"::'), "before"),
    Mistake(
        "a key is a text in double quotes",
        ("{a", "{1", "{true", "{[", "{{", '{"a":1,b', '{"a":1,1', '{"a":1,true', '{"a":1,[', '{"a":1,{'),
    ),
    Mistake("a key is missing before this", ("{:", '{"a":1,:', '{"a":1 :')),
)


def taught(mistakes: tuple[Mistake, ...], fails: Callable[[str], Situation]) -> dict[Situation, Mistake]:
    """The lookup of a table. `fails` parses a sample, which must fail, and says where."""
    table: dict[Situation, Mistake] = {}
    for mistake in mistakes:
        for sample in mistake.samples:
            table.setdefault(fails(sample), mistake)
    return table
