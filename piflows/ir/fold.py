"""Texts in lines that a terminal shows whole: wide characters take two cells, combining ones none."""

from __future__ import annotations

import re

WIDTH = 80  # cells of a line where nobody says otherwise
WIDTH_LEAST = 40  # a narrower terminal gets lines of this many
_TAB = "    "
_WORD = re.compile(" *[^ ]+")


def cells(text: str) -> int:
    """How many cells of a terminal a visible text of one line takes."""
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width

    return sum(0 if category(char) in ("Mn", "Me") else 2 if east_asian_width(char) in "WF" else 1 for char in text)


def padded(text: str, width: int) -> str:
    """`text` and spaces, `width` cells in all; a longer text stays as it is."""
    return text + " " * (width - cells(text))


def fold(text: str, width: int = WIDTH, lead: str = "", hang: int | None = None) -> list[str]:
    """`lead` and `text` in lines of at most `width` cells, broken at spaces; only a word longer than a line is cut.

    Later lines begin with `hang` spaces, by default as many as `lead` takes. A newline stays one. `lead` must leave
    room for two cells, as must `hang`; the text must be visible.
    """
    indent = " " * (cells(lead) if hang is None else hang)
    out: list[str] = []
    line = lead
    for raw in text.replace("\t", _TAB).split("\n"):
        used, bare = cells(line), True
        for word in _WORD.findall(raw):
            size = cells(word)
            if used + size > width and not bare:
                out.append(line.rstrip(" "))
                word = word.lstrip(" ")
                line, used, size = indent, len(indent), cells(word)
            while used + size > width:
                head = _beginning(word, width - used)
                out.append(line + head)
                word = word[len(head) :]
                line, used, size = indent, len(indent), cells(word)
            line, used, bare = line + word, used + size, False
        out.append(line.rstrip(" "))
        line = indent
    return out


def fold_each(text: str, width: int, hang: int) -> str:
    """Each line folded by itself: what is broken off stands `hang` deeper than its line, at most in the middle."""
    return "\n".join(
        part
        for line in text.split("\n")
        for part in fold(line, width, hang=min(hang + len(line) - len(line.lstrip(" ")), width // 2))
    )


def _beginning(word: str, room: int) -> str:
    """As many characters as fit, at least one."""
    at = used = 0
    while at < len(word) and (used := used + cells(word[at])) <= room:
        at += 1
    return word[: max(at, 1)]
