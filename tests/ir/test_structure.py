"""The graph of states: one row per fault, and what is said about it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from whole import IR, Change, Fault, add, at, both, drop, expect, move, of, plan, whole

from piflows.ir.flow import Ceiling, Settle
from piflows.ir.gates import Round
from piflows.ir.structure import forward, structure

FAULTS: dict[str, Fault] = {
    "version": (of(version=99), IR, "", "its version is 99, this program reads 1"),
    "concurrency 0": (of(concurrency=0), IR, "", "concurrency is 0, it must be 1 to 8"),
    "concurrency 9": (of(concurrency=9), IR, "", "concurrency is 9, it must be 1 to 8"),
    "timeout": (of(timeout_ms=0), IR, "", "the timeout is 0 ms"),
    "ceiling": (of(ceilings=(Ceiling("flow", "maxTokens", -1.0),)), IR, "", "the ceiling maxTokens is -1.0"),
    "no name": (add(Settle("", "keep")), IR, "", "a settle has no name"),
    "two of a name": (add(Settle("kept", "keep")), IR, "kept", 'two states are named "kept"'),
    "no state at all": (lambda flow: replace(flow, states=()), IR, "", 'the entry "write" is no state'),
    "entry": (of(entry="wrte"), IR, "", 'the entry "wrte" is no state (did you mean "write"?)'),
    "epilogue": (of(epilogue="x"), IR, "", 'the epilogue "x" is no state'),
    "target": (
        at("best", exits={"kept": "wun"}),
        IR,
        "best",
        'the exit "kept" of gate "best" leads to "wun", which is no state (did you mean "won"?)',
    ),
    "no failed exit": (at("score", exits={"then": "best"}), IR, "score", 'stage "score" has no exit "failed"'),
    "no stuck exit": (at("panel", exits={"then": "verdict"}), IR, "panel", 'stage "panel" has no exit "stuck"'),
    "failed under drain": (
        at("panel", exits={"then": "verdict", "stuck": "verdict", "failed": "broken"}),
        IR,
        "panel",
        'stage "panel" never takes the exit "failed"',
    ),
    "stuck under stop": (
        at("score", exits={"then": "best", "failed": "broken-score", "stuck": "best"}),
        IR,
        "score",
        'stage "score" never takes the exit "stuck"',
    ),
    "gate without an outcome": (at("verdict", exits={"pass": "some"}), IR, "verdict", 'has no exit "revise"'),
    "gate with another": (
        at("best", exits={"kept": "won", "keep": "won"}),
        IR,
        "best",
        'gate "best" never takes the exit "keep" (did you mean "kept"?)',
    ),
    "gate that refuses": (
        at("best", exits={"kept": "won", "refused": "won"}),
        IR,
        "best",
        'gate "best" never takes the exit "refused"',
    ),
    "action without then": (at("check", exits={}), IR, "check", 'action "check" has no exit "then"'),
    "settle that goes on": (at("won", exits={"then": "kept"}), IR, "won", 'settle "won" never takes the exit "then"'),
    "unreachable": (add(Settle("island", "stopped")), IR, "island", 'no path leads to settle "island"'),
    "shared by both parts": (
        both(at("best", exits={"kept": "kept"}), drop("won")),
        IR,
        "kept",
        '"kept" is a state of the main part and of the epilogue',
    ),
    "keep in the main part": (at("won", outcome="keep"), IR, "won", 'settle "won" keeps an outcome'),
    "cycle without a round": (
        at("panel", exits={"then": "check", "stuck": "verdict"}),
        IR,
        "check",
        "a cycle without a round never ends: check -> checked -> panel -> check",
    ),
    "round that is spent into a cycle": (
        at("round", exits={"again": "capped", "spent": "write"}),
        IR,
        "write",
        "write -> check -> checked -> round -> write",
    ),
    "order": (move("check", "write"), IR, "check", '"check" stands before "write", which leads to it'),
    "order of the epilogue": (move("note", "write"), IR, "note", '"note" stands before "won", which leads to it'),
    "negative round": (at("round", test=Round(-1)), IR, "round", 'round "round" goes back -1 times'),
    "endless round": (at("round", test=Round(10**9)), IR, "round", 'round "round" goes back 1000000000 times'),
    "resets what is no round": (
        at("round", test=Round(1, ("some",))),
        IR,
        "round",
        'round "round" resets "some", which is no round',
    ),
    "resets itself": (
        at("round", test=Round(1, ("round",))),
        IR,
        "round",
        "rounds reset each other without end: round -> round",
    ),
}


@pytest.mark.parametrize(("change", "code", "state", "problem"), FAULTS.values(), ids=FAULTS)
def test_one_fault(change: Change, code: str, state: str, problem: str) -> None:
    expect(structure(change(whole())), code, state, problem)


ACCEPTED: dict[str, Change] = {
    "the whole": of(),
    "one at a time": of(concurrency=1),
    "eight at a time": of(concurrency=8),
    "the shortest timeout": of(timeout_ms=1),
    "a ceiling of nothing": of(ceilings=(Ceiling("flow", "maxCostUsd", 0.0),)),
    "a round of no times": at("round", test=Round(0)),
    "the longest round": at("round", test=Round(1_000_000)),
    "no epilogue": both(of(epilogue=""), drop("note", "kept", "lost")),
    "first never is stuck": at("panel", schedule="first", exits={"then": "verdict"}),
    "a refusal": at("panel", exits={"then": "verdict", "stuck": "verdict", "refused": "none"}),
    "stuck though nothing is needed": both(
        plan("panel", 1, needs=()), plan("panel", 2, needs=()), at("panel", exits={"then": "verdict", "stuck": "none"})
    ),
    "drained and nothing is needed": both(
        plan("panel", 1, needs=()), plan("panel", 2, needs=()), at("panel", exits={"then": "verdict"})
    ),
}


@pytest.mark.parametrize("change", ACCEPTED.values(), ids=ACCEPTED)
def test_a_well_formed_flow(change: Change) -> None:
    assert structure(change(whole())) == []


def test_a_settle_before_the_epilogue_goes_on_to_it_and_again_leads_nowhere():
    edges = forward(whole())
    assert edges["won"] == ["note"] and edges["kept"] == [] and edges["round"] == ["capped"]


def test_what_is_wrong_with_single_states_is_all_that_is_said():
    found = structure(both(of(entry="x"), at("round", test=Round(-1)))(whole()))
    assert [each.facts["problem"] for each in found] == ['the entry "x" is no state']


def test_no_more_is_said_than_a_person_reads():
    many = add(*(Settle(f"island {number}", "stopped") for number in range(500)))
    assert len(structure(many(whole()))) == 100
