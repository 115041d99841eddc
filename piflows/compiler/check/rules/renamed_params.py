"""A retired name would have no effect, so it is refused wherever it stands.

Reports PARAM_RENAMED.
Refused: `returnContract` in a call, a task, a phase or a preset's template.
Accepted: `returnRequirements`; any name inside a `contract`, whose schema may use it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from piflows.compiler.check.rule import CallSubject
from piflows.compiler.params import RETIRED, Path, keyed, keys, spell
from piflows.ir.diagnostic import Diagnostic, diagnostic

CODES = ("PARAM_RENAMED",)
SUBJECT = "call"


def check(subject: CallSubject) -> Iterator[Diagnostic]:
    for path in _retired(subject.given):
        yield _found(path, subject.at.in_call(path, key=True))
    preset = subject.expansion.preset if subject.expansion else None
    for path in _retired(preset.template) if preset and any(map(preset.body.may_hold, RETIRED)) else ():
        yield _found(path, subject.at.in_template(path, key=True))


def _retired(value: Mapping[str, Any]) -> Iterator[Path]:
    return (path for path, _ in (() if keys(value).isdisjoint(RETIRED) else keyed(value, RETIRED)))


def _found(path: Path, where: Any) -> Diagnostic:
    old = str(path[-1])
    return diagnostic("PARAM_RENAMED", where, path=spell(path), old=old, new=RETIRED[old])
