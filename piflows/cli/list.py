"""`piflows list`: the presets and agents that are found, where they come from, and what is wrong with their files."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from piflows.cli.source import here
from piflows.cli.terminal import width
from piflows.ir.fold import fold
from piflows.ir.visible import visible, visible_json

if TYPE_CHECKING:
    from piflows.compiler.context import Catalog

HELP = "list the presets and agents that are found, and the files that are not loaded"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which sources, and the form of the answer."""
    scopes = ("user", "project", "all")
    parser.add_argument("--scope", choices=scopes, default="all", help="which sources to read (default: all)")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="form of the answer (default: text)")


def run(args: argparse.Namespace) -> int:
    """Print the catalogue; 0, whatever the issues are."""
    from piflows.compiler import discovered

    context = here()
    catalog = context.catalog(args.scope)
    if args.format == "json":
        print(visible_json({"scope": args.scope, **discovered.data(catalog, context.home)}))
    else:
        sys.stdout.write(_text(catalog, width(sys.stdout)))
    return 0


def _text(catalog: Catalog, most: int) -> str:
    from piflows.compiler.render.diagnostics import render

    presets = (
        (preset.name, preset.source, preset.description, f"overrides {', '.join(preset.overrides) or 'nothing'}")
        for preset in catalog.presets.values()
    )
    agents = (
        (agent.name, agent.source, agent.description, f"tools {tools(agent.tools)}")
        for agent in catalog.agents.values()
    )
    blocks = ["Presets\n" + _rows(presets, most), "Agents\n" + _rows(agents, most)]
    if catalog.issues:
        blocks.append("Issues\n\n" + render(catalog.issues, "text", width=most))
    return "\n".join(blocks)


def tools(named: tuple[str, ...] | None) -> str:
    """A toolset in words."""
    return "pi's defaults" if named is None else ", ".join(named) or "none"


def _rows(entries: Iterable[tuple[str, str, str, str]], most: int) -> str:
    lines: list[str] = []
    for name, source, *facts in entries:
        lines += fold(f"{visible(name)} ({source})", most, "  ", 4)
        for fact in filter(None, facts):
            lines += fold(visible(fact), most, "    ")
    return "".join(f"{line}\n" for line in lines)
