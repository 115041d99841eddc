"""Chain as states, and as runs on the machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from drive import Run, fail, keyed, ok

from piflows.compiler.lower.make import Lowered
from piflows.ir.flow import Flow
from piflows.ir.parts import Parts
from piflows.ir.unit import Handoff, Ref

Lower = Callable[..., Lowered]
Show = Callable[[Parts], str]

UNDER = "\n\n## Delegation contract\n"
STEPS = ("On {task}: {previous}.", "From {previous} and {previous}, {node.a}", "Nothing of it", "{previous}")


def chain(lowered: Lower, *tasks: str, **call: Any) -> Flow:
    return lowered("chain", {"chain": [{"agent": "recon", "task": task} for task in tasks], **call}).flow


def units(flow: Flow) -> Any:
    stage: Any = flow.states[0]
    return stage.work.units


def test_each_step_needs_the_one_before_and_reads_it_where_it_says_so(lowered: Lower, show: Show) -> None:
    flow = chain(lowered, *STEPS, task="the pier")
    assert {state.name: state.exits for state in flow.states} == {
        "steps": {"then": "done", "failed": "step-failed"},
        "done": {},
        "step-failed": {},
    }
    found = units(flow)
    assert [(show(unit.label), unit.needs) for unit in found] == [
        ("step-1", ()),
        ("step-2", ("step-1",)),
        ("step-3", ("step-2",)),
        ("step-4", ("step-3",)),
    ]
    assert [show(unit.prompt) for unit in found] == [
        "On the pier: .",
        "From {previous} and {previous}, {node.a}",
        "Nothing of it",
        "{previous}",
    ]
    assert [unit.reads for unit in found] == [
        (),
        (Handoff("previous", Ref("steps", "unit", "step-1")),),
        (),
        (Handoff("previous", Ref("steps", "unit", "step-3")),),
    ]


@pytest.mark.parametrize(
    ("call", "goal"),
    [
        ({"task": "the pier"}, "the pier"),
        ({"contract": {"objective": "the dam"}}, "the dam"),
        ({"task": " ", "contract": {"objective": "the dam"}}, "the dam"),
        ({}, ""),
    ],
)
def test_where_the_task_comes_from(call: dict[str, Any], goal: str, lowered: Lower, show: Show) -> None:
    prompt, contract, protocol = show(units(chain(lowered, "On {task}", **call))[0].prompt).partition(UNDER)
    assert prompt == f"On {goal}"
    assert bool(contract and protocol) == ("contract" in call)


def test_a_step_has_its_own_requirements_before_the_calls(lowered: Lower, show: Show) -> None:
    call = {
        "chain": [{"agent": "recon", "task": "a", "returnRequirements": "In verse."}, {"agent": "recon", "task": "b"}]
    }
    first, second = units(lowered("chain", {**call, "returnRequirements": "In prose."}).flow)
    assert "In verse." in show(first.prompt) and "In prose." not in show(first.prompt)
    assert "In prose." in show(second.prompt)


def test_a_run(lowered: Lower) -> None:
    run = Run(chain(lowered, *STEPS, task="the pier"), keyed({"step-1": ok("ONE {task}"), "step-4": ok("FOUR")})).go()
    assert run.most_alive == 1 and run.unit_keys() == ["step-1", "step-2", "step-3", "step-4"]
    prompts = [each["prompt"] for each in run.spawned]
    assert prompts[0] == "On the pier: ." and prompts[1].count("ONE {task}") == 2 and prompts[2] == STEPS[2]
    end = run.outcome["proposal"]
    assert (end["outcome"], end["header"], end["text"]) == ("success", None, "FOUR")


def test_a_failed_step_stops_the_chain(lowered: Lower) -> None:
    run = Run(chain(lowered, *STEPS, task="x"), keyed({"step-2": fail("half")})).go()
    end = run.outcome["proposal"]
    assert (end["outcome"], end["header"], end["error"]) == ("stopped", "Flow chain stopped at step 2 (recon):", None)
    assert len(run.spawned) == 2
