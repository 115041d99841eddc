"""Route: a controller names one of several agents, and that one gets the task. Seed: Route mode (classify → dispatch).

Each candidate is a Stage of its own, as its agent decides what its child may do; they have one unit key.
"""

from __future__ import annotations

from piflows.compiler.lower.make import Maker, report
from piflows.compiler.lower.sentences import first_text, t
from piflows.grammar.call import AgentRef, Call
from piflows.grammar.instructions import instruction
from piflows.grammar.modes.route import Route
from piflows.grammar.vocabulary import NOBODY
from piflows.ir.flow import Flow, Mark
from piflows.ir.gates import Choice
from piflows.ir.parts import Parts, Slot, normal, text
from piflows.ir.unit import Ref

NAME, RECORDS = "route", frozenset({"state"})


def lower(call: Call, make: Maker) -> Flow:
    """router → choice → the chosen specialist, or the fallback; without one nobody is a refusal."""
    spec = call.route
    assert spec is not None
    goal = first_text(call.task)
    candidates = tuple(dict.fromkeys(name for name in spec.candidates if name.strip()))
    fallback = first_text(spec.fallback)
    stages = {name: f"specialist-{number}" for number, name in enumerate(candidates, 1)}
    if fallback:
        stages.setdefault(fallback, f"specialist-{len(stages) + 1}")
    _router(goal, spec, candidates, make)
    exits = {name: stages[name] for name in candidates} | {NOBODY: stages[fallback] if fallback else "unresolved"}
    says = {NOBODY: text(fallback)} if fallback else None
    marks = dict.fromkeys(exits, Mark("route.selected", "state"))
    reads = [make.reads("answer", Ref("router", "unit", "router"), form="control")]
    test, at = Choice("router", candidates), "/route/candidates"
    make.gate("choice", test, exits, says=says, reads=reads, marks=marks, at=at)
    _specialists(goal, spec, stages, make)
    _ends(spec, list(stages.values()), make)
    if not fallback:
        _unresolved(candidates, make)
    return make.flow("router")


def _router(goal: str, spec: Route, candidates: tuple[str, ...], make: Maker) -> None:
    at = "/route/controller"
    known = make.catalog.agents
    listed = "\n".join(f"- {name}: {known[name].description}" if name in known else f"- {name}" for name in candidates)
    prompt = make.prompt("route-router", goal=goal, candidates=listed, protocol=instruction("route", candidates))
    role = make.role(spec.controller, "router", "route", candidates)
    unit = make.unit("router", "router", role, text("router"), prompt, at=at)
    make.stage("router", text("router"), [unit], then="choice", failed="router-failed", at=at)


def _specialists(goal: str, spec: Route, stages: dict[str, str], make: Maker) -> None:
    """A specialist is an agent's name alone, and gets the task alone."""
    key, prompt = text("specialist"), normal(text(goal) + make.requirements())
    place = {name: number for number, name in reversed(list(enumerate(spec.candidates)))}  # the first of equal ones
    for name, stage in stages.items():
        at = f"/route/candidates/{place[name]}" if name in place else "/route/fallback"
        role = make.role(AgentRef.model_construct(agent=name), "specialist")
        unit = make.unit(stage, "specialist", role, key, prompt, at=at)
        make.stage(stage, key, [unit], then="done", failed="specialist-failed", at=at)


def _ends(spec: Route, stages: list[str], make: Maker) -> None:
    """Only one specialist has run, so what the others would have said is left out."""
    body: Parts = tuple(Slot(stage) for stage in stages)
    answers = [report(stage, Ref(stage, "unit", "specialist"), "omit") for stage in stages]
    failures = [report(stage, Ref(stage, "failed"), "omit") for stage in stages]
    chosen, known = report("choice", Ref("choice")), {"controller": spec.controller.agent, "choice": Slot("choice")}
    header = t("Flow route: {controller} → {choice}.", **known)
    make.settle("done", "success", header=header, body=body, reads=[chosen, *answers])
    header = t('Flow route: {controller} → {choice}, but "{choice}" failed.', **known)
    make.settle("specialist-failed", "stopped", header=header, body=body, reads=[chosen, *failures])
    make.stopped("router-failed", "router", t('Flow route: router "{agent}" failed.', agent=spec.controller.agent))


def _unresolved(candidates: tuple[str, ...], make: Maker) -> None:
    facts = {
        "candidates": text(", ".join(candidates)),
        "reason": text("It answered that none fits, or not in the form that selects one, and there is no fallback."),
    }
    body = t("## Answer of the controller\n\n{answer}", answer=Slot("answer"))
    answer = report("answer", Ref("router", "unit", "router"))
    make.settle(
        "unresolved", "refused", code="ROUTE_UNRESOLVED", facts=facts, body=body, reads=[answer], at="/route/candidates"
    )
