"""Syntax errors of the textual form, taught by example."""

from __future__ import annotations

from collections.abc import Collection

from piflows.grammar.mistakes import Mistake

FLOW_MISTAKES: tuple[Mistake, ...] = ()

_SHOWN = {}


def expected(accepts: Collection[str]) -> str:
    return ", ".join(sorted(accepts))
