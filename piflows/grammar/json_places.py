"""The second reader of a JSON text: where each key and value stands, and why a text is refused.

Reads by the LALR grammar in `located.lark`, in one pass over the text, and imports lark only when it is called.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, cast

from piflows.grammar.located import refused, size, strict_json, too_deep
from piflows.grammar.mistakes import JSON_MISTAKES, JSON_TOKENS, UNKNOWN, Mistake, Situation, taught
from piflows.ir.limits import LIMITS

if TYPE_CHECKING:
    from lark import Lark, ParseTree, Token
    from lark.parsers.lalr_interactive_parser import InteractiveParser

_OPENERS = {"LBRACE": "object", "LSQB": "list"}
_CLOSERS = ("_RBRACE", "_RSQB")


class Place(NamedTuple):
    """Line and column in the text, from 1; columns count characters."""

    line: int
    column: int


class Spot(NamedTuple):
    """Where a value stands, where its key does, and the values inside it."""

    at: Place
    key: Place | None
    inside: dict[str, Spot]


class Fault(NamedTuple):
    """Why a text is refused: a clause, and the pointer and place of what is wrong."""

    problem: str
    pointer: str
    place: Place


class Failed(Exception):
    """A failed parse: the tokens up to the one at fault, and those that the parser could have taken."""

    def __init__(self, tokens: list[Token], accepts: frozenset[str]) -> None:
        super().__init__(tokens[-1])
        self.tokens = tokens
        after_comma = len(tokens) > 1 and tokens[-2].type == "_COMMA"
        self.situation = Situation(accepts, after_comma, tokens[-1].type)


def spots(text: str) -> Spot:
    """The places of everything in `text`, a JSON object that `located.load` has read."""
    return _spot(_parse(text).children[0], None)


def below(spot: Spot, part: str) -> Spot | None:
    """One step of a pointer: a key, or the index of a list's item without leading zeros."""
    return spot.inside.get(part)


def fault(text: str, line_offset: int) -> Fault:
    """Why `located.load` refuses `text`; of several reasons the first in the text, but bounds and syntax go before."""
    try:
        if size(text) > LIMITS.file_bytes:
            return Fault(f"the text has more than {LIMITS.file_bytes} bytes", "", Place(1, 1))
    except UnicodeEncodeError as error:
        return Fault("the text holds half of a surrogate pair", "", _place(text, error.start))
    deep = too_deep(text)
    if deep is not None:
        return Fault(f"brackets are nested more than {LIMITS.nesting} deep", "", _place(text, deep))
    try:
        tree = _parse(text)
    except Failed as failed:
        return _explained(failed, text, line_offset)
    return next(_faults(tree.children[0], "", line_offset))


@cache
def _parser() -> Lark:
    from lark import Lark

    opened = Lark.open_from_package  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return opened(__package__ or "", "located.lark", parser="lalr", lexer="basic", postlex=_Keep())


class _Keep:
    """Lark drops a terminal that no rule uses, unless a post-lexer asks for it."""

    always_accept = tuple(JSON_TOKENS)

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        return stream


def _parse(text: str) -> ParseTree:
    """Raises Failed."""
    from lark import Token, UnexpectedToken

    parser: InteractiveParser = _parser().parse_interactive(text)  # pyright: ignore[reportUnknownMemberType]
    tokens: list[Token] = []
    try:
        for token in parser.iter_parse():
            tokens.append(token)
        tokens.append(Token("$END", ""))
        return parser.feed_token(tokens[-1])
    except UnexpectedToken:
        accepts = cast("set[str]", parser.accepts())
        raise Failed(tokens, frozenset(accepts)) from None


def _spot(node: ParseTree | Token, key: Place | None) -> Spot:
    if isinstance(node, str):
        return Spot(_start(node), key, {})
    inside = {name: _spot(value, _start(inner) if inner else None) for inner, name, value in _members(node)}
    return Spot(_start(node.children[0]), key, inside)


def _members(node: ParseTree) -> Iterator[tuple[Token | None, str, ParseTree | Token]]:
    """What an object or a list holds: the key's token, the name that a pointer uses, the value."""
    for index, inner in enumerate(node.children[1:]):
        if isinstance(inner, str) or inner.data != "pair":
            yield None, str(index), inner
        else:
            key, value = cast("tuple[Token, ParseTree | Token]", inner.children)
            yield key, strict_json(key), value


def _faults(node: ParseTree | Token, pointer: str, line_offset: int) -> Iterator[Fault]:
    """What is wrong in a well-formed text, in the order of the text."""
    if isinstance(node, str):
        yield from _token_faults(node, pointer)
        return
    seen: dict[str, int] = {}
    for key, name, value in _members(node):
        below = f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}"
        if key is not None:
            yield from _token_faults(key, below)
            if name in seen:
                problem = f"the key {key} is given twice, first in line {seen[name] + line_offset}"
                yield Fault(problem, below, _start(key))
            seen.setdefault(name, _start(key).line)
        yield from _faults(value, below, line_offset)


def _token_faults(token: Token, pointer: str) -> Iterator[Fault]:
    try:
        value = strict_json(token)
    except ValueError:
        yield Fault("the number is too large", pointer, _start(token))
        return
    if isinstance(value, str) and refused(value):
        problem = "a string may hold neither `\\u0000` nor half of a surrogate pair"
        yield Fault(problem, pointer, _start(token))


# ---- a failed parse in words ---------------------------------------------------------------------------------------


@cache
def _mistakes() -> dict[Situation, Mistake]:
    return taught(JSON_MISTAKES, _situation)


def _situation(sample: str) -> Situation:
    try:
        _parse(sample)
    except Failed as failed:
        return failed.situation
    raise AssertionError(f"a sample of a mistake is well-formed: {sample}")


def _explained(failed: Failed, text: str, line_offset: int) -> Fault:
    token = failed.tokens[-1]
    mistake = _mistakes().get(failed.situation) or JSON_TOKENS.get(token.type, UNKNOWN)
    opened = _opened(failed.tokens[:-1])
    problem = mistake.sentence.format(
        token=f"`{token}` (U+{ord(token):04X})" if token.type == "STRAY" else token[:40],
        what=_OPENERS[opened.type] if opened else "text",
        line=(_start(opened).line if opened else 1) + line_offset,
    )
    if mistake.place == "last":
        place = _place(text, len(text.rstrip()))
    elif mistake.place == "end":
        place = Place(token.end_line or 1, token.end_column or 1)
    else:
        place = _start(failed.tokens[-2] if mistake.place == "before" else token)
    return Fault(problem, "", place)


def _opened(tokens: list[Token]) -> Token | None:
    """The innermost bracket that is still open."""
    opened: list[Token] = []
    for token in tokens:
        if token.type in _OPENERS:
            opened.append(token)
        elif token.type in _CLOSERS:
            opened.pop()
    return opened[-1] if opened else None


def _start(token: ParseTree | Token) -> Place:
    line, column = getattr(token, "line", None), getattr(token, "column", None)
    return Place(line or 1, column or 1)


def _place(text: str, offset: int) -> Place:
    return Place(text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))
