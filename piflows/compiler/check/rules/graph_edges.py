"""The nodes of a graph are complete, have unique ids, and depend only on each other.

Reports GRAPH_INVALID.
Refused: no node or 17; a node without `id`, `agent` or `task`; an id of two lines; two nodes "a"; a dependency on
"ghost".
Accepted: 1 to 16 nodes whose dependencies exist.
"""

from __future__ import annotations

from collections.abc import Iterator

from piflows.compiler.check.rule import CallSubject
from piflows.grammar.near import meant
from piflows.ir.diagnostic import Diagnostic, diagnostic
from piflows.ir.limits import LIMITS

CODES = ("GRAPH_INVALID",)
SUBJECT = "call"
TASK_MOST = 4 * LIMITS.file_bytes


def check(subject: CallSubject) -> Iterator[Diagnostic]:
    if subject.mode != "graph":
        return
    for misfit in subject.refused("GRAPH_INVALID"):
        yield diagnostic("GRAPH_INVALID", subject.at(misfit.path), problem=misfit.problem)
    seen: set[str] = set()
    goal = subject.call.get("task")
    more = len(goal) if isinstance(goal, str) else 0
    for node in subject.nodes:
        if len(node.task) + node.task.count("{task}") * more > TASK_MOST:
            problem = f'the task of node "{node.id}" has more than {TASK_MOST} characters with {{task}} put in'
            yield diagnostic("GRAPH_INVALID", subject.at((*node.path, "task")), problem=problem)
        if node.id in seen:
            where = subject.at((*node.path, "id"))
            yield diagnostic("GRAPH_INVALID", where, problem=f'there are two nodes with the id "{node.id}"')
        seen.add(node.id)
    for node in subject.nodes:
        for place, need in node.needs.items():
            if need not in seen:
                problem = f'node "{node.id}" depends on "{need}", which is the id of no node{meant(need, seen)}'
                yield diagnostic("GRAPH_INVALID", subject.at(node.entry(place)), problem=problem)
