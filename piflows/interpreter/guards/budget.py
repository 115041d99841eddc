"""Budgets: who may start, who must be told to wrap up, who must stop. Seed: Handoff injection policy (the flow budget).

Ceilings stand under an authority, the flow or one contract; what counts for a ceiling is its `account`, which several
authorities never share. Spend is known only when a model response has completed, so a ceiling can be passed by the
responses that were in flight. An unknown cost makes the sum of its account unknown, never smaller.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from piflows.ir.contracted import FLOW
from piflows.ir.flow import Ceiling
from piflows.ir.frozen import frozen
from piflows.ir.limits import LIMITS

Json = dict[str, Any]

EXCEEDED, UNOBSERVABLE = "BUDGET_EXCEEDED", "BUDGET_UNOBSERVABLE"
STOPS = {EXCEEDED: "budget_exceeded", UNOBSERVABLE: "budget_unobservable"}  # the stop reason of each
WRAPPED_UP = "budget_wrap_up"
NOTICE = "[pi-flows budget notice]"


@frozen
class Limit:
    """A ceiling and the account that counts for it. `stops`: it ends a live child, not only the start of others."""

    account: str
    ceiling: Ceiling
    stops: bool


def limits(ceilings: Iterable[Ceiling], account: str) -> tuple[Limit, ...]:
    """The limits of one account. The total-token ceiling of a flow lets a live child finish."""
    return tuple(Limit(account, each, account != FLOW or each.what != "maxTokens") for each in ceilings)


def charge(accounts: Json, governing: Sequence[Limit], usage: Json) -> None:
    """Add a response to every account that governs its child."""
    for account in dict.fromkeys(limit.account for limit in governing):
        spent = accounts.setdefault(account, {"maxCostUsd": 0, "maxTokens": 0, "maxGeneratedTokens": 0})
        known = spent["maxCostUsd"] is not None and usage["costUsd"] is not None
        spent["maxCostUsd"] = spent["maxCostUsd"] + usage["costUsd"] if known else None
        spent["maxTokens"] += usage["input"] + usage["output"]
        spent["maxGeneratedTokens"] += usage["output"]


def spawn_refusal(accounts: Json, governing: Sequence[Limit], agent: str) -> tuple[str, Json] | None:
    """Why no child may start under these ceilings: code and facts. A ceiling of 0 is one."""
    return _first(accounts, governing, agent)


def must_stop(accounts: Json, governing: Sequence[Limit], agent: str) -> tuple[str, Json] | None:
    """Why a live child must stop."""
    return _first(accounts, [limit for limit in governing if limit.stops], agent)


def wrap_up(accounts: Json, governing: Sequence[Limit]) -> Limit | None:
    """The first ceiling that stops live children and whose window is open: the child is told to finish."""
    for limit in governing:
        spent = _spent(accounts, limit)
        opens = LIMITS.wrap_up_share * limit.ceiling.limit
        if limit.stops and spent is not None and spent >= opens > 0:
            return limit
    return None


def notice(accounts: Json, limit: Limit, contract: str | None) -> str:
    """What a child is told when its ceiling is near. Delivery is proved by the whole text, word for word."""
    authority, spent, of, what = told(accounts, limit).values()
    said = (
        f"{NOTICE} The {authority.lower()} budget is nearly spent: {spent} of {of} {what}. Stop working and give your "
        "final answer now, without another tool call. Set its status to partial; name the work you did not do as "
        "skipped coverage and as unresolvedQuestions."
    )
    if contract is None:
        return said
    return (
        f'{said} The answer must be a return envelope of schemaVersion "pi-flows.return-envelope.v1" with the '
        f'contractId "{contract}", partial unless the work is complete, and the fields schemaVersion, contractId, '
        "status, summary, evidence, artifactReferences, digests, changedState, unresolvedQuestions, retry, data."
    )


def told(accounts: Json, limit: Limit) -> dict[str, str]:
    """A ceiling and what was spent of it, as the catalogue's sentences say it."""
    return {
        "authority": "Flow" if limit.account == FLOW else "Contract",
        "spent": amount(_spent(accounts, limit)),
        "limit": amount(limit.ceiling.limit),
        "what": limit.ceiling.what,
    }


def amount(value: float | None) -> str:
    """A sum as people read it; what is not known is never a number."""
    return "unknown" if value is None else f"{value:.10g}"


def _first(accounts: Json, governing: Sequence[Limit], agent: str) -> tuple[str, Json] | None:
    for limit in governing:
        spent = _spent(accounts, limit)
        if spent is None:
            return UNOBSERVABLE, {"agent": agent}
        if spent >= limit.ceiling.limit:
            ceiling = {"authority": limit.ceiling.authority, limit.ceiling.what: limit.ceiling.limit}
            return EXCEEDED, {**told(accounts, limit), "budgetCeiling": ceiling}
    return None


def _spent(accounts: Json, limit: Limit) -> float | None:
    account = accounts.get(limit.account)
    return 0 if account is None else account[limit.ceiling.what]
