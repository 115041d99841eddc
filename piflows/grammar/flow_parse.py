"""Textual form → lines: the lark grammar, its indentation, its syntax errors. What the lines mean: flow_build.py."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import groupby
from typing import TYPE_CHECKING, Any, ClassVar, cast, get_args, get_type_hints

from piflows.grammar.flow_mistakes import FLOW_MISTAKES, FLOW_PLACES, expected
from piflows.grammar.flow_words import TAGS, Unsound, read_number, unescape, unquote
from piflows.grammar.mistakes import Mistake, Situation, taught
from piflows.ir.limits import LIMITS
from piflows.ir.parts import Count, Counter, Each, Index, Noun, Part, Parts, Section, Slot, Text

if TYPE_CHECKING:
    from lark import Lark, UnexpectedInput
    from lark.lexer import Token

NESTING = (LIMITS.nesting - 12) // 2  # of sections: two levels each of the JSON form, below the twelve around a prompt


class Misread(Exception):
    """What is wrong with the text at `line` and `column`, both from 1: `problem` is a phrase."""

    def __init__(self, line: int, column: int, problem: str) -> None:
        super().__init__(problem)
        self.line, self.column, self.problem = line, column, problem


@dataclass(frozen=True, slots=True)
class Word:
    """A bare word or a quoted string, read."""

    text: str
    bare: bool
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Data:
    """A JSON array or object; `depth` is how deep it nests."""

    value: object
    depth: int
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Written:
    """The parts of a text, and where its first bar is."""

    parts: Parts
    line: int
    column: int


Operand = Word | Data


@dataclass(frozen=True, slots=True)
class Clause:
    """`word operands | text`, and the lines below it. `listed`: commas stand between the operands."""

    word: Word
    operands: tuple[Operand, ...]
    listed: bool
    text: Written | None
    block: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Exit:
    """`outcome -> target`."""

    outcome: Word
    target: Word


Line = Clause | Exit


def parse_lines(text: str) -> tuple[Word, tuple[Line, ...]]:
    """The header's version and the top-level lines. Raises Misread."""
    from lark import UnexpectedInput

    text = text.removeprefix("\ufeff").replace("\r\n", "\n") + "\n"
    try:
        return cast("Any", _reader().parse(text))
    except UnexpectedInput as error:
        raise _misread(error) from None


def json_word(word: Word) -> object:
    """The JSON value of a word: a quoted string, a number, true, false or null. Raises Misread."""
    if not word.bare:
        return word.text
    if word.text in _JSON_WORDS:
        return _JSON_WORDS[word.text]
    try:
        return read_number(word.text)
    except ValueError as error:
        raise Misread(word.line, word.column, f"`{word.text}` is {error}: a text takes double quotes here") from None


_JSON_WORDS = {"true": True, "false": False, "null": None}


@cache
def _reader() -> Lark:
    from lark import Lark

    source = files(__package__).joinpath("flow.lark").read_text("utf-8")
    return Lark(source, parser="lalr", start="flow", postlex=cast("Any", _Indenter()), transformer=cast("Any", _Made()))


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


Piece = tuple[Part, int]  # a part and how deep sections nest in it


class _Made:
    """What the grammar's terminals and rules become. A rule gets its children; lark calls it by its name."""

    def ATOM(self, token: Token) -> Word:
        return Word(str(token), True, *_at(token))

    def STRING(self, token: Token) -> Word:
        return Word(_read(unquote, token), False, *_at(token))

    def flow(self, children: list[Any]) -> tuple[Word, tuple[Line, ...]]:
        return children[0], tuple(children[1:])

    def header(self, children: list[Word]) -> Word:
        return children[0]

    def exit(self, children: list[Word]) -> Exit:
        return Exit(*children)

    def clause(self, children: list[Any]) -> Clause:
        word, operands, text, block = children
        return Clause(word, tuple(operands or ()), isinstance(operands, tuple), text, tuple(block or ()))

    def block(self, children: list[Line]) -> list[Line]:
        return children

    def words(self, children: list[Operand]) -> list[Operand]:
        return children

    def list(self, children: list[Operand]) -> tuple[Operand, ...]:
        return tuple(children)

    def name(self, children: list[Word]) -> Word:
        return children[0]

    def object(self, children: list[Any]) -> Data:
        at, keys, members = children[0], children[1::2], children[2::2]
        value: dict[str, object] = {}
        for key, member in zip(keys, members, strict=True):
            if key.text in value:
                raise Misread(key.line, key.column, f"the key `{key.text}` stands twice in one object")
            value[key.text] = _value(member)
        return _data(value, members, at)

    def array(self, children: list[Any]) -> Data:
        return _data([_value(member) for member in children[1:]], children[1:], children[0])

    def text(self, children: list[Any]) -> Written:
        return Written(tuple(part for part, _ in self.pieces(children[1:])), *_at(children[0]))

    def pieces(self, children: list[Any]) -> list[Piece]:
        out: list[Piece] = []
        for literal, run in groupby(children, key=_literal):
            out.extend([(Text("".join(map(_run, run))), 0)] if literal else run)
        return out

    def path(self, children: list[Word | None]) -> tuple[str, str | None]:
        first, second = children
        return (_tag_name(second), _tag_name(first)) if second else (_tag_name(first), None)

    def noun(self, children: list[Word]) -> Noun:
        return Noun(children[0].text, children[1].text)

    def slot(self, children: list[Any]) -> Piece:
        name, field = children[1]
        return Slot(name, "text" if field is None else field), 0

    def counter(self, children: list[Any]) -> Piece:
        return Counter(_tag_name(children[1]), children[2]), 0

    def index(self, _: list[Any]) -> Piece:
        return Index(), 0

    def count(self, children: list[Any]) -> Piece:
        brace, (stage, status), noun = children
        if status not in (None, *_STATUSES):
            raise Misread(*_at(brace), f"`{{count … of {stage}}}` counts {', '.join(_STATUSES)}, not `{status}`")
        return Count(stage, status or "all", noun), 0

    def section(self, children: list[Any]) -> Piece:
        brace, (slot, field), parts, otherwise = children
        depth = _deeper([*parts, *(otherwise or ())], brace)
        then, other = (tuple(part for part, _ in pieces or ()) for pieces in (parts, otherwise))
        return Section(slot, then, "text" if field is None else field, other), depth

    def each(self, children: list[Any]) -> Piece:
        brace, slot, between, parts = children
        kept = {} if between is None else {"between": between.text}
        return Each(_tag_name(slot), tuple(part for part, _ in parts), **kept), _deeper(parts, brace)


def _tag_name(word: Word | None) -> str:
    assert word
    if word.bare and word.text in TAGS:
        raise Misread(word.line, word.column, f"`{word.text}` belongs to no tag here; a slot so called is quoted")
    return word.text


def _literal(child: Any) -> bool:
    return not isinstance(child, tuple)


def _run(token: Token) -> str:
    return _read(unescape, token) if token.type == "TEXT" else "\n"


_STATUSES: tuple[str, ...] = get_args(get_type_hints(Count)["status"])


def _deeper(pieces: list[Piece], brace: Token) -> int:
    depth = 1 + max((depth for _, depth in pieces), default=0)
    if depth > NESTING:
        raise Misread(*_at(brace), f"sections nest deeper than {NESTING}")
    return depth


def _data(value: object, members: list[Operand], brace: Token) -> Data:
    depth = 1 + max((member.depth for member in members if isinstance(member, Data)), default=0)
    if depth > LIMITS.nesting:
        raise Misread(*_at(brace), f"values nest deeper than {LIMITS.nesting}")
    return Data(value, depth, *_at(brace))


def _value(operand: Operand) -> object:
    return operand.value if isinstance(operand, Data) else json_word(operand)


def _at(token: Token) -> tuple[int, int]:
    """Where a token is; a bar that begins a line is at the end of a token that has the lines before it."""
    lines = token.count("\n")
    line = cast("int", token.line) + lines
    return (line, len(token.rpartition("\n")[2].rstrip())) if lines else (line, cast("int", token.column))


def _read(reader: Callable[[str], str], token: Token) -> str:
    try:
        return reader(str(token))
    except Unsound as error:
        line, column = _at(token)
        raise Misread(line, column + error.offset, str(error)) from None


def _misread(error: UnexpectedInput) -> Misread:
    place = _situation(error)
    exact, by_place = _sentences()
    known = exact.get(place) or by_place.get(replace(place, met=""))
    return Misread(error.line, error.column, known.sentence if known else expected(place.accepts))


def _situation(error: UnexpectedInput) -> Situation:
    """Where a parse failed: what could have come, and what came, a token's type or, of anything else, a character."""
    token: Token | None = getattr(error, "token", None)
    if token is None:
        met = str(getattr(error, "char", ""))
    else:
        met = token[0] if token.type == "TEXT" else token.type
    parser: Any = getattr(error, "interactive_parser", None)
    return Situation(frozenset(parser.accepts()), False, met)


@cache
def _sentences() -> tuple[dict[Situation, Mistake], dict[Situation, Mistake]]:
    return taught(FLOW_MISTAKES, _fails), taught(FLOW_PLACES, lambda sample: replace(_fails(sample), met=""))


def _fails(sample: str) -> Situation:
    from lark import UnexpectedInput

    try:
        _reader().parse(sample)
    except UnexpectedInput as error:
        return _situation(error)
    raise AssertionError(f"no mistake: {sample!r}")
