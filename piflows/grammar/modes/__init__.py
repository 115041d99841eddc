"""The object of each mode: its fields with their ranges and defaults, and what the checks must know of it.

In     the value of a mode's key in a call
Out    its model
Rules  one module, one mode; it is imported when a call has the mode, as making models is what a check spends most on
       the modes that are a list alone (`tasks`, `chain`) have no object
Add    a mode: its module, its name here, its field in `grammar/call.py`
Seed: the section of each mode.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from piflows.grammar.call_parts import Mode

OBJECTS = (
    "evaluate",
    "vote",
    "route",
    "orchestrate",
    "graph",
    "loop",
    "search",
    "workflow",
    "worktree",
    "debate",
    "dossier",
    "monitor",
)  # a module here, and in it a class of that name


@cache
def model(mode: str) -> type[Mode] | None:
    """The model of a mode's object; None for a mode that has no object."""
    if mode not in OBJECTS:
        return None
    found: type[Mode] = getattr(import_module(f"{__name__}.{mode}"), mode.capitalize())
    return found
