"""Braces that nearly are a placeholder stay text, which is rarely meant.

Reports HANDOFF_UNRESOLVED as a warning: braces are text unless they are a placeholder of the mode.
Warned of: {nodes.a} or {Task} in a node's task, {Previous} in a step's or a phase's; {taks} in a preset's template.
Accepted: placeholders of the mode; braces that look like none, as in JSON or code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from piflows.compiler.check.rule import CallSubject
from piflows.compiler.params import Path, texts
from piflows.grammar.placeholder import CHAIN_KINDS, GRAPH_KINDS, PHASE_KINDS, Kind, near_misses
from piflows.ir.diagnostic import Diagnostic, diagnostic
from piflows.ir.source import Where

CODES = ("HANDOFF_UNRESOLVED",)
SUBJECT = "call"


def check(subject: CallSubject) -> Iterator[Diagnostic]:
    tasks: set[Path] = set()
    for path, task, kinds in _readers(subject):
        tasks.add((*path, "task"))
        if isinstance(task, str):
            yield from _found(task, kinds, subject.at, (*path, "task"))
    preset = subject.expansion.preset if subject.expansion else None
    for path, value in texts(preset.template, "{") if preset else ():
        if path not in tasks:
            yield from _found(value, ("task",), subject.at.in_template, path)


def _readers(subject: CallSubject) -> Iterator[tuple[Path, Any, tuple[Kind, ...]]]:
    """Each node, step or phase with its task and the placeholders that this may hold."""
    for node in subject.nodes:
        yield node.path, node.task, GRAPH_KINDS
    for path, step in subject.steps():
        yield path, step.get("task"), CHAIN_KINDS
    for path, phase in subject.phases():
        yield path, phase.get("task"), PHASE_KINDS


def _found(value: str, kinds: tuple[str, ...], at: Callable[..., Where], path: Path) -> Iterator[Diagnostic]:
    for written, meant in near_misses(value, kinds):
        problem = f"it is no placeholder here and stays text, did you mean {meant}?"
        found = diagnostic("HANDOFF_UNRESOLVED", at(path, within=written), placeholder=written, problem=problem)
        yield replace(found, severity="warning")
