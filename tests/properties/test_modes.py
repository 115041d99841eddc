"""What each mode promises, on every path that a small call of it can take: where it ends, and who reads whom.

The rows say it in words of the reference, from what the children answered; of states and gates they know the names of
the ends alone.
"""

from __future__ import annotations

import json
from collections import UserDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from calls import HERE
from calls import MODES as DRAWN
from drive import Run, fail, ok

from piflows.compiler import compile_call
from piflows.compiler.lower import MODES
from piflows.ir.bounds import bounds
from piflows.ir.flow import Flow, Settle

Json = dict[str, Any]
FAILED = ""
ANSWERS = {
    "verdict": ("VERDICT: PASS", "VERDICT: REVISE", "Fine."),
    "loop": ("LOOP: DONE", "LOOP: CONTINUE", "Fine."),
    "score": ("SCORE: 30", "SCORE: 70"),
    None: ("Fine.",),
}
COMMANDS: dict[str, Json] = {
    "passed": {"exit": 0},
    "failed": {"exit": 1},
    "timed out": {"exit": None, "timedOut": True},
    "unstartable": {"exit": None, "started": False, "reason": "no such command"},
}


class Said(UserDict[str, str]):
    """What each child answered, by unit key (FAILED: it failed), and how each command ended, by state and visit.

    `asked` are the keys that were looked up: a promise that accounts for a path has looked at all of it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.asked: set[str] = set()
        self.agents: dict[str, str] = {}

    def __getitem__(self, key: str) -> str:
        self.asked.add(key)
        return super().__getitem__(key)

    def all(self, key: str, count: int) -> list[str]:
        """The answers of `key-1`, `key-2`, …"""
        return [self[f"{key}-{number}"] for number in range(1, count + 1)]

    def usable(self, key: str, count: int) -> list[str]:
        """Which of `key-1`, `key-2`, … did not fail."""
        return [f"{key}-{number}" for number, said in enumerate(self.all(key, count), 1) if said != FAILED]


def nobody(unit: str, said: Said) -> set[str]:  # noqa: ARG001
    return set()


@dataclass(frozen=True)
class Promise:
    """A mode's call, the end of a path, and whose texts a unit's prompt holds."""

    mode: str
    call: Json
    end: Callable[[Said], str]
    reads: Callable[[str, Said], set[str]] = nobody


# ---- every path -------------------------------------------------------------------------------------------------


class Exits(dict[str, str]):
    """The exits of a state, which note what was taken."""

    def __init__(self, exits: Json, state: str, taken: set[tuple[str, str]]) -> None:
        super().__init__(exits)
        self.state, self.taken = state, taken

    def __getitem__(self, outcome: str) -> str:
        self.taken.add((self.state, outcome))
        return super().__getitem__(outcome)


@dataclass
class Walk:
    """All runs of a flow: at every answer each of the answers that matter is given once."""

    flow: Flow
    taken: set[tuple[str, str]] = field(default_factory=set)

    def paths(self) -> Iterator[tuple[Run, Said]]:
        noting = [replace(state, exits=Exits(state.exits, state.name, self.taken)) for state in self.flow.states]
        self.flow = replace(self.flow, states=tuple(noting))
        picks: list[tuple[int, int]] = []
        while True:
            said, left = Said(), iter(list(picks))
            made: list[tuple[int, int]] = []

            def reply(effect: Json) -> Json:
                choices = options(effect)
                made.append((next(left, (0, 0))[0], len(choices)))  # noqa: B023
                return answer(effect, choices[made[-1][0]], said)  # noqa: B023

            yield Run(self.flow, reply).go(), said
            while made and made[-1][0] + 1 == made[-1][1]:
                made.pop()
            if not made:
                return
            picks = [*made[:-1], (made[-1][0] + 1, made[-1][1])]


def options(effect: Json) -> tuple[str, ...]:
    if effect["kind"] == "command":
        return tuple(COMMANDS)
    if effect["protocol"] == "route":
        return (FAILED, *(f"ROUTE: {name}" for name in effect["candidates"]), "ROUTE: none", "Fine.")
    return (FAILED, *ANSWERS[effect["protocol"]])


def answer(effect: Json, choice: str, said: Said) -> Json:
    if effect["kind"] == "command":
        key = effect["effect"].split("/")[0]
        said[key] = choice
        return {**COMMANDS[choice], "text": f"<{key}>"}
    said[effect["unit"]], said.agents[effect["unit"]] = choice, effect["agent"]
    mark = f"<{effect['unit']}>"
    return {**fail(mark), "stderr": mark} if choice == FAILED else ok(f"{choice}\n{mark}")


# ---- the promises -----------------------------------------------------------------------------------------------


def before(key: str) -> str:
    """The key of the same unit one round earlier."""
    kind, rest = key.split("-", 1)
    number, _, name = rest.partition(".")
    return f"{kind}-{int(number) - 1}.{name}"


def first(key: str) -> bool:
    return key.startswith(("iteration-1.", "round-1."))


def either(said: Said, key: str, end: str = "done", failed: str = "failed") -> str:
    return failed if said[key] == FAILED else end


def chain(said: Said) -> str:
    steps = (said[f"step-{number}"] for number in (1, 2, 3))
    return "step-failed" if FAILED in steps else "done"


def graph(said: Said) -> str:
    if FAILED in [said["a"], said["b"]] or said["c"] == FAILED:
        return "node-failed"
    return either(said, "debrief", failed="debrief-failed")


def evaluate(said: Said) -> str:
    for i in (1, 2):
        if said[f"iteration-{i}.generator"] == FAILED:
            return "author-failed"
        if (check := said[f"check#{i}"]) == "unstartable":
            return "check-unstartable"
        if check == "passed":
            critics = said.all(f"iteration-{i}.critic", 2)
            if FAILED in critics:
                return "critic-failed"
            if set(critics) == {"VERDICT: PASS"}:
                return "passed"
    return "capped"


def evaluate_reads(unit: str, said: Said) -> set[str]:
    if "critic" in unit:
        return {f"{unit.split('.')[0]}.generator"}
    if first(unit):
        return set()
    last = before(unit).removesuffix("generator")
    if said[f"check#{last[-2]}"] != "passed":
        return {before(unit), f"check#{last[-2]}"}
    return {before(unit)} | {f"{last}critic-{n}" for n in (1, 2) if said[f"{last}critic-{n}"] != "VERDICT: PASS"}


def vote(said: Said) -> str:
    return either(said, "aggregator", failed="debrief-failed") if said.usable("voter", 3) else "all-failed"


def route(fallback: str) -> Callable[[Said], str]:
    def end(said: Said) -> str:
        if said["router"] == FAILED:
            return "router-failed"
        named = said["router"].removeprefix("ROUTE: ")
        chosen = named if named in ("recon", "analyst") else fallback
        if not chosen:
            return "unresolved"
        assert said.agents["specialist"] == chosen
        return either(said, "specialist", failed="specialist-failed")

    return end


def loop(said: Said) -> str:
    for i in (1, 2):
        if (body := said[f"iteration-{i}.body"]) in (FAILED, "LOOP: DONE"):
            return "done" if body else "body-failed"
    return "capped"


def judged(said: Said) -> str:
    for i in (1, 2):
        if said[f"iteration-{i}.body"] == FAILED:
            return "body-failed"
        if (judge := said[f"iteration-{i}.judge"]) in (FAILED, "VERDICT: PASS"):
            return "done" if judge else "judge-failed"
    return "capped"


def judged_reads(unit: str, said: Said) -> set[str]:  # noqa: ARG001
    if unit.endswith("judge"):
        return {unit.replace("judge", "body")}
    return set() if first(unit) else {before(unit), before(unit).replace("body", "judge")}


def search(said: Said) -> str:
    for r in (1, 2):
        usable = said.usable(f"round-{r}.gen", 2)
        if not usable:
            return "no-candidates"
        said.all(f"round-{r}.score", len(usable))
    return either(said, "debrief", failed="debrief-failed")


def search_reads(unit: str, said: Said) -> set[str]:
    if first(unit) and "gen" in unit:
        return set()
    of = unit.split(".")[0] if "score" in unit else "round-2" if unit == "debrief" else "round-1"
    usable = said.usable(f"{of}.gen", 2)
    if "score" in unit:
        return {usable[int(unit[-1]) - 1]}
    scores = [float(each.removeprefix("SCORE: ") or 0) for each in said.all(f"{of}.score", len(usable))]
    return {usable[scores.index(max(scores))]}


def debate(said: Said) -> str:
    for r in (1, 2):
        if len(said.usable(f"round-{r}.advocate", 3)) < 2:
            return "too-few"
    return either(said, "adjudicator", failed="adjudicator-failed")


def debate_reads(unit: str, said: Said) -> set[str]:
    return set() if first(unit) else set(said.usable(f"round-{2 if unit == 'adjudicator' else 1}.advocate", 3))


def dossier(said: Said) -> str:
    enough = len(said.usable("section", 3)) >= 2
    return either(said, "debrief", failed="debrief-failed") if enough else "too-few"


def monitor(fires: str) -> Callable[[Said], str]:
    def end(said: Said) -> str:
        for check in (1, 2):
            if (probe := said[f"probe#{check}"]) in (fires, "unstartable"):
                return either(said, "reactor", failed="react-failed") if probe == fires else "unstartable"
        return "quiet"

    return end


ROUTE = {"candidates": ["recon", "analyst"]}
MONITOR = {"command": "true", "maxChecks": 2, "reactor": {"agent": "recon"}}
RECON = {"agent": "recon"}
NODES = [{"id": "a", **RECON, "task": "A"}, {"id": "b", **RECON, "task": "B"}]
NODES += [{"id": "c", **RECON, "task": "{node.a} {node.b}", "dependsOn": ["a", "b"]}]
SECTIONS = [{**RECON, "task": f"source {number}"} for number in (1, 2, 3)]
EVALUATE = {"redteam": [RECON, RECON], "checkCommand": "true", "maxIterations": 2}
SEARCH = {"candidates": 2, "beamWidth": 1, "maxRounds": 2}
PROMISES = [
    Promise("list", {"list": True}, lambda said: "answer"),  # noqa: ARG005
    Promise("config", {"showConfig": True}, lambda said: "answer"),  # noqa: ARG005
    Promise("single", {**RECON, "task": "a goal"}, lambda said: either(said, "single")),
    Promise(
        "parallel",
        {"tasks": SECTIONS, "tier": "fast"},
        lambda said: "done" if len([said[f"tasks.{n}"] for n in (1, 2, 3) if said[f"tasks.{n}"]]) == 3 else "partial",
    ),
    Promise(
        "chain",
        {"chain": [{**RECON, "task": "one"}, {**RECON, "task": "two {previous}"}, {**RECON, "task": "three"}]},
        chain,
        lambda unit, said: {"step-1"} if unit == "step-2" else set(),  # noqa: ARG005
    ),
    Promise(
        "graph",
        {"graph": {"nodes": NODES, "debrief": RECON}},
        graph,
        lambda unit, said: {"c": {"a", "b"}, "debrief": {"c"}}.get(unit, set()),  # noqa: ARG005
    ),
    Promise("evaluate", {"task": "a goal", "evaluate": EVALUATE}, evaluate, evaluate_reads),
    Promise(
        "vote",
        {"task": "a goal", "vote": {**RECON, "debrief": RECON}},
        vote,
        lambda unit, said: set(said.usable("voter", 3)) if unit == "aggregator" else set(),
    ),
    Promise(
        "vote",
        {"task": "a goal", "vote": {"voters": [RECON] * 3}},
        lambda said: "done" if said.usable("voter", 3) else "all-failed",
    ),
    Promise("route", {"task": "a goal", "route": ROUTE}, route("")),
    Promise("route", {"task": "a goal", "route": {**ROUTE, "fallback": "strategist"}}, route("strategist")),
    Promise("route", {"task": "a goal", "route": {**ROUTE, "fallback": "analyst"}}, route("analyst")),
    Promise(
        "loop",
        {"task": "a goal", "loop": {"body": RECON, "maxIterations": 2}},
        loop,
        lambda unit, said: set() if first(unit) else {before(unit)},  # noqa: ARG005
    ),
    Promise(
        "loop", {"task": "a goal", "loop": {"body": RECON, "judge": RECON, "maxIterations": 2}}, judged, judged_reads
    ),
    Promise("search", {"task": "a goal", "search": SEARCH}, search, search_reads),
    Promise("debate", {"task": "a goal", "debate": {"participants": [RECON] * 3, "rounds": 2}}, debate, debate_reads),
    Promise(
        "dossier",
        {"dossier": {"sections": SECTIONS}},
        dossier,
        lambda unit, said: set(said.usable("section", 3)) if unit == "debrief" else set(),
    ),
    *(
        Promise(
            "monitor",
            {"monitor": {**MONITOR, "trigger": trigger}},
            monitor(fires),
            lambda unit, said: {[key for key in said if "#" in key][-1]},  # noqa: ARG005
        )
        for trigger, fires in (("success", "passed"), ("failure", "failed"))
    ),
]


def lowered(promise: Promise) -> Flow:
    done = compile_call(json.dumps({"why": "asked for", "concurrency": 1, **promise.call}), HERE)
    assert done.flow is not None and done.mode == promise.mode, done.diagnostics
    return done.flow


def test_every_path_of_a_mode_ends_and_reads_as_promised() -> None:
    for promise in PROMISES:
        flow = lowered(promise)
        ends = {state.name: state for state in flow.states if isinstance(state, Settle)}
        for run, said in Walk(flow).paths():
            path = (promise.mode, dict(said))
            assert run.machine.record["state"] == promise.end(said), path
            assert said.asked == set(said), path
            end, proposal = ends[promise.end(said)], run.outcome["proposal"]
            assert (proposal["outcome"], (proposal["error"] or {}).get("code")) == (end.outcome, end.code), path
            for sent in run.spawned:
                held = {key for key in said if f"<{key}>" in sent["prompt"]}
                assert held == promise.reads(sent["unit"], said), (sent["unit"], *path)


def test_every_exit_of_a_mode_is_taken_and_its_bounds_are_exact() -> None:
    for promise in PROMISES:
        walk, proved = Walk(lowered(promise)), bounds(lowered(promise))
        exits = {(state.name, outcome) for state in walk.flow.states for outcome in state.exits}
        runs = [(len(run.spawned), run.outcome["proposal"]["outcome"]) for run, _ in walk.paths()]
        assert walk.taken == exits, promise.mode
        assert proved.most_runs == max(count for count, _ in runs), promise.mode
        assert proved.least_runs == min(count for count, outcome in runs if outcome == "success"), promise.mode


def test_every_mode_promises() -> None:
    assert {promise.mode for promise in PROMISES} == set(MODES)


def test_calls_are_drawn_of_every_mode() -> None:
    assert set(MODES) <= set(DRAWN)
