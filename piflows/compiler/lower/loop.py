"""Loop: a body again and again, until it or its judge says that the goal is reached. Seed: Loop mode.

With a judge the body has no say in the end, and what the judge criticizes is the next body's feedback.
"""

from __future__ import annotations

from piflows.compiler.lower.make import Maker, report
from piflows.compiler.lower.sentences import first_text, t
from piflows.grammar.call import AgentRef, Call
from piflows.grammar.instructions import instruction
from piflows.grammar.modes.loop import Loop
from piflows.ir.flow import Flow, Mark
from piflows.ir.gates import AllPass, Said
from piflows.ir.parts import ITEM, Counter, Each, Parts, Slot, text
from piflows.ir.unit import Ref

NAME, RECORDS = "loop", frozenset({"retry", "validation"})

ITERATION = Counter("round")
VERDICT = Mark("loop.judge_verdict", "validation")
OUTPUT = Ref("body", "unit", "body")


def lower(call: Call, make: Maker) -> Flow:
    """body → [judge] → stop → round → body."""
    spec = call.loop
    assert spec is not None
    goal = first_text(call.task)
    _body(goal, spec, make)
    if spec.judge is None:
        exits = {"done": "done", "continue": "round"}
        make.gate("stop", Said("body"), exits, marks=dict.fromkeys(exits, VERDICT), at="/loop/body")
    else:
        _judge(goal, spec.judge, make)
    most = int(spec.max_iterations)
    again = {"again": Mark("loop.iterate", "retry")}
    make.round("round", most, again="body", spent="capped", marks=again, at="/loop/maxIterations")
    _ends(most, spec, make)
    return make.flow("body")


def _key(rest: str = "") -> Parts:
    return t("iteration-{i}{rest}", i=ITERATION, rest=rest)


def _body(goal: str, spec: Loop, make: Maker) -> None:
    reads, alone = [make.reads("previous", OUTPUT, "omit", form="envelope")], spec.judge is None
    if not alone:
        reads.append(make.reads("feedback", Ref("round"), "omit"))
    template, protocol = ("loop-body", instruction("loop")) if alone else ("loop-judged-body", "")
    prompt = make.prompt(template, reads, goal=goal, protocol=protocol) + make.requirements()
    role, at = make.role(spec.body, "body", "loop" if alone else None), "/loop/body"
    unit = make.unit("body", "body", role, _key(".body"), prompt, reads=reads, at=at)
    make.stage("body", _key(), [unit], then="stop" if alone else "judge", failed="body-failed", at=at)


def _judge(goal: str, judge: AgentRef, make: Maker) -> None:
    reads, at = [make.reads("output", OUTPUT, form="envelope")], "/loop/judge"
    prompt = make.prompt("loop-judge", reads, goal=goal, protocol=instruction("verdict"))
    role = make.role(judge, "judge", "verdict")
    unit = make.unit("judge", "judge", role, _key(".judge"), prompt, reads=reads, at=at)
    make.stage("judge", _key(), [unit], then="stop", failed="judge-failed", at=at)
    exits, feedback = {"pass": "done", "revise": "round"}, (Each("value", (Slot(ITEM),)),)
    make.gate("stop", AllPass("judge"), exits, says={"revise": feedback}, marks=dict.fromkeys(exits, VERDICT), at=at)


def _ends(most: int, spec: Loop, make: Maker) -> None:
    output = report("output", OUTPUT)
    header = t("Flow loop: DONE after {n} iteration(s).", n=ITERATION)
    make.settle("done", "success", header=header, body=(Slot("output"),), reads=[output])
    _capped(most, spec, make)
    for stage, ref in (("body", spec.body), ("judge", spec.judge)):
        if ref is not None:
            failed = 'Flow loop: {stage} "{agent}" failed at iteration {i}.'
            make.stopped(f"{stage}-failed", stage, t(failed, stage=stage, agent=ref.agent, i=ITERATION))


def _capped(most: int, spec: Loop, make: Maker) -> None:
    reads, body = [report("output", OUTPUT)], t("## Last output\n\n{output}", output=Slot("output"))
    if spec.judge is not None:
        reads.append(report("feedback", Ref("round")))
        body += t("\n\n## Last feedback\n\n{feedback}", feedback=Slot("feedback"))
    facts = {"iterations": text(str(most))}
    at = "/loop/maxIterations"
    make.settle("capped", "refused", code="LOOP_DID_NOT_CONVERGE", facts=facts, body=body, reads=reads, at=at)
