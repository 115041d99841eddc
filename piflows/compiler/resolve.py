"""Who does a unit: an agent reference of the call and the agent's file → a Role.

Seed: Parameters (model, tier, thinking, tools, cwd, role); Return requirements, delegation contracts, and write
isolation. Without a roster of models a tier stays a tier; who has the roster names the model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from piflows.grammar.agent import LEVELS, TIERS, Agent
from piflows.grammar.call import AgentRef, Call, OperatorRef, TaskItem
from piflows.grammar.tools import effective_tools
from piflows.ir.parts import text
from piflows.ir.unit import Protocol, Role

if TYPE_CHECKING:
    from piflows.compiler.context import Catalog
    from piflows.grammar.modes.graph import GraphNode

    Reference = AgentRef | OperatorRef | TaskItem | GraphNode


def resolve_role(
    ref: Reference,
    slot: str,
    protocol: Protocol | None,
    call: Call,
    catalog: Catalog,
    candidates: tuple[str, ...] = (),
) -> Role:
    """The role of a reference; `slot` is the mode's word for it, which the author's `role` replaces.

    An unknown agent has no tools: the checker refuses it, and it is no writer.
    """
    agent = catalog.agents.get(ref.agent)
    model, tier, level = _model(ref, call, agent)
    named = ref.role
    return Role(
        agent=ref.agent,
        slot=_first(named) or slot,
        source=agent.source if agent else "package",
        prompt=agent.prompt if agent else "",
        tools=effective_tools(ref.tools, agent),
        model=model,
        tier=tier,
        thinking=level,
        cwd=text(ref.cwd or ""),
        protocol=protocol,
        candidates=candidates,
    )


def split_level(model: str) -> tuple[str, str | None]:
    """A model and its `:level` suffix; another last segment belongs to the model's name."""
    base, _, level = model.rpartition(":")
    return (base, level) if base and level in LEVELS else (model, None)


def _model(ref: Reference, call: Call, agent: Agent | None) -> tuple[str | None, str | None, str | None]:
    """(model, tier, thinking): call over agent, and in each of the two a model over a tier.

    The level that a tier brings stands before the agent's own, so a tier of the call leaves it open.
    """
    asked = _first(ref.thinking)
    if pinned := _first(ref.model, call.model):
        model, suffix = split_level(pinned)
        return model, None, asked or suffix or call.thinking or (agent.thinking if agent else None)
    if tier := ref.tier or call.tier:
        return None, tier, asked or call.thinking
    own = agent.thinking if agent else None
    if agent and (pinned := _first(agent.model)):
        model, suffix = split_level(pinned)
        return model, None, asked or call.thinking or own or suffix
    tier = agent.tier if agent and agent.tier in TIERS else None
    return None, tier, asked or call.thinking or own


def _first(*words: str | None) -> str | None:
    """The first that is there and not blank."""
    return next((word for word in words if word and word.strip()), None)
