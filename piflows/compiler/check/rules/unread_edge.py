"""A declared dependency that no placeholder reads: the node waits and pays for a result that it does not use.

Reports UNUSED_DEPENDENCY, a warning.
Warned of: `dependsOn: ["facts", "extra"]` with a task that reads {node.facts} alone.
Accepted: every dependency read; a dependency of a loop, which has to go anyway; one that a mistyped placeholder means,
which is an error of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from piflows.compiler.check.rule import CallSubject, dependencies
from piflows.grammar.near import nearest
from piflows.grammar.placeholder import Placeholder, split
from piflows.ir.diagnostic import Diagnostic, diagnostic
from piflows.ir.topology import cycles

CODES = ("UNUSED_DEPENDENCY",)
SUBJECT = "call"


def check(subject: CallSubject) -> Iterator[Diagnostic]:
    ids = {node["id"] for _, node in subject.nodes}
    needs = {node["id"]: [need for _, need in dependencies(path, node)] for path, node in subject.nodes}
    looped = {name: set(chain) for chain in cycles(needs) for name in chain}
    for path, node in subject.nodes:
        task = node.get("task")
        pieces = split(task, ("node",)) if isinstance(task, str) else []
        read = {piece.name for piece in pieces if isinstance(piece, Placeholder)}
        read |= {nearest(name, ids) for name in read - ids}
        for entry, need in dependencies(path, node):
            if need in ids and need not in read and need not in looped.get(node["id"], ()):
                yield diagnostic("UNUSED_DEPENDENCY", subject.at(entry), node=node["id"], dependency=need)
