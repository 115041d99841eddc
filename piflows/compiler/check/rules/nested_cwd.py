"""Two writers of which one works inside the other's directory can meet in it. A warning: whether they do is not known.

Reports SHARED_WRITE_CWD as a warning.
Warned of: two `operator` tasks in `app` and `app/forms`.
Accepted: directories of which none contains the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from piflows.compiler.check.rule import CallSubject, FlowSubject
from piflows.ir.diagnostic import Diagnostic, diagnostic

if TYPE_CHECKING:
    from piflows.ir.flow import Flow
    from piflows.ir.unit import Unit

CODES = ("SHARED_WRITE_CWD",)
SUBJECT = "flow"


def silent(call: CallSubject) -> bool:
    return not call.writers_may_meet


def check(subject: FlowSubject) -> Iterator[Diagnostic]:
    from piflows.ir.shared_write import nested

    flow, real, short = subject.lowered.flow, subject.context.real, subject.context.short
    for pair in nested(flow, real):
        writers = [(unit, cwd) for unit, cwd in _writers(flow, pair.state) if real(cwd) in (pair.parent, pair.child)]
        inner = next(unit.name for unit, cwd in writers if real(cwd) == pair.child)
        found = diagnostic(
            "SHARED_WRITE_CWD",
            subject.at(pair.state, inner),
            cwd=f"{short(pair.parent)} and in {short(pair.child)} inside it",
            agents=", ".join(flow.roles[unit.role].agent for unit, _ in writers),
        )
        yield replace(found, severity="warning")


def _writers(flow: Flow, state: str) -> Iterator[tuple[Unit, str]]:
    """The units of a Stage that can write, with their directory as written."""
    from piflows.ir.flow import Stage
    from piflows.ir.parts import constant
    from piflows.ir.plan import Plan
    from piflows.ir.shared_write import write_capable

    stage = next(each for each in flow.states if each.name == state)
    if isinstance(stage, Stage) and isinstance(stage.work, Plan):
        for unit in stage.work.units:
            cwd = constant(flow.roles[unit.role].cwd)
            if cwd is not None and write_capable(flow.roles[unit.role]):
                yield unit, cwd
