"""The nodes of a graph are complete, have unique ids, and depend only on each other.

Reports GRAPH_INVALID.
Refused: no node or 17; a node without `id`, `agent` or `task`; an id of two lines; two nodes "a"; a dependency on
"ghost".
Accepted: 1 to 16 nodes whose dependencies exist.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from piflows.compiler.check.rule import CallSubject, dependencies
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
    for path, node in subject.nodes:
        if _size(node.get("task"), subject.call.get("task")) > TASK_MOST:
            problem = f'the task of node "{node["id"]}" has more than {TASK_MOST} characters with {{task}} put in'
            yield diagnostic("GRAPH_INVALID", subject.at((*path, "task")), problem=problem)
        if node["id"] in seen:
            where = subject.at((*path, "id"))
            yield diagnostic("GRAPH_INVALID", where, problem=f'there are two nodes with the id "{node["id"]}"')
        seen.add(node["id"])
    for path, node in subject.nodes:
        for entry, need in dependencies(path, node):
            if need not in seen:
                problem = f'node "{node["id"]}" depends on "{need}", which is the id of no node{meant(need, seen)}'
                yield diagnostic("GRAPH_INVALID", subject.at(entry), problem=problem)


def _size(task: Any, goal: Any) -> int:
    """The characters of a node's task with the call's task in each of its places."""
    if not isinstance(task, str):
        return 0
    return len(task) + task.count("{task}") * (len(goal) if isinstance(goal, str) else 0)
