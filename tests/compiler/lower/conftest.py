"""A small catalogue, calls as dictionaries, and parts as one readable line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from models import model

from piflows.compiler.context import Catalog
from piflows.compiler.lower import lower
from piflows.compiler.lower.make import Lowered
from piflows.compiler.prompts import Renderer, full
from piflows.grammar.agent import Agent
from piflows.ir.parts import Count, Counter, Each, Index, Parts, Section, Slot, Text

Lower = Callable[..., Lowered]
Show = Callable[[Parts], str]


def agent(name: str, tools: tuple[str, ...] | None = ("read",)) -> Agent:
    return Agent(
        name=name,
        description=f"The {name}",
        tools=tools,
        model=None,
        tier=None,
        thinking=None,
        prompt=f"You are the {name}.",
        file=f"/home/pia/agents/{name}.md",
        source="package",
        digest="sha256:0",
    )


NAMES = ("analyst", "debrief", "operator", "overwatch", "recon", "redteam", "strategist")
AGENTS = {name: agent(name, None if name == "operator" else ("read",)) for name in NAMES}


@pytest.fixture
def catalog() -> Catalog:
    return Catalog(AGENTS, {}, (), {"package": "/home/pia/agents"}, {"user": "/home/pia/presets"})


@pytest.fixture
def lowered(catalog: Catalog) -> Lower:
    """`lowered("graph", {…})`: the call lowered in that mode, with whole prompts."""

    def run(mode: str, call: dict[str, Any], render: Renderer = full, found: Catalog = catalog) -> Lowered:
        return lower(mode, model(call), found, render, "/home/pia")

    return run


@pytest.fixture
def show() -> Show:
    """Parts as text, what a run fills in stands in braces: `iteration-{round}.generator`."""
    return shown


def shown(parts: Parts) -> str:
    return "".join(map(_shown, parts))


def _shown(part: Any) -> str:
    match part:
        case Text(text):
            return text
        case Slot(name, field):
            return f"{{{name}}}" if field == "text" else f"{{{name}.{field}}}"
        case Counter(round, noun):
            return f"{{{round}}}" if noun is None else f"{{{round} {noun.many}}}"
        case Count(stage, status):
            return f"{{{status} of {stage}}}"
        case Index():
            return "{n}"
        case Section(slot, inner, field, otherwise):
            return f"{{if {slot}.{field}: {shown(inner)} | {shown(otherwise)}}}"
        case Each(slot, inner, _):
            return f"{{each {slot}: {shown(inner)}}}"
    raise AssertionError(part)
