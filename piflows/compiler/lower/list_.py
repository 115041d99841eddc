"""List: the presets and agents that a call could name. No child runs. Seed: Modes; Workflow presets."""

from __future__ import annotations

from piflows.compiler import discovered
from piflows.compiler.lower.make import Maker
from piflows.grammar.agent import Agent
from piflows.grammar.call import Call
from piflows.grammar.preset import Preset
from piflows.ir.flow import Flow
from piflows.ir.parts import text
from piflows.ir.visible import visible

NAME, RECORDS = "list", frozenset[str]()


def lower(call: Call, make: Maker) -> Flow:
    """One Settle, whose text is known now."""
    del call  # whatever stands beside `list` has no effect
    catalog = make.catalog
    blocks = [
        ["Workflow presets:", *map(_preset, catalog.presets.values())],
        ["Flow agents:", *map(_agent, catalog.agents.values())],
    ]
    if catalog.issues:
        blocks.append(["Discovery issues:", *discovered.issue_lines(catalog.issues, make.home)])
    body = text("\n\n".join("\n- ".join(block) for block in blocks))
    make.settle("answer", "success", body=body, data=discovered.data(catalog, make.home))
    return make.flow("answer")


def _preset(preset: Preset) -> str:
    overrides = f" (overrides: {', '.join(preset.overrides)})" if preset.overrides else ""
    return visible(f"{preset.name} ({preset.source}): {preset.description}{overrides}")


def _agent(agent: Agent) -> str:
    tools = "pi defaults" if agent.tools is None else ", ".join(agent.tools) or "none"
    return visible(f"{agent.name} ({agent.source}): {agent.description} (tools: {tools})")
