"""Print, parse back: the same Flow. Change one field: another digest and one other line."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import all_parts, flows, texts

from piflows.grammar.flow_text import parse_flow, print_flow
from piflows.ir.diagnostic import FlowError
from piflows.ir.digest import digest
from piflows.ir.flow import Flow, Mark, Settle
from piflows.ir.parts import Noun, Text, text


@given(flows())
def test_what_was_printed_reads_back_equal(flow: Flow) -> None:
    printed = print_flow(flow)
    again = parse_flow(printed)
    assert again == flow
    assert digest(again) == digest(flow)
    assert print_flow(again) == printed


@given(all_parts(), texts())
def test_parts_and_facts_of_any_characters_read_back_equal(body: tuple[Any, ...], fact: str) -> None:
    flow = Flow("m", "s", (Settle("s", "refused", fact, {fact: text(fact)}, body, body),))
    assert parse_flow(print_flow(flow)) == flow


@settings(max_examples=15)
@given(flows())
def test_one_changed_field_is_another_digest_and_one_changed_line(flow: Flow) -> None:
    before, known = print_flow(flow).split("\n"), digest(flow)
    for change in _changes(flow):
        assert digest(change.value) != known, change.path
        after = print_flow(change.value).split("\n")
        assert _changed(before, after) <= change.lines, change.path
        assert before != after, change.path


@given(flows(), st.randoms(use_true_random=False))
def test_equal_flows_print_equal_texts(flow: Flow, random: Any) -> None:
    def shuffled(value: Any) -> Any:
        if isinstance(value, dict):
            return dict(random.sample([(key, shuffled(member)) for key, member in value.items()], len(value)))
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return replace(value, **{f.name: shuffled(getattr(value, f.name)) for f in dataclasses.fields(value)})
        return tuple(map(shuffled, value)) if isinstance(value, tuple) else value

    assert print_flow(shuffled(flow)) == print_flow(flow)


@given(flows(), st.data())
def test_a_damaged_text_is_read_or_refused_at_a_place_of_it(flow: Flow, data: st.DataObject) -> None:
    damaged = print_flow(flow)
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(damaged)))
        gone = data.draw(st.sampled_from((0, 1, 5, 40)))
        damaged = damaged[:start] + data.draw(st.sampled_from(DAMAGE)) + damaged[start + gone :]
    try:
        again = parse_flow(damaged, "a.flow")
    except FlowError as refused:
        for found in refused.diagnostics:
            assert (found.code, found.where.file) == ("IR_INVALID", "a.flow")
            assert 1 <= (found.where.line or 0) <= len(damaged.replace("\r\n", "\n").split("\n"))
            assert (found.where.column or 0) >= 1
    else:
        assert parse_flow(print_flow(again)) == again


DAMAGE = (
    "",
    "{",
    "}",
    "|",
    '"',
    "\\",
    "\n",
    "\n    | ",
    "->",
    ",",
    " ",
    "#",
    "\t",
    "\r",
    "{end}",
    "{if a}",
    "[",
    "9" * 400,
    "1e999",
)


@dataclass(frozen=True)
class Lines:
    """How many lines a change takes away and adds."""

    gone: int
    new: int

    def __le__(self, most: Lines) -> bool:
        return self.gone <= most.gone and self.new <= most.new


@dataclass(frozen=True)
class Change:
    """A value with one field changed, and how many lines of the textual form that may change at most."""

    path: str
    value: Any
    lines: Lines = Lines(1, 1)


def _changed(before: list[str], after: list[str]) -> Lines:
    """The lines between what two texts begin and end with in common."""
    same = next(
        (i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), min(len(before), len(after))
    )
    before, after = before[same:], after[same:]
    pairs = zip(reversed(before), reversed(after), strict=False)
    end = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(before), len(after)))
    return Lines(len(before) - end, len(after) - end)


def _changes(node: Any) -> Iterator[Change]:
    """Every Flow, record or part that differs from this one in one field, at any depth."""
    hints = _hints(type(node))
    for field in dataclasses.fields(node):
        if field.name not in ("kind", "version"):
            for change in _of(getattr(node, field.name), hints[field.name], field.name):
                value = replace(node, **{field.name: change.value})
                yield Change(f"{type(node).__name__}.{change.path}", value, change.lines)


_hints = cache(get_type_hints)


def _of(value: Any, hint: Any, name: str) -> Iterator[Change]:
    """Every change of one field's value; a member of a collection is changed, none is added, but to a list of words."""
    args = get_args(hint)
    if hint is Any:
        yield Change(name, [value])
    elif value is None:
        yield Change(name, _first(hint))
    elif get_origin(hint) in (Union, UnionType) and type(None) in args:
        yield Change(name, None)
        yield from _of(value, args[0], name)
    elif isinstance(value, Text):
        yield from (Change(name, Text(new), lines) for new, lines in _texts(value.text, alone=False))
    elif dataclasses.is_dataclass(value):
        yield from (Change(f"{name}.{each.path}", each.value, each.lines) for each in _changes(value))
    elif get_origin(hint) is Literal:
        yield from (Change(name, other) for other in args if other != value)
    elif hint == tuple[str, ...]:
        yield Change(name, (*value, "more"))
    elif isinstance(value, tuple):
        for i, member in enumerate(value):
            for each in _of(member, args[0], f"{name}[{i}]"):
                yield Change(each.path, (*value[:i], each.value, *value[i + 1 :]), each.lines)
    elif isinstance(value, dict):
        for key, member in value.items():
            for each in _of(member, args[1], f"{name}[{key!r}]"):
                yield Change(each.path, value | {key: each.value}, each.lines)
    elif name in ("prompt", "instead") and isinstance(value, str):
        yield from (Change(name, new, lines) for new, lines in _texts(value, alone=name == "prompt") if new and value)
    else:
        yield Change(name, _OTHER[type(value)](value))


_OTHER: dict[type, Any] = {
    str: lambda value: value + "x",
    bool: lambda value: not value,
    int: lambda value: value + 1,
    float: lambda value: 0.5 if value != 0.5 else 1.5,
}


def _first(hint: Any) -> Any:
    """A value of an optional field's type."""
    inner = get_args(hint)[0]
    if get_origin(inner) is Literal:
        return get_args(inner)[0]
    made = {Noun: Noun("", "x"), Mark: Mark("x", "state"), str: "x", bool: True, tuple[str, ...]: ()}
    return made[inner]


def _texts(value: str, alone: bool) -> Iterator[tuple[str, Lines]]:
    """Other texts and the lines that they change. One that is not `alone` shares its first and last line."""
    lines = value.split("\n")
    middle = len(lines) // 2
    for new in (value + "x", value + "\nx", "x\n" + value, "\n".join([*lines[:middle], " new ", *lines[middle:]])):
        ends = (value, new) if alone else (f"<{value}>", f"<{new}>")
        yield new, _changed(*(text.split("\n") for text in ends))
