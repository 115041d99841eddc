"""Debate: advocates argue in rounds, then somebody else decides. Seed: Debate mode (advocates and adjudicator).

An advocate reads the whole round before and nothing of its own: a Stage publishes when it is left.
"""

from __future__ import annotations

from piflows.compiler.lower.make import Maker, report
from piflows.compiler.lower.sentences import every_run, first_text, t
from piflows.grammar.call import Call
from piflows.grammar.modes.debate import Debate
from piflows.ir.flow import Flow, Mark
from piflows.ir.gates import AtLeast
from piflows.ir.limits import LIMITS
from piflows.ir.parts import ITEM, Counter, Each, Parts, Section, Slot, text
from piflows.ir.unit import Ref

NAME, RECORDS = "debate", frozenset({"validation"})

ROUND = Counter("round")
ARGUMENTS = Ref("advocates")
FAILED = "[advocate failed]"


def lower(call: Call, make: Maker) -> Flow:
    """advocates → usable → round → advocates; at its end adjudicator."""
    spec = call.debate
    assert spec is not None
    goal = first_text(call.task)
    _advocates(goal, spec, make)
    exits = {"enough": "round", "short": "too-few"}
    make.gate("usable", AtLeast("advocates", LIMITS.participants_min), exits, at="/debate/participants")
    make.round("round", spec.rounds, again="advocates", spent="adjudicator", at="/debate/rounds")
    _adjudicator(goal, spec, make)
    header = text("Flow debate stopped: fewer than two advocates produced usable arguments.")
    runs = [report("runs", ARGUMENTS)]
    make.settle("too-few", "stopped", header=header, body=every_run("runs"), reads=runs, at="/debate/participants")
    return make.flow("advocates")


def _arguments(slot: str) -> Parts:
    """What each advocate said, in their order; of one that failed only that it did."""
    said: Parts = (Section(ITEM, text(FAILED), "stopReason", (Slot(ITEM),)),)
    block = t("### {unit} ({agent})\n\n{said}", unit=Slot(ITEM, "unit"), agent=Slot(ITEM, "agent"), said=said)
    return (Each(slot, block),)


def _advocates(goal: str, spec: Debate, make: Maker) -> None:
    reads, n = [make.reads("prior", ARGUMENTS, "omit", form="envelope")], len(spec.participants)
    fixed = {"goal": goal, "n": n, "round": ROUND, "rounds": spec.rounds, "arguments": _arguments("prior")}
    units = [
        make.unit("advocates", f"advocate-{i}", role, key, prompt, reads=reads, at=f"/debate/participants/{i - 1}")
        for i, participant in enumerate(spec.participants, 1)
        for role in [make.role(participant, "advocate", resolved=True)]
        for key in [t("round-{r}.advocate-{i}", r=ROUND, i=i)]
        for prompt in [make.prompt("debate-advocate", reads, i=i, **fixed) + make.requirements()]
    ]
    make.stage("advocates", t("round-{r}", r=ROUND), units, then="usable", at="/debate/participants")


def _adjudicator(goal: str, spec: Debate, make: Maker) -> None:
    reads, at = [make.reads("final", ARGUMENTS, form="envelope")], "/debate/adjudicator"
    prompt = make.prompt("debate-adjudicator", reads, goal=goal, arguments=_arguments("final")) + make.requirements()
    role, key = make.role(spec.adjudicator, "adjudicator", resolved=True), text("adjudicator")
    unit = make.unit("adjudicator", "adjudicator", role, key, prompt, reads=reads, at=at)
    make.stage("adjudicator", key, [unit], then="done", failed="adjudicator-failed", at=at)
    header = t(
        "Flow debate: {n} advocates, {rounds} round(s), adjudicated by {agent}.",
        n=len(spec.participants),
        rounds=spec.rounds,
        agent=spec.adjudicator.agent,
    )
    decision = report("decision", Ref("adjudicator", "unit", "adjudicator"))
    mark = Mark("debate.judge_verdict", "validation")
    make.settle("done", "success", header=header, body=(Slot("decision"),), reads=[decision], mark=mark)
    make.stopped("adjudicator-failed", "adjudicator", text("Flow debate: adjudicator failed."))
