"""What a chain's steps ask for has a size that a machine can hold.

Reports CALL_INVALID.
Refused: a long task that hundreds of steps place with {task}.
Accepted: every chain that somebody could read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from piflows.compiler.check.rule import CallSubject
from piflows.ir.diagnostic import Diagnostic, diagnostic
from piflows.ir.limits import LIMITS

CODES = ("CALL_INVALID",)
SUBJECT = "call"
CHAIN_MOST = 16 * LIMITS.file_bytes


def check(subject: CallSubject) -> Iterator[Diagnostic]:
    if sum(_size(step, subject.call) for _, step in subject.steps()) > CHAIN_MOST:
        problem = f"the steps of the chain have more than {CHAIN_MOST} characters with the task put in"
        yield diagnostic("CALL_INVALID", subject.at(("chain",)), problem=problem)


def _size(step: Mapping[str, Any], call: Mapping[str, Any]) -> int:
    """The characters of a step's prompt at most: its task, the goal in each of its places, what it must return."""
    task, contract = step.get("task"), call.get("contract")
    objective = cast("dict[str, Any]", contract).get("objective") if isinstance(contract, dict) else None
    goals: list[Any] = [call.get("task"), objective]
    goal = max((each for each in goals if isinstance(each, str)), key=len, default="")
    told = call.get("returnRequirements")
    size = len(told) if isinstance(told, str) else 0
    if isinstance(task, str):
        size += len(task) + task.count("{task}") * len(goal)
    return size
