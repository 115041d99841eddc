"""A declared dependency that no placeholder reads: the node waits and pays for a result that it does not use.

Reports UNUSED_DEPENDENCY, a warning.
Warned of: `dependsOn: ["facts", "extra"]` with a task that reads {node.facts} alone.
Accepted: every dependency read; a dependency of a loop, which has to go anyway; one that a mistyped placeholder means,
which is an error of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from piflows.compiler.check.rule import CallSubject
from piflows.grammar.near import nearest
from piflows.ir.diagnostic import Diagnostic, diagnostic

CODES = ("UNUSED_DEPENDENCY",)
SUBJECT = "call"


def check(subject: CallSubject) -> Iterator[Diagnostic]:
    ids = subject.needs.keys()
    looped = {name: set(chain) for chain in subject.loops for name in chain}
    for node in subject.nodes:
        if not node.needs:
            continue
        read = {placeholder.name for placeholder in node.reads}
        read |= {name for each in read - ids if (name := nearest(each, ids)) is not None}
        for place, need in node.needs.items():
            if need in ids and need not in read and need not in looped.get(node.id, ()):
                yield diagnostic("UNUSED_DEPENDENCY", subject.at(node.entry(place)), node=node.id, dependency=need)
