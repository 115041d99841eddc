"""Texts cut at a cap: whole characters of the beginning, then how much is missing. The caps stand in `limits`."""

from __future__ import annotations

import re

_OMITTED = " bytes omitted.]"
_END = re.escape(_OMITTED) + r"\Z"


def cut(text: str, cap: int, label: str) -> str:
    """A text of at most `cap` UTF-8 bytes, with a marker after it that says how much is missing.

    One that was cut before keeps its one marker, which counts both cuts; it may come here on every way it takes.
    """
    earlier = rf"\n\n\[{re.escape(label)} truncated: ([1-9][0-9]{{0,14}}){_END}"
    found = re.search(earlier, text) if text.endswith(_OMITTED) else None
    body, before = (text[: found.start()], int(found[1])) if found else (text, 0)
    kept, missing = beginning(body, cap)
    return f"{kept}\n\n{marker(label, before + missing)}" if missing else text


def cut_line(text: str, cap: int) -> str:
    """The same within a line."""
    kept, missing = beginning(text, cap)
    return f"{kept} [… {missing} bytes omitted]" if missing else text


def marker(label: str, missing: int) -> str:
    """What stands after a text that was cut."""
    return f"[{label} truncated: {missing}{_OMITTED}"


def beginning(text: str, cap: int) -> tuple[str, int]:
    """At most `cap` UTF-8 bytes of a text, and how many bytes are missing."""
    if len(text) * 4 <= cap or len(data := text.encode("utf-8", "surrogatepass")) <= cap:
        return text, 0
    kept = data[:cap].decode("utf-8", "ignore")
    return kept, len(data) - len(kept.encode())
