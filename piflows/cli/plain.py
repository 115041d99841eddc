"""A finding as plain text: where it is, then the five lines of its error."""

from __future__ import annotations

from piflows.ir.diagnostic import Diagnostic, error_text
from piflows.ir.fold import WIDTH, fold
from piflows.ir.visible import visible


def plainly(found: Diagnostic, width: int = WIDTH) -> str:
    """`file:line:column: ` as far as it is known, and the error's text, wrapped."""
    where = found.where
    file = visible(where.file) or ("standard input" if where.line else "")
    place = "".join(f"{part}:" for part in (file, where.line, where.column) if part)
    lines = f"{place} {error_text(found)}".lstrip().split("\n")
    return "\n".join(part for line in lines for part in fold(line, width, hang=4))
