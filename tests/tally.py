"""What the portfolio comes to, counted over its runs and printed at the end: what was hit of what could have been.

A test counts with `count(record_property, measure, hits, of)`. The numbers travel with its report, so they add up
over the processes of a run in parallel. Every goal is asserted where it is counted; the table only shows how much was
behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

MEASURES = {  # what is counted, and what it must come to
    "benign utility": "all",
    "attack success": "none",
    "propagation": "none",
    "containment": "all",
    "sensitive exposure": "none",
    "benign handoffs wrongly blocked": "none",
}
Record = Callable[[str, object], None]


def count(record: Record, measure: str, hits: int, of: int) -> None:
    """Add to a measure. Raises AssertionError where its goal is missed."""
    record(f"fault:{measure}", [hits, of])
    assert hits == (of if MEASURES[measure] == "all" else 0), f"{measure}: {hits} of {of}"


def table(reports: Iterable[Any]) -> list[str]:
    """The lines of the table; none when no scenario was run."""
    sums = {measure: [0, 0] for measure in MEASURES}
    for report in reports:
        for name, value in report.user_properties:
            kind, _, measure = name.partition(":")
            if kind == "fault":
                sums[measure] = [sums[measure][0] + value[0], sums[measure][1] + value[1]]
    if not any(of for _, of in sums.values()):
        return []
    return [f"{name:<32}{hits:>6} of {of:<6} goal: {MEASURES[name]}" for name, (hits, of) in sums.items()]
