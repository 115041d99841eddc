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
from piflows.compiler.params import Path, text, truthy
from piflows.grammar.vocabulary import NOBODY
from piflows.ir.diagnostic import Diagnostic, diagnostic

CODES = ("INVALID_MODE",)
SUBJECT = "call"
WITH_TASK = ("search", "vote", "route", "loop", "debate")  # their goal is `task` and nothing else

Gap = tuple[Path, str]


def check(subject: CallSubject) -> Iterator[Diagnostic]:
    for path, problem in _gaps(subject.call, subject.mode):
        yield diagnostic("INVALID_MODE", subject.at(path), problem=problem)


def _gaps(call: Mapping[str, Any], mode: str | None) -> Iterator[Gap]:
    spec = _object(call.get(mode or ""))
    match mode:
        case "single" if not _goal(call):
            yield ("task",), "`task` is blank"
        case "evaluate" if not _goal(call, _object(spec.get("operator"))):
            yield ("task",), "evaluate has no goal, neither in `task` nor in its operator"
        case "orchestrate":
            yield from _orchestrate(call, spec)
        case str() if mode in WITH_TASK and text(call.get("task")) is None:
            yield ("task",), f"{mode} has no goal, `task` is missing or blank"
        case "vote" if not spec.get("voters") and not spec.get("agent"):
            yield ("vote",), "vote has neither `voters` nor an `agent`"
        case "route" if not any(text(name) for name in _list(spec.get("candidates"))):
            yield ("route", "candidates"), "route has no `candidates`"
        case "route" if NOBODY in (names := _list(spec.get("candidates"))):
            yield ("route", "candidates", names.index(NOBODY)), f"a controller says `{NOBODY}` when no candidate fits"
        case "loop" if not _object(spec.get("body")).get("agent"):
            yield ("loop", "body"), "loop has no `body` with an agent"
        case _:
            pass


def _goal(call: Mapping[str, Any], *holders: Mapping[str, Any]) -> bool:
    """Whether the call or a holder has a task, or a contract, whose own rule asks it for an objective."""
    return any(text(each.get("task")) or truthy(each.get("contract")) for each in (*holders, call))


def _orchestrate(call: Mapping[str, Any], spec: Mapping[str, Any]) -> Iterator[Gap]:
    """A top-level task goes before its fallbacks even when it is blank."""
    for key in ("reviewMaxIterations", "reviewCriteria"):
        if spec.get(key) is not None and not _object(spec.get("review")).get("agent"):
            yield ("orchestrate", key), f"orchestrate.{key} needs `review` with an agent"
    sources = (call.get("task"), spec.get("task"), spec.get("returnRequirements"))
    if text(next((each for each in sources if each is not None), None)) is None:
        yield ("task",), "orchestrate has no goal, `task` is missing or blank"


def _object(value: Any) -> Mapping[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []
