"""Which tools can write: the one thing about a toolset that a Flow is judged by.

Seed: Return requirements, delegation contracts, and write isolation.
"""

from __future__ import annotations

from functools import lru_cache

WRITE_TOOLS = frozenset({"bash", "edit", "write"})
PI_DEFAULTS = "pi defaults"


@lru_cache(maxsize=64)  # the agents of one project have few toolsets
def writing(tools: tuple[str, ...] | None) -> tuple[str, ...]:
    """The tools that can write, as they are spelled; None stands for pi's defaults, which can.

    Plain `bash` wins over `bash-ro`, which alone is read-only.
    """
    if tools is None:
        return (PI_DEFAULTS,)
    return tuple(tool for tool in tools if tool.lower() in WRITE_TOOLS)
