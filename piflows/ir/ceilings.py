"""The ceilings of a flow as they are disclosed before the first child. Seed: Live TUI monitoring; Parameters (budgets).

Only cost and tokens are ceilings here; a timeout is none. What limits nothing is not in the list: an empty list means
that the flow runs uncapped, and zero is a limit like any other.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from piflows.ir.flow import Ceiling, Flow
from piflows.ir.visible import visible

UNCAPPED = "uncapped: no cost or token ceiling"


def disclosed(flow: Flow) -> tuple[Ceiling, ...]:
    """Every configured ceiling with its authority, in the flow's order; of identical ones the first."""
    return tuple(dict.fromkeys(flow.ceilings))


def as_json(ceilings: Iterable[Ceiling]) -> list[dict[str, Any]]:
    """`[{authority, ceiling, limit}]`, as details and plans list them."""
    return [{"authority": each.authority, "ceiling": each.what, "limit": each.limit} for each in ceilings]


def said(ceiling: Ceiling) -> str:
    """What one ceiling limits, and to how much; a zero says what it means."""
    limit = ceiling.limit
    amount = {
        "maxCostUsd": f"${limit:,.2f}" if round(limit, 2) == limit else f"${limit:g}",
        "maxTokens": f"{limit:,.0f} tokens (input and output)",
        "maxGeneratedTokens": f"{limit:,.0f} generated tokens (output alone)",
    }[ceiling.what]
    return f"at most {amount}{'; no child can start under it' if limit <= 0 else ''}"


def lines(flow: Flow) -> list[str]:
    """The disclosure in words, one ceiling a line; the word `uncapped` where there is none."""
    return [visible(f"{each.authority} ceiling: {said(each)}") for each in disclosed(flow)] or [UNCAPPED]
