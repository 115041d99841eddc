"""A mode has inputs of its own without which it is not complete, the goal above all.

Reports INVALID_MODE.
Refused: `evaluate: {}` without a task; a blank task; `vote: {}`, `route: {}`, `loop: {}`; a candidate `none`, which
stands for nobody; review options of an orchestrate call without `review`.
Accepted: a goal in `task`, or where the mode takes it from otherwise (the operator's task, a contract's objective).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from piflows.compiler.check.rule import CallSubject
from piflows.compiler.params import ROLE, Path, text, truthy
from piflows.grammar.modes import model as mode_model
from piflows.grammar.vocabulary import NOBODY
from piflows.ir.diagnostic import Diagnostic, diagnostic

CODES = ("INVALID_MODE",)
SUBJECT = "call"
GOAL = "the whole goal in `task`"

Gap = tuple[Path, str, str]  # where, what is missing, and what would fill it


def check(subject: CallSubject) -> Iterator[Diagnostic]:
    for path, problem, needs in _gaps(subject.call, subject.mode):
        yield diagnostic("INVALID_MODE", subject.at(path), problem=problem, needs=needs)


def _gaps(call: Mapping[str, Any], mode: str | None) -> Iterator[Gap]:
    spec = _object(call.get(mode or ""))
    model = mode_model(mode) if mode else None
    if model is not None and model.NEEDS_TASK and text(call.get("task")) is None:
        yield ("task",), f"{mode} has no goal, `task` is missing or blank", GOAL
        return
    match mode:
        case "single" if not _goal(call):
            yield ("task",), "`task` is blank", GOAL
        case "evaluate" if not _goal(call, _object(spec.get("operator"))):
            yield ("task",), "evaluate has no goal, neither in `task` nor in its operator", GOAL
        case "orchestrate":
            yield from _orchestrate(call, spec)
        case "vote" if not spec.get("voters") and not spec.get("agent"):
            needs = "two or more agents in `vote.voters`, or one in `vote.agent`"
            yield ("vote",), "vote has neither `voters` nor an `agent`", needs
        case "route" if not any(text(name) for name in _list(spec.get("candidates"))):
            needs = "the names of the agents to choose from in `route.candidates`"
            yield ("route", "candidates"), "route has no `candidates`", needs
        case "route" if NOBODY in (names := _list(spec.get("candidates"))):
            problem = f"a controller says `{NOBODY}` when no candidate fits"
            needs = f"`route.candidates` without `{NOBODY}`; `route.fallback` names who runs when no candidate fits"
            yield ("route", "candidates", names.index(NOBODY)), problem, needs
        case "loop" if not _object(spec.get("body")).get("agent"):
            yield ("loop", "body"), "loop has no `body` with an agent", f"an agent in `loop.body`, as in {ROLE}"
        case _:
            pass


def _goal(call: Mapping[str, Any], *holders: Mapping[str, Any]) -> bool:
    """Whether the call or a holder has a task, or a contract, whose own rule asks it for an objective."""
    return any(text(each.get("task")) or truthy(each.get("contract")) for each in (*holders, call))


def _orchestrate(call: Mapping[str, Any], spec: Mapping[str, Any]) -> Iterator[Gap]:
    """A top-level task goes before its fallbacks even when it is blank."""
    for key in ("reviewMaxIterations", "reviewCriteria"):
        if spec.get(key) is not None and not _object(spec.get("review")).get("agent"):
            needs = f"an agent in `orchestrate.review`, as in {ROLE}, or no `orchestrate.{key}`"
            yield ("orchestrate", key), f"orchestrate.{key} needs `review` with an agent", needs
    sources = (call.get("task"), spec.get("task"), spec.get("returnRequirements"))
    if text(next((each for each in sources if each is not None), None)) is None:
        yield ("task",), "orchestrate has no goal, `task` is missing or blank", GOAL


def _object(value: Any) -> Mapping[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []
