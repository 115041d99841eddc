"""Chain: steps one after the other, each with the result of the one before at hand. Seed: Modes; Workflow presets."""

from __future__ import annotations

from piflows.compiler.lower.make import RUN, Maker, report
from piflows.compiler.lower.sentences import first_text, objective, t
from piflows.grammar.call import Call, TaskItem
from piflows.grammar.placeholder import CHAIN_KINDS, split
from piflows.ir.flow import Flow
from piflows.ir.parts import Parts, Slot, text
from piflows.ir.unit import Ref, Unit

NAME, RECORDS = "chain", frozenset[str]()

PREVIOUS = "previous"


def lower(call: Call, make: Maker) -> Flow:
    """One Stage whose units each need the one before, also where they read nothing of it."""
    steps = call.chain or []
    goal = first_text(call.task, objective(call.contract))
    units = [_step(number, step, goal, number == len(steps), make) for number, step in enumerate(steps, 1)]
    make.stage("steps", text("steps"), units, then="done", failed="step-failed", at="/chain")
    last = report("result", Ref("steps", "unit", _name(len(steps))))
    make.settle("done", "success", body=(Slot("result"),), reads=[last])
    where = {"i": Slot(RUN, "step"), "agent": Slot(RUN, "agent")}
    make.stopped("step-failed", "steps", t("Flow chain stopped at step {i} ({agent}):", **where))
    return make.flow("steps")


def _step(number: int, step: TaskItem, goal: str, last: bool, make: Maker) -> Unit:
    """A step. The first has nothing before it: its {previous} is empty. What each spends under a contract is its own,
    and the last one returns to the parent."""
    before = [_name(number - 1)] if number > 1 else []
    prompt: Parts = ()
    for piece in split(step.task, CHAIN_KINDS):
        if isinstance(piece, str):
            prompt += text(piece)
        elif piece.kind == "task":
            prompt += text(goal)
        elif before:
            prompt += (Slot(PREVIOUS),)
    reads = [make.reads(PREVIOUS, Ref("steps", "unit", name)) for name in before if Slot(PREVIOUS) in prompt]
    return make.unit(
        "steps",
        _name(number),
        make.role(step, "step", resolved=True, account=_name(number)),
        text(_name(number)),
        prompt + make.requirements(step),
        needs=before,
        reads=reads,
        at=f"/chain/{number - 1}",
        open_end=last,
    )


def _name(number: int) -> str:
    return f"step-{number}"
