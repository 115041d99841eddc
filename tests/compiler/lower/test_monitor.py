"""Monitor as states, and as runs on the machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from drive import Run, fail, keyed, ok

from piflows.compiler.lower.make import Lowered
from piflows.ir.actions import Command, Wait
from piflows.ir.flow import Action, Flow, Gate, Settle
from piflows.ir.gates import Round, Trigger
from piflows.ir.parts import Parts, text

Lower = Callable[..., Lowered]
Show = Callable[[Parts], str]


def monitor(lowered: Lower, call: dict[str, Any] | None = None, **spec: Any) -> Flow:
    return lowered("monitor", {"task": "Explain.", **(call or {}), "monitor": {"command": "./probe", **spec}}).flow


def states(flow: Flow) -> dict[str, Any]:
    return {state.name: state for state in flow.states}


def test_states_and_exits(lowered: Lower) -> None:
    assert {state.name: state.exits for state in monitor(lowered).states} == {
        "probe": {"then": "trigger"},
        "trigger": {"fired": "react", "quiet": "round", "unstartable": "unstartable"},
        "react": {"then": "done", "failed": "react-failed"},
        "round": {"again": "wait", "spent": "quiet"},
        "wait": {"then": "probe"},
        "done": {},
        "react-failed": {},
        "quiet": {},
        "unstartable": {},
    }


@pytest.mark.parametrize(
    ("call", "spec", "command", "test", "wait", "times"),
    [
        ({}, {}, Command(text("./probe"), (), 36_000_000), Trigger("probe", "success"), 5_000, 5),
        (
            {"cwd": "yard", "timeoutMs": 90_000},
            {"trigger": "failure", "intervalMs": 10, "maxChecks": 1},
            Command(text("./probe"), text("yard"), 90_000),
            Trigger("probe", "failure"),
            10,
            0,
        ),
        (
            {"timeoutMs": 90_000},
            {"trigger": "match", "pattern": "a+", "checkTimeoutMs": 1_000.5, "maxChecks": 20},
            Command(text("./probe"), (), 1_000),
            Trigger("probe", "match", "a+"),
            5_000,
            19,
        ),
    ],
)
def test_the_probe(
    call: dict[str, Any], spec: dict[str, Any], command: Command, test: Trigger, wait: float, times: int, lowered: Lower
) -> None:
    found = states(monitor(lowered, call, **spec))
    probe, pause, trigger, back = found["probe"], found["wait"], found["trigger"], found["round"]
    assert isinstance(probe, Action) and isinstance(pause, Action)
    assert isinstance(trigger, Gate) and isinstance(back, Gate)
    assert (probe.do, trigger.test, pause.do, back.test) == (command, test, Wait(wait), Round(times))


def test_the_reactor(lowered: Lower, show: Show) -> None:
    flow = monitor(lowered, {"returnRequirements": "In verse.", "cwd": "yard"})
    (unit,) = states(flow)["react"].work.units
    prompt = show(unit.prompt)
    assert show(unit.label) == "reactor" and flow.roles[unit.role].cwd == ()
    assert prompt.startswith("## Goal\n\nExplain.\n") and "In verse." not in prompt
    bare = lowered("monitor", {"monitor": {"command": "x"}}).flow
    assert "## Goal\n\nDiagnose what the probe observed" in show(states(bare)["react"].work.units[0].prompt)


def test_headers(lowered: Lower, show: Show) -> None:
    ends = [state for state in monitor(lowered, trigger="failure").states if isinstance(state, Settle)]
    assert {end.name: show(end.header) for end in ends} == {
        "done": 'Flow monitor: trigger "failure" fired on check {round}/6; reactor analyst completed.',
        "react-failed": "Flow monitor triggered on check {round}, but reactor analyst failed.",
        "quiet": "",
        "unstartable": "",
    }


def test_it_fires(lowered: Lower) -> None:
    probes = [{"exit": 1, "text": "UP"}, {"exit": 0, "text": "DOWN"}]
    run = Run(monitor(lowered), keyed({"command": probes, "reactor": ok("ANSWER")})).go()
    (spawned,) = run.spawned
    assert "check 2 of 6, exit code 0." in spawned["prompt"] and "DOWN" in spawned["prompt"]
    assert "UP" not in spawned["prompt"]
    end = run.outcome["proposal"]
    assert end["header"] == 'Flow monitor: trigger "success" fired on check 2/6; reactor analyst completed.'
    assert end["text"] == "ANSWER"


def test_a_probe_without_output_is_said_to_have_none(lowered: Lower) -> None:
    (spawned,) = Run(monitor(lowered), keyed({"command": {"exit": 0}})).go().spawned
    assert "exit code 0.\n\n[no output]\n\n## Your job" in spawned["prompt"]


def test_it_does_not_fire(lowered: Lower) -> None:
    probes = [{"exit": 1, "text": "UP"}, {"exit": None, "timedOut": True}, {"exit": 2}]
    run = Run(monitor(lowered, maxChecks=3), keyed({"command": probes})).go()
    end = run.outcome["proposal"]
    assert run.spawned == [] and end["error"]["code"] == "MONITOR_NOT_TRIGGERED" and end["error"]["retryable"]
    assert "3 probes" in end["error"]["message"] and "check 3: exit=2" in end["error"]["cause"]
    told = "check 1: exit=1\nUP\n\ncheck 2: exit=none\n[no output]\n\ncheck 3: exit=2\n[no output]"
    assert end["text"].endswith(told)
    waits = [event for event in run.journal if event["kind"] == "timePassed"]
    assert len(waits) == 2


def test_failures(lowered: Lower) -> None:
    gone = {"command": {"exit": 127, "started": False, "reason": "probe: not found"}}
    end = Run(monitor(lowered), keyed(gone)).go().outcome["proposal"]
    assert end["error"]["code"] == "MONITOR_INVALID" and "probe: not found" in end["error"]["message"]
    failed = Run(monitor(lowered), keyed({"command": {"exit": 0}, "reactor": fail()})).go().outcome["proposal"]
    assert failed["outcome"] == "stopped"
    assert failed["header"] == "Flow monitor triggered on check 1, but reactor analyst failed."
