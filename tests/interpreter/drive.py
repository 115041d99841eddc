"""A driver without a clock or a loop: tests say who settles next and where it crashes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from piflows.grammar.vocabulary import VOCABULARY
from piflows.interpreter.backends import rehearsal
from piflows.interpreter.effects import STARTS
from piflows.interpreter.machine import Machine
from piflows.interpreter.result import details
from piflows.interpreter.tables import DONE
from piflows.ir.flow import Flow

Json = dict[str, Any]
Reply = Callable[[Json], Json]


def ok(text: str = "fine", usage: tuple[int, int, float | None] = (100, 50, 0.001)) -> Json:
    return {"text": text, "usage": usage}


def fail(text: str = "", exit_status: int = 1) -> Json:
    return {"text": text, "exit": exit_status, "usage": (100, 50, 0.001)}


def code(error: Json | None) -> str | None:
    return None if error is None else error["code"]


@dataclass
class Run:
    """One run to its end. `pick` chooses among the effects under way, `crashes` are event numbers to restart after."""

    flow: Flow
    reply: Reply
    pick: Callable[[int], int] = lambda _: 0
    crashes: frozenset[int] = frozenset()
    journal: list[Json] = field(default_factory=list)
    most_alive: int = 0
    spawned: list[Json] = field(default_factory=list)
    restarts: int = 0

    def __post_init__(self) -> None:
        self.machine = Machine(self.flow)
        self.alive: dict[str, Json] = {}
        self.incarnation: dict[str, int] = {}

    def go(self) -> Run:
        self._event("", {"kind": "opened", "run": "r", "invocation": "i", "flow": "", "ir": 1, "cwd": "/"})
        while not self.machine.done:
            effect = list(self.alive)[self.pick(len(self.alive))]
            self._carry_out(self.alive.pop(effect))
        return self

    @property
    def outcome(self) -> Json:
        """What must not depend on order, crashes or hash seed: everything but times and repeated spend."""
        assert self.machine.record["run"] == DONE
        if not self.flow.record_content:
            told = details(self.machine)
            same = ("unit", "step", "prompt", "text", "exitCode", "stopReason")
            runs = [[each[name] for name in same] + [code(each["error"])] for each in told["results"]]
            return {"outcome": told["outcome"], "code": code(told["error"]), "results": runs}
        results = [{k: v for k, v in each.items() if k not in {"durationMs", "usage"}} for each in self.results]
        return {"proposal": self.machine.record["proposal"], "results": results}

    @property
    def results(self) -> list[Json]:
        return self.machine.record["results"]

    def unit_keys(self) -> list[str]:
        return [each["unit"] for each in self.results]

    def _carry_out(self, effect: Json) -> None:
        name = effect["effect"]
        self.incarnation[name] = self.incarnation.get(name, 0) + 1
        for n, report in enumerate(self._reports(effect), 1):
            if not self._event(name, self.machine.distil(name, report), n):
                return

    def _reports(self, effect: Json) -> Iterable[Json]:
        if effect["kind"] == "wait":
            yield {"kind": "timePassed"}
            return
        reply = self.reply(effect)
        if effect["kind"] == "command":
            yield {
                "kind": "commandExited",
                "text": "",
                "exit": 0,
                "timedOut": False,
                "started": True,
                "reason": "",
            } | reply
            return
        tokens_in, tokens_out, cost = reply.pop("usage")
        yield {"kind": "childStarted"}
        yield {"kind": "turnEnded", "usage": {"input": tokens_in, "output": tokens_out, "costUsd": cost}}
        if reply.get("exit"):
            facts = {"exit": reply["exit"], "stderr": reply.get("stderr", "")}
            failed = {"kind": "childFailed", "code": "CHILD_EXIT_NONZERO", "facts": facts, "stopReason": "error"}
            yield failed | {"stderr": "", **reply}
        else:
            yield {"kind": "childSettled", "exit": 0, "stopReason": "stop", "model": None, "stderr": "", **reply}

    def _event(self, effect: str, report: Json, n: int = 0) -> bool:
        """Journal and feed one event; False when the run crashed right after."""
        seq = len(self.journal) + 1
        event = {
            "seq": seq,
            "at": seq,
            "effect": effect,
            "incarnation": self.incarnation.get(effect, 0),
            "n": n,
        } | report
        self.journal.append(json.loads(json.dumps(self.machine.recorded(event))))
        self._take(self.machine.feed(event))
        return seq not in self.crashes or not self._restart()

    def _take(self, effects: list[Json]) -> None:
        for effect in effects:
            if effect["kind"] == "stop":
                self.alive.pop(effect["effect"], None)
            elif effect["kind"] in STARTS:
                self.alive[effect["effect"]] = effect
                self.spawned += [effect] * (effect["kind"] == "spawn")
        self.most_alive = max(self.most_alive, sum(each["kind"] == "spawn" for each in self.alive.values()))

    def _restart(self) -> bool:
        replayed = Machine(self.flow)
        for event in self.journal:
            replayed.feed(event)
        if replayed.lacks:  # such a run is refused, so this process goes on
            return False
        self.restarts += 1
        self.machine, self.alive = Machine(self.flow), {}
        for event in self.journal:
            if event["kind"] in {"childSettled", "childFailed", "commandExited", "timePassed"}:
                self.alive.pop(event["effect"], None)
            self._take(self.machine.feed(event))
        kept = json.loads(self.machine.snapshot())  # a long run may also go on from its snapshot
        self.machine = Machine(self.flow, kept)
        return True


def keyed(replies: Mapping[str, Json | list[Json]], default: Json | None = None) -> Reply:
    """Replies by unit key (of a list the visit's, its last stays), commands by `command`. No reply depends on order."""

    def reply(effect: Json) -> Json:
        found = replies.get(effect.get("unit") or "command", default or ok())
        if isinstance(found, list):
            visit = int(effect["effect"].rsplit("#", 1)[1].split("/")[0])
            found = found[min(visit, len(found)) - 1]
        return dict(found)

    return reply


SALTS = st.integers(0, 2**16)
ANSWERS = {
    "verdict": ("VERDICT: REVISE", "VERDICT: PASS", "VERDICT: PASS", "Looks good."),
    "loop": ("LOOP: CONTINUE", "LOOP: DONE", "LOOP: CONTINUE", "Nearly."),
}


def answers(effect: Json) -> tuple[str, ...]:
    """First lines that a child may write under its protocol, understood and not; the first one ends no loop."""
    if effect["protocol"] == "route":
        return (*(f"ROUTE: {name}" for name in effect["candidates"]), "ROUTE: none", "ROUTE: somebody")
    if effect["protocol"] == "score":
        return ("SCORE: 0", "SCORE: 7.5", "SCORE: 100", "SCORE: 101")
    return ANSWERS.get(effect["protocol"], ("VERDICT: REVISE", "Fine."))


def salted(salt: int) -> Reply:
    """Replies that depend on the effect alone: visit, unit and salt decide success, failure and answer.

    Every third salt never fails and never passes, so that each round is spent. Under a contract some say that they are
    not done, and some say what is no return.
    """

    def text_of(effect: Json, said: str, mark: int) -> str:
        if effect.get("contract") is None or mark % 7 == 0:
            return said
        found = rehearsal.envelope(effect)
        if (row := VOCABULARY.get(effect["protocol"])) is not None and ": " in said:
            value = said.split("\n")[0].split(": ")[1]
            found["data"] = {**found["data"], row.field: float(value) if effect["protocol"] == "score" else value}
        return json.dumps(
            found | {"status": ("completed", "completed", "partial", "failed")[mark % 4], "summary": said}
        )

    def reply(effect: Json) -> Json:
        mark = sum(map(ord, effect["effect"])) * 31 + salt
        if not salt % 3:
            return {"exit": 1} if effect["kind"] == "command" else ok(text_of(effect, answers(effect)[0], 1))
        if effect["kind"] == "command":
            return {"exit": mark % 2, "text": f"out {mark}"}
        if mark % 5 == 0:
            return fail(f"broke {mark}")
        choices = answers(effect)
        return ok(text_of(effect, f"{choices[mark % len(choices)]}\n{effect['unit']} {mark}", mark))

    return reply
