"""Dossier as states, and as runs on the machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from drive import Run, fail, keyed, ok

from piflows.compiler.lower.make import EVIDENCE, Lowered
from piflows.ir.flow import Flow, Settle
from piflows.ir.gates import AtLeast
from piflows.ir.parts import Parts
from piflows.ir.unit import Handoff, Ref

Lower = Callable[..., Lowered]
Show = Callable[[Parts], str]

THREE = [{"agent": "recon", "task": f"Read {name}."} for name in ("log", "map", "diary")]


def dossier(lowered: Lower, *sections: dict[str, Any], **call: Any) -> Flow:
    return lowered("dossier", {"dossier": {"sections": [*(sections or THREE)]}, **call}).flow


def states(flow: Flow) -> dict[str, Any]:
    return {state.name: state for state in flow.states}


def test_states_and_exits(lowered: Lower) -> None:
    found = states(dossier(lowered))
    assert {name: state.exits for name, state in found.items()} == {
        "sections": {"then": "usable"},
        "usable": {"enough": "debrief", "short": "too-few"},
        "debrief": {"then": "done", "failed": "debrief-failed"},
        "done": {},
        "debrief-failed": {},
        "too-few": {},
    }
    assert found["sections"].failure == "drain" and found["usable"].test == AtLeast("sections", 2)


def test_keys_and_handoffs(lowered: Lower, show: Show) -> None:
    found = states(dossier(lowered, task="Why?"))
    sections, (debrief,) = found["sections"].work.units, found["debrief"].work.units
    names = ["section-1", "section-2", "section-3"]
    assert [show(unit.label) for unit in sections] == names and show(debrief.label) == "debrief"
    assert debrief.reads == tuple(Handoff(name, Ref("sections", "unit", name), "envelope") for name in names)
    first = show(sections[0].prompt)
    assert first.startswith("## Question\n\nWhy?\n\n## Evidence assignment 1\n\nRead log.\n") and "map" not in first


def test_a_question_without_a_task(lowered: Lower, show: Show) -> None:
    found = states(dossier(lowered))
    for stage in ("sections", "debrief"):
        assert "## Question\n\nWhat do these sources" in show(found[stage].work.units[0].prompt)


@pytest.mark.parametrize(
    ("item", "call", "evidence"),
    [
        ({}, {}, True),
        ({}, {"requireEvidence": False}, True),
        ({"requireEvidence": False}, {"requireEvidence": True}, False),
        ({"requireEvidence": True}, {}, True),
    ],
)
def test_sections_owe_evidence(
    item: dict[str, Any], call: dict[str, Any], evidence: bool, lowered: Lower, show: Show
) -> None:
    section = {"agent": "recon", "task": "Read.", **item}
    found = states(dossier(lowered, section, section, **call))
    assert [EVIDENCE in show(unit.prompt) for unit in found["sections"].work.units] == [evidence] * 2
    assert (EVIDENCE in show(found["debrief"].work.units[0].prompt)) == call.get("requireEvidence", False)


def test_headers(lowered: Lower, show: Show) -> None:
    ends = [state for state in dossier(lowered).states if isinstance(state, Settle)]
    assert {end.name: show(end.header) for end in ends} == {
        "done": "Flow dossier: {ok of sections}/3 evidence sections synthesized.",
        "debrief-failed": "Flow dossier: synthesizer failed.",
        "too-few": "",
    }


def test_a_failed_section_is_a_named_gap(lowered: Lower) -> None:
    replies = {"section-1": ok("LOG"), "section-2": fail("CRASHED"), "section-3": ok("DIARY"), "debrief": ok("OUT")}
    run = Run(dossier(lowered, task="Why?"), keyed(replies)).go()
    prompt = run.spawned[-1]["prompt"]
    assert "### Evidence section 2: Read map.\n\n[section failed" in prompt
    assert prompt.index("section 1: Read log.") < prompt.index("LOG\n") < prompt.index("DIARY\n")
    assert "CRASHED" not in prompt and "CHILD_EXIT_NONZERO" not in prompt
    end = run.outcome["proposal"]
    assert (end["header"], end["text"]) == ("Flow dossier: 2/3 evidence sections synthesized.", "OUT")


def test_failures(lowered: Lower) -> None:
    run = Run(dossier(lowered), keyed({"section-1": fail(), "section-3": fail()}, ok("ONLY-THIS"))).go()
    end = run.outcome["proposal"]
    assert (end["outcome"], end["error"]["code"]) == ("refused", "DOSSIER_TOO_FEW_SECTIONS")
    assert "at least 2 sections, and 1 succeeded" in end["error"]["message"] and "ONLY-THIS" in end["text"]
    assert len(run.spawned) == 3
    last = Run(dossier(lowered), keyed({"debrief": fail()})).go().outcome["proposal"]
    assert (last["outcome"], last["header"]) == ("stopped", "Flow dossier: synthesizer failed.")
