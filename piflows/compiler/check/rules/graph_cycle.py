"""Nodes that wait for each other would never start. All loops are found before the first child is paid for.

Reports GRAPH_CYCLE.
Refused: `a` depends on `b` and `b` on `a`, also behind nodes that can run; a node that depends on itself.
Accepted: any graph without a loop.
"""

from __future__ import annotations

from collections.abc import Iterator

from piflows.compiler.check.rule import CallSubject, dependencies
from piflows.ir.diagnostic import Diagnostic, diagnostic
from piflows.ir.topology import cycles

CODES = ("GRAPH_CYCLE",)
SUBJECT = "call"


def check(subject: CallSubject) -> Iterator[Diagnostic]:
    needs = subject.needs
    chains = cycles(needs) if needs else []
    for chain in chains:
        edge = next(
            entry
            for path, node in subject.nodes
            for entry, need in dependencies(path, node)
            if node["id"] == chain[0] and need == chain[1]
        )
        yield diagnostic("GRAPH_CYCLE", subject.at(edge), chain=" -> ".join(chain))
