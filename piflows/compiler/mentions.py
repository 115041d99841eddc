"""Which agents a call asks for, and where: in all roles, the default ones and a route's candidates too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, cast

from piflows.compiler.params import Path, keyed, mode_key, owner, texts
from piflows.grammar.call import AgentRef, OperatorRef
from piflows.grammar.modes import model as mode_model

PLACES_MOST = 4  # of an agent in a call, that a sentence names


class Mention(NamedTuple):
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
