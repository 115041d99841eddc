"""Running text in the width of the terminal."""

from __future__ import annotations

import shutil
from textwrap import fill

LEAST, USUAL, MOST = 40, 80, 120  # columns; longer lines are hard to read


def columns() -> int:
    """The columns to fill: those of the terminal, within what reads well; 80 where there is none."""
    return min(max(shutil.get_terminal_size((USUAL, 24)).columns, LEAST), MOST)


def folded(text: str, first: str = "", rest: str = "  ") -> str:
    """Each line of a text in lines of that width, words kept whole; `first` and `rest` begin the lines."""
    return "\n".join(
        fill(
            line,
            columns(),
            initial_indent=rest if number else first,
            subsequent_indent=rest,
            break_long_words=False,
            break_on_hyphens=False,
        )
        for number, line in enumerate(text.split("\n"))
    )
