"""Parts and values give texts; what a child wrote is only ever inserted."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from piflows.interpreter.fill import ABSENT, NOTICE, Values, fenced, fill, fill_prompt
from piflows.ir.parts import Count, Counter, Each, Index, Noun, Part, Section, Slot, Text

SLOTS: dict[str, Any] = {
    "one": {"text": "ONE", "score": 91.0, "exit": 0, "deep": {"b": 1, "a": [True]}},
    "none": ABSENT,
    "empty": {"text": ""},
    "list": [{"text": "A"}, {"text": "B"}],
    "nothing": [],
    "instead": "NONE YET",
}
SAID: list[tuple[str, tuple[Part, ...], str]] = [
    ("text", (Text("a{one}"),), "a{one}"),
    ("slot", (Text("<"), Slot("one"), Text(">")), "<ONE>"),
    ("whole number", (Slot("one", "score"),), "91"),
    ("zero", (Slot("one", "exit"),), "0"),
    ("structure", (Slot("one", "deep"),), '{"a": [true], "b": 1}'),
    ("absent slot", (Slot("none"), Slot("unknown")), ""),
    ("section", (Section("one", (Text("in"),), otherwise=(Text("out"),)),), "in"),
    ("section of zero", (Section("one", (Text("in"),), "exit"),), "in"),
    ("section of an empty text", (Section("empty", (Text("in"),), otherwise=(Text("out"),)),), "out"),
    ("section of an absent value", (Section("none", (Text("in"),)),), ""),
    ("section of a list", (Section("list", (Text("in"),)),), "in"),
    ("section of an empty list", (Section("nothing", (Text("in"),), otherwise=(Text("out"),)),), "out"),
    ("each", (Each("list", (Index(), Text(" "), Slot("item")), "; "), Text("."), Index()), "1 A; 2 B.7"),
    ("each of nothing", (Each("nothing", (Text("x"),)), Each("none", (Text("x"),))), ""),
    ("each of a text instead", (Each("instead", (Slot("item"),)),), "NONE YET"),
    ("each of a record", (Each("one", (Slot("item"),)),), ""),
    ("counter", (Counter("r"), Text(" "), Counter("r", Noun("turn", "turns"))), "1 1 turn"),
    ("count", (Count("s", "all", Noun("node", "nodes")),), "3 nodes"),
]


def values(quoted: frozenset[str] = frozenset()) -> Values:
    return Values(dict(SLOTS), lambda part: 1 if isinstance(part, Counter) else 3, quoted, index=7)


@pytest.mark.parametrize(("name", "parts", "said"), SAID, ids=[case[0] for case in SAID])
def test_parts_say(name: str, parts: tuple[Part, ...], said: str) -> None:  # noqa: ARG001
    assert fill(parts, values()) == said


def test_untrusted_texts_are_fenced_and_their_numbers_are_not() -> None:
    parts = (Text("Judge "), Slot("one"), Text("at "), Slot("one", "score"))
    expected = "Judge \n```untrusted-data\nONE\n```\nat 91"
    assert fill_prompt(parts, values(frozenset({"one"}))) == f"{NOTICE}\n\n{expected}"
    assert fill_prompt(parts, values()) == "Judge ONEat 91"


def test_elements_of_an_untrusted_list_are_fenced_one_by_one() -> None:
    out = fill((Each("list", (Slot("item"),), ""), Slot("one")), values(frozenset({"list"})))
    assert out.count("```untrusted-data") == 2 and out.endswith("ONE")


@given(st.text(), st.text())
def test_no_text_closes_its_own_fence(text: str, key: str) -> None:
    head, *_, last = fenced(text, {"agent": "recon", "key": key}).split("\n")
    assert set(last) == {"`"} and len(last) >= 3
    assert head.startswith(last) and head.count("`") == len(last)
    assert last not in text
