"""The names of pi's own tools. Extensions add others, so a name that is none of them may be right all the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piflows.grammar.near import hint

if TYPE_CHECKING:
    from piflows.grammar.agent import Agent

TOOLS = ("read", "grep", "find", "ls", "bash", "bash-ro", "edit", "write")
WORDS = ("none", "default")  # what stands for a whole toolset


def slip(name: str) -> str:
    """What to say of a name in a toolset that is hardly meant, or "".

    Case counts: to the child `Read` is another name than `read`.
    """
    if name in TOOLS or name.lower() in WORDS:
        return ""
    if len(name.split()) > 1:
        return " The names of tools are separated by commas."
    return hint(name, TOOLS)


def effective_tools(override: str | None, agent: Agent | None) -> tuple[str, ...] | None:
    """The tools of a role, None for pi's defaults: the call's word, else the agent's."""
    own = agent.tools if agent else ()
    word = override.strip().lower() if override else ""
    if not override or not word:
        return own
    if word in WORDS:
        return None if word == "default" else ()
    return tuple(tool for part in override.split(",") if (tool := part.strip())) or own
