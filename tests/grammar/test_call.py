"""The models of a call: defaults, strictness, and the bounds of the reference."""

from __future__ import annotations

from importlib import import_module
from typing import Any, get_args

import pytest
from models import model
from pydantic import BaseModel

from piflows.compiler import params
from piflows.grammar import call as models
from piflows.grammar import call_parts
from piflows.grammar.call import Call, Mode, RunMode, Shape, read_call
from piflows.grammar.modes import OBJECTS
from piflows.grammar.modes.evaluate import Evaluate
from piflows.grammar.modes.monitor import Monitor
from piflows.grammar.modes.orchestrate import Orchestrate
from piflows.grammar.modes.search import Search
from piflows.grammar.modes.workflow import Phase, Workflow
from piflows.grammar.modes.worktree import Worktree, WorktreeTask
from piflows.ir.codes import CODES


def test_defaults_are_the_references() -> None:
    call = Call()
    assert (call.agent_scope, call.concurrency, call.timeout_ms) == ("user", 4, 36_000_000)
    assert (call.confirm_project_agents, call.record_content, call.redact_secrets) == (True, True, True)
    assert (Evaluate().operator.agent, Evaluate().max_iterations) == ("operator", 3)
    search = Search()
    assert (search.generator.agent, search.scorer.agent, search.scorer.tools) == ("strategist", "redteam", "none")
    assert (search.candidates, search.beam_width, search.max_rounds) == (3, 1, 2)
    orchestrate = Orchestrate()
    agents = (orchestrate.commander.agent, orchestrate.recon.agent, orchestrate.debrief.agent)
    assert agents == ("commander", "recon", "debrief")
    assert (orchestrate.review_max_iterations, orchestrate.verify_policy, orchestrate.verify_max_iterations) == (
        2,
        "note",
        2,
    )
    assert (orchestrate.replan, orchestrate.max_subtasks) == (True, 8)
    workflow = Workflow(phases=[Phase(id="a")])
    assert (workflow.resume, workflow.approval_ttl_ms) == (False, 86_400_000)
    task = WorktreeTask(id="a", agent="x", task="y")
    worktree = Worktree(tasks=[task, task])
    assert (worktree.base_ref, worktree.integrator.agent, worktree.require_clean) == ("HEAD", "operator", True)
    assert task.require_evidence is True
    monitor = Monitor(command="x")
    assert (monitor.trigger, monitor.interval_ms, monitor.max_checks, monitor.reactor.agent) == (
        "success",
        5000,
        6,
        "analyst",
    )


# model, field, least, most, whether a fraction in range is floored
RANGES = [
    ("concurrency", 1, 8, False),
    ("evaluate.maxIterations", 1, 8, True),
    ("search.candidates", 1, 8, True),
    ("search.beamWidth", 1, 8, True),
    ("search.maxRounds", 1, 4, True),
    ("monitor.maxChecks", 1, 20, False),
    ("reflexion.maxEntries", 1, 20, False),
    ("vote.count", 2, 8, False),
    ("loop.maxIterations", 1, 8, True),
    ("debate.rounds", 1, 3, False),
    ("orchestrate.maxSubtasks", 1, 16, True),
    ("orchestrate.reviewMaxIterations", 1, 4, False),
    ("orchestrate.verifyMaxIterations", 1, 4, True),
    ("workflow.approvalTtlMs", 60_000, 2_592_000_000, False),
]
ITEM = {"id": "a", "agent": "x", "task": "y"}
WITH: dict[str, dict[str, Any]] = {
    "monitor": {"command": "x"},
    "reflexion": {"enabled": True},
    "loop": {"body": {"agent": "x"}},
    "debate": {"participants": [{"agent": "x"}] * 2},
    "workflow": {"phases": [ITEM]},
    "worktree": {"tasks": [ITEM] * 2},
}


def valid(field: str, value: Any) -> bool:
    mode, _, name = field.rpartition(".")
    call = {mode: {**WITH.get(mode, {}), name: value}} if mode else {name: value}
    return read_call(call, 1)[0] is not None


@pytest.mark.parametrize(("field", "least", "most", "floored"), RANGES)
def test_ranges(field: str, least: int, most: int, floored: bool) -> None:
    assert all(valid(field, value) for value in (least, most, float(most)))
    assert not any(valid(field, value) for value in (least - 1, most + 1, most + 0.5, least - 0.5, True, str(least)))
    assert valid(field, least + 0.5) is floored
    assert not valid(field, 10**400)


def test_what_is_refused_is_told_in_the_order_of_the_fields() -> None:
    call = {
        "nope": 1,
        "debate": {"participants": 3, "extra": 1},
        "graph": 3,
        "chain": [{"agent": "a", "task": "t", "extra": 1}, {"agent": 3, "task": "t"}],
        "checkpoint": {"extra": 1},
    }
    read, refused, count = read_call(call, 9)
    assert read is None and count == len(refused)
    assert [each["loc"] for each in refused] == [
        ("checkpoint", "extra"),
        ("chain", 0, "extra"),
        ("chain", 1, "agent"),
        ("graph",),
        ("debate", "participants"),
        ("debate", "extra"),
        ("nope",),
    ]


IDS = ["a", "second phase", "été, 2/3", "a" * 64]
NO_IDS = ["", "a" * 65, "a\n## b", "a\n", "\x1b[2J", "a\u2028b", "a\x85b", None, 1]


@pytest.mark.parametrize(
    ("field", "good", "bad"),
    [
        ("timeoutMs", [1000, 1000.5, 31_536_000_000], [1e12, 999, 0, -1, True, "5000", float("inf"), float("nan")]),
        ("maxCostUsd", [0, 0.01], [-0.01, float("inf"), "1", False]),
        ("maxTokens", [0, 10.5], [-1]),
        ("monitor.intervalMs", [10, 10.5, 60_000], [9, 60_001, float("nan")]),
        ("monitor.checkTimeoutMs", [1000], [999]),
        ("worktree.checkTimeoutMs", [1000], [999]),
        ("worktree.tasks", [[ITEM] * 2, [ITEM] * 8], [[ITEM], [ITEM] * 9]),
        ("workflow.phases", [[ITEM], [ITEM] * 12, [{"id": "a"}]], [[], [ITEM] * 13]),
        ("graph.nodes", [[{**ITEM, "id": id}] for id in IDS], [[{**ITEM, "id": id}] for id in NO_IDS]),
        ("workflow.phases", [[{**ITEM, "id": id}] for id in IDS], [[{**ITEM, "id": id}] for id in NO_IDS]),
        ("worktree.tasks", [[{**ITEM, "id": id}] * 2 for id in IDS], [[{**ITEM, "id": id}] * 2 for id in NO_IDS]),
        ("orchestrate.verifyPolicy", ["note", "fail", "revise"], ["ignore"]),
        ("workflow.historicalThinking", [{"phases": {"a": "low"}}, {"debrief": "max"}], [{"phases": {"a": 1}}, []]),
        ("agentScope", ["user", "project", "all"], ["team", None]),
        ("handoffPolicy", ["warn", "quarantine", "fail"], ["drop"]),
        ("modeHandoffPolicy", [{"graph": "fail"}, {}], [{"graph": "drop"}, {"graf": "fail"}, []]),
    ],
)
def test_values(field: str, good: list[Any], bad: list[Any]) -> None:
    assert [value for value in good if not valid(field, value)] == []
    assert [value for value in bad if valid(field, value)] == []


def test_a_critic_may_stand_alone() -> None:
    one = model({"evaluate": {"redteam": {"agent": "a"}}}).evaluate
    two = model({"evaluate": {"redteam": [{"agent": "a"}, {"agent": "b"}]}}).evaluate
    assert one is not None and not isinstance(one.redteam, list) and one.redteam.agent == "a"
    assert two is not None and isinstance(two.redteam, list) and len(two.redteam) == 2


_MODULES = (call_parts, models, *(import_module(f"piflows.grammar.modes.{mode}") for mode in OBJECTS))
SHAPES = [
    each
    for each in dict.fromkeys(each for module in _MODULES for each in vars(module).values() if isinstance(each, type))
    if issubclass(each, BaseModel) and each not in (BaseModel, Shape, Mode)
]


@pytest.mark.parametrize("model", SHAPES, ids=lambda model: model.__name__)
def test_every_model_is_closed_strict_and_in_camel_case(model: type[BaseModel]) -> None:
    assert model.model_config.get("extra") == "forbid"
    assert model.model_config.get("strict") is True
    for field in model.model_fields.values():
        assert field.alias is not None and "_" not in field.alias


MODES = [each for each in SHAPES if issubclass(each, Mode)]


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.__name__)
def test_what_a_mode_declares_is_there(mode: type[Mode]) -> None:
    """Its codes are those of fields that it has, and of the catalogue; what it does not read is a parameter."""
    assert mode.__name__.lower() in get_args(RunMode)
    for field, codes in mode.CODES.items():
        model: Any = mode
        for step in field.split("."):
            found = next(each for each in model.model_fields.values() if each.alias == step)
            model = next(params.models(found.annotation), None)
        assert set(codes) <= set(CODES)
    assert set(mode.UNREAD) <= {field.alias for field in Call.model_fields.values()}
