"""What the textual form's syntax tree is made of, and how lark makes it: the callbacks of flow.lark."""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import groupby
from typing import TYPE_CHECKING, Any, cast, get_args, get_type_hints

from piflows.grammar.flow_words import JOINTS, TAGS, Unsound, read_number, unescape, unquote
from piflows.ir.frozen import frozen
from piflows.ir.limits import LIMITS
from piflows.ir.parts import Count, Counter, Each, Index, Noun, Part, Parts, Section, Slot, Text

if TYPE_CHECKING:
    from lark.lexer import Token


class Misread(Exception):
    """What is wrong with the text at `line` and `column`, both from 1: `problem` is a phrase."""

    def __init__(self, line: int, column: int, problem: str) -> None:
        super().__init__(problem)
        self.line, self.column, self.problem = line, column, problem


@frozen
class Word:
    """A bare word or a quoted string, read."""

    text: str
    bare: bool
    line: int
    column: int


@frozen
class Data:
    """A JSON array or object; `depth` is how deep it nests."""

    value: object
    depth: int
    line: int
    column: int


@frozen
class Written:
    """The parts of a text, and where its first bar is."""

    parts: Parts
    line: int
    column: int


Operand = Word | Data


@frozen
class Clause:
    """`word operands | text`, and the lines below it. `listed`: commas stand between the operands."""

    word: Word
    operands: tuple[Operand, ...]
    listed: bool
    text: Written | None
    block: tuple[Line, ...]


@frozen
class Exit:
    """`outcome -> target`."""

    outcome: Word
    target: Word


Line = Clause | Exit


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


Piece = tuple[Part, int]  # a part and how deep sections nest in it


class Made:
    """What the grammar's terminals and rules become. A rule gets its children; lark calls it by its name."""

    def ATOM(self, token: Token) -> Word:
        return Word(str(token), True, *place(token))

    def STRING(self, token: Token) -> Word:
        return Word(_read(unquote, token), False, *place(token))

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

    def listed(self, children: list[Operand]) -> tuple[Operand, ...]:
        return tuple(children)

    def name(self, children: list[Word]) -> Word:
        return children[0]

    def json_object(self, children: list[Any]) -> Data:
        at, keys, members = children[0], children[1::2], children[2::2]
        value: dict[str, object] = {}
        for key, member in zip(keys, members, strict=True):
            if key.text in value:
                raise Misread(key.line, key.column, f"the key `{key.text}` stands twice in one object")
            value[key.text] = _value(member)
        return _data(value, members, at)

    def json_array(self, children: list[Any]) -> Data:
        return _data([_value(member) for member in children[1:]], children[1:], children[0])

    def text(self, children: list[Any]) -> Written:
        return Written(tuple(part for part, _ in self.pieces(children[1:])), *place(children[0]))

    def pieces(self, children: list[Any]) -> list[Piece]:
        out: list[Piece] = []
        for literal, run in groupby(children, key=_literal):
            pieces = list(run)
            out += [(Text("".join(map(_run, pieces))), 0)] if literal else pieces
        return out

    def path(self, children: list[Word | None]) -> tuple[Word, Word | None]:
        first, second = children
        return (second, first) if second else (cast("Word", first), None)

    def noun(self, children: list[Word]) -> Noun:
        return Noun(_name(children[0]), _name(children[1]))

    def slot(self, children: list[Any]) -> Piece:
        of, field = children[1]
        _name(field or of, TAGS)
        return Slot(_name(of), _name(field) if field else "text"), 0

    def counter(self, children: list[Any]) -> Piece:
        return Counter(_name(children[1]), children[2]), 0

    def index(self, _: list[Any]) -> Piece:
        return Index(), 0

    def count(self, children: list[Any]) -> Piece:
        _, (stage, word), noun = children
        status = _name(word) if word else "all"
        if status not in _STATUSES:
            raise Misread(word.line, word.column, f"a count is of {', '.join(_STATUSES)}, not of `{status}`")
        return Count(_name(stage), cast("Any", status), noun), 0

    def section(self, children: list[Any]) -> Piece:
        brace, (of, field), parts, otherwise = children
        depth = _deeper([*parts, *(otherwise or ())], brace)
        then, other = (tuple(part for part, _ in pieces or ()) for pieces in (parts, otherwise))
        return Section(_name(of), then, _name(field) if field else "text", other), depth

    def each(self, children: list[Any]) -> Piece:
        brace, slot, between, parts = children
        kept = {} if between is None else {"between": between.text}
        return Each(_name(slot), tuple(part for part, _ in parts), **kept), _deeper(parts, brace)


def _name(word: Word, taken: Collection[str] = JOINTS) -> str:
    """The name that a word of a tag is. One of the `taken` words is a name only when it is quoted."""
    if word.bare and word.text in taken:
        problem = f"no tag is open that this `{word.text}` belongs to; a name that is this word is quoted"
        raise Misread(word.line, word.column, problem)
    return word.text


def _literal(child: Any) -> bool:
    return not isinstance(child, tuple)


def _run(token: Token) -> str:
    return _read(unescape, token) if token.type == "TEXT" else "\n"


_STATUSES: tuple[str, ...] = get_args(get_type_hints(Count)["status"])


def _deeper(pieces: list[Piece], brace: Token) -> int:
    depth = 1 + max((depth for _, depth in pieces), default=0)
    if depth > LIMITS.nesting:
        raise Misread(*place(brace), f"sections nest deeper than {LIMITS.nesting}")
    return depth


def _data(value: object, members: list[Operand], brace: Token) -> Data:
    depth = 1 + max((member.depth for member in members if isinstance(member, Data)), default=0)
    if depth > LIMITS.nesting:
        raise Misread(*place(brace), f"values nest deeper than {LIMITS.nesting}")
    return Data(value, depth, *place(brace))


def _value(operand: Operand) -> object:
    return operand.value if isinstance(operand, Data) else json_word(operand)


def place(token: Token) -> tuple[int, int]:
    """Where a token is; a bar that begins a line is at the end of a token that has the lines before it."""
    lines = token.count("\n")
    line = cast("int", token.line) + lines
    return (line, len(token.rpartition("\n")[2].rstrip())) if lines else (line, cast("int", token.column))


def _read(reader: Callable[[str], str], token: Token) -> str:
    try:
        return reader(str(token))
    except Unsound as error:
        line, column = place(token)
        raise Misread(line, column + error.offset, str(error)) from None
