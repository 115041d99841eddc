"""The plan that is read before paying."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, cast

import pytest
from compiler.render.flows import ALL, beam, dag, guarded, loop, named, nested, probe
from compiler.render.goldens import compare
from hypothesis import given
from hypothesis import strategies as st

from piflows.compiler.render import amounts, words
from piflows.compiler.render.diff import diff
from piflows.compiler.render.plan import WIDTH, plan_text
from piflows.compiler.render.plan_json import plan_json
from piflows.ir.actions import Command, Wait
from piflows.ir.canonical import identity
from piflows.ir.flow import Action, Ceiling, Flow, Gate, Settle, Stage
from piflows.ir.gates import AllPass, AtLeast, Beam, ExitZero, Round, Trigger
from piflows.ir.node import node
from piflows.ir.parts import Count, Counter, Each, Index, Noun, Parts, Section, Slot, Text, text
from piflows.ir.plan import Over, Plan
from piflows.ir.unit import Handoff, Ref, Role, Unit
from piflows.ir.visible import visible

ROLE = Role("recon", "scout", "package", tools=("read",))


def flow_of(*states: Any, **more: Any) -> Flow:
    return Flow("m", states[0].name, states, {"r": ROLE}, **more)


def stage(*units: Unit, **more: Any) -> Stage:
    return Stage("s", text("s"), Plan(units), {"then": "done", "failed": "done"}, **more)


def unit(name: str, *needs: str, label: Parts | None = None) -> Unit:
    return Unit(name, "r", text(name) if label is None else label, text(f"Do {name}."), needs)


DONE = Settle("done", "success")


@pytest.mark.parametrize("name", ALL)
def test_text_as_accepted(name: str, request: pytest.FixtureRequest) -> None:
    compare(request, f"{name}.plan.txt", plan_text(ALL[name]()))


@pytest.mark.parametrize("name", ALL)
def test_json_as_accepted(name: str, request: pytest.FixtureRequest) -> None:
    compare(request, f"{name}.plan.json", json.dumps(plan_json(ALL[name]()), indent=1, ensure_ascii=False) + "\n")


@given(st.text(min_size=1, max_size=60))
def test_text_is_narrow_and_cannot_drive_a_terminal(word: str) -> None:
    plan = plan_text(named(word))
    assert plan.endswith("\n")
    for line in plan.splitlines():
        assert len(line) <= WIDTH
        assert line == visible(line)


@given(st.text(min_size=1, max_size=60))
def test_no_word_of_an_author_begins_a_block(word: str) -> None:
    heads = [line.split("  ")[0] for line in plan_text(named(word)).splitlines() if not line.startswith(" ") and line]
    assert heads == ["PLAN", "STAGE", "GATE", "ACTION", "SETTLE", "SETTLE"]


@pytest.mark.parametrize(
    ("flow", "waves"),
    [
        (dag, [["inventory", "schema"], ["design"], ["patch", "docs"], ["debrief"]]),
        (loop, [["iteration-1.generator"], ["iteration-1.critic-1", "iteration-1.critic-2"]]),
        (
            beam,
            [
                ["round-1.gen-1", "round-1.gen-2", "round-1.gen-3"],
                ["round-1.score-1", "round-1.score-2", "round-1.score-3"],
                ["debrief"],
            ],
        ),
        (probe, [["reactor"]]),
        (nested, [["a", "c"], ["b"], ["d"], ["try-1"]]),
    ],
)
def test_waves_are_unit_keys_of_the_first_visit(flow: Callable[[], Flow], waves: list[list[str]]) -> None:
    assert plan_json(flow())["waves"] == waves


def test_a_key_that_only_a_run_knows() -> None:
    label = (Text("x-"), Slot("v"), Text("-"), Count("s"), Text("-"), Counter("r", Noun("round", "rounds")), Index())
    assert plan_json(flow_of(stage(unit("a", label=label)), DONE))["waves"] == [["x-…-…-1 round…"]]


def test_first_runs_one_unit() -> None:
    plan = plan_json(flow_of(stage(unit("a"), unit("b"), unit("c", "a"), schedule="first"), DONE))
    assert plan["waves"] == [["a"]]
    assert [each["key"] for each in plan["states"][0]["units"]] == ["a"]


def test_a_flow_without_children() -> None:
    flow = flow_of(DONE)
    assert plan_json(flow)["waves"] == []
    assert "  spends      nothing: no child runs\n" in plan_text(flow)
    assert "timeout" not in plan_text(flow)


@pytest.mark.parametrize(
    ("ceilings", "lines"),
    [
        ((), ["uncapped: no cost or token ceiling"]),
        ((Ceiling("flow", "maxCostUsd", 0.0),), ["flow: at most $0.00; no child can start under it"]),
        (
            (Ceiling("flow", "maxTokens", 0.0),),
            ["flow: at most 0 tokens (input and output); no child can start under it"],
        ),
        ((Ceiling("flow", "maxCostUsd", 0.0005),), ["flow: at most $0.0005"]),
        (
            (Ceiling("qa", "maxCostUsd", 1.0),) * 3 + (Ceiling("qa", "maxCostUsd", 2.0),),
            ["qa: at most $1.00", "qa: at most $2.00"],
        ),
        (
            (Ceiling("flow", "maxCostUsd", 1234.5), Ceiling("qa", "maxGeneratedTokens", 30_000.0)),
            ["flow: at most $1,234.50", "qa: at most 30,000 generated tokens (output alone)"],
        ),
    ],
)
def test_ceilings(ceilings: tuple[Ceiling, ...], lines: list[str]) -> None:
    flow = flow_of(stage(unit("a")), DONE, ceilings=ceilings)
    shown = [line.split("ceilings    ")[1] for line in plan_text(flow, 100).splitlines() if "ceilings    " in line]
    assert shown == lines
    expected = [{"authority": c.authority, "ceiling": c.what, "limit": c.limit} for c in dict.fromkeys(ceilings)]
    assert plan_json(flow)["ceilings"] == (expected or "uncapped")


def test_what_is_spent_is_in_the_header() -> None:
    plan = plan_text(flow_of(*(stage(*map(unit, "abcdef")), DONE), concurrency=3))
    assert "  spends      6 child runs in 1 wave, at most 3 at a time\n" in plan


def test_equal_units_of_a_wave_are_said_once() -> None:
    flow = flow_of(stage(*(Unit(name, "r", text(name), text("The same.")) for name in "abc")), DONE)
    assert plan_text(flow).count("tools  read") == 1
    assert plan_text(flow).count("same as a") == 2


def test_the_order_of_keys_in_the_ir_does_not_show() -> None:
    flow = nested()
    turned = [replace(state, exits=dict(reversed(state.exits.items()))) for state in flow.states]
    other = replace(flow, states=tuple(turned), roles=dict(reversed(flow.roles.items())))
    assert plan_text(other) == plan_text(flow)
    assert json.dumps(plan_json(other)) == json.dumps(plan_json(flow))


def test_json_says_who_may_write_and_what_is_unknown() -> None:
    units = {each["name"]: each for each in plan_json(dag())["states"][0]["units"]}
    assert {name: each["writeCapable"] for name, each in units.items()} == {
        "inventory": False,
        "schema": False,
        "design": False,
        "patch": True,
        "docs": False,
    }
    assert units["patch"] | {"reads": []} == {
        "wave": 3,
        "name": "patch",
        "key": "patch",
        "agent": "operator",
        "role": "writer",
        "source": "project",
        "tools": None,
        "writeCapable": True,
        "model": None,
        "tier": "capable",
        "thinking": None,
        "cwd": "services/billing",
        "protocol": None,
        "contract": None,
        "account": None,
        "openEnd": False,
        "needs": ["design"],
        "reads": [],
    }
    assert units["docs"]["reads"][0]["from"] == "nodes.design"


def test_json_of_a_stage_over_a_list() -> None:
    work = Over(Ref("s0", "ok"), unit("p", label=(Text("p-"), Index())), 1)
    assert Stage("s", text("s"), work, {}).work == work
    flow = flow_of(
        Stage("s0", text("s0"), Plan((unit("a"),)), {"then": "s", "failed": "done"}),
        Stage("s", text("s"), work, {"then": "done", "failed": "done"}),
        DONE,
    )
    over = plan_json(flow)["states"][1]
    assert (over["over"], over["waves"], over["units"][0]["key"]) == (
        {"value": "s0.ok", "least": 0, "cap": 1},
        [["p-1"]],
        "p-1",
    )


@node
class Moon:
    """A condition, or an effect, that the words do not know."""

    full: bool
    of: str
    kind: str = "moon"


@pytest.mark.parametrize(
    ("test", "said"),
    [
        (AllPass("panel"), "every verdict of panel is PASS"),
        (AtLeast("voters", 2), "at least 2 of voters succeeded"),
        (Beam("score", 1), "keep the 1 best of score"),
        (ExitZero("check"), "check exited with 0"),
        (Trigger("probe"), "probe exited with 0"),
        (Trigger("probe", "failure"), "probe exited with another status than 0"),
        (Trigger("probe", "match", "a\x1b|b"), r"the output of probe matches /a\x1b|b/"),
        (Round(0), "at most 0 times back"),
        (Round(1, ("a", "b")), "at most 1 time back, and resets a, b"),
        (Moon(True, "earth"), "moon (full True, of earth)"),
    ],
)
def test_conditions(test: Any, said: str) -> None:
    assert words.condition(Gate("g", cast(Any, test), {})) == said


@pytest.mark.parametrize(
    ("do", "said"),
    [
        (Command((Text("rm -rf "), Slot("dir", "path"))), "rm -rf ‹dir.path›"),
        (Wait(1_500.0), "wait 1 s 500 ms"),
        (Moon(False, "mars"), "moon (full False, of mars)"),
    ],
)
def test_effects(do: Any, said: str) -> None:
    assert words.effect(Action("a", do, {})) == said


@pytest.mark.parametrize(
    ("handoff", "said"),
    [
        (Handoff("x", Ref("s")), "x <- s"),
        (Handoff("x", Ref("s", "unit", "u"), absent="omit"), "x <- s.u; left out when absent"),
        (Handoff("x", Ref("s", "ok"), absent="text", instead="(none)"), 'x <- s.ok; "(none)" when absent'),
        (Handoff("x", Ref("s", "failed"), "envelope", policy="fail"), "x <- s.failed; as envelope; policy fail"),
        (Handoff("x", Ref("a", "all"), "control", cap=100), "x <- a.all; as control; at most 100 bytes"),
        (Handoff("x", Ref("", "item"), "report"), "x <- item"),
    ],
)
def test_handoffs(handoff: Handoff, said: str) -> None:
    assert words.handoff(handoff) == said


@pytest.mark.parametrize(
    ("role", "said"),
    [
        (Role("a", "a", "package"), ("a", "pi defaults", "not chosen yet", "model not chosen yet")),
        (Role("a", "b", "user", tools=()), ("a as b (user agent)", "none", "not chosen yet", "model not chosen yet")),
        (
            Role("a", "", "package", tools=("read", "bash"), tier="fast", thinking="low"),
            ("a", "read, bash", "not chosen yet (tier fast), thinking low", "tier fast, thinking low"),
        ),
        (Role("a", "a", "package", model="m/x", tier="deep"), ("a", "pi defaults", "m/x", "m/x")),
    ],
)
def test_roles(role: Role, said: tuple[str, ...]) -> None:
    assert (words.who(role), words.tools(role), words.model(role), words.size_of(role)) == said


@pytest.mark.parametrize(
    ("prompt", "said"),
    [
        (text("# Goal\n\n  First line.  \nSecond.\n\nThird."), "First line.\nSecond."),
        (text("## Only headings\n"), ""),
        ((Text("Read "), Section("s", text("kept"), otherwise=text("gone")), Each("e", text("?"))), "Read kept‹e›"),
        ((Index(), Counter("r"), Count("s", noun=Noun("part", "parts"))), "…‹r›… parts"),
    ],
)
def test_what_a_unit_asks_for(prompt: Parts, said: str) -> None:
    assert words.asks(Unit("u", "r", (), prompt)) == said


@pytest.mark.parametrize(
    ("asks", "shared"), [("aab", "a"), ("ab", ""), ("aabb", ""), ("a", ""), ("", ""), ("aaab", "a")]
)
def test_a_goal_is_what_most_prompts_begin_with(asks: str, shared: str) -> None:
    assert words.shared_ask(Unit(str(n), "r", (), text(ask)) for n, ask in enumerate(asks)) == shared


@pytest.mark.parametrize(
    ("ms", "said"),
    [
        (0, "0 ms"),
        (250.5, "250.5 ms"),
        (1_000, "1 s"),
        (59_999, "59 s 999 ms"),
        (90_000, "1 min 30 s"),
        (36_000_000, "10 h"),
    ],
)
def test_durations(ms: float, said: str) -> None:
    assert amounts.duration(ms) == said


@pytest.mark.parametrize(("count", "said"), [(100, "100 bytes"), (1_024, "1 KiB"), (1_500, "1500 bytes")])
def test_sizes(count: int, said: str) -> None:
    assert amounts.size(count) == said


@dataclass(frozen=True)
class Cost:
    least_runs: int | None
    most_runs: int
    least_waves: int | None
    most_waves: int


@pytest.mark.parametrize(
    ("cost", "said"),
    [
        (Cost(0, 0, 0, 0), "nothing: no child runs"),
        (Cost(1, 1, 1, 1), "1 child run in 1 wave, at most 4 at a time"),
        (Cost(0, 1, 0, 1), "0 to 1 child runs in 0 to 1 waves, at most 4 at a time"),
        (
            Cost(None, 3, None, 2),
            "up to 3 child runs in up to 2 waves, at most 4 at a time; no run of it can succeed",
        ),
    ],
)
def test_spends(cost: Any, said: str) -> None:
    assert amounts.spends(cost, 4) == said


def test_a_difference_of_contracts_says_what_differs() -> None:
    before = guarded()
    (chooser, terms), (worker, other) = before.contracts.items()
    changed = {**terms, "budget": {"maxTokens": 5000}, "nonGoals": ["Nothing else."]}
    roles = {**before.roles, "router": replace(before.roles["router"], contract=identity(changed))}
    after = replace(before, contracts={identity(changed): changed, worker: other}, roles=roles, record_content=True)
    told = {(each.kind, each.name): {name for name, _, _ in each.fields} for each in diff(before, after)}
    assert told["contract", "Choose who is to work."] == {"budget", "nonGoals"}
    assert told["unit", "router.router"] == {"contract"}
    assert {"recorded", 'ceiling contract "Choose who is to work." maxTokens'} <= told["plan", ""]
    assert ("unit", "work.work") not in told and chooser != identity(changed)
    unread = replace(before, incomplete="fail", records=(), redact_secrets=True)
    assert {name for each in diff(before, unread) for name, _, _ in each.fields} == {"digest", "returns", "secrets"}
    assert diff(before, replace(before, records=())) != []
