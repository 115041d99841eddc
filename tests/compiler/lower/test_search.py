"""Search as states, and as runs on the machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from drive import Run, fail, keyed, ok

from piflows.compiler.lower.make import Lowered
from piflows.ir.flow import Flow, Gate, Settle, Stage
from piflows.ir.gates import AtLeast, Beam, Round
from piflows.ir.parts import Parts
from piflows.ir.plan import Over, Plan
from piflows.ir.unit import Handoff, Ref

Lower = Callable[..., Lowered]
Show = Callable[[Parts], str]


def search(lowered: Lower, **spec: Any) -> Flow:
    return lowered("search", {"task": "Choose.", "search": spec}).flow


def states(flow: Flow) -> dict[str, Any]:
    return {state.name: state for state in flow.states}


def test_states_and_exits(lowered: Lower) -> None:
    flow = search(lowered)
    assert {state.name: state.exits for state in flow.states} == {
        "generate": {"then": "survivors"},
        "survivors": {"enough": "score", "short": "no-candidates"},
        "score": {"then": "beam"},
        "beam": {"kept": "round"},
        "round": {"again": "generate", "spent": "best"},
        "best": {"kept": "debrief"},
        "debrief": {"then": "done", "failed": "debrief-failed"},
        "done": {},
        "debrief-failed": {},
        "no-candidates": {},
    }
    assert {states(flow)[name].failure for name in ("generate", "score")} == {"drain"}


@pytest.mark.parametrize(
    ("spec", "candidates", "width", "times"),
    [
        ({}, 3, 1, 1),
        ({"candidates": 2, "beamWidth": 8, "maxRounds": 4}, 2, 2, 3),
        ({"candidates": 8, "beamWidth": 5, "maxRounds": 1}, 8, 5, 0),
    ],
)
def test_the_bounds(spec: dict[str, Any], candidates: int, width: int, times: int, lowered: Lower) -> None:
    found = states(search(lowered, **spec))
    generate, score = found["generate"], found["score"]
    assert isinstance(generate.work, Plan) and len(generate.work.units) == candidates
    assert isinstance(score.work, Over) and (score.work.cap, score.work.least) == (candidates, 1)
    assert score.work.value == Ref("generate", "ok")
    tests = [found[name].test for name in ("survivors", "beam", "best", "round") if isinstance(found[name], Gate)]
    assert tests == [AtLeast("generate", 1), Beam("score", width), Beam("score", 1), Round(times)]


def test_keys_roles_and_handoffs(lowered: Lower, show: Show) -> None:
    flow = search(lowered, candidates=2)
    found = states(flow)
    generate, score, debrief = (found[name] for name in ("generate", "score", "debrief"))
    assert isinstance(generate, Stage) and isinstance(generate.work, Plan)
    assert [show(unit.label) for unit in generate.work.units] == ["round-{round}.gen-1", "round-{round}.gen-2"]
    assert [show(each.label) for each in (generate, score)] == ["round-{round}.generate", "round-{round}.score"]
    assert show(score.work.unit.label) == "round-{round}.score-{n}" and show(debrief.work.units[0].label) == "debrief"
    assert generate.work.units[0].reads == (Handoff("beam", Ref("beam"), absent="text", instead="(none yet)"),)
    assert score.work.unit.reads == (Handoff("candidate", Ref("generate", "item")),)
    assert debrief.work.units[0].reads == (Handoff("beam", Ref("beam")),)
    roles = [(role.agent, role.slot, role.protocol, role.tools) for role in flow.roles.values()]
    assert roles == [
        ("strategist", "generator", None, ("read",)),
        ("redteam", "scorer", "score", ()),
        ("debrief", "debrief", None, ("read",)),
    ]


def test_return_requirements_reach_generator_and_debrief(lowered: Lower, show: Show) -> None:
    found = states(lowered("search", {"task": "x", "search": {}, "returnRequirements": "In verse."}).flow)
    told = {name: "In verse." in show(found[name].work.units[0].prompt) for name in ("generate", "debrief")}
    assert told == {"generate": True, "debrief": True}
    assert "In verse." not in show(found["score"].work.unit.prompt)


def test_headers(lowered: Lower, show: Show) -> None:
    ends = [state for state in search(lowered, beamWidth=2).states if isinstance(state, Settle)]
    assert {end.name: show(end.header) for end in ends} == {
        "done": "Flow search: 2 round(s), beam 2, best score {best}; finalized by debrief.",
        "debrief-failed": 'Flow search: debrief "debrief" failed.',
        "no-candidates": "",
    }


SCORES = {
    "round-1.gen-1": ok("CAND-ONE"),
    "round-1.gen-2": ok("CAND-TWO"),
    "round-1.score-1": ok("SCORE: 20"),
    "round-1.score-2": ok("SCORE: 80"),
    "round-2.gen-1": ok("CAND-THREE"),
    "round-2.gen-2": ok("CAND-FOUR"),
    "round-2.score-1": ok("SCORE: 90.5"),
    "round-2.score-2": ok("no idea"),
}


def test_the_beam_is_carried_on_and_then_replaced(lowered: Lower) -> None:
    run = Run(search(lowered, candidates=2, beamWidth=2), keyed(SCORES)).go()
    prompts = {each["unit"]: each["prompt"] for each in run.spawned}
    assert "(none yet)" in prompts["round-1.gen-1"] and "candidate 2 of 2" in prompts["round-1.gen-2"]
    second = prompts["round-2.gen-1"]
    assert second.index("### Prior beam 1 (score 80)") < second.index("CAND-TWO") < second.index("### Prior beam 2")
    assert "(none yet)" not in second and "round 2 of 2" in second
    assert "CAND-TWO" in prompts["round-1.score-2"] and "CAND-ONE" not in prompts["round-1.score-2"]
    final = prompts["debrief"]
    assert final.index("### Candidate 1 (score 90.5)") < final.index("CAND-THREE") < final.index("CAND-FOUR")
    assert "CAND-TWO" not in final
    end = run.outcome["proposal"]
    assert end["header"] == "Flow search: 2 round(s), beam 2, best score 90.5; finalized by debrief."


def test_failures(lowered: Lower) -> None:
    none = Run(search(lowered, candidates=2), keyed({"round-2.gen-1": fail(), "round-2.gen-2": fail()}, ok("x"))).go()
    assert none.outcome["proposal"]["error"]["code"] == "SEARCH_NO_CANDIDATES"
    assert "Round 2" in none.outcome["proposal"]["error"]["message"]
    one = Run(
        search(lowered, candidates=2, maxRounds=1), keyed({"round-1.gen-1": fail(), "round-1.score-1": fail()})
    ).go()
    assert one.unit_keys() == ["round-1.gen-1", "round-1.gen-2", "round-1.score-1", "debrief"]
    assert "best score 0;" in one.outcome["proposal"]["header"]
    last = Run(search(lowered), keyed({"debrief": fail()})).go().outcome["proposal"]
    assert (last["outcome"], last["header"]) == ("stopped", 'Flow search: debrief "debrief" failed.')
