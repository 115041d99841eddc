"""How wide a text may be: as `COLUMNS` says, else as the terminal is, else 80 cells."""

from __future__ import annotations

import os
from typing import TextIO

from piflows.ir.fold import WIDTH, WIDTH_LEAST


def width(stream: TextIO) -> int:
    """Cells of a line on this stream."""
    said = os.environ.get("COLUMNS", "")
    columns = int(said) if said.isdecimal() and len(said) < 6 else 0
    if not columns:
        try:
            columns = os.get_terminal_size(stream.fileno()).columns
        except (OSError, ValueError, AttributeError):  # no terminal, closed, or no file at all
            columns = 0
    return max(columns, WIDTH_LEAST) if columns else WIDTH
