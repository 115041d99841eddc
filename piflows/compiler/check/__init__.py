"""The checker: prove it before spend.

In     a subject: the call as plain JSON, the Flow that it lowers to, or the host of a run
Out    diagnostics in the order of the registry, each once
Rules  one rule, one file; a rule reads and yields, and imports no other rule
       a rule names a code and gives facts: the sentences are in `ir/codes.py`
       order is meaning: the first error gives the run its code
       a check alone leaves out the rules about the Flow that are silent for the call, and the lowering with them
Add    a rule: one module in `rules/`, one line in `registry.py`, its code in `ir/codes*.py` when it is new
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice

from piflows.compiler.check.registry import RULES
from piflows.compiler.check.rule import CallSubject, FlowSubject, HostSubject, Kind, Rule
from piflows.ir.diagnostic import Diagnostic, cut
from piflows.ir.finding import FINDINGS_MOST

Placed = tuple[int, Rule]  # a rule, behind its place in the registry
Found = tuple[int, Diagnostic]  # the place of the rule in the registry, and what it found


@cache
def rules_for(kind: Kind) -> list[Placed]:
    """The rules for one kind of subject, in their order."""
    return [placed for placed in enumerate(RULES) if kind == placed[1].SUBJECT]


def speaking(call: CallSubject) -> list[Placed]:
    """The rules about the Flow that may have something to say about the one that this call lowers to."""
    return [placed for placed in rules_for("flow") if not getattr(placed[1], "silent", _never)(call)]


def _never(_call: CallSubject) -> bool:
    """What a rule is that does not say when it is silent."""
    return False


def check(subject: CallSubject | FlowSubject | HostSubject, asked: Iterable[Placed]) -> Iterator[Found]:
    """What these rules find in their subject, of each as much as a person reads; lazily, as a host rule may ask one."""
    for place, rule in asked:
        found = rule.check(subject)
        last = None
        for last in islice(found, FINDINGS_MOST):
            yield place, last
        if last is not None and next(found, None) is not None:
            yield place, cut(last, FINDINGS_MOST)


def in_order(found: Iterable[Found]) -> tuple[Diagnostic, ...]:
    """In the registry's order, repeats dropped."""
    ordered = sorted(found, key=lambda each: each[0])
    return tuple(dict.fromkeys(diagnostic for _, diagnostic in ordered))
