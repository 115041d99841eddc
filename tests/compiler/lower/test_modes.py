"""What holds for every mode: the table, determinism, order, well-formedness, both renderers, pointers."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from piflows.compiler import lower as lowering
from piflows.compiler.lower import MODES, load
from piflows.compiler.lower.make import Lowered, Maker
from piflows.compiler.lower.sentences import t
from piflows.compiler.prompts import slots_only
from piflows.grammar.call import Call
from piflows.grammar.flow_text import parse_flow, print_flow
from piflows.ir.flow import Flow, Gate, Settle, Stage
from piflows.ir.gates import Round
from piflows.ir.node import dump
from piflows.ir.node import load as parse
from piflows.ir.parts import ITEM, Each, Parts, Section, Slot, Text, normal, walk
from piflows.ir.plan import Over
from piflows.ir.verify import verify

Lower = Callable[..., Lowered]

WHY = {"why": "evidence of its own"}
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("list", {"list": True}),
    ("config", {"showConfig": True}),
    ("single", {"agent": "recon", "task": "Look.", **WHY}),
    (
        "parallel",
        {"tasks": [{"agent": "recon", "task": "a"}, {"agent": "analyst", "task": "b"}], "tier": "fast", **WHY},
    ),
    (
        "chain",
        {
            "task": "the pier",
            "chain": [
                {"agent": "recon", "task": "Look at {task} {previous}."},
                {"agent": "analyst", "task": "{previous} {previous} {node.a}"},
                {"agent": "recon", "task": "Alone.", "requireEvidence": True},
            ],
            **WHY,
        },
    ),
    ("evaluate", {"task": "Build.", "evaluate": {}, **WHY}),
    (
        "evaluate",
        {
            "task": "Build.",
            "evaluate": {
                "redteam": [{"agent": "redteam"}, {"agent": "overwatch", "role": "spec"}],
                "checkCommand": "npm test",
                "passContract": "It passes.",
                "maxIterations": 1,
            },
            "returnRequirements": "Be brief.",
            "requireEvidence": True,
            **WHY,
        },
    ),
    ("vote", {"task": "Safe?", "vote": {"agent": "recon", "count": 8}, **WHY}),
    (
        "vote",
        {
            "task": "Safe?",
            "vote": {"voters": [{"agent": "recon"}, {"agent": "analyst"}], "debrief": {"agent": "debrief"}},
            **WHY,
        },
    ),
    ("route", {"task": "Mend it.", "route": {"candidates": ["recon", " ", "analyst", "recon"]}, **WHY}),
    ("route", {"task": "Mend it.", "route": {"candidates": ["recon"], "fallback": "recon"}, **WHY}),
    ("route", {"task": "Mend it.", "route": {"candidates": ["a b", "then"], "fallback": "strategist"}, **WHY}),
    (
        "graph",
        {
            "task": "the pier",
            "graph": {
                "nodes": [
                    {"id": "a.b", "agent": "recon", "task": "North of {task}"},
                    {"id": "c", "agent": "recon", "task": "{node.a.b} {node.a.b}", "dependsOn": ["a.b"]},
                    {"id": "d", "agent": "analyst", "task": "Alone."},
                ]
            },
            **WHY,
        },
    ),
    (
        "graph",
        {
            "graph": {"nodes": [{"id": "a", "agent": "recon", "task": "One"}], "debrief": {"agent": "debrief"}},
            **WHY,
        },
    ),
    ("loop", {"task": "Sort.", "loop": {"body": {"agent": "operator"}}, **WHY}),
    (
        "loop",
        {
            "task": "Sort.",
            "loop": {"body": {"agent": "operator"}, "judge": {"agent": "redteam"}, "maxIterations": 1},
            **WHY,
        },
    ),
    ("search", {"task": "Choose.", "search": {}, **WHY}),
    ("search", {"task": "Choose.", "search": {"candidates": 2, "beamWidth": 8, "maxRounds": 1}, **WHY}),
    ("debate", {"task": "Which?", "debate": {"participants": [{"agent": "recon"}, {"agent": "analyst"}]}, **WHY}),
    (
        "debate",
        {"task": "Which?", "debate": {"participants": [{"agent": "recon"}, {"agent": "analyst"}], "rounds": 1}, **WHY},
    ),
    (
        "dossier",
        {"dossier": {"sections": [{"agent": "recon", "task": "a"}, {"agent": "analyst", "task": "b"}]}, **WHY},
    ),
    ("monitor", {"task": "Explain.", "monitor": {"command": "true"}, **WHY}),
    ("monitor", {"monitor": {"command": "cat x", "trigger": "match", "pattern": "a+", "maxChecks": 1}, **WHY}),
]
EVERY = pytest.mark.parametrize(("mode", "call"), CALLS, ids=[f"{n}-{mode}" for n, (mode, _) in enumerate(CALLS)])


def every_parts(flow: Flow) -> list[Parts]:
    """All parts of a flow."""
    out = [role.cwd for role in flow.roles.values()]
    for state in flow.states:
        if isinstance(state, Stage):
            units = (state.work.unit,) if isinstance(state.work, Over) else state.work.units
            out += [state.label, *(each for unit in units for each in (unit.label, unit.prompt))]
        elif isinstance(state, Gate):
            out += state.says.values()
        elif isinstance(state, Settle):
            out += [state.header, state.body, *state.facts.values()]
    return out


def slots(flow: Flow) -> set[tuple[str, str, str]]:
    """(state, unit, slot) of all that prompts read, with the handoffs that bring them."""
    out: set[tuple[str, str, str]] = set()
    for state in flow.states:
        if isinstance(state, Stage):
            for unit in (state.work.unit,) if isinstance(state.work, Over) else state.work.units:
                named = [
                    part.name if isinstance(part, Slot) else part.slot
                    for part in walk(unit.prompt)
                    if isinstance(part, Slot | Section | Each)
                ]
                out |= {(state.name, unit.name, f"slot {name}") for name in named if name != ITEM}
                out |= {(state.name, unit.name, f"handoff {read.slot}") for read in unit.reads}
    return out


def test_every_row_has_its_names() -> None:
    for name in MODES:
        mode = load(name)
        assert (name, frozenset) == (mode.NAME, type(mode.RECORDS))
        assert callable(mode.lower) and sys.modules[mode.lower.__module__].__doc__


def test_every_mode_is_in_these_tables() -> None:
    assert {mode for mode, _ in CALLS} == set(MODES)


@EVERY
def test_it_verifies(mode: str, call: dict[str, Any], lowered: Lower) -> None:
    assert verify(lowered(mode, call).flow) == []


@EVERY
def test_equal_calls_give_equal_flows_that_survive_both_forms(mode: str, call: dict[str, Any], lowered: Lower) -> None:
    flow = lowered(mode, call).flow
    assert flow == lowered(mode, call).flow
    assert parse(json.dumps(dump(flow))) == flow and flow.mode == mode
    assert parse_flow(print_flow(flow)) == flow


@EVERY
def test_states_stand_in_topological_order(mode: str, call: dict[str, Any], lowered: Lower) -> None:
    flow = lowered(mode, call).flow
    place = {state.name: number for number, state in enumerate(flow.states)}
    for state in flow.states:
        back = isinstance(state, Gate) and isinstance(state.test, Round)
        for outcome, target in state.exits.items():
            assert (back and outcome == "again") or place[target] > place[state.name]


@EVERY
def test_parts_are_in_normal_form(mode: str, call: dict[str, Any], lowered: Lower) -> None:
    for parts in every_parts(lowered(mode, call).flow):
        assert parts == normal(parts)


@EVERY
def test_both_renderers_read_the_same_slots(mode: str, call: dict[str, Any], lowered: Lower) -> None:
    whole, bare = lowered(mode, call).flow, lowered(mode, call, slots_only).flow
    assert slots(whole) == slots(bare)
    assert [(state.name, state.exits) for state in whole.states] == [(state.name, state.exits) for state in bare.states]


@EVERY
def test_every_handoff_of_a_unit_is_read_by_its_prompt(mode: str, call: dict[str, Any], lowered: Lower) -> None:
    found = slots(lowered(mode, call).flow)
    handoffs = {(state, unit, slot.split(" ", 1)[1]) for state, unit, slot in found if slot.startswith("handoff ")}
    assert handoffs == {(state, unit, slot.split(" ", 1)[1]) for state, unit, slot in found if slot.startswith("slot ")}


@EVERY
def test_pointers_name_every_state_and_unit(mode: str, call: dict[str, Any], lowered: Lower) -> None:
    result = lowered(mode, call)
    expected = {(state.name, "") for state in result.flow.states}
    for state in result.flow.states:
        if isinstance(state, Stage):
            units = (state.work.unit,) if isinstance(state.work, Over) else state.work.units
            expected |= {(state.name, unit.name) for unit in units}
    assert set(result.pointers) == expected
    root = "" if mode in {"single", "list", "config"} else "/tasks" if mode == "parallel" else f"/{mode}"
    assert all(pointer == "" or pointer.startswith(root) for pointer in result.pointers.values())


HOSTILE = "{{ 7*7 }} {% raw %} {task} {node.x} <b>&amp;</b> {0} %s\u202e"


@pytest.mark.parametrize(
    ("mode", "call"),
    [
        ("single", {"agent": "recon", "task": HOSTILE}),
        ("evaluate", {"task": HOSTILE, "evaluate": {"passContract": HOSTILE}, "returnRequirements": HOSTILE}),
        ("search", {"task": HOSTILE, "search": {}, "returnRequirements": HOSTILE}),
        ("monitor", {"task": HOSTILE, "monitor": {"command": HOSTILE}}),
        ("chain", {"task": HOSTILE, "chain": [{"agent": "recon", "task": "On {task}"}]}),
        ("vote", {"task": HOSTILE, "vote": {"agent": "recon", "debrief": {"agent": "debrief"}}}),
        ("route", {"task": HOSTILE, "route": {"candidates": ["recon"]}}),
        ("loop", {"task": HOSTILE, "loop": {"body": {"agent": "operator"}, "judge": {"agent": "redteam"}}}),
        ("debate", {"task": HOSTILE, "debate": {"participants": [{"agent": "recon"}] * 2}}),
        ("dossier", {"task": "x", "dossier": {"sections": [{"agent": "recon", "task": HOSTILE}] * 2}}),
        ("graph", {"task": HOSTILE, "graph": {"nodes": [{"id": "a", "agent": "recon", "task": "On {task}"}]}}),
    ],
)
def test_what_a_person_wrote_is_text(mode: str, call: dict[str, Any], lowered: Lower) -> None:
    flow = lowered(mode, call).flow
    stages = [state for state in flow.states if isinstance(state, Stage)]
    for stage in stages:
        for unit in (stage.work.unit,) if isinstance(stage.work, Over) else stage.work.units:
            said = "".join(part.text for part in walk(unit.prompt) if isinstance(part, Text))
            assert HOSTILE in said and "49" not in said


def test_a_new_mode_is_one_module_and_one_row(monkeypatch: pytest.MonkeyPatch, lowered: Lower) -> None:
    """An echo: no child, one Settle."""

    def echo(call: Call, make: Maker) -> Flow:
        make.settle("said", "success", header=t("Flow echo: {task}", task=call.task or ""))
        return make.flow("said")

    module = ModuleType("piflows.compiler.lower.echo")
    vars(module).update(NAME="echo", RECORDS=frozenset[str](), lower=echo)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(lowering.MODES, "echo", module.__name__)
    flow = lowered("echo", {"task": "hello"}).flow
    assert flow.mode == "echo" and flow.states[0] == Settle("said", "success", header=(Text("Flow echo: hello"),))
    assert verify(flow) == []


CLEAN = """
import json, sys
for name in ("jinja2", "lark", "asyncio", "rich", "jsonschema", "yaml"):
    sys.modules[name] = None
from piflows.compiler.context import Catalog
from piflows.compiler.lower import lower
from piflows.compiler.prompts import slots_only
from piflows.grammar.call import read_call
from piflows.grammar.flow_text import parse_flow, print_flow
for mode, call in json.load(sys.stdin):
    print(len(lower(mode, read_call(call, 1)[0], Catalog({}, {}), slots_only).flow.states))
"""


def test_the_clean_path_imports_nothing_heavy() -> None:
    done = subprocess.run([sys.executable, "-c", CLEAN], input=json.dumps(CALLS), capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "") and len(done.stdout.split()) == len(CALLS)
