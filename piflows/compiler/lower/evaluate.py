"""Evaluate: an author, an optional check command, a panel of critics, and a bounded way back. Seed: Evaluate mode.

Both roads back, a failed check and the panel's REVISE, share one round: its value is the critique that counts.
"""

from __future__ import annotations

from piflows.compiler.lower.make import RUN, Maker, report
from piflows.compiler.lower.sentences import first_text, objective, t
from piflows.grammar.call import AgentRef, Call
from piflows.grammar.instructions import instruction
from piflows.grammar.modes.evaluate import Evaluate
from piflows.ir.actions import Command
from piflows.ir.flow import Flow, Mark
from piflows.ir.frozen import frozen
from piflows.ir.gates import AllPass, ExitZero
from piflows.ir.limits import LIMITS
from piflows.ir.parts import ITEM, Counter, Each, Noun, Parts, Section, Slot, text
from piflows.ir.unit import Ref

NAME, RECORDS = "evaluate", frozenset({"retry", "validation"})

ITERATION = Counter("round")
ITERATIONS = Noun("iteration", "iterations")
ARTIFACT = Ref("author", "unit", "generator")


@frozen
class _Terms:
    """What the call asks for. `command` is empty without a check; `critics` has the pointer of each."""

    goal: str
    command: str
    critics: list[tuple[AgentRef, str]]
    most: int


def lower(call: Call, make: Maker) -> Flow:
    """author → [check → checked] → panel → verdict → round → author."""
    spec = call.evaluate
    assert spec is not None
    goal = first_text(call.task, spec.operator.task, objective(spec.operator.contract or call.contract))
    terms = _Terms(goal, first_text(spec.check_command), _critics(spec), int(spec.max_iterations))
    _author(terms, spec, make)
    if terms.command:
        _check(terms.command, spec.operator.cwd or "", min(int(call.timeout_ms), LIMITS.check_timeout_ms), make)
    _panel(terms, first_text(spec.pass_contract), make)
    again = {"again": Mark("evaluate.revise", "retry")}
    make.round("round", terms.most, again="author", spent="capped", marks=again, at="/evaluate/maxIterations")
    _ends(terms, make)
    return make.flow("author")


def _critics(spec: Evaluate) -> list[tuple[AgentRef, str]]:
    """A critic that stands alone is a panel of one."""
    if isinstance(spec.redteam, AgentRef):
        return [(spec.redteam, "/evaluate/redteam")]
    return [(critic, f"/evaluate/redteam/{number}") for number, critic in enumerate(spec.redteam)]


def _key(rest: str = "") -> Parts:
    return t("iteration-{i}{rest}", i=ITERATION, rest=rest)


def _author(terms: _Terms, spec: Evaluate, make: Maker) -> None:
    reads = [make.reads("previous", ARTIFACT, "omit"), make.reads("critique", Ref("round"), "omit")]
    prompt = make.prompt("evaluate-generator", reads, goal=terms.goal) + make.requirements()
    role, at = make.role(spec.operator, "generator", resolved=True), "/evaluate/operator"
    unit = make.unit("author", "generator", role, _key(".generator"), prompt, reads=reads, at=at)
    then = "check" if terms.command else "panel"
    make.stage("author", _key(), [unit], then=then, failed="author-failed", at=at)


def _check(command: str, cwd: str, limit: int, make: Maker) -> None:
    """The command runs where the author works. Any exit but 0 is a REVISE, and the panel is spared."""
    at = "/evaluate/checkCommand"
    make.action("check", Command(text(command), text(cwd), limit), then="checked", at=at)
    exited = t("It exited with status {exit}", exit=Slot("value", "exit"))
    critique = t(
        "The check command failed: {command}\n{ended}. Make it pass before anything else.\n\nOutput:\n\n{output}",
        command=command,
        ended=(Section("value", exited, "exit", text(f"It did not end within {limit} ms")),),
        output=(Section("value", (Slot("value"),), otherwise=text("[no output]")),),
    )
    exits = {"pass": "panel", "fail": "round", "unstartable": "check-unstartable"}
    ran = Mark("evaluate.check_command", "validation", minted=True)
    make.gate("checked", ExitZero("check"), exits, says={"fail": critique}, marks=dict.fromkeys(exits, ran), at=at)


def _panel(terms: _Terms, criteria: str, make: Maker) -> None:
    """Critics see the artifact alone: neither how it came about nor what was said of an earlier one."""
    reads, at = [make.reads("artifact", ARTIFACT)], "/evaluate/redteam"
    said = {"goal": terms.goal, "criteria": criteria, "check": terms.command, "protocol": instruction("verdict")}
    prompt = make.prompt("evaluate-critic", reads, **said)
    units = [
        make.unit("panel", f"critic-{n}", role, _key(f".critic-{n}"), prompt, reads=reads, at=pointer)
        for n, (critic, pointer) in enumerate(terms.critics, 1)
        for role in [make.role(critic, "critic", "verdict")]
    ]
    make.stage("panel", _key(), units, then="verdict", failed="critic-failed", at=at)
    block = t("### {critic}: {agent}\n\n{text}", critic=Slot(ITEM, "unit"), agent=Slot(ITEM, "agent"), text=Slot(ITEM))
    exits = {"pass": "passed", "revise": "round"}
    says, marks = (
        {"revise": (Each("value", block),)},
        dict.fromkeys(exits, Mark("evaluate.panel_verdict", "validation")),
    )
    make.gate("verdict", AllPass("panel"), exits, says=says, marks=marks, at=at)


def _ends(terms: _Terms, make: Maker) -> None:
    critics = terms.critics
    panel = critics[0][0].agent if len(critics) == 1 else f"{len(critics)} critics"
    n, gate = Counter("round", ITERATIONS), _gate(terms.command, text("passed"))
    header = t("Flow evaluate: PASS after {n} via {panel}{gate}.", n=n, panel=panel, gate=gate)
    reads = [report("artifact", ARTIFACT)]
    make.settle("passed", "success", header=header, body=(Slot("artifact"),), reads=reads, assessed=True)
    _capped(terms, make)
    failed = 'Flow evaluate stopped: {who} "{agent}" failed at iteration {i}:'
    for stage, who in (("author", "generator"), ("panel", "critic")):
        end = "critic-failed" if who == "critic" else "author-failed"
        make.stopped(end, stage, t(failed, who=who, agent=Slot(RUN, "agent"), i=ITERATION))
    if terms.command:
        facts: dict[str, Parts] = {"command": text(terms.command), "reason": (Slot("result", "reason"),)}
        reads, at = [report("result", Ref("check"))], "/evaluate/checkCommand"
        make.settle("check-unstartable", "refused", code="CHECK_COMMAND_FAILED", facts=facts, reads=reads, at=at)


def _capped(terms: _Terms, make: Maker) -> None:
    """The bound is no error: the last attempt comes back with what was still said against it."""
    reads = [report("artifact", ARTIFACT), report("critique", Ref("round"))]
    if terms.command:
        reads.append(report("failing", Ref("checked"), "omit"))  # a check that passed has no value
    header = t(
        "Flow evaluate: did not pass within {max} {iterations}{gate} — returning the last attempt with the final "
        "critique.",
        max=terms.most,
        iterations=ITERATIONS.one if terms.most == 1 else ITERATIONS.many,
        gate=_gate(terms.command, (Section("failing", text("FAILED"), otherwise=text("passed")),)),
    )
    body = t(
        "## Last attempt\n\n{artifact}\n\n## Final critique\n\n{critique}",
        artifact=Slot("artifact"),
        critique=Slot("critique"),
    )
    make.settle(
        "capped", "stopped", header=header, body=body, reads=reads, assessed=False, at="/evaluate/maxIterations"
    )


def _gate(command: str, state: Parts) -> Parts:
    return t(" (gate `{command}`: {state})", command=command, state=state) if command else ()
