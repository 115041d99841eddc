"""A placeholder names a result that exists on every way to its reader: in a graph, one the node depends on.

Reports HANDOFF_UNRESOLVED.
Refused: {node.x} where no node is named x, or one that the node depends on neither directly nor through others;
{phase.b} in a phase that comes before b.
Left to others: a dependency that is refused itself. One that is mistyped is read as what was meant.
Accepted: {node.x} of a dependency, however far; other braces, which are text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from piflows.compiler.check.rule import CallSubject
from piflows.compiler.params import Misfit, Path
from piflows.grammar.near import meant, nearest
from piflows.grammar.placeholder import Placeholder, distinct
from piflows.ir.diagnostic import Diagnostic, diagnostic

if TYPE_CHECKING:
    from piflows.ir.topology import Reach

CODES = ("HANDOFF_UNRESOLVED",)
SUBJECT = "call"


def check(subject: CallSubject) -> Iterator[Diagnostic]:
    found = _graph(subject) if subject.mode == "graph" else _workflow(subject)
    for path, placeholder, problem in found:
        where = subject.at(path, within=placeholder.raw)
        yield diagnostic("HANDOFF_UNRESOLVED", where, placeholder=placeholder.raw, problem=problem)


def _graph(subject: CallSubject) -> Iterator[tuple[Path, Placeholder, str]]:
    needs = subject.needs
    before = None  # most tasks read what their node needs directly
    unread = {misfit.path[2] for misfit in subject.misfits if _hides_dependencies(misfit)}
    for node in subject.nodes:
        for named in node.reads:
            if named.name not in needs:
                yield (*node.path, "task"), named, _unknown("node", named.name, needs)
            elif named.name not in needs[node.id] and node.path[2] not in unread:
                before = before or _before(needs)
                if not before.needs(node.id, named.name):
                    yield (*node.path, "task"), named, f'node "{node.id}" does not depend on "{named.name}"'


def _before(needs: Mapping[str, Sequence[str]]) -> Reach:
    """What each node needs, directly or through others; a mistyped dependency is read as what was meant."""
    from piflows.ir.topology import reach

    return reach({node: [_meant(need, needs) for need in listed] for node, listed in needs.items()})


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
        task = phase.get("task")
        for named in distinct(task, "phase") if isinstance(task, str) else ():
            if named.name not in earlier:
                late = f'phase "{named.name}" does not come before this one'
                problem = late if named.name in ids else _unknown("phase", named.name, ids)
                yield (*path, "task"), named, problem
        if isinstance(phase.get("id"), str):
            earlier.add(phase["id"])


def _unknown(kind: str, name: str, known: Iterable[str]) -> str:
    return f'there is no {kind} "{name}"{meant(name, known)}'
