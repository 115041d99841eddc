"""What children may spend under a ceiling, whatever a flow does, however they take their turns and hear of it."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

from drive import SALTS, answers
from hypothesis import given
from hypothesis import strategies as st
from machines import all_flows

from piflows.cli.progress import total
from piflows.interpreter.machine import Machine
from piflows.interpreter.result import details, results
from piflows.ir.flow import Ceiling, Flow

Json = dict[str, Any]
ORDERS = st.lists(st.integers(0, 50))
STOPPING = st.sampled_from(("maxCostUsd", "maxGeneratedTokens"))
LIMITS = st.integers(0, 200)
OF = {
    "maxCostUsd": lambda usage: usage["costUsd"],
    "maxGeneratedTokens": lambda usage: usage["output"],
    "maxTokens": lambda usage: usage["input"] + usage["output"],
}
FINAL = {"childSettled", "childFailed", "commandExited", "timePassed"}


@dataclass
class Turns:
    """A driver whose children take several turns each, one among those of others.

    A child that is told to stop ends, but the response that was under way when it was told comes in first; the child
    whose own response led to it has none under way. `unknown`: every fifth response tells no cost. `again` feeds each
    event twice, and an old one now and then.
    """

    flow: Flow
    salt: int
    order: list[int]
    unknown: bool = False
    again: bool = False
    turns: list[tuple[str, Json]] = field(default_factory=list)  # the responses, in their order
    alive: list[frozenset[str]] = field(default_factory=list)  # the children that lived when each one came in
    spawned: list[int] = field(default_factory=list)  # after how many responses each child was asked for
    journal: list[Json] = field(default_factory=list)
    steps: dict[str, int] = field(default_factory=dict)  # effect → the number of its result

    def go(self) -> Turns:
        self.machine = Machine(self.flow)
        self.live: dict[str, Json] = {}
        self.left: dict[str, list[Json]] = {}
        self.notes: dict[str, int] = {}
        picks = iter(self.order)
        self._event("", {"kind": "opened", "run": "r", "invocation": "i", "flow": "", "ir": 1, "cwd": "/"})
        while not self.machine.done:
            effect = list(self.live)[next(picks, 0) % len(self.live)]
            self._step(effect, self.live[effect])
        return self

    def _step(self, name: str, effect: Json) -> None:
        if effect["kind"] != "spawn":
            ended = {"kind": "timePassed"}
            if effect["kind"] == "command":
                ended = {
                    "kind": "commandExited",
                    "text": "",
                    "exit": 0,
                    "timedOut": False,
                    "started": True,
                    "reason": "",
                }
            self._event(name, ended)
        elif name not in self.left:
            self.left[name] = self._usages(name)
            self._event(name, {"kind": "childStarted"})
        elif self.notes.get(name) == 1:
            self.notes[name] = 2
            self._event(name, {"kind": "noticeSeen"})
        elif self.left[name]:
            usage = self.left[name].pop(0)
            self.turns.append((name, usage))
            self.alive.append(frozenset(each for each, of in self.live.items() if of["kind"] == "spawn"))
            self._event(name, {"kind": "turnEnded", "usage": usage})
        else:
            said = {"text": answers(effect)[self.salt % 2], "stderr": ""}
            ended = {"kind": "childSettled", "exit": 0, "stopReason": "stop", "model": None}
            self._event(name, ended | said)

    def _usages(self, name: str) -> list[Json]:
        mark = sum(map(ord, name)) * 31 + self.salt
        return [self._usage(mark + 7 * number) for number in range(1 + mark % 4)]

    def _usage(self, mark: int) -> Json:
        cost = None if self.unknown and mark % 5 == 0 else mark % 50
        return {"input": mark % 40, "output": mark % 30, "costUsd": cost}

    def _event(self, effect: str, report: Json) -> None:
        seq = len(self.journal) + 1
        report = self.machine.distil(effect, report) if report["kind"] in FINAL else report
        event = {"seq": seq, "at": seq, "effect": effect, "incarnation": 1 if effect else 0, "n": seq} | report
        self.journal.append(json.loads(json.dumps(event)))
        if event["kind"] in FINAL:
            del self.live[effect]
        self._take(effect, self.machine.feed(event))
        if self.again and event["kind"] != "opened" and not self.machine.done:
            for old in (event, self.journal[1 + seq * self.salt % (seq - 1)]):
                assert self.machine.feed(dict(old)) == []

    def _take(self, cause: str, effects: list[Json]) -> None:
        for each in effects:
            name = each["effect"]
            if each["kind"] == "stop" and name in self.live:
                self._stop(name, own=name == cause)
            elif each["kind"] == "steer":
                self.notes[name] = self.notes.get(name, 0) + self.salt % 2
            elif each["kind"] not in ("stop", "done", "note"):
                self.live[name] = each
                if each["kind"] == "spawn":
                    self.spawned.append(len(self.turns))
                    self.steps[name] = each["step"]

    def _stop(self, name: str, *, own: bool) -> None:
        """What was under way comes in still; after it there is nothing more."""
        self.left[name] = [] if own else self.left.get(name, [])[:1]
        self.notes.pop(name, None)


def under(flow: Flow, what: Any, limit: float, salt: int, order: list[int], **more: Any) -> Turns:
    return Turns(replace(flow, ceilings=(Ceiling("flow", what, limit),)), salt, order, **more).go()


def crossed(done: Turns, what: str, limit: float) -> int | None:
    """The number of responses with which a ceiling was spent: 0 for one of 0, None for one that never was."""
    spent: float = 0
    for number in range(len(done.turns) + 1):
        if spent >= limit:
            return number
        if number < len(done.turns):
            said = OF[what](done.turns[number][1])
            spent = float("inf") if said is None else spent + said
    return None


@given(all_flows(), STOPPING, LIMITS, SALTS, ORDERS)
def test_a_ceiling_is_passed_by_the_responses_in_flight_alone(
    flow: Flow, what: str, limit: int, salt: int, order: list[int]
) -> None:
    done = under(flow, what, limit, salt, order)
    at = crossed(done, what, limit)
    if not at:
        assert at is None or not done.turns
        return
    late = Counter(name for name, _ in done.turns[at:])
    assert set(late) <= done.alive[at - 1] - {done.turns[at - 1][0]} and set(late.values()) <= {1}


@given(all_flows(), LIMITS, SALTS, ORDERS)
def test_a_total_ceiling_is_passed_by_the_children_then_alive_alone(
    flow: Flow, limit: int, salt: int, order: list[int]
) -> None:
    done = under(flow, "maxTokens", limit, salt, order)
    at = crossed(done, "maxTokens", limit)
    if not at:
        assert at is None or not done.turns
        return
    assert {name for name, _ in done.turns[at:]} <= done.alive[at - 1]
    assert not any(done.left.values()), "whoever lived may finish"


@given(all_flows(), st.sampled_from(sorted(OF)), LIMITS, SALTS, ORDERS, st.booleans())
def test_nobody_starts_after_a_spent_ceiling(
    flow: Flow, what: str, limit: int, salt: int, order: list[int], unknown: bool
) -> None:
    done = under(flow, what, limit, salt, order, unknown=unknown)
    at = crossed(done, what, limit)
    assert at is None or all(number < at for number in done.spawned)


@given(all_flows(), SALTS, ORDERS)
def test_an_unknown_cost_is_never_a_number_in_a_sum(flow: Flow, salt: int, order: list[int]) -> None:
    done = under(flow, "maxTokens", 10**9, salt, order, unknown=True)
    whole = [usage["costUsd"] for _, usage in done.turns]
    for each in results(done.machine):
        own = [usage["costUsd"] for name, usage in done.turns if done.steps[name] == each["step"]]
        assert each["usage"]["costUsd"] == (None if None in own else sum(own))
    account = done.machine.record["accounts"].get("flow", {"maxCostUsd": 0})
    assert account["maxCostUsd"] == (None if None in whole else sum(whole))
    if whole:
        assert ("cost unknown" in total(details(done.machine)["results"])) == (None in whole)


@given(all_flows(), SALTS, ORDERS)
def test_an_answer_that_comes_again_changes_nothing(flow: Flow, salt: int, order: list[int]) -> None:
    once, twice = (under(flow, "maxCostUsd", 300, salt, order, again=again) for again in (False, True))
    assert once.machine.snapshot() == twice.machine.snapshot()
