"""Which files of the project a call would use, and what a person is asked about them.

Seed: Workflow presets; Parameters (`confirmProjectAgents`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from piflows.grammar.agent import Agent


def project_agents(names: Iterable[str], agents: Mapping[str, Agent]) -> tuple[str, ...]:
    """Those of the named agents that come from the project, each once, by name."""
    found = {name for name in names if name in agents and agents[name].source == "project"}
    return tuple(sorted(found))


def preset_question(preset: str) -> str:
    """The question about a project preset."""
    return f'Preset "{preset}" comes from this project. Run it?'


def agents_question(agents: Sequence[str]) -> str:
    """The question about project agents."""
    return f"These agents come from this project: {', '.join(agents)}. Run them?"
