"""Who may write, who may run at once, in which directory."""

from __future__ import annotations

from posixpath import normpath
from typing import Any

import pytest

from piflows.ir.flow import Flow, Settle, Stage
from piflows.ir.parts import Index, Parts, Section, Slot, Text, text
from piflows.ir.plan import Over, Plan
from piflows.ir.shared_write import Clash, Nested, agents, clashes, nested, write_capable
from piflows.ir.unit import Handoff, Ref, Role, Unit

WRITER = Role("operator", "w", "package")


@pytest.mark.parametrize(
    ("tools", "found"),
    [
        (None, ("pi defaults",)),
        ((), ()),
        (("read", "grep", "find", "ls"), ()),
        (("read", "bash-ro"), ()),
        (("read", "bash"), ("bash",)),
        (("bash-ro", "bash"), ("bash",)),
        (("Edit", "WRITE", "read"), ("Edit", "WRITE")),
        (("editor", "rewrite", "bash "), ()),
    ],
)
def test_write_capable(tools: tuple[str, ...] | None, found: tuple[str, ...]) -> None:
    assert write_capable(Role("x", "x", "package", tools=tools)) == found


def real(path: str) -> str:
    return "/home/" + normpath(path) if path else "/home"


def make(units: dict[str, Any], schedule: str = "wave", **more: Any) -> Flow:
    """A Flow of one Stage: unit -> (what it needs, its directory or its role)."""
    roles: dict[str, Role] = {}
    made: list[Unit] = []
    for name, (needs, given) in units.items():
        role = given if isinstance(given, Role) else Role("operator", "w", "package", cwd=text(given))
        roles[name] = role
        reads = tuple(Handoff(part.name, Ref("s", "unit", name)) for part in role.cwd if isinstance(part, Slot))
        made.append(Unit(name, name, (), (), tuple(needs.split()), reads))
    stage = Stage("s", (), Plan(tuple(made)), {"then": "won", "failed": "won"}, schedule)  # pyright: ignore[reportArgumentType]
    return Flow("m", "s", (stage, Settle("won", "success")), roles, **more)


READER = Role("recon", "r", "package", tools=("read", "bash-ro"))
TWO = {"a": ("", ""), "b": ("", "")}
DIAMOND = {"a": ("", ""), "b": ("a", READER), "c": ("a", READER), "d": ("b c", "")}
# b2 runs in the wave of a2, and after a1
CROSS = {"a1": ("", ""), "a2": ("a1", READER), "b1": ("", READER), "b2": ("b1", "")}

CLASHES: dict[str, tuple[Flow, tuple[str, ...]]] = {
    "two in the run's own directory": (make(TWO), ("a", "b")),
    "one at a time": (make(TWO, concurrency=1), ()),
    "two at a time": (make(TWO, concurrency=2), ("a", "b")),
    "allowed": (make(TWO, allow_shared_write=True), ()),
    "one can only read": (make({"a": ("", ""), "b": ("", READER)}), ()),
    "other directories": (make({"a": ("", "left"), "b": ("", "right")}), ()),
    "one directory, two spellings": (make({"a": ("", "left"), "b": ("", "./x/../left/")}), ("a", "b")),
    "all of the group": (make({"a": ("", "x"), "b": ("", "y"), "c": ("", "x"), "d": ("", "x")}), ("a", "c", "d")),
    "the first group": (make({"a": ("", "x"), "b": ("", "y"), "c": ("", "y"), "d": ("", "x")}), ("a", "d")),
    "wave: a barrier lies between": (make(DIAMOND), ()),
    "wave: other waves": (make(CROSS), ()),
    "ready: the same may run at once": (make(CROSS, "ready"), ("a1", "b2")),
    "ready: one waits for the other through others": (make(DIAMOND, "ready"), ()),
    "ready: two of three in a line": (make({"a": ("", ""), "b": ("a", ""), "c": ("a", "")}, "ready"), ("b", "c")),
    "first: one runs alone": (make(TWO, "first"), ()),
    "later wave": (make({"z": ("", READER), "a": ("z", ""), "b": ("z", "")}), ("a", "b")),
}


@pytest.mark.parametrize(("flow", "units"), CLASHES.values(), ids=CLASHES)
def test_clashes(flow: Flow, units: tuple[str, ...]) -> None:
    assert [clash.units for clash in clashes(flow, real)] == ([units] if units else [])


def test_a_clash_shows_the_real_directory_and_the_tools_that_decided():
    both = {
        "a": ("", "left"),
        "b": ("", Role("analyst", "b", "user", tools=("read", "Edit", "bash"), cwd=text("./left"))),
    }
    flow = make(both)
    assert clashes(flow, real) == [Clash("s", "/home/left", ("a", "b"))]
    assert agents(flow, clashes(flow, real)[0]) == "operator as a (pi defaults), analyst as b (Edit, bash)"
    assert clashes(make(TWO), str)[0].cwd == "."


def slotted(cwd: Parts, *reads: tuple[Handoff, ...]) -> Flow:
    """Two writers of one role whose directory only a run knows."""
    units = tuple(Unit(f"u{number}", "w", (), (), (), read) for number, read in enumerate(reads))
    stage = Stage("s", (), Plan(units), {"then": "won", "failed": "won"})
    return Flow("m", "s", (stage, Settle("won", "success")), {"w": Role("operator", "w", "package", cwd=cwd)})


def tree(state: str) -> tuple[Handoff, ...]:
    return (Handoff("tree", Ref(state)),)


def test_a_slot_is_its_own_directory():
    path = (Slot("tree", "path"),)
    assert clashes(slotted(path, tree("one"), tree("one")), real) == [Clash("s", "{tree}", ("u0", "u1"))]
    assert clashes(slotted(path, tree("one"), tree("two")), real) == []
    assert clashes(slotted((Section("tree", path),), tree("one"), tree("two")), real) == []
    same = clashes(slotted((Text("a/"), Section("tree", path)), tree("one"), tree("one")), real)
    assert [clash.cwd for clash in same] == ["a/…"]


@pytest.mark.parametrize(
    ("cap", "role", "clash"),
    [
        (3, WRITER, True),
        (2, WRITER, True),
        (1, WRITER, False),
        (3, READER, False),
        (3, Role("operator", "w", "package", cwd=(Slot("item"),)), True),
        (3, Role("operator", "w", "package", cwd=(Text("tree-"), Index())), False),
        (3, Role("operator", "w", "package", cwd=(Slot("base"),)), True),
    ],
)
def test_a_pattern_clashes_with_itself_unless_each_item_has_its_directory(cap: int, role: Role, clash: bool) -> None:
    reads = (Handoff("item", Ref("", "item")), Handoff("base", Ref("before")))
    stage = Stage(
        "s", (), Over(Ref("before"), Unit("each", "w", (), (), (), reads), cap), {"then": "won", "failed": "won"}
    )
    flow = Flow("m", "s", (stage, Settle("won", "success")), {"w": role})
    assert [found.units for found in clashes(flow, real)] == [("each",)] * clash
    for found in clashes(flow, real):
        assert agents(flow, found) == f"operator as each (pi defaults), up to {cap} at once"


def test_every_stage_has_its_own_first_clash():
    first = make(TWO)
    second = Stage("t", (), Plan(tuple(Unit(name, "a", (), ()) for name in "xyz")), {"then": "won", "failed": "won"})
    flow = Flow("m", "s", (*first.states, second), first.roles)
    assert [(clash.state, clash.units) for clash in clashes(flow, real)] == [("s", ("a", "b")), ("t", ("x", "y", "z"))]


XY = ("/home/x", "/home/x/y")


@pytest.mark.parametrize(
    ("units", "schedule", "pairs"),
    [
        ({"a": ("", "x"), "b": ("", "x/y")}, "wave", [XY]),
        ({"a": ("", "x/y"), "b": ("", "")}, "wave", [("/home", "/home/x/y")]),
        ({"a": ("", "x"), "b": ("", "xy")}, "wave", []),
        ({"a": ("", "x"), "b": ("a", "x/y")}, "wave", []),
        ({"a": ("", "x"), "b": ("a", "x/y")}, "ready", []),
        ({"a": ("", "x"), "b": ("", READER), "c": ("b", "x/y")}, "ready", [XY]),
        ({"a": ("", "x"), "b": ("", "x/y"), "c": ("", "x/y/z")}, "wave", [XY, ("/home/x/y", "/home/x/y/z")]),
        ({"a": ("", "x"), "b": ("a", "x/y"), "c": ("b", "x/y/z"), "d": ("", "x-1")}, "ready", []),
        # the nearest is waited for, the one around it is not
        ({"a": ("", "x"), "b": ("", "x/y"), "c": ("b", "x/y/z")}, "ready", [XY, ("/home/x", "/home/x/y/z")]),
        ({"a": ("", READER), "b": ("", "x/y")}, "wave", []),
        ({"a": ("", "x"), "b": ("", "x/y")}, "first", []),
    ],
)  # fmt: skip
def test_nested(units: dict[str, Any], schedule: str, pairs: list[tuple[str, str]]) -> None:
    assert nested(make(units, schedule, concurrency=2), real) == [Nested("s", *pair) for pair in pairs]
    assert nested(make(units, schedule, concurrency=1), real) == []


def test_the_root_is_around_everything():
    units = {"a": ("", "/"), "b": ("", "/x")}
    assert nested(make(units), str) == [Nested("s", "/", "/x")]
