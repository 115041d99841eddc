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

from collections.abc import Collection, Iterable, Iterator
from itertools import islice

from piflows.compiler.check.registry import RULES
from piflows.compiler.check.rule import CallSubject, FlowSubject, HostSubject, Kind, Rule
from piflows.ir.diagnostic import Diagnostic, cut
from piflows.ir.finding import FINDINGS_MOST

Found = tuple[int, Diagnostic]  # the place of the rule in the registry, and what it found


def check(subject: CallSubject | FlowSubject | HostSubject, among: Collection[Rule] = RULES) -> Iterator[Found]:
    """What the rules for this subject find, of each as many as a person reads; lazily, as a host rule may ask one."""
    kind = _kind(subject)
    for place, rule in enumerate(RULES):
        if kind == rule.SUBJECT and rule in among:
            found = rule.check(subject)
            last = None
            for last in islice(found, FINDINGS_MOST):
                yield place, last
            if last is not None and next(found, None) is not None:
                yield place, cut(last, FINDINGS_MOST)


def speaking(call: CallSubject) -> list[Rule]:
    """The rules about the Flow that may have something to say about the one that this call lowers to."""
    return [rule for rule in RULES if rule.SUBJECT == "flow" and not getattr(rule, "silent", _never)(call)]


def _never(_call: CallSubject) -> bool:
    """What a rule is that does not say when it is silent."""
    return False


def in_order(found: Iterable[Found]) -> tuple[Diagnostic, ...]:
    """In the registry's order, repeats dropped."""
    ordered = sorted(found, key=lambda each: each[0])
    return tuple(dict.fromkeys(diagnostic for _, diagnostic in ordered))


def _kind(subject: CallSubject | FlowSubject | HostSubject) -> Kind:
    match subject:
        case CallSubject():
            return "call"
        case FlowSubject():
            return "flow"
        case HostSubject():
            return "host"
