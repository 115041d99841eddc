"""Strategies that the properties share: names and texts of any characters, graphs, well-typed Flows.

A Flow of `flows()` has the right types and nothing more: its names need not exist. What it is made of follows from the
IR's type hints, so a new field or condition is generated, and changed, without a change here.
"""

from __future__ import annotations

import dataclasses
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

from piflows.ir.flow import Flow
from piflows.ir.parts import Part, Parts, Section, normal

HARD = (
    "\x00\x07\t\n\r\x0b\x0c\x1c\x1f\x7f\x85\xa0\u200b\u200d\u2028\u2029\u202e\ufeff\U0001f600é'\"\\{}[]|#:,-> \u00adn"
)
WORDS = (
    "a",
    "b",
    "node.a",
    "round",
    "of",
    "end",
    "none",
    "default",
    "stage",
    "text",
    "a b",
    "{a}",
    "-1",
    "1",
    "->",
    "",
)


def names() -> st.SearchStrategy[str]:
    """Names that an author may write: plain words, words of the textual form, anything."""
    return st.sampled_from(WORDS) | st.text(HARD, max_size=6) | st.text(max_size=6)


def texts() -> st.SearchStrategy[str]:
    """Texts of any characters and lines, the empty one too."""
    pieces = st.sampled_from(("\n", " ", "\n\n", "  ", "{task}", "{end}", "| x", "# x", "\\n", "word")) | names()
    return st.lists(pieces, max_size=8).map("".join)


def json_values() -> st.SearchStrategy[Any]:
    """Any JSON value, numbers finite."""
    leaf = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | names()
    return st.recursive(
        leaf, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names(), inner, max_size=3), max_leaves=6
    )


def all_parts() -> st.SearchStrategy[Parts]:
    """Parts in normal form, nested too."""
    return st.lists(_part(), max_size=4).map(normal)


def flows() -> st.SearchStrategy[Flow]:
    """Well-typed Flows of all kinds of state, unit, condition, action and part; at least one state."""
    state = _values(get_args(get_type_hints(Flow)["states"])[0])
    return typed(Flow, states=st.lists(state, min_size=1, max_size=4).map(tuple))


@st.composite
def dags(draw: st.DrawFn, most: int = 8) -> dict[str, list[str]]:
    """An acyclic graph: id -> ids it needs, in an order that need not be topological."""
    ids = draw(st.lists(names(), max_size=most, unique=True))
    needs = {name: draw(st.lists(st.sampled_from(ids[:i]), unique=True)) if i else [] for i, name in enumerate(ids)}
    return {name: needs[name] for name in draw(st.permutations(ids))}


def typed(cls: type, **given: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Records of an IR type whose fields have the right types; a field may be given its own strategy."""
    hints = get_type_hints(cls)
    names = [field.name for field in dataclasses.fields(cls) if field.name not in ("kind", "version")]
    return st.builds(cls, **{name: given[name] if name in given else _values(hints[name]) for name in names})


@cache
def _part() -> st.SearchStrategy[Part]:
    return st.deferred(lambda: st.one_of(*(typed(cls) for cls in get_args(get_args(_PARTS)[0]))))


@cache
def _values(hint: Any) -> st.SearchStrategy[Any]:
    args = get_args(hint)
    if hint == _PARTS:
        return st.lists(_part(), max_size=3).map(normal)
    if get_origin(hint) is Literal:
        return st.sampled_from(args)
    if get_origin(hint) in (Union, UnionType):
        return st.one_of(*map(_values, args))
    if get_origin(hint) is tuple:
        return st.lists(_values(args[0]), max_size=2).map(tuple)
    if get_origin(hint) is dict:
        return st.dictionaries(names(), _values(args[1]), max_size=2)
    return _LEAVES[hint] if hint in _LEAVES else typed(hint)


_PARTS = get_type_hints(Section)["parts"]
_LEAVES: dict[Any, st.SearchStrategy[Any]] = {
    str: texts() | names(),
    int: st.integers() | st.sampled_from((0, 1000, 36_000_000)),
    float: st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**6), 10**6),
    bool: st.booleans(),
    Any: json_values(),
    NoneType: st.none(),
}
