"""Debate as states, and as runs on the machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from drive import Run, fail, keyed, ok

from piflows.compiler.lower.make import Lowered
from piflows.ir.flow import Flow, Settle
from piflows.ir.gates import AtLeast, Round
from piflows.ir.parts import Parts
from piflows.ir.unit import Handoff, Ref

Lower = Callable[..., Lowered]
Show = Callable[[Parts], str]

THREE = [{"agent": "strategist"}, {"agent": "recon", "role": "sceptic"}, {"agent": "overwatch"}]


def debate(lowered: Lower, call: dict[str, Any] | None = None, **spec: Any) -> Flow:
    spec = {"participants": THREE, **spec}
    return lowered("debate", {"task": "Now or later?", "debate": spec, **(call or {})}).flow


def states(flow: Flow) -> dict[str, Any]:
    return {state.name: state for state in flow.states}


def test_states_and_exits(lowered: Lower) -> None:
    found = states(debate(lowered))
    assert {name: state.exits for name, state in found.items()} == {
        "advocates": {"then": "usable"},
        "usable": {"enough": "round", "short": "too-few"},
        "round": {"again": "advocates", "spent": "adjudicator"},
        "adjudicator": {"then": "done", "failed": "adjudicator-failed"},
        "done": {},
        "adjudicator-failed": {},
        "too-few": {},
    }
    assert found["advocates"].failure == "drain" and found["usable"].test == AtLeast("advocates", 2)


@pytest.mark.parametrize(("given", "times"), [({}, 1), ({"rounds": 1}, 0), ({"rounds": 3.0}, 2)])
def test_the_bound(given: dict[str, Any], times: int, lowered: Lower) -> None:
    assert states(debate(lowered, **given))["round"].test == Round(times)


def test_keys_roles_and_handoffs(lowered: Lower, show: Show) -> None:
    flow = debate(lowered, {"returnRequirements": "In verse."}, adjudicator={"agent": "overwatch"})
    advocates, (judge,) = (states(flow)[name].work.units for name in ("advocates", "adjudicator"))
    assert [show(unit.label) for unit in advocates] == [f"round-{{round}}.advocate-{n}" for n in (1, 2, 3)]
    assert (show(states(flow)["advocates"].label), show(judge.label)) == ("round-{round}", "adjudicator")
    assert {unit.reads for unit in advocates} == {(Handoff("prior", Ref("advocates"), "envelope", "omit"),)}
    assert judge.reads == (Handoff("final", Ref("advocates"), "envelope"),)
    roles = [(role.agent, role.slot) for role in (flow.roles[unit.role] for unit in (*advocates, judge))]
    assert roles == [
        ("strategist", "advocate"),
        ("recon", "sceptic"),
        ("overwatch", "advocate"),
        ("overwatch", "adjudicator"),
    ]
    assert all("In verse." in show(unit.prompt) for unit in (*advocates, judge))


def test_headers(lowered: Lower, show: Show) -> None:
    ends = [state for state in debate(lowered).states if isinstance(state, Settle)]
    assert {end.name: show(end.header) for end in ends} == {
        "done": "Flow debate: 3 advocates, 2 round(s), adjudicated by analyst.",
        "adjudicator-failed": "Flow debate: adjudicator failed.",
        "too-few": "Flow debate stopped: fewer than two advocates produced usable arguments.",
    }


def test_each_round_reads_the_whole_round_before_and_no_other(lowered: Lower) -> None:
    replies = {f"round-{r}.advocate-{n}": ok(f"ARGUMENT-{r}-{n}") for r in (1, 2, 3) for n in (1, 2, 3)}
    run = Run(debate(lowered, rounds=3), keyed({**replies, "adjudicator": ok("NOW")})).go()
    prompts = {each["unit"]: each["prompt"] for each in run.spawned}

    def heard(unit: str) -> list[str]:
        return [text for text in (f"ARGUMENT-{r}-{n}" for r in (1, 2, 3) for n in (1, 2, 3)) if text in prompts[unit]]

    first = prompts["round-1.advocate-2"]
    assert heard("round-1.advocate-2") == [] and "opening round" in first and "Rebut" not in first
    assert "advocate 2 of 3, round 1 of 3" in first
    second = prompts["round-2.advocate-3"]
    assert heard("round-2.advocate-3") == [f"ARGUMENT-1-{n}" for n in (1, 2, 3)] and "round 2 of 3" in second
    assert "Rebut" in second and "opening round" not in second and "### advocate-1 (strategist)" in second
    assert heard("round-3.advocate-1") == [f"ARGUMENT-2-{n}" for n in (1, 2, 3)]
    assert heard("adjudicator") == [f"ARGUMENT-3-{n}" for n in (1, 2, 3)]
    assert (run.outcome["proposal"]["text"], len(run.spawned)) == ("NOW", 10)


def test_a_failed_advocate_is_a_marker(lowered: Lower) -> None:
    replies = {"round-1.advocate-1": fail("CRASHED"), "round-2.advocate-2": fail("CRASHED")}
    run = Run(debate(lowered), keyed(replies, ok("fine words"))).go()
    prompts = {each["unit"]: each["prompt"] for each in run.spawned}
    for unit, failed in (("round-2.advocate-1", "advocate-1 (strategist)"), ("adjudicator", "advocate-2 (recon)")):
        assert f"### {failed}\n\n[advocate failed]" in prompts[unit]
        assert prompts[unit].count("[advocate failed]") == 1 and prompts[unit].count("fine words") == 2
        assert "CRASHED" not in prompts[unit] and "CHILD_EXIT_NONZERO" not in prompts[unit]


@pytest.mark.parametrize("round_", [1, 2])
def test_two_must_be_usable_in_every_round(round_: int, lowered: Lower) -> None:
    replies = {f"round-{round_}.advocate-{n}": fail() for n in (1, 3)}
    run = Run(debate(lowered), keyed(replies, ok("ALONE"))).go()
    end = run.outcome["proposal"]
    assert (end["outcome"], end["error"], len(run.spawned)) == ("stopped", None, 3 * round_)
    assert end["header"] == "Flow debate stopped: fewer than two advocates produced usable arguments."
    assert end["text"].count("failed (error)") == 2 and "ALONE" in end["text"]


def test_a_failed_adjudicator(lowered: Lower) -> None:
    end = Run(debate(lowered), keyed({"adjudicator": fail()})).go().outcome["proposal"]
    assert (end["outcome"], end["header"]) == ("stopped", "Flow debate: adjudicator failed.")
