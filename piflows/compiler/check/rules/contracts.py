"""A delegation contract is complete and well-formed before anything is dispatched under it.

Reports INVALID_DELEGATION_CONTRACT.
Refused: a contract without `returnSchema`, with a blank `owner`, an unknown budget key, a schema that is none.
Accepted: all fields with their documented forms; lists and the budget may be empty.
"""

from __future__ import annotations

from collections.abc import Iterator

from piflows.compiler.check.rule import CallSubject
from piflows.compiler.params import owner
from piflows.ir.contract import defects
from piflows.ir.diagnostic import Diagnostic, diagnostic

CODES = ("INVALID_DELEGATION_CONTRACT",)
SUBJECT = "call"


def check(subject: CallSubject) -> Iterator[Diagnostic]:
    if subject.answer:
        return
    for path, contract in subject.contracts:
        for inside, problem in defects(contract):
            where = subject.at((*path, *inside))
            yield diagnostic("INVALID_DELEGATION_CONTRACT", where, role=owner(path[:-1]), problem=problem)
