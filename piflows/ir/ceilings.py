"""The ceilings of a flow as they are disclosed before the first child. Seed: Live TUI monitoring; Parameters (budgets).

Only cost and tokens are ceilings here; a timeout is none. What limits nothing is not in the list: an empty list means
that the flow runs uncapped, and zero is a limit like any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, get_args

from piflows.ir.caps import cut_line
from piflows.ir.flow import Ceiling, Flow, Limited
from piflows.ir.limits import LIMITS
from piflows.ir.visible import visible

KINDS: tuple[Limited, ...] = get_args(Limited)
UNCAPPED = "uncapped: no cost or token ceiling"


def disclosed(flow: Flow) -> tuple[Ceiling, ...]:
    """Every configured ceiling with its authority, the flow's first, then those of its contracts; of identical ones
    the first."""
    contracts = [flow.contracts[role.contract] for role in flow.roles.values() if role.contract]
    own = [each for contract in contracts for each in of_contract(contract)]
    return tuple(dict.fromkeys((*flow.ceilings, *own)))


def of_contract(contract: Mapping[str, Any]) -> tuple[Ceiling, ...]:
    """The ceilings that a contract's budget sets. Their authority is the contract, told by what it is for."""
    budget: Mapping[str, Any] = contract["budget"]
    authority = f'contract "{cut_line(visible(contract["objective"]), LIMITS.id_bytes)}"'
    return tuple(Ceiling(authority, what, float(budget[what])) for what in KINDS if budget.get(what) is not None)


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
