"""The control protocols, one row each: what a child is asked to write and what is understood are read from here.

Seed: Coordination-control protocol.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from piflows.ir.frozen import frozen

if TYPE_CHECKING:
    from piflows.ir.unit import Protocol


@frozen
class Row:
    """One protocol: `MARKER: value` on the first line that is not empty, or `{"field": value}`.

    values    the documented words as a marker line shows them; () where the values are open
    value     a regular expression for a value on the marker line, without capturing groups
    shown     what stands for the value in an instruction where the values are open
    fallback  what an unparseable answer counts as; `fails` says so in words
    """

    marker: str
    field: Protocol
    values: tuple[str, ...]
    value: str
    shown: str
    fallback: str | float
    fails: str


NOBODY = "none"  # the route that selects no candidate
LOWEST, HIGHEST = 0, 100  # of a score

VOCABULARY: Mapping[Protocol, Row] = {
    row.field: row
    for row in (
        Row("VERDICT", "verdict", ("PASS", "REVISE"), "PASS|REVISE", "", "revise", "counts as REVISE"),
        Row("LOOP", "loop", ("DONE", "CONTINUE"), "DONE|CONTINUE", "", "continue", "counts as CONTINUE"),
        Row("ROUTE", "route", (), ".+", "<name>", NOBODY, "selects nobody"),
        Row("SCORE", "score", (), r"[0-9]+(?:\.[0-9]+)?", "<number>", float(LOWEST), "leaves the candidate unscored"),
    )
}

FALLBACK: Mapping[Protocol, str | float] = {field: row.fallback for field, row in VOCABULARY.items()}
