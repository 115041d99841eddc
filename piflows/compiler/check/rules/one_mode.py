"""A call is one flow: it activates exactly one mode.

Reports INVALID_MODE.
Refused: `tasks` beside `evaluate`; `agent` without a `task`; a `task` alone.
Accepted: one mode. `agent` beside it is ignored, with a warning.
Left to others: a mode under a name that is nearly its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from piflows.compiler.check.rule import CallSubject
from piflows.compiler.params import RUN_MODES, Misfit, mode_key
from piflows.ir.diagnostic import Diagnostic, diagnostic

CODES = ("INVALID_MODE",)
SUBJECT = "call"


def check(subject: CallSubject) -> Iterator[Diagnostic]:
    unexpanded = subject.expansion is None or subject.expansion.preset is None
    if subject.answer or (unexpanded and subject.given.get("preset") is not None):
        return
    keys = [mode_key(mode) for mode in subject.modes]
    if len(keys) > 1:
        problem = f"it has {' and '.join(keys)}"
        needs = f"keep one of {', '.join(f'`{key}`' for key in keys)}, and make a call of its own of each other one"
        yield diagnostic("INVALID_MODE", subject.at((keys[1],), key=True), problem=problem, needs=needs)
    elif not keys and subject.call.get("agent"):
        problem = "`agent` needs a `task`, or a `contract` that states the objective"
        needs = "in `task` what the agent shall do"
        yield diagnostic("INVALID_MODE", subject.at(("agent",)), problem=problem, needs=needs)
    elif not keys and not any(_mistyped(misfit) for misfit in subject.misfits):
        others = ", ".join(mode_key(mode) for mode in RUN_MODES if mode != "single" and mode in subject.available)
        problem = f"it has none of `agent` with `task`, {others}"
        needs = "`agent` and `task` for one child, or the parameters of one other mode"
        yield diagnostic("INVALID_MODE", subject.at(()), problem=problem, needs=needs)


def _mistyped(misfit: Misfit) -> bool:
    return len(misfit.path) == 1 and any(f'"{mode_key(mode)}"' in misfit.hint for mode in RUN_MODES)
