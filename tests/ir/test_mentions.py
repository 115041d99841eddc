"""What parts mention, in reading order."""

from __future__ import annotations

from piflows.ir.mentions import mentions, slots
from piflows.ir.parts import Counter, Each, Index, Parts, Section, Slot, Text

PARTS: Parts = (
    Text("a"),
    Slot("one"),
    Section("two", (Slot("three"), Each("four", (Slot("item"), Index()))), otherwise=(Slot("five"),)),
    Counter("round"),
)


def test_mentions_are_in_reading_order_with_their_depth():
    assert [(part.kind, in_each, depth) for part, in_each, depth in mentions(PARTS)] == [
        ("slot", False, 1),
        ("section", False, 1),
        ("slot", False, 2),
        ("each", False, 2),
        ("slot", True, 3),
        ("index", True, 3),
        ("slot", False, 2),
        ("counter", False, 1),
    ]


def test_slots_are_those_of_slots_sections_and_lists():
    assert list(slots(PARTS)) == [
        ("one", False), ("two", False), ("three", False), ("four", False), ("item", True), ("five", False),
    ]  # fmt: skip


def test_depth_is_no_recursion():
    deep: Parts = (Slot("x"),)
    for _ in range(5_000):
        deep = (Section("x", deep),)
    assert max(depth for _, _, depth in mentions(deep)) == 5_001
