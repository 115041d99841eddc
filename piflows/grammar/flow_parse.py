"""Textual form → syntax tree: the grammar, its indentation, its syntax errors. What it means: flow_build.py."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, ClassVar, cast

from piflows.grammar.flow_mistakes import FLOW_MISTAKES, FLOW_PLACES, expected
from piflows.grammar.flow_tree import Line, Made, Misread, Word, place
from piflows.grammar.mistakes import Mistake, Situation, taught

if TYPE_CHECKING:
    from lark import Lark, UnexpectedInput
    from lark.lexer import Token


def parse_lines(text: str) -> tuple[Word, tuple[Line, ...]]:
    """The header's version and the top-level lines. Raises Misread."""
    from lark import UnexpectedInput

    text = text.removeprefix("\ufeff").replace("\r\n", "\n") + "\n"
    try:
        return _parse(text)
    except UnexpectedInput as error:
        raise _misread(error) from None


@cache
def _reader() -> Lark:
    from lark import Lark

    source = files("piflows.grammar").joinpath("flow.lark").read_text("utf-8")
    return Lark(source, parser="lalr", start="flow", postlex=cast("Any", _Indenter()), transformer=cast("Any", Made()))


class _Indenter:
    """Follows each newline by _INDENT or _DEDENT where the indentation changes. It is made of spaces."""

    always_accept: ClassVar = ("_NL",)

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        from lark.lexer import Token

        levels, token = [0], None
        for token in stream:
            yield token
            if token.type == "_NL":
                for change in self._changes(token, levels):
                    yield Token(change, "", line=token.end_line, column=token.end_column)
        for _ in levels[1:]:
            yield Token.new_borrow_pos("_DEDENT", "", cast("Token", token))

    def _changes(self, newline: Token, levels: list[int]) -> Iterator[str]:
        before = newline.rpartition("\n")[2]
        width = 0 if "#" in before else len(before)  # a comment can only end the newline at the end of the text
        line = cast("int", newline.end_line)
        if "\t" in before and "#" not in before:
            raise Misread(line, before.index("\t") + 1, "indentation is made of spaces, and this is a tab")
        if width > levels[-1]:
            levels.append(width)
            yield "_INDENT"
        while width < levels[-1]:
            levels.pop()
            yield "_DEDENT"
        if width != levels[-1]:
            raise Misread(
                line, width + 1, "this line is indented less than the one above, but belongs to none before it"
            )


def _parse(text: str) -> Any:
    return cast("Any", _reader()).parse(text)


def _misread(error: UnexpectedInput) -> Misread:
    situation = _situation(error)
    exact, by_place = _sentences()
    known = exact.get(situation) or by_place.get(replace(situation, met=""))
    token: Token | None = getattr(error, "token", None)
    at = place(token) if token and token.type == "CONT" else (error.line, error.column)
    return Misread(*at, known.sentence if known else expected(situation.accepts))


def _situation(error: UnexpectedInput) -> Situation:
    """Where a parse failed: what could have come, and what came, a token's type or, of anything else, a character."""
    token: Token | None = getattr(error, "token", None)
    met = str(getattr(error, "char", "")) if token is None else token[0] if token.type == "TEXT" else token.type
    parser: Any = getattr(error, "interactive_parser", None)
    return Situation(frozenset(parser.accepts()), False, met)


@cache
def _sentences() -> tuple[dict[Situation, Mistake], dict[Situation, Mistake]]:
    return taught(FLOW_MISTAKES, _fails), taught(FLOW_PLACES, lambda sample: replace(_fails(sample), met=""))


def _fails(sample: str) -> Situation:
    from lark import UnexpectedInput

    try:
        _parse(sample)
    except UnexpectedInput as error:
        return _situation(error)
    raise AssertionError(f"no mistake: {sample!r}")
