"""A placeholder names a result that exists on every way to its reader: in a graph, one the node depends on.

Reports HANDOFF_UNRESOLVED.
Refused: {node.x} where no node is named x, or one that the node depends on neither directly nor through others;
{phase.b} in a phase that comes before b.
Accepted: {node.x} of a dependency, however far; other braces, which are text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, cast

from piflows.compiler.check.rule import CallSubject, meant
from piflows.compiler.params import Path
from piflows.grammar.placeholder import Placeholder, split
from piflows.ir.diagnostic import Diagnostic, diagnostic
from piflows.ir.topology import reach

CODES = ("HANDOFF_UNRESOLVED",)
SUBJECT = "call"


def check(subject: CallSubject) -> Iterator[Diagnostic]:
    found = _graph(subject) if subject.mode == "graph" else _workflow(subject)
    for path, placeholder, problem in found:
        where = subject.at(path, within=placeholder.raw)
        yield diagnostic("HANDOFF_UNRESOLVED", where, placeholder=placeholder.raw, problem=problem)


def _graph(subject: CallSubject) -> Iterator[tuple[Path, Placeholder, str]]:
    needs = subject.needs
    before = reach(needs)
    for path, node in subject.nodes:
        for named in _named(node.get("task"), "node"):
            if named.name not in needs:
                yield (*path, "task"), named, _unknown("node", named.name, needs)
            elif not before.needs(node["id"], named.name):
                yield (*path, "task"), named, f'node "{node["id"]}" does not depend on "{named.name}"'


def _workflow(subject: CallSubject) -> Iterator[tuple[Path, Placeholder, str]]:
    """Phases run in their order, so only earlier ones have a result."""
    value: Any = subject.call.get("workflow") if subject.mode == "workflow" else None
    listed: Any = cast("dict[str, Any]", value).get("phases") if isinstance(value, dict) else None
    phases = [
        (at, cast("dict[str, Any]", phase))
        for at, phase in enumerate(cast("list[Any]", listed) if isinstance(listed, list) else [])
        if isinstance(phase, dict)
    ]
    ids = [phase["id"] for _, phase in phases if isinstance(phase.get("id"), str)]
    earlier: set[str] = set()
    for at, phase in phases:
        for named in _named(phase.get("task"), "phase"):
            if named.name not in earlier:
                late = f'phase "{named.name}" does not come before this one'
                problem = late if named.name in ids else _unknown("phase", named.name, ids)
                yield ("workflow", "phases", at, "task"), named, problem
        if isinstance(phase.get("id"), str):
            earlier.add(phase["id"])


def _named(task: Any, kind: str) -> Iterator[Placeholder]:
    pieces = split(task, (kind,)) if isinstance(task, str) else ()
    seen: set[str] = set()
    for piece in pieces:
        if isinstance(piece, Placeholder) and piece.raw not in seen:
            seen.add(piece.raw)
            yield piece


def _unknown(kind: str, name: str, known: Iterable[str]) -> str:
    return f'there is no {kind} "{name}"{meant(name, known)}'
