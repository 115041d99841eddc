"""Nodes that wait for each other would never start. All loops are found before the first child is paid for.

Reports GRAPH_CYCLE.
Refused: `a` depends on `b` and `b` on `a`, also behind nodes that can run; a node that depends on itself.
Accepted: any graph without a loop.
"""

from __future__ import annotations

from collections.abc import Iterator

from piflows.compiler.check.rule import CallSubject
from piflows.ir.diagnostic import Diagnostic, diagnostic

CODES = ("GRAPH_CYCLE",)
SUBJECT = "call"


def check(subject: CallSubject) -> Iterator[Diagnostic]:
    for chain in subject.loops:
        edge = next(
            node.entry(place)
            for node in subject.nodes
            for place, need in node.needs.items()
            if node.id == chain[0] and need == chain[1]
        )
        yield diagnostic("GRAPH_CYCLE", subject.at(edge), chain=" -> ".join(chain))
