"""Vote: several agents answer one task without seeing each other. Seed: Vote mode (parallelization / voting).

Voters who are one agent on one model would give one answer several times, so each of them gets a stance of its own.
"""

from __future__ import annotations

from piflows.compiler.lower.make import Maker, report
from piflows.compiler.lower.sentences import every_run, first_text, t
from piflows.grammar.call import AgentRef, Call
from piflows.grammar.modes.vote import Vote
from piflows.ir.flow import Flow, Mark
from piflows.ir.gates import AtLeast
from piflows.ir.parts import ITEM, Count, Each, Noun, Parts, Slot, text
from piflows.ir.unit import Ref, Role

NAME, RECORDS = "vote", frozenset({"validation"})

STANCES = (
    ("direct solver", "Answer the question as it is put, by the shortest sound way."),
    ("skeptic", "Seek counterexamples to the obvious answer, and keep it only if it survives them."),
    ("evidence checker", "Let nothing count but what can be read, run or cited, and say what could not be."),
    ("completeness reviewer", "Look for the cases, conditions and parts of the question that are easily left out."),
    ("risk analyst", "Ask what happens if the answer is wrong, and how likely and how costly that is."),
    ("minimal verifier", "Find the smallest set of facts that decides the question, and check just those."),
    ("alternative-path solver", "Reach an answer by another way than the one that comes to mind first."),
    ("adversarial validator", "Try to break each answer that you consider, and report which one holds."),
)
SUCCEEDED = Count("voters", "ok")
ANSWERS = Count("voters", "ok", Noun("independent answer", "independent answers"))


def lower(call: Call, make: Maker) -> Flow:
    """voters → tally → [debrief]. A failed voter is dropped, and only if all fail there is nothing to tally."""
    spec = call.vote
    assert spec is not None
    goal = first_text(call.task)
    roles = _voters(goal, spec, make)
    then = "done" if spec.debrief is None else "debrief"
    exits = {"enough": then, "short": "all-failed"}
    marks = dict.fromkeys(exits, Mark("vote.tally", "validation"))
    make.gate("tally", AtLeast("voters", 1), exits, marks=marks, at="/vote")
    note, n = _same_model(roles), len(roles)
    if note:
        make.about["sameModelVote"] = True
    if spec.debrief is None:
        header = t(
            "Flow vote: {ok}/{n} voters succeeded. No aggregator set — review the {ok} answers below.",
            ok=(SUCCEEDED,),
            n=n,
        )
        block = t(
            "### {voter} ({agent})\n\n{text}", voter=Slot(ITEM, "unit"), agent=Slot(ITEM, "agent"), text=Slot(ITEM)
        )
        body = (*note, Each("answers", block, "\n\n---\n\n"))
        make.settle("done", "success", header=header, body=body, reads=[report("answers", Ref("voters", "ok"))])
    else:
        _debrief(spec.debrief, goal, n, note, make)
    header = t("Flow vote: all {n} voters failed.", n=n)
    make.settle("all-failed", "stopped", header=header, body=every_run("runs"), reads=[report("runs", Ref("voters"))])
    return make.flow("voters")


def _voters(goal: str, spec: Vote, make: Maker) -> list[Role]:
    """The Stage of all voters, and the role of each."""
    refs = [(voter, f"/vote/voters/{number}") for number, voter in enumerate(spec.voters or ())]
    if not refs:
        refs = [(AgentRef.model_construct(agent=spec.agent or ""), "/vote/agent")] * spec.count
    names = [make.role(ref, "voter", resolved=True) for ref, _ in refs]
    roles = [make.roles[name] for name in names]
    alike = len({(role.agent, role.model, role.tier) for role in roles}) == 1
    units = [
        make.unit("voters", f"voter-{i}", name, text(f"voter-{i}"), prompt, at=at)
        for i, (name, (_, at)) in enumerate(zip(names, refs, strict=True), 1)
        for prompt in [_prompt(goal, i, len(refs), alike, make) + make.requirements()]
    ]
    make.stage("voters", text("voters"), units, then="tally", at="/vote/voters" if spec.voters else "/vote")
    return roles


def _prompt(goal: str, i: int, n: int, alike: bool, make: Maker) -> Parts:
    stance, how = STANCES[(i - 1) % len(STANCES)] if alike else ("", "")
    return make.prompt("vote-voter", goal=goal, i=i, n=n, stance=stance, how=how)


def _same_model(roles: list[Role]) -> Parts:
    """The note that the votes are not independent of one model's blind spots; empty when the models differ."""
    if len({(role.model, role.tier) for role in roles}) > 1:
        return ()
    return t(
        '> ⚠ All {n} voters share model "{model}". They may share its blind spots too: their agreement is weaker '
        "evidence than that of different models.\n\n",
        n=len(roles),
        model=roles[0].model or "(default)",
    )


def _debrief(ref: AgentRef, goal: str, n: int, note: Parts, make: Maker) -> None:
    reads, at = [make.reads("answers", Ref("voters", "ok"), form="envelope")], "/vote/debrief"
    prompt = make.prompt("vote-aggregator", reads, goal=goal, answers_given=(ANSWERS,)) + make.requirements()
    unit = make.unit(
        "debrief",
        "aggregator",
        make.role(ref, "aggregator", resolved=True),
        text("aggregator"),
        prompt,
        reads=reads,
        at=at,
    )
    make.stage("debrief", text("aggregator"), [unit], then="done", failed="debrief-failed", at=at)
    header = t("Flow vote: {ok}/{n} voters succeeded; aggregated by {agent}.", ok=(SUCCEEDED,), n=n, agent=ref.agent)
    answer = report("answer", Ref("debrief", "unit", "aggregator"))
    make.settle("done", "success", header=header, body=(*note, Slot("answer")), reads=[answer])
    make.stopped("debrief-failed", "debrief", t('Flow vote: aggregator "{agent}" failed.', agent=ref.agent))
