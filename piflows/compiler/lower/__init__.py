"""Lowering: a call in one of the reference's modes → a Flow of Stages, Gates, Actions and Settles.

In     a valid call, the agents and presets that were found, a prompt renderer
Out    `Lowered`: the Flow, and where in the call each of its states and units comes from
Rules  a mode is one module: its states, headers, bodies, labels and prompts stand there and nowhere else
       it imports `make`, the grammar and the IR, never another mode; it reads no file, clock or environment
       it refuses nothing: mistakes stay in the Flow, where the checker finds them and knows their place
       equal calls give equal Flows, and the states stand in topological order but for the `again` exits
Add    a mode: one module with the names of `protocol.Mode`, one row in `MODES`, its object and what it declares in
       `grammar/modes/`, its field in `grammar/call.py`
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from piflows.compiler.context import Catalog
    from piflows.compiler.lower.make import Lowered
    from piflows.compiler.lower.protocol import Mode
    from piflows.compiler.prompts import Renderer
    from piflows.grammar.call import Call

MODES: dict[str, str] = {  # in the reference's order; a module is imported when its mode is called
    "list": "piflows.compiler.lower.list_",
    "config": "piflows.compiler.lower.config",
    "single": "piflows.compiler.lower.single",
    "parallel": "piflows.compiler.lower.parallel",
    "chain": "piflows.compiler.lower.chain",
    "evaluate": "piflows.compiler.lower.evaluate",
    "vote": "piflows.compiler.lower.vote",
    "route": "piflows.compiler.lower.route",
    "graph": "piflows.compiler.lower.graph",
    "loop": "piflows.compiler.lower.loop",
    "search": "piflows.compiler.lower.search",
    "debate": "piflows.compiler.lower.debate",
    "dossier": "piflows.compiler.lower.dossier",
    "monitor": "piflows.compiler.lower.monitor",
}


def load(name: str) -> Mode:
    """The module of a mode. Raises KeyError for a name that is not in the table."""
    module: Mode = import_module(MODES[name])  # pyright: ignore[reportAssignmentType]  (a test asks)
    return module


def lower(name: str, call: Call, catalog: Catalog, render: Renderer, home: str = "") -> Lowered:
    """Lower a call in the mode `name`. `home` is what list and config write as `~`."""
    from piflows.compiler.lower.make import Maker

    mode = load(name)
    make = Maker(name, call, catalog, render, home, mode.RECORDS)
    return make.lowered(mode.lower(call, make))
