"""`piflows show`: one preset, with the call that it expands to, or one agent."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, cast

from piflows.cli.source import add_call_arguments, here, load_call
from piflows.cli.terminal import width
from piflows.ir.fold import fold, fold_each
from piflows.ir.visible import visible, visible_json

if TYPE_CHECKING:
    from piflows.compiler import Compiled
    from piflows.grammar.agent import Agent
    from piflows.grammar.preset import Preset

DIGEST_SHOWN = len("sha256:") + 12  # of a text; JSON has all of it
HELP = "show one preset, expanded, or one agent"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The name, what completes a preset, and the form of the answer."""
    add_call_arguments(parser, "NAME", "a preset's or an agent's name, or a preset file")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="form of the answer (default: text)")


def run(args: argparse.Namespace) -> int:
    """Print it; 1 when a preset's expansion is no valid call, 2 when nothing has the name."""
    name: str = args.call
    catalog = here().catalog("all")
    if name.endswith(".md") or name in catalog.presets:
        added = ["agentScope"] * (not name.endswith(".md") and not any(p.startswith("agentScope=") for p in args.set))
        args.set = [*args.set, *(f"{key}=all" for key in added)]
        source = load_call(args, general=True)
        return _show_preset(source.compile(), {*source.assumed, *added} - {"task"}, args.format)
    agent = catalog.agents.get(name)
    if agent is None:
        from piflows.grammar.near import hint

        near = hint(name, (*catalog.presets, *catalog.agents))
        said = f'piflows show: there is no preset and no agent named "{visible(name)}".{near}'
        print(fold_each(said, width(sys.stderr), 2), file=sys.stderr)
        return 2
    facts = _agent(agent)
    print(
        visible_json({"kind": "agent", **facts, "prompt": agent.prompt})
        if args.format == "json"
        else _agent_text(agent)
    )
    return 0


def _show_preset(compiled: Compiled, added: Collection[str], form: str) -> int:
    """The preset and its call, without what was `added` so that it can be looked at."""
    from piflows.compiler.render.diagnostics import as_json, render

    preset = compiled.preset
    if preset is None:
        sys.stderr.write(render(compiled.diagnostics, "text", width=width(sys.stderr)))
        return 1
    call = {key: value for key, value in compiled.call.items() if key not in added}
    if form == "json":
        found = [as_json(each) for each in compiled.diagnostics]
        print(visible_json({"kind": "preset", **_preset(preset), "call": call, "diagnostics": found}))
    else:
        print(f"{_lines(_preset(preset))}\n\n{fold_each(visible_json(call), width(sys.stdout), 4)}")
        sys.stderr.write(render(compiled.diagnostics, "text", width=width(sys.stderr)))
    return 1 if compiled.errors else 0


def _preset(preset: Preset) -> dict[str, Any]:
    return {
        "name": preset.name,
        "description": preset.description,
        "source": preset.source,
        "file": preset.file,
        "overrides": list(preset.overrides),
        "result": preset.result,
        "digest": preset.digest,
    }


def _agent(agent: Agent) -> dict[str, Any]:
    return {
        "name": agent.name,
        "description": agent.description,
        "source": agent.source,
        "file": agent.file,
        "tools": None if agent.tools is None else list(agent.tools),
        "model": agent.model,
        "tier": agent.tier,
        "thinking": agent.thinking,
        "digest": agent.digest,
    }


def _agent_text(agent: Agent) -> str:
    from piflows.cli.list import tools

    facts = _agent(agent) | {"tools": tools(agent.tools)}
    return f"{_lines(facts)}\n\n{fold_each(visible(agent.prompt, keep_newlines=True), width(sys.stdout), 0)}"


def _lines(facts: Mapping[str, Any]) -> str:
    """One line for each fact that is there."""
    said = {
        name: ", ".join(cast("list[str]", value)) if isinstance(value, list) else value for name, value in facts.items()
    }
    most = width(sys.stdout)
    said["digest"] = str(said["digest"])[:DIGEST_SHOWN]
    return "\n".join(
        line for name, value in said.items() if value for line in fold(visible(str(value)), most, f"{name:<12}")
    )
