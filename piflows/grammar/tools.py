"""The names of pi's own tools. Extensions add others, so a name that is none of them may be right all the same."""

from __future__ import annotations

from piflows.grammar.near import hint

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
