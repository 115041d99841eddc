"""Plans, gates, actions and ends: one row per fault, and what is said about it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from whole import IR, Change, Fault, at, both, expect, of, over, plan, slot, whole

from piflows.ir.actions import Command, Wait
from piflows.ir.canonical import identity
from piflows.ir.flow import Mark
from piflows.ir.gates import AllPass, AtLeast, Beam, ExitZero, Trigger
from piflows.ir.parts import Slot, text
from piflows.ir.plan import Plan
from piflows.ir.unit import Ref
from piflows.ir.wiring import wiring

CONTRACT: dict[str, Any] = {
    "objective": "Find it.",
    **dict.fromkeys(("constraints", "nonGoals", "dependencies", "acceptanceChecks"), ()),
    "authority": dict.fromkeys(("may", "mustNot", "requiresApproval"), ()),
    "sideEffectClass": "none",
    "budget": {"maxTokens": 0},
    "returnSchema": {},
    "owner": "parent",
}
CONTRACT = json.loads(json.dumps(CONTRACT))
OTHER = {**CONTRACT, "owner": "other"}
ID, OTHER_ID = identity(CONTRACT), identity(OTHER)


def under(contract: str, account: str = "", role: str = "critic") -> Change:
    """A role under a contract."""
    return lambda flow: replace(
        flow, roles={**flow.roles, role: replace(flow.roles[role], contract=contract, account=account)}
    )


FIRED = {"fired": "panel", "quiet": "round", "unstartable": "no-check"}

FAULTS: dict[str, Fault] = {
    "empty plan": (at("write", work=Plan(())), IR, "write", 'stage "write" has no units'),
    "unit without a name": (plan("panel", 0, name=""), IR, "panel", 'a unit of stage "panel" has no name'),
    "two units of a name": (plan("panel", 1, name="a"), "GRAPH_INVALID", "panel", 'two nodes have the id "a"'),
    "unknown need": (
        plan("panel", 2, needs=("bb",)),
        "GRAPH_INVALID",
        "panel",
        '"c" depends on "bb", which does not exist (did you mean "b"?)',
    ),
    "cycle of needs": (plan("panel", 0, needs=("c",)), "GRAPH_CYCLE", "panel", "a -> c -> b -> a"),
    "self need": (plan("panel", 2, needs=("b", "c")), "GRAPH_CYCLE", "panel", "c -> c"),
    "unknown role": (
        plan("panel", 0, role="critics"),
        IR,
        "panel",
        'unit "a" has the unknown role "critics" (did you mean "critic"?)',
    ),
    "first that needs another": (
        both(at("panel", schedule="first"), plan("panel", 0, needs=("c",)), plan("panel", 1, needs=())),
        IR,
        "panel",
        'stage "panel" runs its first unit only, which needs another',
    ),
    "first of a list": (at("score", schedule="first"), IR, "score", "is made over a list: it has no first unit"),
    "cap 0": (
        over(cap=0, least=0),
        IR,
        "score",
        'stage "score" takes 0 to 0 items',
    ),
    "least above cap": (
        over(least=4),
        IR,
        "score",
        'stage "score" takes 4 to 3 items',
    ),
    "over with needs": (plan("score", 0, needs=("a",)), IR, "score", "its units need nothing of each other"),
    "over one record": (
        over(value=Ref("panel", "unit", "a")),
        IR,
        "score",
        'stage "score" is made over unit of "panel", which is no list',
    ),
    "over a result": (
        over(value=Ref("check")),
        IR,
        "score",
        'is made over value of "check", which is no list',
    ),
    "over a text": (
        over(value=Ref("round")),
        IR,
        "score",
        'is made over value of "round", which is no list',
    ),
    "over a list that a gate made a text of": (
        both(at("verdict", says={"revise": (Slot("value"),)}), over(value=Ref("verdict"))),
        IR,
        "score",
        'is made over value of "verdict", which is no list',
    ),
    "over a result that failed": (
        both(at("checked", says={}), over(value=Ref("checked"))),
        IR,
        "score",
        'is made over value of "checked", which is no list',
    ),
    "over nothing": (
        over(value=Ref("x")),
        IR,
        "score",
        'is made over "x", which is no state',
    ),
    # ---- gates
    "of no state": (at("some", test=AtLeast("x", 1)), IR, "some", 'gate "some" decides over "x", which is no state'),
    "of no stage": (at("some", test=AtLeast("check", 1)), IR, "some", 'decides over "check", which is no stage'),
    "of no command": (at("checked", test=ExitZero("write")), IR, "checked", 'over "write", which is no command'),
    "of a wait": (at("checked", test=ExitZero("note")), IR, "checked", 'over "note", which is no command'),
    "verdict of none": (at("verdict", test=AllPass("write")), IR, "verdict", 'reads a verdict of "author"'),
    "beam of a plan": (
        at("best", test=Beam("panel", 1)),
        IR,
        "best",
        'ranks "panel", which is not made over candidates',
    ),
    "beam without scores": (plan("score", 0, role="critic"), IR, "best", 'reads a score of "score"'),
    "beam of none": (at("best", test=Beam("score", 0)), IR, "best", 'gate "best" asks for fewer than one'),
    "at least none": (at("some", test=AtLeast("panel", 0)), IR, "some", 'gate "some" asks for fewer than one'),
    "pattern": (
        at("checked", test=Trigger("check", "match", "("), says={}, exits=FIRED),
        IR,
        "checked",
        'the pattern of gate "checked" is no regular expression: missing ), unterminated subpattern',
    ),
    "no pattern": (
        at("checked", test=Trigger("check", "match"), says={}, exits=FIRED),
        IR,
        "checked",
        'gate "checked" matches without a pattern',
    ),
    "says of no outcome": (at("best", says={"keep": ()}), IR, "best", 'gate "best" never has the outcome "keep"'),
    "says without a value": (
        at("verdict", says={"pass": (Slot("value"),)}),
        IR,
        "verdict",
        'gate "verdict": an outcome without a value says it',
    ),
    "reads over its value": (
        at("verdict", reads=(slot("value", Ref("write")),)),
        IR,
        "verdict",
        'the slot "value" of gate "verdict" is its own value',
    ),
    "mark of no outcome": (
        at("best", marks={"kep": Mark("x", "state")}),
        IR,
        "best",
        'gate "best" never has the outcome "kep"',
    ),
    # ---- what crosses
    "a bare value in a prompt": (
        plan("panel", 0, reads=(slot("draft", Ref("write", "unit", "author"), form="control"),)),
        IR,
        "panel",
        'the slot "draft" of unit "a" crosses as a bare value, which no prompt may hold',
    ),
    "a report in a prompt": (
        plan("panel", 0, reads=(slot("draft", Ref("write", "unit", "author"), form="report"),)),
        IR,
        "panel",
        'the slot "draft" of unit "a" crosses as a report to the parent, which no prompt may hold',
    ),
    "a label that an envelope writes": (
        plan("panel", 0, label=(Slot("draft"),), reads=(slot("draft", Ref("write"), form="envelope"),)),
        IR,
        "panel",
        'the label of unit "a" is a name, which no child may write (slot "draft")',
    ),
    # ---- contracts
    "a contract that is not there": (
        under(ID[:-1]),
        IR,
        "",
        f'role "critic" is under the contract "{ID[:-1]}", which is not there',
    ),
    "a contract that is malformed": (
        both(of(contracts={ID: {**CONTRACT, "owner": " "}}), under(ID)),
        IR,
        "",
        f'the contract "{ID}" is malformed: `owner` must be a text that is not blank',
    ),
    "a contract that is no object": (of(contracts={"x": []}), IR, "", 'the contract "x" is malformed: it is no object'),
    "a contract under another's identity": (
        of(contracts={ID: {**CONTRACT, "owner": "somebody"}}),
        IR,
        "",
        f'the contract "{ID}" is not what its identity says: it is "sha256:',
    ),
    "an account without a contract": (
        under("", "spent"),
        IR,
        "",
        'role "critic" counts for the account "spent" and is under no contract',
    ),
    "an account that is the flow's": (
        both(of(contracts={ID: CONTRACT}), under(ID, "flow")),
        IR,
        "",
        'counts for the account "flow", which is that of the flow',
    ),
    "an account of two contracts": (
        both(of(contracts={ID: CONTRACT, OTHER_ID: OTHER}), under(ID, "spent"), under(OTHER_ID, "spent", "author")),
        IR,
        "",
        f'role "critic" counts for the account "spent", which is that of the contract "{OTHER_ID}"',
    ),
    "an account that is another contract": (
        both(of(contracts={ID: CONTRACT, OTHER_ID: OTHER}), under(ID, OTHER_ID)),
        IR,
        "",
        f'role "critic" counts for the account "{OTHER_ID}", which is that of the contract "{OTHER_ID}"',
    ),
    "an open end that somebody reads": (
        plan("write", 0, open_end=True),
        IR,
        "write",
        'the return of unit "author" goes to the parent alone, and "a" reads it',
    ),
    # ---- actions and ends
    "wait for ever": (at("note", do=Wait(float("inf"))), IR, "note", 'action "note" waits inf ms'),
    "wait back": (at("note", do=Wait(-1)), IR, "note", 'action "note" waits -1 ms'),
    "wait for no number": (at("note", do=Wait(float("nan"))), IR, "note", 'action "note" waits nan ms'),
    "blank command": (at("check", do=Command(text(" "))), IR, "check", 'action "check" has no command'),
    "command timeout": (at("check", do=Command(text("x"), timeout_ms=0)), IR, "check", "that is not positive"),
    "success with a code": (at("won", code="GRAPH_CYCLE"), IR, "won", "so it has neither code nor facts"),
    "stopped with facts": (at("capped", facts={"x": ()}), IR, "capped", "so it has neither code nor facts"),
    "refused without a code": (at("none", code=None), IR, "none", 'settle "none" refuses without a code'),
    "unknown code": (
        at("none", code="SEARCH_NO_CANDIDATE"),
        IR,
        "none",
        'the unknown code "SEARCH_NO_CANDIDATE" (did you mean "SEARCH_NO_CANDIDATES"?)',
    ),
    "warning as a code": (at("none", code="HANDOFF_EMPTY"), IR, "none", "HANDOFF_EMPTY, which is no error"),
    "missing fact": (at("none", facts={}), IR, "none", 'gives SEARCH_NO_CANDIDATES without its fact "round"'),
}


@pytest.mark.parametrize(("change", "code", "state", "problem"), FAULTS.values(), ids=FAULTS)
def test_one_fault(change: Change, code: str, state: str, problem: str) -> None:
    expect(wiring(change(whole())), code, state, problem)


ACCEPTED: dict[str, Change] = {
    "the whole": of(),
    "two roles under one contract": both(of(contracts={ID: CONTRACT}), under(ID), under(ID, "apart", "author")),
    "two roles of one account": both(of(contracts={ID: CONTRACT}), under(ID, "apart"), under(ID, "apart", "author")),
    "an open end that nobody reads": plan("score", 0, open_end=True),
    "marks of every outcome": at("best", marks={"kept": Mark("x", "state")}),
    "one of one": over(cap=1, least=1),
    "no item": over(least=0),
    "over all visits of a command": over(value=Ref("check", "all")),
    "over a beam": over(value=Ref("best")),
    "over what did not pass": over(value=Ref("verdict")),
    "the best one": at("best", test=Beam("score", 1)),
    "a first unit that needs nothing": at("panel", schedule="first"),
    "no time": at("note", do=Wait(0)),
    "a command of parts": at("check", do=Command((Slot("draft"),), timeout_ms=1, cap=1)),
    "a pattern that matches": at("checked", test=Trigger("check", "match", "a|b"), says={}, exits=FIRED),
    "an exit that fires": at("checked", test=Trigger("check", "failure"), says={}, exits=FIRED),
}


@pytest.mark.parametrize("change", ACCEPTED.values(), ids=ACCEPTED)
def test_a_wired_flow(change: Change) -> None:
    assert wiring(change(whole())) == []


def test_a_finding_names_the_unit():
    changes = (
        plan("panel", 1, name="a"),
        plan("panel", 0, needs=("c",)),
        plan("panel", 0, role="x"),
        both(at("panel", schedule="first"), plan("panel", 0, needs=("b",)), plan("panel", 1, needs=())),
    )
    assert [wiring(change(whole()))[0].unit for change in changes] == ["a", "a", "a", "a"]
