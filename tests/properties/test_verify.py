"""Verification of any Flow: it always ends with findings that can be shown, and what it passes runs to its end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from drive import SALTS, Run, salted
from hypothesis import given
from hypothesis import strategies as st
from machines import verifying_flows
from strategies import flows

from piflows.ir.assign import assigned
from piflows.ir.diagnostic import diagnostic
from piflows.ir.flow import Flow, Gate, Settle, Stage, State
from piflows.ir.gates import Round
from piflows.ir.plan import Plan
from piflows.ir.unit import Handoff, Ref
from piflows.ir.verify import verify

UNSOUND = {"HANDOFF_UNRESOLVED", "IR_INVALID"}  # what a run refuses, and the check should have known


@given(verifying_flows())
def test_the_flows_of_the_machine_s_properties_verify(flow: Flow) -> None:
    assert verify(flow) == []


@given(flows())
def test_any_well_typed_flow_gives_findings_that_can_be_shown(flow: Flow) -> None:
    for finding in verify(flow):
        assert diagnostic(finding.code, **finding.facts).severity == "error"
        assert finding.state == "" or finding.state in {state.name for state in flow.states}


@given(verifying_flows(), st.data(), SALTS)
def test_what_the_check_passes_the_run_does_not_refuse(flow: Flow, data: st.DataObject, salt: int) -> None:
    """One to three small changes; a Flow that still verifies must still run to its end."""
    for _ in range(data.draw(st.integers(1, 3))):
        flow = _changed(flow, data.draw)
    found = verify(flow)
    for finding in found:
        diagnostic(finding.code, **finding.facts)
    if not found:
        proposal = Run(flow, salted(salt)).go().outcome["proposal"]
        assert (proposal["error"] or {}).get("code") not in UNSOUND, proposal


def _changed(flow: Flow, draw: Any) -> Flow:
    number = draw(st.integers(0, len(flow.states) - 1))
    state, names = flow.states[number], [state.name for state in flow.states]
    change = draw(st.sampled_from(("exit", "ref", "absent", "plan", "round", "order", "drop", "epilogue", "schedule")))
    states = list(flow.states)
    if change == "exit" and state.exits:
        outcome = draw(st.sampled_from(sorted(state.exits)))
        states[number] = replace(state, exits={**state.exits, outcome: draw(st.sampled_from(names))})
    elif change in ("ref", "absent") and not isinstance(state, Stage) and state.reads:
        pick = draw(st.sampled_from(("value", "ok", "failed", "all", "unit", "item")))
        ref = Ref(draw(st.sampled_from(names)), pick, draw(st.sampled_from(("", "u0", "u1"))))
        read = state.reads[0]
        read = replace(read, value=ref) if change == "ref" else replace(read, absent="refuse", instead="")
        states[number] = replace(state, reads=(read, *state.reads[1:]))
    elif change in ("plan", "ref", "absent") and isinstance(state, Stage) and isinstance(state.work, Plan):
        unit = state.work.units[-1]
        pick = draw(st.sampled_from(("value", "unit", "failed")))
        ref = Ref(draw(st.sampled_from(names)), pick, draw(st.sampled_from(("u0", "u1"))) if pick == "unit" else "")
        unit = replace(unit, needs=unit.needs[1:], reads=(*unit.reads, Handoff("new", ref)))
        states[number] = replace(state, work=Plan((*state.work.units[:-1], unit)))
    elif change == "round" and isinstance(state, Gate) and isinstance(state.test, Round):
        test = Round(draw(st.integers(0, 2)), tuple(draw(st.lists(st.sampled_from(names), max_size=2))))
        states[number] = replace(state, test=test)
    elif change == "order":
        other = draw(st.integers(0, len(states) - 1))
        states[number], states[other] = states[other], states[number]
    elif change == "drop" and len(states) > 1:
        del states[number]
    elif change == "epilogue":
        return replace(flow, epilogue=draw(st.sampled_from(["", *names])))
    elif change == "schedule" and isinstance(state, Stage):
        schedule, failure = draw(st.sampled_from(("wave", "ready", "first"))), draw(st.sampled_from(("stop", "drain")))
        states[number] = replace(state, schedule=schedule, failure=failure)
    return replace(flow, states=tuple(states))


# ---- definite assignment against all paths ------------------------------------------------------------------------


@given(verifying_flows())
def test_definite_assignment_is_what_holds_on_all_paths(flow: Flow) -> None:
    """Both ways: nothing is called defined that some path leaves undefined, and nothing undefined that none does."""
    always, refs = _always(flow), [ref for state in flow.states for ref in _published(state)]
    for state in flow.states:
        for first in range(0, len(refs), 40):
            some = refs[first : first + 40]
            reads = tuple(Handoff(f"{ref.state} {ref.pick} {ref.unit}", ref) for ref in some)
            asked = replace(flow, states=tuple(_asking(each, reads if each is state else ()) for each in flow.states))
            undefined = {finding.facts["placeholder"] for finding in assigned(asked) if finding.state == state.name}
            assert undefined == {
                read.slot for read, ref in zip(reads, some, strict=True) if _key(ref) not in always[state.name]
            }


def _asking(state: State, reads: tuple[Handoff, ...]) -> State:
    """The state with no other reads than these; a Stage asks by a unit of its own, which needs nothing."""
    if not isinstance(state, Stage):
        return replace(state, reads=reads)
    if not isinstance(state.work, Plan):
        return replace(state, work=replace(state.work, unit=replace(state.work.unit, reads=reads)))
    units = [replace(unit, reads=()) for unit in state.work.units]
    asker = next(number for number, unit in enumerate(units) if not unit.needs)
    units[asker] = replace(units[asker], reads=reads)
    return replace(state, work=Plan(tuple(units)))


def _published(state: State) -> Iterator[Ref]:
    if isinstance(state, Stage):
        yield from (Ref(state.name), Ref(state.name, "ok"), Ref(state.name, "failed"))
        if isinstance(state.work, Plan):
            yield from (Ref(state.name, "unit", unit.name) for unit in state.work.units)
    elif not isinstance(state, Settle):
        yield Ref(state.name)


def _key(ref: Ref) -> tuple[str, str]:
    return ref.state, ref.unit or ("failed" if ref.pick == "failed" else "")


Names = frozenset[tuple[str, str]]


def _always(flow: Flow) -> dict[str, Names]:
    """What is defined on entering each state, whichever path led there: all pairs of state and defined names."""
    states = {state.name: state for state in flow.states}
    todo: list[tuple[str, Names, bool, bool]] = [(flow.entry, frozenset(), False, False)]
    seen = set(todo)
    for name, defined, brought, after in todo:  # grows while it is walked; `brought`: the last Gate had a value
        for onward in _onward(flow, states[name], defined, brought, after):
            if onward not in seen:
                seen.add(onward)
                todo.append(onward)
    return {name: frozenset.intersection(*(each[1] for each in seen if each[0] == name)) for name in states}


def _onward(
    flow: Flow, state: State, defined: Names, brought: bool, after: bool
) -> Iterator[tuple[str, Names, bool, bool]]:
    if isinstance(state, Settle) and flow.epilogue and not after:
        yield flow.epilogue, defined, False, True
    for outcome, target in state.exits.items():
        new: set[str] = set()
        if isinstance(state, Stage):
            names = [unit.name for unit in state.work.units] if isinstance(state.work, Plan) else []
            names = names[:1] if state.schedule == "first" else names
            new |= {"then": {"", *names}, "failed": {"", "failed"}, "stuck": {"", "failed"}, "refused": set[str]()}[
                outcome
            ]
            if outcome == "failed" and len(names) == 1:
                new |= set(names)
        elif isinstance(state, Gate):
            native = brought if isinstance(state.test, Round) else state.test.outcomes[outcome]
            new |= {""} if native or outcome in state.says else set()
        else:
            new |= {""}
        kept = {each for each in defined if each[0] != state.name}
        yield (
            target,
            frozenset(kept | {(state.name, each) for each in new}),
            isinstance(state, Gate) and bool(new),
            after,
        )
