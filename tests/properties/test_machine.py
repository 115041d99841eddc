"""What holds for every run of every flow, whatever order its children settle in."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from drive import SALTS, Run, salted
from hypothesis import given
from hypothesis import strategies as st
from machines import all_flows

from piflows.interpreter.machine import Machine
from piflows.ir.bounds import bounds
from piflows.ir.flow import Flow, Stage
from piflows.ir.plan import Plan

ORDERS = st.lists(st.integers(0, 50))


def run(flow: Flow, salt: int, order: list[int]) -> Run:
    picks = iter(order)
    return Run(flow, salted(salt), pick=lambda count: next(picks, 0) % count).go()


@given(all_flows(), SALTS, ORDERS)
def test_never_more_than_concurrency_alive(flow: Flow, salt: int, order: list[int]) -> None:
    assert run(flow, salt, order).most_alive <= flow.concurrency


@given(all_flows(), SALTS, ORDERS)
def test_every_path_settles_within_its_bounds(flow: Flow, salt: int, order: list[int]) -> None:
    done, proved = run(flow, salt, order), bounds(flow)
    assert done.outcome["proposal"]["outcome"] in {"success", "stopped", "refused"}
    assert len(done.results) <= proved.most_runs
    if done.outcome["proposal"]["outcome"] == "success":
        assert proved.least_runs is not None and len(done.results) >= proved.least_runs


@given(all_flows(), SALTS, ORDERS)
def test_no_unit_starts_before_its_needs_succeeded(flow: Flow, salt: int, order: list[int]) -> None:
    done = run(flow, salt, order)
    position = {each["effect"]: each["seq"] for each in done.journal if each["kind"] == "childSettled"}
    began = {each["effect"]: each["seq"] for each in done.journal if each["kind"] == "childStarted"}
    stages = {state.name: state for state in flow.states if isinstance(state, Stage)}
    for effect, seq in began.items():
        name, rest = effect.split("#")
        visit, unit = rest.split("/")
        work = stages[name].work
        if isinstance(work, Plan):
            needs = next(each.needs for each in work.units if each.name == unit.split("!")[0])
            assert all(position[f"{name}#{visit}/{need}!1"] < seq for need in needs)


@given(all_flows(), SALTS)
def test_the_machine_is_a_function_of_its_events(flow: Flow, salt: int) -> None:
    done = run(flow, salt, [])
    again: Any = Run(flow, salted(salt))
    effects = [again.machine.feed(event) for event in done.journal]
    assert again.machine.snapshot() == done.machine.snapshot()
    assert effects[-1][-1]["kind"] == "done"


@given(all_flows(), SALTS)
def test_what_a_driver_does_to_events_and_effects_afterwards_changes_nothing(flow: Flow, salt: int) -> None:
    careless = Run(flow, salted(salt))
    careless.machine = Careless(flow)
    assert careless.go().outcome == Run(flow, salted(salt)).go().outcome


class Careless(Machine):
    """A machine whose driver uses up what it is given, and what it gave."""

    def feed(self, event: Any) -> list[Any]:
        given = deepcopy(event)
        out = super().feed(given)
        kept = deepcopy(out)
        for each in (given, *out):
            spoil(each)
        return kept


def spoil(value: Any) -> None:
    for member in value.values() if isinstance(value, dict) else ():
        spoil(member)
    if isinstance(value, (dict, list)):
        value.clear()
