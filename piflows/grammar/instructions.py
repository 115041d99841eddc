"""The sentence by which a prompt asks for a control line, from the vocabulary that also reads the answer.

Seed: Coordination-control protocol.
"""

from __future__ import annotations

from collections.abc import Sequence

from piflows.grammar.vocabulary import HIGHEST, LOWEST, NOBODY, VOCABULARY, Row
from piflows.ir.unit import Protocol


def instruction(protocol: Protocol, candidates: Sequence[str] = ()) -> str:
    """One paragraph without a line break of its own. `candidates` are the names that a route may select."""
    row = VOCABULARY[protocol]
    return (
        f"The first line of your reply must be exactly {_lines(row, candidates)}, with nothing before it and nothing "
        f"else on that line; your reasoning comes after it. Any other first line {row.fails}."
    )


def _lines(row: Row, candidates: Sequence[str]) -> str:
    if row.field == "route":
        return f"{_or(row, (*candidates, NOBODY))} (`{NOBODY}` when no candidate fits)"
    if row.field == "score":
        return f"`{row.marker}: {row.shown}`, a number from {LOWEST} to {HIGHEST}, for example `{row.marker}: 88`"
    return _or(row, row.values)


def _or(row: Row, values: Sequence[str]) -> str:
    *most, last = [f"`{row.marker}: {value}`" for value in values]
    return f"{', '.join(most)} or {last}" if most else last
