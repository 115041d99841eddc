"""What people read fits on their terminal; what a difference shows is what differs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from calls import calls
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from piflows.compiler import compile_call
from piflows.compiler.catalog import host_context
from piflows.compiler.render.diagnostics import render
from piflows.compiler.render.diff import diff, diff_json, diff_text
from piflows.compiler.render.plan import plan_text
from piflows.ir.digest import digest
from piflows.ir.flow import Flow, Stage
from piflows.ir.fold import cells
from piflows.ir.parts import Text
from piflows.ir.plan import Over, Plan

SHARED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
WIDTHS = st.one_of(st.sampled_from([40, 80, 200]), st.integers(40, 120))


def lowered(call: dict[str, Any], tmp_path: Path) -> Any:
    return compile_call(json.dumps(call), host_context(tmp_path, {"HOME": str(tmp_path)}), file="call.json")


def units(flow: Flow) -> dict[str, object]:
    """Each unit with its role, by the name that a difference gives it."""
    return {
        f"{stage.name}.{unit.name}": (replace(unit, role=""), flow.roles[unit.role])
        for stage in flow.states
        if isinstance(stage, Stage)
        for unit in ([stage.work.unit] if isinstance(stage.work, Over) else stage.work.units)
    }


@SHARED
@given(calls(), WIDTHS)
def test_no_line_is_wider_than_the_terminal(tmp_path: Path, call: dict[str, Any], width: int) -> None:
    done = lowered(call, tmp_path)
    text = render(done.diagnostics, "text", width=width)
    if done.flow is not None:
        text += plan_text(done.flow, width, ("task", "why")) + plan_text(done.flow, width)
    assert [line for line in text.split("\n") if cells(line) > width] == []


@SHARED
@given(calls(), calls(), WIDTHS)
def test_a_difference_names_every_unit_that_differs(
    tmp_path: Path, one: dict[str, Any], other: dict[str, Any], width: int
) -> None:
    before, after = lowered(one, tmp_path).flow, lowered(other, tmp_path).flow
    if before is None or after is None:
        return
    assert diff(before, before) == [] and diff_text(after, after) == ""
    old, new = units(before), units(after)
    named = {(change.how, change.name) for change in diff(before, after) if change.kind == "unit"}
    assert {name for _, name in named} >= {name for name in old | new if old.get(name) != new.get(name)}
    assert {name for how, name in named if how == "added"} == new.keys() - old.keys()
    assert {name for how, name in named if how == "removed"} == old.keys() - new.keys()
    assert bool(diff(before, after)) == (digest(before) != digest(after)) != diff_json(before, after)["same"]
    assert [line for line in diff_text(before, after, width).split("\n") if cells(line) > width] == []


@SHARED
@given(calls(), st.data())
def test_one_changed_field_of_one_unit_is_seen(tmp_path: Path, call: dict[str, Any], data: st.DataObject) -> None:
    flow: Flow | None = lowered(call, tmp_path).flow
    stages = (
        [state for state in flow.states if isinstance(state, Stage) and isinstance(state.work, Plan)] if flow else []
    )
    if flow is None or not stages:
        return
    stage = data.draw(st.sampled_from(stages))
    assert isinstance(stage.work, Plan)
    unit = data.draw(st.sampled_from(stage.work.units))
    field, value = data.draw(
        st.sampled_from([("prompt", (*unit.prompt, Text("!"))), ("label", (*unit.label, Text("!")))])
    )
    changed = tuple(replace(each, **{field: value}) if each is unit else each for each in stage.work.units)
    other = replace(stage, work=replace(stage.work, units=changed))
    after = replace(flow, states=tuple(other if state is stage else state for state in flow.states))
    told = {change.name: change for change in diff(flow, after) if change.kind != "plan"}
    assert f"{stage.name}.{unit.name}" in told
    assert told.keys() <= {f"{stage.name}.{unit.name}"}
    assert any("digest" in [name for name, _, _ in change.fields] for change in diff(flow, after))
