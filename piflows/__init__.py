"""piflows: a compiler and small interpreter for declarative agent workflows.

Text that a person or a model wrote is compiled into one typed intermediate form, checked before anything is spent, and
executed as it was checked.

ir            the form itself: flows, units, parts, the catalogue of codes; everything else imports it
grammar       texts to trees and back: calls, presets, agent files, control lines, the form as text
compiler      a call to a checked flow; what it would cost at least and at most; plans and pictures of it
interpreter   a flow and events to effects: the machine, and the drivers, backends and hands around it
presets       the bundled presets and agents
cli           the `piflows` command

From Python: `compile`, `check`, `plan` and `run` below, and the `FlowError` that they raise; imported when used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from piflows.api import FlowError, check, compile, plan, run

__all__ = ["FlowError", "__version__", "check", "compile", "plan", "run"]
__version__ = "0.1.0"
HOME = "https://github.com/piflows/piflows"  # where the source and its pages are


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module("piflows.api"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
