"""Monitor: a probe is repeated until its trigger fires; then one agent reacts. Seed: Monitor mode.

The reactor gets the observation only: no return requirements.
"""

from __future__ import annotations

from piflows.compiler.lower.make import Maker, report
from piflows.compiler.lower.sentences import first_text, t
from piflows.grammar.call import Call
from piflows.grammar.modes.monitor import Monitor
from piflows.ir.actions import Command, Wait
from piflows.ir.flow import Flow, Mark
from piflows.ir.gates import Trigger
from piflows.ir.parts import ITEM, Counter, Each, Parts, Section, Slot, text
from piflows.ir.unit import Ref

NAME, RECORDS = "monitor", frozenset({"state"})

CHECK = Counter("round")
NO_TASK = "Diagnose what the probe observed and say what to do about it."


def lower(call: Call, make: Maker) -> Flow:
    """probe → trigger → react; quiet: round → wait → probe. Nothing waits after the last probe."""
    spec = call.monitor
    assert spec is not None
    timeout = call.timeout_ms if spec.check_timeout_ms is None else spec.check_timeout_ms
    probe = Command(text(spec.command), text(call.cwd or ""), int(timeout))
    make.action("wait", Wait(spec.interval_ms), then="probe", at="/monitor/intervalMs")
    make.action("probe", probe, then="trigger", at="/monitor/command")
    test = Trigger("probe", spec.trigger, spec.pattern or "")
    exits = {"fired": "react", "quiet": "round", "unstartable": "unstartable"}
    marks = {"fired": Mark("monitor.triggered", "state")}
    at = "/monitor/pattern" if spec.pattern is not None else "/monitor/trigger"
    make.gate("trigger", test, exits, marks=marks, at=at)
    _react(call, spec, make)
    marks = {"spent": Mark("monitor.exhausted", "state")}
    make.round("round", spec.max_checks, again="wait", spent="quiet", marks=marks, at="/monitor/maxChecks")
    _ends(spec, make)
    return make.flow("probe")


def _react(call: Call, spec: Monitor, make: Maker) -> None:
    reads, at = [make.reads("observation", Ref("trigger"))], "/monitor/reactor"
    goal, checks = first_text(call.task) or NO_TASK, spec.max_checks
    prompt = make.prompt("monitor-reactor", reads, goal=goal, command=spec.command, checks=checks)
    role = make.role(spec.reactor, "reactor")
    unit = make.unit("react", "reactor", role, text("reactor"), prompt, reads=reads, at=at)
    make.stage("react", text("reactor"), [unit], then="done", failed="react-failed", at=at)


def _ends(spec: Monitor, make: Maker) -> None:
    known = {"trigger": spec.trigger, "i": CHECK, "max": spec.max_checks, "agent": spec.reactor.agent}
    fired = t('Flow monitor: trigger "{trigger}" fired on check {i}/{max}; reactor {agent} completed.', **known)
    answer = report("answer", Ref("react", "unit", "reactor"))
    make.settle("done", "success", header=fired, body=(Slot("answer"),), reads=[answer])
    make.stopped(
        "react-failed", "react", t("Flow monitor triggered on check {i}, but reactor {agent} failed.", **known)
    )
    make.settle(
        "quiet",
        "refused",
        body=(Each("observations", _observation(ITEM)),),
        code="MONITOR_NOT_TRIGGERED",
        facts={"checks": text(str(spec.max_checks)), "observation": _observation("last")},
        reads=[report("observations", Ref("probe", "all")), report("last", Ref("probe"))],
        at="/monitor/maxChecks",
    )
    make.settle(
        "unstartable",
        "refused",
        code="MONITOR_INVALID",
        facts={"problem": t("the probe command could not be started: {reason}", reason=Slot("last", "reason"))},
        reads=[report("last", Ref("probe"))],
        at="/monitor/command",
    )


def _observation(slot: str) -> Parts:
    """`check 2: exit=1` and the output. A probe that was stopped at its time limit has no exit status."""
    return t(
        "check {i}: exit={exit}\n{output}",
        i=Slot(slot, "check"),
        exit=(Section(slot, (Slot(slot, "exit"),), "exit", text("none")),),
        output=(Section(slot, (Slot(slot),), otherwise=text("[no output]")),),
    )
