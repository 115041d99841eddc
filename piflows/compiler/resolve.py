"""Who does a unit: an agent reference of the call and the agent's file → a Role.

Seed: Parameters (model, tier, thinking, tools, cwd, role); Return requirements, delegation contracts, and write
isolation. Without a roster of models a tier stays a tier; who has the roster names the model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast, get_args

from piflows.compiler.params import Path, keyed, mode_key, owner, texts
from piflows.grammar.call import AgentRef, Call, OperatorRef, TaskItem, Thinking, Tier
from piflows.grammar.modes import model as mode_model
from piflows.ir.frozen import frozen
from piflows.ir.parts import text
from piflows.ir.unit import Protocol, Role

if TYPE_CHECKING:
    from piflows.compiler.context import Catalog
    from piflows.grammar.agent import Agent
    from piflows.grammar.modes.graph import GraphNode

    Reference = AgentRef | OperatorRef | TaskItem | GraphNode

LEVELS: tuple[str, ...] = get_args(Thinking)
TIERS: tuple[str, ...] = get_args(Tier)
PLACES_MOST = 4  # of an agent in a call, that a sentence names


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


def effective_tools(override: str | None, agent: Agent | None) -> tuple[str, ...] | None:
    """The tools of a role, None for pi's defaults: the call's word, else the agent's."""
    word = (override or "").strip().lower()
    if word == "default":
        return None
    if word == "none" or (agent is None and not word):
        return ()
    named = tuple(tool for part in (override or "").split(",") if (tool := part.strip()))
    return named or (agent.tools if agent else ())


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


@frozen
class Mention:
    """An agent that a call asks for, with the place of its name, or of the role that has it by default."""

    path: Path
    agent: str


def mentions(call: Mapping[str, Any], mode: str) -> Iterator[Mention]:
    """Every agent of the active mode: those of all roles, also the default ones, and the candidates of a route."""
    key = mode_key(mode)
    if mode == "single":
        if isinstance(call[key], str):
            yield Mention((key,), call[key])
        return
    for path, value in keyed(call.get(key), ("agent",), (key,)):
        if isinstance(value, str) and value:
            yield Mention(path, value)
    if mode == "route":
        yield from _routed(call[key])
    yield from _defaults(call.get(key), mode)


def asked(call: Mapping[str, Any], mode: str, agent: str) -> str:
    """The sentence that leads from an agent's file back to the call: where the call asks for it."""
    paths = [mention.path for mention in mentions(call, mode) if mention.agent == agent]
    places = [owner(path[:-1] if path[-1] == "agent" else path) for path in paths[:PLACES_MOST]]
    more = f" and {len(paths) - PLACES_MOST} more" if len(paths) > PLACES_MOST else ""
    return f"It is the file of an agent that is asked for by {', '.join(places)}{more}."


def _routed(route: Any) -> Iterator[Mention]:
    if not isinstance(route, dict):
        return
    spec = cast("dict[str, Any]", route)
    for key in ("candidates", "fallback"):
        named: Any = spec.get(key)
        for path, value in texts({key: named}, path=("route",)):
            if value.strip():
                yield Mention(path, value)


def _defaults(value: Any, mode: str) -> Iterator[Mention]:
    """The roles that the author left to the mode."""
    model = mode_model(mode)
    if model is None or not isinstance(value, dict):
        return
    for field in model.model_fields.values():
        if isinstance(field.default, (AgentRef, OperatorRef)) and field.alias not in value:
            yield Mention((mode, str(field.alias)), field.default.agent)
