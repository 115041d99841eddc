"""Two writers that may run at once in one directory overwrite each other.

Reports SHARED_WRITE_CWD.
Refused: two `operator` tasks without `cwd`, or with two spellings of one directory; search with a writing generator.
Accepted: the same with `concurrency: 1`, with tools that cannot write, with a `cwd` each, or with
`allowSharedWriteCwd: true`.
"""

from __future__ import annotations

from collections.abc import Iterator

from piflows.compiler.check.rule import CallSubject, FlowSubject
from piflows.ir.diagnostic import Diagnostic, diagnostic

CODES = ("SHARED_WRITE_CWD",)
SUBJECT = "flow"


def silent(call: CallSubject) -> bool:
    return not call.writers_may_meet


def check(subject: FlowSubject) -> Iterator[Diagnostic]:
    from piflows.ir.shared_write import agents, clashes

    flow = subject.lowered.flow
    for clash in clashes(flow, subject.context.real):
        where = subject.at(clash.state, clash.units[-1])
        cwd = subject.context.short(clash.cwd)
        yield diagnostic("SHARED_WRITE_CWD", where, cwd=cwd, agents=agents(flow, clash))
