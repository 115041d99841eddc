"""Syntax errors of the textual form, taught by example: what could have come, and in the first table also what came."""

from __future__ import annotations

from collections.abc import Collection

from piflows.grammar.mistakes import Mistake

_HEADER = "piflows flow 1\n"


def _mistake(sentence: str, *lines: str) -> Mistake:
    return Mistake(sentence, tuple(_HEADER + line for line in lines))


FLOW_MISTAKES: tuple[Mistake, ...] = (
    _mistake(
        "the string that opens here is not closed on its line",
        'x "a\n',
        'x a "a\n',
        'x a a "a\n',
        'x a, "a\n',
        'x -> "a\n',
        'x ["a\n',
        'x {"a\n',
        'x {"a": "a\n',
        '"a\n',
        'x\n  "a\n',
    ),
    _mistake("strings take double quotes", "x 'a'\n", "x a 'a'\n", "x a a 'a'\n", "x a, 'a'\n", "x -> 'a'\n"),
    _mistake("a value follows its word, and a target follows `->`", "x: a\n", "x = a\n"),
    _mistake("an arrow is `->`", "x - > a\n"),
    _mistake("a list has a comma between all its members", "x a b, c\n", "x a, b c\n", 'x a, b "c"\n'),
    _mistake("this line is indented, but nothing above it takes lines below it", "  x\n", "x\n  y -> z\n    x\n"),
    _mistake("this text belongs to no line: the word it belongs to stands before its first bar", "| a\n"),
    _mistake(
        "this backslash begins no escape: a backslash itself is written `\\\\`",
        "x | \\q\n",
        "x | {if a}\\q\n",
        "x | {each a}\\q\n",
    ),
    _mistake(
        "no tag is open that this one closes or divides",
        "x | a{end}\n",
        "x | a{else}\n",
        "x | {each a}b{else}\n",
        "x | {if a}b{else}c{else}\n",
    ),
)

FLOW_PLACES: tuple[Mistake, ...] = (
    Mistake("a flow begins with the line `piflows flow 1`", ("", "\n", "piflows\n")),
    Mistake("the version of the IR belongs here: `piflows flow 1`", ("piflows flow\n",)),
    _mistake("a name belongs here: a bare word or a quoted string", "x ->\n", "x | {if}\n"),
    _mistake("the line should end here", "x -> y z\n"),
    _mistake("a line begins with a word; a quoted name is an outcome, and `-> target` follows it", '"x" y\n'),
    _mistake(
        "a line begins with a word, or is an exit: `outcome -> target`",
        "$\n",
        "x\n$\n",
        "x\n  y\n  $\n",
        "x\n  y -> z\n  $\n",
        "x\n  y\n    z\n  $\n",
    ),
    _mistake(
        "expected a name, a value, a text behind `|` or the end of the line; a name is quoted when it has other "
        "characters than ASCII letters, digits and `_.%+@:/-`",
        "x $\n",
        "x a $\n",
        "x a a $\n",
    ),
    _mistake("a list goes on with a comma or ends with its line", "x a, b $\n"),
    _mistake("a value belongs here", "x a,\n", "x [1,]\n", "x [\n"),
    _mistake("a comma or `]` belongs here: a JSON list is closed on its line", "x [1\n"),
    _mistake("a comma or `}` belongs here: a JSON object is closed on its line", 'x {"a": 1\n'),
    _mistake('a colon belongs here: a JSON object is `{"key": value}`', 'x {"a"\n'),
    _mistake('a quoted key or `}` belongs here: a JSON object is `{"key": value}`', "x {a: 1}\n"),
    _mistake("a quoted string belongs here", 'x {"a": 1,}\n'),
    _mistake("a tag opens here, such as `{task}` or `{if task}`; a brace of the text is written `\\{`", "x | {}\n"),
    _mistake(
        "the tag should end with `}` here; a brace of the text itself is written `\\{`, and a name that is no plain "
        "word is quoted",
        "x | {a\n",
        "x | {a of b\n",
        "x | {index a}\n",
        "x | {if a\n",
        "x | {count a,}\n",
        "x | {count a of b|c\n",
    ),
    _mistake('the tag should end with `}` or go on with `between "…"` here', "x | {each a b}{end}\n"),
    _mistake("a noun is written `one|many`, as in `{round draft iteration|iterations}`", "x | {round a b}\n"),
    _mistake(
        "this text ends before the `{end}` that its tag needs", "x | {if a}\n", "x | {each a}\n", "x | {if a}{else}\n"
    ),
)

_TERMINALS = {
    "ATOM": "a word",
    "STRING": "a quoted string",
    "BAR": "`|`",
    "TEXT": "text",
    "LBRACE": "`{`",
    "LSQB": "`[`",
    "RBRACE": "`}`",
    "RSQB": "`]`",
    "COMMA": "a comma",
    "_PIPE": "`|`",
    "_ELSE": "`{else}`",
    "_END": "`{end}`",
    "_NL": "the end of the line",
}
_UNNAMED = frozenset({"CONT", "_INDENT", "_DEDENT", "$END"})


def expected(accepts: Collection[str]) -> str:
    """What could have come, for a place without a sentence of its own."""
    words = sorted(set(accepts) - _TERMINALS.keys() - _UNNAMED)
    named = [shown for terminal, shown in _TERMINALS.items() if terminal in accepts]
    *most, last = [*named, *(f"`{word.lower()}`" for word in words)] or ["another line"]
    return f"expected {', '.join(most)} or {last} here" if most else f"expected {last} here"
