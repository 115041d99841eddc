"""A whole Flow of every kind of state, and the ways to change one thing of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from piflows.ir.actions import Command, Wait
from piflows.ir.finding import Finding
from piflows.ir.flow import Action, Ceiling, Flow, Gate, Settle, Stage
from piflows.ir.gates import AllPass, AtLeast, Beam, ExitZero, Round
from piflows.ir.parts import Count, Counter, Each, Index, Part, Section, Slot, Text, text
from piflows.ir.plan import Over, Plan
from piflows.ir.unit import Handoff, Ref, Role, Unit

READ = ("read",)
ROLES = {
    "author": Role("operator", "author", "package"),
    "critic": Role("redteam", "critic", "package", tools=READ, protocol="verdict"),
    "scorer": Role("redteam", "scorer", "package", tools=READ, protocol="score"),
}


def slot(name: str, ref: Ref, **more: Any) -> Handoff:
    return Handoff(name, ref, **more)


def whole() -> Flow:
    """author → check → panel, all back to one round; then scores over the panel's records, the best; an epilogue."""
    author = Unit(
        "author",
        "author",
        (Text("iteration-"), Counter("round")),
        (Section("critique", (Slot("critique"),)), Slot("old", "text"), Each("before", (Slot("item"), Index()))),
        (),
        (
            slot("critique", Ref("round"), absent="omit"),
            slot("old", Ref("write", "unit", "author"), absent="text", instead="(none)"),
            slot("before", Ref("panel"), absent="omit"),
        ),
    )
    a = Unit("a", "critic", (), (Slot("draft"),), (), (slot("draft", Ref("write", "unit", "author")),))
    b = Unit("b", "critic", (), (Slot("a"),), ("a",), (slot("a", Ref("panel", "unit", "a")),))
    c = Unit("c", "critic", (), (Slot("far"),), ("b",), (slot("far", Ref("panel", "unit", "a")),))
    score = Unit("score", "scorer", (Index(),), (Slot("it"),), (), (slot("it", Ref("", "item")),))
    states = (
        Stage("write", (Counter("round"),), Plan((author,)), {"then": "check", "failed": "broken"}),
        Action("check", Command((Text("check "), Slot("draft"))), {"then": "checked"}, (slot("draft", Ref("write")),)),
        Gate(
            "checked",
            ExitZero("check"),
            {"pass": "panel", "fail": "round", "unstartable": "no-check"},
            {"fail": (Text("it failed: "), Slot("value"), Slot("draft"))},
            (slot("draft", Ref("write")),),
        ),
        Stage("panel", (), Plan((a, b, c)), {"then": "verdict", "stuck": "verdict"}, failure="drain"),
        Gate("verdict", AllPass("panel"), {"pass": "some", "revise": "round"}),
        Gate("round", Round(2), {"again": "write", "spent": "capped"}),
        Gate("some", AtLeast("panel", 1), {"enough": "score", "short": "none"}),
        Stage("score", (), Over(Ref("panel", "ok"), score, 3, 1), {"then": "best", "failed": "broken-score"}),
        Gate("best", Beam("score", 2), {"kept": "won"}),
        Settle("won", "success", header=(Count("panel"),), body=(Slot("best"),), reads=(slot("best", Ref("best")),)),
        Settle("capped", "stopped", body=(Slot("said"),), reads=(slot("said", Ref("round")),)),
        Settle("broken", "stopped", body=(Slot("who", "agent"),), reads=(slot("who", Ref("write", "failed")),)),
        Settle("broken-score", "stopped", reads=(slot("who", Ref("score", "failed")),)),
        Settle(
            "no-check",
            "refused",
            "CHECK_COMMAND_FAILED",
            {"command": text("check"), "reason": (Slot("it", "reason"),)},
            reads=(slot("it", Ref("checked")),),
        ),
        Settle("none", "refused", "SEARCH_NO_CANDIDATES", {"round": text("1")}),
        Action("note", Wait(1), {"then": "kept", "refused": "lost"}),
        Settle("kept", "keep"),
        Settle("lost", "stopped"),
    )
    return Flow("m", "write", states, ROLES, ceilings=(Ceiling("flow", "maxTokens", 5.0),), epilogue="note")


Change = Callable[[Flow], Flow]


def at(name: str, **changes: Any) -> Change:
    """One state with other fields."""

    def change(flow: Flow) -> Flow:
        return replace(flow, states=tuple(replace(s, **changes) if s.name == name else s for s in flow.states))

    return change


def plan(stage: str, number: int, **changes: Any) -> Change:
    """One unit of a Plan, or the pattern of a Stage made over a list, with other fields."""

    def change(flow: Flow) -> Flow:
        work = next(s.work for s in flow.states if s.name == stage and isinstance(s, Stage))
        if isinstance(work, Over):
            return at(stage, work=replace(work, unit=replace(work.unit, **changes)))(flow)
        units = [replace(unit, **changes) if at == number else unit for at, unit in enumerate(work.units)]
        return at(stage, work=Plan(tuple(units)))(flow)

    return change


def of(**changes: Any) -> Change:
    return lambda flow: replace(flow, **changes)


def drop(*names: str) -> Change:
    return lambda flow: replace(flow, states=tuple(s for s in flow.states if s.name not in names))


def add(*more: Any) -> Change:
    return lambda flow: replace(flow, states=(*flow.states, *more))


def move(name: str, before: str) -> Change:
    def change(flow: Flow) -> Flow:
        states = {s.name: s for s in flow.states}
        rest = [n for n in states if n != name]
        rest.insert(rest.index(before), name)
        return replace(flow, states=tuple(states[n] for n in rest))

    return change


def both(*changes: Change) -> Change:
    def change(flow: Flow) -> Flow:
        for each in changes:
            flow = each(flow)
        return flow

    return change


def reading(*parts: Part, **more: Any) -> Change:
    """The epilogue's `lost` says parts, and reads what it is given."""
    reads = tuple(slot(name, ref) if isinstance(ref, Ref) else ref for name, ref in more.items())
    return at("lost", body=parts, reads=reads)


def over(**changes: Any) -> Change:
    """What the Stage `score` is made over, with other fields."""

    def change(flow: Flow) -> Flow:
        work = next(s.work for s in flow.states if s.name == "score" and isinstance(s, Stage))
        return at("score", work=replace(work, **changes))(flow)

    return change


Fault = tuple[Change, str, str, str]  # what is changed · the code, the state and a part of the problem that is found
IR = "IR_INVALID"


def expect(found: list[Finding], code: str, state: str, problem: str) -> None:
    """The finding is there, and it is the first about its words."""
    said = [str(each.facts.get("problem") or each.facts.get("chain") or each.facts.get("agents")) for each in found]
    about = [(each.code, each.state) for each, words in zip(found, said, strict=True) if problem in words]
    assert about[:1] == [(code, state)], found
