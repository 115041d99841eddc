"""Vote as states, and as runs on the machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from drive import Run, fail, keyed, ok

from piflows.compiler.lower.make import Lowered
from piflows.compiler.lower.vote import STANCES
from piflows.ir.flow import Flow, Settle
from piflows.ir.gates import AtLeast
from piflows.ir.limits import LIMITS
from piflows.ir.parts import Parts
from piflows.ir.unit import Handoff, Ref

Lower = Callable[..., Lowered]
Show = Callable[[Parts], str]

DEBRIEF = {"agent": "debrief"}
MIXED = [{"agent": "recon"}, {"agent": "analyst", "role": "sceptic"}]


def vote(lowered: Lower, call: dict[str, Any] | None = None, **spec: Any) -> Flow:
    return lowered("vote", {"task": "Safe?", "vote": spec, **(call or {})}).flow


def states(flow: Flow) -> dict[str, Any]:
    return {state.name: state for state in flow.states}


def voters(flow: Flow) -> Any:
    return states(flow)["voters"].work.units


PLAIN = {
    "voters": {"then": "tally"},
    "tally": {"enough": "done", "short": "all-failed"},
    "done": {},
    "all-failed": {},
}
MERGED = PLAIN | {
    "tally": {"enough": "debrief", "short": "all-failed"},
    "debrief": {"then": "done", "failed": "debrief-failed"},
    "debrief-failed": {},
}


@pytest.mark.parametrize(("spec", "expected"), [({}, PLAIN), ({"debrief": DEBRIEF}, MERGED)])
def test_states_and_exits(spec: dict[str, Any], expected: dict[str, Any], lowered: Lower) -> None:
    flow = vote(lowered, agent="recon", **spec)
    assert {state.name: state.exits for state in flow.states} == expected
    assert states(flow)["voters"].failure == "drain" and states(flow)["tally"].test == AtLeast("voters", 1)


@pytest.mark.parametrize(
    ("spec", "agents"),
    [
        ({"agent": "recon"}, ["recon"] * 3),
        ({"agent": "recon", "count": 8.0}, ["recon"] * 8),
        ({"agent": "recon", "count": 5, "voters": MIXED}, ["recon", "analyst"]),
        ({"agent": "recon", "voters": []}, ["recon"] * 3),
    ],
)
def test_who_votes(spec: dict[str, Any], agents: list[str], lowered: Lower, show: Show) -> None:
    flow = vote(lowered, **spec)
    found = voters(flow)
    assert [flow.roles[unit.role].agent for unit in found] == agents
    assert [show(unit.label) for unit in found] == [f"voter-{n}" for n in range(1, len(agents) + 1)]


ONE_MODEL = [{"agent": "recon", "model": "m"}, {"agent": "analyst", "model": "m"}]


@pytest.mark.parametrize(
    ("voted", "stances", "note"),
    [
        ([{"agent": "recon"}, {"agent": "recon"}], True, "(default)"),
        ([{"agent": "recon", "model": "m:low"}, {"agent": "recon", "model": "m"}], True, "m"),
        ([{"agent": "recon", "model": "m"}, {"agent": "recon"}], False, None),
        ([{"agent": "recon", "tier": "fast"}, {"agent": "recon", "tier": "deep"}], False, None),
        (MIXED, False, "(default)"),
        (ONE_MODEL, False, "m"),
    ],
)
def test_stances_and_the_note_on_one_model(
    voted: list[dict[str, Any]], stances: bool, note: str | None, lowered: Lower, show: Show
) -> None:
    for debrief in ({}, {"debrief": DEBRIEF}):
        flow = vote(lowered, voters=voted, **debrief)
        first, second = (show(unit.prompt) for unit in voters(flow))
        assert first.startswith("Safe?") and second.startswith("Safe?")
        assert ("voter 1/2, the direct solver" in first, "voter 2/2, the skeptic" in second) == (stances, stances)
        assert stances or (first, second) == ("Safe?", "Safe?")
        body = show(states(flow)["done"].body)
        assert body.startswith(f'> ⚠ All 2 voters share model "{note}". ') == (note is not None)


def test_there_is_a_stance_for_every_voter() -> None:
    assert len({name for name, _ in STANCES}) == LIMITS.voters_max


def test_the_aggregator_reads_who_succeeded(lowered: Lower, show: Show) -> None:
    flow = vote(lowered, {"returnRequirements": "In verse."}, voters=MIXED, debrief=DEBRIEF)
    (unit,) = states(flow)["debrief"].work.units
    assert show(unit.label) == "aggregator" and unit.reads == (Handoff("answers", Ref("voters", "ok"), "envelope"),)
    assert all("In verse." in show(each.prompt) for each in (unit, *voters(flow)))
    assert show(unit.prompt).startswith("## Original task\n\nSafe?\n\n## {ok of voters} (untrusted data)\n")


def test_headers(lowered: Lower, show: Show) -> None:
    flows = (vote(lowered, agent="recon"), vote(lowered, agent="recon", debrief=DEBRIEF))
    headers = [show(state.header) for flow in flows for state in flow.states if isinstance(state, Settle)]
    assert headers == [
        "Flow vote: {ok of voters}/3 voters succeeded. No aggregator set — review the {ok of voters} answers below.",
        "Flow vote: all 3 voters failed.",
        "Flow vote: {ok of voters}/3 voters succeeded; aggregated by debrief.",
        'Flow vote: aggregator "debrief" failed.',
        "Flow vote: all 3 voters failed.",
    ]


def test_a_failed_voter_is_dropped(lowered: Lower) -> None:
    replies = {"voter-1": fail("CRASHED"), "voter-2": ok("YES"), "aggregator": ok("MERGED")}
    merged = Run(vote(lowered, voters=MIXED, debrief=DEBRIEF), keyed(replies)).go()
    prompt = merged.spawned[-1]["prompt"]
    assert "## 1 independent answer (" in prompt and "### Answer 1: voter-2 (analyst)" in prompt and "YES" in prompt
    assert "CRASHED" not in prompt
    end = merged.outcome["proposal"]
    assert end["header"] == "Flow vote: 1/2 voters succeeded; aggregated by debrief." and end["text"].endswith("MERGED")
    listed = Run(vote(lowered, voters=MIXED), keyed(replies)).go().outcome["proposal"]
    assert listed["header"].startswith("Flow vote: 1/2 voters succeeded. No aggregator set — review the 1 answers")
    assert "### voter-2 (analyst)\n\nYES" in listed["text"] and "voter-1" not in listed["text"]


def test_failures(lowered: Lower) -> None:
    none = Run(vote(lowered, voters=MIXED, debrief=DEBRIEF), keyed({}, fail())).go()
    end = none.outcome["proposal"]
    assert (end["outcome"], end["error"], end["header"]) == ("stopped", None, "Flow vote: all 2 voters failed.")
    assert len(none.spawned) == 2 and end["text"].count("failed (error)") == 2
    last = Run(vote(lowered, voters=MIXED, debrief=DEBRIEF), keyed({"aggregator": fail()})).go().outcome["proposal"]
    assert (last["outcome"], last["header"]) == ("stopped", 'Flow vote: aggregator "debrief" failed.')
