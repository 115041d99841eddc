"""The phases of a workflow have unique ids, and each is either work or a question to a person.

Reports WORKFLOW_INVALID.
Refused: no phase or 13; two phases "plan"; a phase with neither or both of agent and task, and an approval; an
`approvalTtlMs` under a minute; `historicalThinking` for a phase that does not exist.
Accepted: 1 to 12 phases, each of exactly one kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from piflows.compiler.check.rule import CallSubject
from piflows.compiler.params import Path, truthy
from piflows.grammar.near import meant
from piflows.ir.diagnostic import Diagnostic, diagnostic

CODES = ("WORKFLOW_INVALID",)
SUBJECT = "call"


def check(subject: CallSubject) -> Iterator[Diagnostic]:
    misfits = list(subject.refused("WORKFLOW_INVALID"))
    problems = [(misfit.path, misfit.problem) for misfit in misfits]
    wrong = {path[:3] for path, _ in problems}
    for path, problem in (*problems, *_phases(subject, wrong), *_historical(subject)):
        yield diagnostic("WORKFLOW_INVALID", subject.at(path), problem=problem)


def _phases(subject: CallSubject, wrong: set[Path]) -> Iterator[tuple[Path, str]]:
    """What is wrong with phases as such; one that the model refuses says enough by that."""
    seen: set[str] = set()
    for path, phase in subject.phases():
        name = phase.get("id")
        if isinstance(name, str) and name in seen:
            yield (*path, "id"), f'there are two phases with the id "{name}"'
        if path not in wrong and (problem := _kind(phase)) is not None:
            yield path, f'phase "{name}" {problem}' if isinstance(name, str) else f"phase {path[-1]} {problem}"
        if isinstance(name, str):
            seen.add(name)


def _kind(phase: Mapping[str, Any]) -> str | None:
    """Why a phase is not exactly one of work and approval, or None."""
    given = [key for key in ("agent", "task") if truthy(phase.get(key))]
    if truthy(phase.get("approval")):
        return "is both work and an approval" if len(given) == 2 else None
    if len(given) == 2:
        return None
    return f"has {given[0]} alone: work is `agent` and `task`" if given else "is neither work nor an approval"


def _historical(subject: CallSubject) -> Iterator[tuple[Path, str]]:
    path: Path = ("workflow", "historicalThinking", "phases")
    value: Any = subject.call if subject.mode == "workflow" else None
    for key in path:
        value = cast("dict[str, Any]", value).get(str(key)) if isinstance(value, dict) else None
    ids = [phase["id"] for _, phase in subject.phases() if isinstance(phase.get("id"), str)]
    for name in cast("dict[str, Any]", value) if isinstance(value, dict) else {}:
        if name not in ids:
            yield (*path, name), f'historicalThinking names "{name}", which is the id of no phase{meant(name, ids)}'
