"""What can be told of the agents and presets that were found, with the home directory as `~`. Seed: Details object."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from piflows.compiler.check.rule import scope_of
from piflows.compiler.context import Catalog, Context
from piflows.grammar.agent import Agent
from piflows.grammar.preset import Preset
from piflows.ir.diagnostic import Diagnostic
from piflows.ir.visible import visible


def data(catalog: Catalog, home: str) -> dict[str, Any]:
    """`agentsDir`, `presetsDir`, `agents`, `presets` and `discoveryIssues` of the details object, sorted by name."""
    return {
        "agentsDir": {source: tilde(path, home) for source, path in catalog.agents_dirs.items()},
        "presetsDir": {source: tilde(path, home) for source, path in catalog.presets_dirs.items()},
        "agents": [_agent(agent, home) for agent in catalog.agents.values()],
        "presets": [_preset(preset, home) for preset in catalog.presets.values()],
        "discoveryIssues": [_issue(issue, home) for issue in catalog.issues],
    }


def joined(details: dict[str, Any], context: Context) -> dict[str, Any]:
    """The details of a run with what discovery finds in their scope: the one place where both meet."""
    return details | data(context.catalog(scope_of(details)), context.home)


def tilde(path: str, home: str) -> str:
    """A path with the home directory written as `~`."""
    home = home.rstrip("/")
    if home and (path == home or path.startswith(f"{home}/")):
        return f"~{path[len(home) :]}"
    return path


def issue_lines(issues: Iterable[Diagnostic], home: str) -> list[str]:
    """One line per file that was skipped, cut or shadowed."""
    return [f"{each.severity} {each.code}: {visible(tilde(each.where.file, home))}: {each.message}" for each in issues]


def _agent(agent: Agent, home: str) -> dict[str, Any]:
    return {
        "name": agent.name,
        "description": agent.description,
        "source": agent.source,
        "tools": None if agent.tools is None else list(agent.tools),
        "model": agent.model,
        "tier": agent.tier,
        "thinking": agent.thinking,
        "file": tilde(agent.file, home),
    }


def _preset(preset: Preset, home: str) -> dict[str, Any]:
    return {
        "name": preset.name,
        "description": preset.description,
        "source": preset.source,
        "overrides": list(preset.overrides),
        "file": tilde(preset.file, home),
    }


def _issue(issue: Diagnostic, home: str) -> dict[str, Any]:
    return {
        "code": issue.code,
        "severity": issue.severity,
        "message": issue.message,
        "file": tilde(issue.where.file, home),
        "line": issue.where.line,
        "column": issue.where.column,
    }
