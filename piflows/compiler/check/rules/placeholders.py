"""A placeholder names a result that exists on every way to its reader: in a graph, one the node depends on.

Reports HANDOFF_UNRESOLVED.
Refused: {node.x} where no node is named x, or one that the node depends on neither directly nor through others;
{phase.b} in a phase that comes before b.
Left to others: a dependency that is refused itself. One that is mistyped is read as what was meant.
Accepted: {node.x} of a dependency, however far; other braces, which are text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from piflows.compiler.check.rule import CallSubject
from piflows.compiler.params import Misfit, Path
from piflows.grammar.near import meant, nearest
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
    before = reach({node: [_meant(need, needs) for need in listed] for node, listed in needs.items()})
    unread = {misfit.path[2] for misfit in subject.misfits if _hides_dependencies(misfit)}
    for path, node in subject.nodes:
        for named in _named(node.get("task"), "node"):
            if named.name not in needs:
                yield (*path, "task"), named, _unknown("node", named.name, needs)
            elif not before.needs(node["id"], named.name) and path[2] not in unread:
                yield (*path, "task"), named, f'node "{node["id"]}" does not depend on "{named.name}"'


def _meant(need: str, known: Iterable[str]) -> str:
    return need if need in known else nearest(need, known) or need


def _hides_dependencies(misfit: Misfit) -> bool:
    """Whether a node's `dependsOn` is there, under another name or in another form."""
    if misfit.path[:2] != ("graph", "nodes") or len(misfit.path) < 4:
        return False
    return misfit.path[3] == "dependsOn" or '"dependsOn"' in misfit.hint


def _workflow(subject: CallSubject) -> Iterator[tuple[Path, Placeholder, str]]:
    """Phases run in their order, so only earlier ones have a result."""
    ids = [phase["id"] for _, phase in subject.phases() if isinstance(phase.get("id"), str)]
    earlier: set[str] = set()
    for path, phase in subject.phases():
        for named in _named(phase.get("task"), "phase"):
            if named.name not in earlier:
                late = f'phase "{named.name}" does not come before this one'
                problem = late if named.name in ids else _unknown("phase", named.name, ids)
                yield (*path, "task"), named, problem
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
