"""What a call lowers to is proved like any other Flow: it ends, and every value is defined before it is read.

Reports IR_INVALID, GRAPH_INVALID, GRAPH_CYCLE, HANDOFF_UNRESOLVED.
Refused: a Flow with a way back that no round bounds, with a slot that some path leaves undefined.
Accepted: every Flow that `ir/verify.py` finds nothing in. Shared directories are the matter of `shared_write`.
Left out of a check alone: a call that the other rules accept lowers to a Flow in which nothing is found, as
`tests/properties/test_lowering.py` holds; `plan` and `run` prove it all the same.
"""

from __future__ import annotations

from collections.abc import Iterator

from piflows.compiler.check.rule import CallSubject, FlowSubject
from piflows.ir.diagnostic import Diagnostic, diagnostic

CODES = ("IR_INVALID", "GRAPH_INVALID", "GRAPH_CYCLE", "HANDOFF_UNRESOLVED")
SUBJECT = "flow"


def silent(_call: CallSubject) -> bool:
    return True


def check(subject: FlowSubject) -> Iterator[Diagnostic]:
    from piflows.ir.verify import verify

    for finding in verify(subject.lowered.flow, subject.context.real):
        if finding.code in CODES:
            yield diagnostic(finding.code, subject.at(finding.state, finding.unit), **finding.facts)
