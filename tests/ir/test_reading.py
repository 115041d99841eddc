"""Parts and handoffs name what exists: one row per fault, and what is said about it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from whole import IR, ROLES, Change, Fault, at, expect, of, plan, reading, slot, whole

from piflows.ir.actions import Command
from piflows.ir.parts import Count, Counter, Each, Index, Part, Section, Slot, text
from piflows.ir.unit import Ref
from piflows.ir.wiring import wiring


def deep(depth: int) -> Part:
    """A slot in so many sections, itself counted."""
    part: Part = Slot("x")
    for _ in range(depth - 1):
        part = Section("x", (part,))
    return part


FAULTS: dict[str, Fault] = {
    "slot without a handoff": (
        reading(Slot("bst"), best=slot("best", Ref("check"), absent="omit")),
        IR,
        "lost",
        'settle "lost": the slot "bst" has no handoff (did you mean "best"?)',
    ),
    "section without a handoff": (reading(Section("x", ())), IR, "lost", 'the slot "x" has no handoff'),
    "each without a handoff": (reading(Each("x", ())), IR, "lost", 'the slot "x" has no handoff'),
    "item outside each": (reading(Slot("item")), IR, "lost", 'the slot "item" has no handoff'),
    "in otherwise": (
        reading(Section("x", (), otherwise=(Slot("y"),)), x=slot("x", Ref("check"), absent="omit")),
        IR,
        "lost",
        'the slot "y" has no handoff',
    ),
    "in a stage's label": (at("panel", label=(Slot("x"),)), IR, "panel", 'stage "panel": the slot "x" has no handoff'),
    "in a unit's label": (plan("panel", 0, label=(Slot("x"),)), IR, "panel", 'unit "a": the slot "x" has no handoff'),
    "in facts": (at("none", facts={"round": (Slot("x"),)}), IR, "none", 'the slot "x" has no handoff'),
    "in a command's cwd": (
        at("check", do=Command(text("x"), (Slot("x"),))),
        IR,
        "check",
        'the slot "x" has no handoff',
    ),
    "in a role's cwd": (
        of(roles={**ROLES, "scorer": replace(ROLES["scorer"], cwd=(Slot("tree"),))}),
        IR,
        "score",
        'unit "score": the slot "tree" has no handoff',
    ),
    "index outside": (reading(Index()), IR, "lost", 'settle "lost": an index stands outside'),
    "counter of no round": (reading(Counter("some")), IR, "lost", '"some", which is counted, is no round'),
    "count of no stage": (reading(Count("check")), IR, "lost", '"check", whose units are counted, is no stage'),
    "too deep": (
        reading(deep(101), x=slot("x", Ref("check"), absent="omit")),
        IR,
        "lost",
        "parts are nested deeper than 100",
    ),
    "handoff without a slot": (at("lost", reads=(slot("", Ref("check")),)), IR, "lost", "a handoff has no slot"),
    "two for a slot": (
        at("lost", reads=(slot("x", Ref("check"), absent="omit"),) * 2),
        IR,
        "lost",
        'two handoffs fill the slot "x"',
    ),
    "of an unknown state": (
        reading(x=Ref("chek")),
        IR,
        "lost",
        'reads "chek", which is no state (did you mean "check"?)',
    ),
    "of a settle": (reading(x=Ref("won")), IR, "lost", 'reads value of settle "won", which has none'),
    "ok of a gate": (reading(x=Ref("best", "ok")), IR, "lost", 'reads ok of gate "best", which has none'),
    "all of a stage": (reading(x=Ref("panel", "all")), IR, "lost", 'reads all of stage "panel", which has none'),
    "unit of an action": (reading(x=Ref("check", "unit", "a")), IR, "lost", 'reads unit of action "check"'),
    "unit of a list": (
        reading(x=Ref("score", "unit", "1")),
        IR,
        "lost",
        'reads one unit of "score", which is made over',
    ),
    "unit beside a pick": (reading(x=Ref("panel", "ok", "a")), IR, "lost", 'reads ok of "panel", and names a unit'),
    "item of no list": (reading(x=Ref("score", "item")), IR, "lost", "reads an item, but is not made over a list"),
    "value of a quorum": (reading(x=Ref("some")), IR, "lost", 'reads the value of "some", which never has one'),
    "text for what is never absent": (
        at("lost", reads=(slot("x", Ref("check"), absent="omit", instead="none"),)),
        IR,
        "lost",
        'the slot "x" has a text for an absent value that it never uses',
    ),
    "cap": (
        at("lost", reads=(slot("x", Ref("check"), absent="omit", cap=0),)),
        IR,
        "lost",
        'the cap of slot "x" is not positive',
    ),
}


@pytest.mark.parametrize(("change", "code", "state", "problem"), FAULTS.values(), ids=FAULTS)
def test_one_fault(change: Change, code: str, state: str, problem: str) -> None:
    expect(wiring(change(whole())), code, state, problem)


ACCEPTED: dict[str, Change] = {
    "as deep as may be": reading(deep(100), x=slot("x", Ref("check"), absent="omit")),
    "the smallest cap": reading(x=slot("x", Ref("check"), absent="omit", cap=1)),
    "no text for an absent value": reading(x=slot("x", Ref("check"), absent="text")),
    "an item in a list in a list": reading(
        Each("x", (Each("item", (Section("item", (Slot("item"), Index())),)),)),
        x=slot("x", Ref("panel"), absent="omit"),
    ),
    "the place of a listed unit": plan("panel", 0, label=(Index(),)),
}


@pytest.mark.parametrize("change", ACCEPTED.values(), ids=ACCEPTED)
def test_what_is_read_exists(change: Change) -> None:
    assert wiring(change(whole())) == []


def test_a_missing_slot_is_named_once():
    parts = (Slot("x"), Slot("x"), Section("x", (Slot("x"),)))
    assert len(wiring(at("lost", body=parts, header=parts)(whole()))) == 1
