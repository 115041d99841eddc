"""Saved plans: what is written is read back, in either form, and what is wrong with one is told at its place."""

from __future__ import annotations

import json
from importlib.metadata import version
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import flows, names

from piflows.grammar.saved import read_saved, write_saved
from piflows.ir.diagnostic import FlowError
from piflows.ir.flow import Flow, Settle, Stage
from piflows.ir.node import dump
from piflows.ir.parts import Text, text
from piflows.ir.plan import Plan
from piflows.ir.saved import Input, Saved
from piflows.ir.unit import Handoff, Ref, Role, Unit

UNIT = Unit("u", "r", text("l"), text("p"), reads=(Handoff("x", Ref("s")),))
FLOW = Flow(
    "m",
    "s",
    (Stage("s", (Text("l"),), Plan((UNIT,)), {"then": "d", "failed": "d"}), Settle("d", "success")),
    {"r": Role("a", "s", "user")},
)
INPUTS = [("calls/a b.json", "sha256:00"), ("x.md", "sha256:ff")]


def test_the_header_names_the_versions_and_every_input() -> None:
    written = write_saved(FLOW, INPUTS)
    assert written.split("\n")[:5] == [
        "piflows flow 1",
        f"made_by {version('piflows')}",
        'input "calls/a b.json" sha256:00',
        "input x.md sha256:ff",
        "mode m",
    ]


@given(flows(), st.lists(st.tuples(names(), names()), max_size=3))
def test_a_plan_reads_back_as_it_was_written(flow: Flow, inputs: list[tuple[str, str]]) -> None:
    made = Saved(flow, version("piflows"), tuple(Input(*each) for each in inputs))
    assert read_saved(write_saved(flow, inputs)) == made


@pytest.mark.parametrize(
    ("value", "saved"),
    [
        (dump(FLOW), Saved(FLOW)),
        ({"piflows-plan": 1, "flow": dump(FLOW)}, Saved(FLOW)),
        (
            {"piflows-plan": 1, "made_by": "9", "inputs": [{"file": "a", "digest": "b"}], "flow": dump(FLOW)},
            Saved(FLOW, "9", (Input("a", "b"),)),
        ),
    ],
    ids=["bare", "plan", "whole"],
)
def test_the_json_forms(value: object, saved: Saved) -> None:
    assert read_saved("\ufeff\n" + json.dumps(value, indent=1)) == saved


def _at(pointer: str) -> tuple[Any, str]:
    """The value that holds what a pointer names in the flow's JSON form, and its key."""
    value: Any = dump(FLOW)
    root, steps = value, pointer.split("/")[1:]
    for step in steps[:-1]:
        value = value[int(step) if isinstance(value, list) else step]
    return (root, value), steps[-1]


WRONG: list[tuple[str, Any, str]] = [  # a pointer, the value put there, and what is said about it
    ("/mode", 1, "`/mode` must be a text"),
    ("/concurrency", 1.5, "`/concurrency` must be a whole number"),
    ("/concurrency", "4", "`/concurrency` must be a whole number"),
    ("/allow_shared_write", 1, "`/allow_shared_write` must be true or false"),
    ("/states", {}, "`/states` must be a list"),
    ("/roles", [], "`/roles` must be an object"),
    ("/states/0/zz~1z", 1, "`/states/0/zz~1z` is not known here"),
    (
        "/states/0/kind",
        "stagy",
        "`/states/0` has the kind 'stagy', and must be one of 'stage', 'gate', 'action', 'settle'",
    ),
    ("/states/0/label/0/text", None, "`/states/0/label/0/text` must be a text"),
    ("/states/0/label/0", {}, "`/states/0/label/0` lacks its `kind`"),
    (
        "/states/0/work/units/0/reads/0/value/pick",
        "some",
        "`/states/0/work/units/0/reads/0/value/pick` must be 'value', ",
    ),
    ("/states/0/exits/failed", [], "`/states/0/exits/failed` must be a text"),
    ("/roles/r/source", "home", "`/roles/r/source` must be 'package', 'user' or 'project'"),
    ("/version", 2, "it has version 2 of the IR, and this piflows reads version 1"),
]


@pytest.mark.parametrize("around", ["", "/flow"])
@pytest.mark.parametrize(("pointer", "value", "said"), WRONG, ids=[said for _, _, said in WRONG])
def test_a_finding_in_json_has_pointer_line_and_column(pointer: str, value: Any, said: str, around: str) -> None:
    (root, holder), key = _at(pointer)
    holder[int(key) if isinstance(holder, list) else key.replace("~1", "/")] = value
    document = json.dumps({"piflows-plan": 1, "flow": root} if around else root, indent=1)
    with pytest.raises(FlowError) as refused:
        read_saved(document, "plan.json")
    found = refused.value.first
    assert said.replace("`/", f"`{around}/") in found.message
    named = pointer.removesuffix("/kind")
    assert (found.code, found.where.file, found.where.pointer) == ("IR_INVALID", "plan.json", around + named)
    line = document.split("\n")[(found.where.line or 0) - 1]
    shown = line[(found.where.column or 0) - 1 :].rstrip(",")
    assert shown.startswith(("{", json.dumps(value)[:1], '"zz/z": 1')), (line, shown)


@pytest.mark.parametrize(
    ("document", "line", "said"),
    [
        ("", 1, "a flow begins with the line `piflows flow 1`"),
        ("[]", 1, "one JSON object is expected"),
        ('{"mode": "m",\n', 1, "not closed"),
        ('{"mode": "m",\n"mode": "n"}', 2, "mode"),
        ("{}", 1, "`/mode` is missing"),
        ('{"piflows-plan": 1}', 1, "`/flow` is missing"),
        ('{"piflows-plan": 2, "flow": {}}', 1, "version 2 of the IR, and this piflows reads version 1"),
        ('{"piflows-plan": 1, "flow": []}', 1, "`/flow` must be an object"),
        ('{"piflows-plan": 1, "flow": {}, "inputs": [{"file": "a"}]}', 1, "`/inputs/0/digest` is missing"),
        ("piflows flow 1\ninput a\nmode m\nentry s\n", 2, "`input a` lacks its `digest`"),
        ("piflows flow 1\ninpud a b\nmode m\nentry s\n", 2, 'Did you mean "input"?'),
    ],
)
def test_a_document_that_is_no_plan(document: str, line: int, said: str) -> None:
    with pytest.raises(FlowError) as refused:
        read_saved(document)
    found = [each for each in refused.value.diagnostics if said in each.message]
    assert [(each.code, each.where.line) for each in found] == [("IR_INVALID", line)]


def test_every_finding_is_told_up_to_ten() -> None:
    with pytest.raises(FlowError) as refused:
        read_saved(json.dumps({**dump(FLOW), **{f"x{n}": 0 for n in range(20)}}))
    assert len(refused.value.diagnostics) == 10
