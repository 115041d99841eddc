"""What the proofs of a Flow report: a code of the catalogue, where in the Flow, and the facts of its sentences."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import islice

from piflows.ir.frozen import frozen

FINDINGS_MOST = 100  # of one kind: who has more needs no more
NAME_SHOWN = 256  # characters
NEAR_NAMES = 200  # among more names, or longer ones, none is proposed: the search is quadratic
NEAR_LENGTH = 64


@frozen
class Finding:
    """One fault of a Flow. `unit` is empty for one of the state itself, `state` for one of the whole Flow."""

    code: str
    state: str
    unit: str
    facts: dict[str, object]


def invalid(problem: str, state: str = "", unit: str = "") -> Finding:
    """A Flow that is not well-formed."""
    return Finding("IR_INVALID", state, unit, {"problem": problem})


def first(findings: Iterable[Finding]) -> list[Finding]:
    """The findings, as many as a person reads; what comes after them is not looked for."""
    return list(islice(findings, FINDINGS_MOST))


def quoted(name: str) -> str:
    """A name in a sentence, shortened when it is none that a person gave."""
    return f'"{name}"' if len(name) <= NAME_SHOWN else f'"{name[: NAME_SHOWN - 1]}…"'


def nearest(name: str, known: Collection[str]) -> str:
    """` (did you mean "x"?)` for the nearest known name, else empty."""
    from difflib import get_close_matches

    if len(known) > NEAR_NAMES or len(name) > NEAR_LENGTH:
        return ""
    near = get_close_matches(name, [each for each in known if len(each) <= NEAR_LENGTH], 1)
    return f" (did you mean {quoted(near[0])}?)" if near else ""
