"""Diagnostics as text with a caret, as JSON, as SARIF, and as annotations of a GitHub run.

`root` is the directory that paths are shown relative to where a machine reads them (SARIF, annotations); `source`
gives the text of a file by the name that diagnostics use, or None when there is none to show.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Literal

from piflows.ir.code import Severity
from piflows.ir.diagnostic import Diagnostic
from piflows.ir.fold import WIDTH, cells, fold
from piflows.ir.source import Where
from piflows.ir.visible import visible, visible_json

Form = Literal["text", "json", "sarif", "github"]
FORMS: tuple[Form, ...] = ("text", "json", "sarif", "github")
Source = Callable[[str], str | None]

_MARGIN = len("12345 | ")
_TAB = "    "
_COLOUR: dict[Severity, str] = {"error": "\x1b[1;31m", "warning": "\x1b[1;33m", "note": "\x1b[1;36m"}
_PLAIN = "\x1b[0m"


def no_source(_file: str) -> str | None:
    """The source of callers who have none to show."""
    return None


def render(
    diagnostics: Sequence[Diagnostic],
    form: Form,
    *,
    root: str = "",
    source: Source = no_source,
    colour: bool = False,
    width: int = WIDTH,
) -> str:
    """The diagnostics in one form, in the order given; empty or ending with a newline. Colour and width suit text."""
    if form == "json":
        return visible_json([as_json(d) for d in diagnostics]) + "\n"
    if form == "sarif":
        from piflows.compiler.render.sarif import sarif

        return visible_json(sarif(diagnostics, root, source)) + "\n"
    if form == "github":
        return "".join(_annotation(d, root) + "\n" for d in diagnostics)
    return "\n".join(_text(d, source, colour, width) for d in diagnostics)


def as_json(d: Diagnostic) -> dict[str, object]:
    """One element of the JSON form. `line` and `column` are null where they are not known."""
    return {
        "code": d.code,
        "severity": d.severity,
        "message": d.message,
        "cause": d.cause,
        "fix": d.fix,
        "retryable": d.retryable,
        "file": d.where.file,
        "line": d.where.line,
        "column": d.where.column,
        "pointer": d.where.pointer,
    }


def line_of(where: Where, source: Source) -> str | None:
    """The source line at `where`, without its end and a byte order mark, or None."""
    text = source(where.file) if where.line else None
    if text is None or where.line is None:
        return None
    lines = _lines(text)
    return lines[where.line - 1].removesuffix("\r") if where.line <= len(lines) else None


@lru_cache(maxsize=1)
def _lines(text: str) -> list[str]:
    return text.removeprefix("\ufeff").split("\n")  # not splitlines: an editor counts no form feed as a line end


def _text(d: Diagnostic, source: Source, colour: bool, width: int) -> str:
    place = _place(d.where)
    told = f"{d.severity} {d.code}"
    head = "\n".join(fold(f"{f'{place}: ' if place else ''}{told} {visible(d.message)}", width, hang=4))
    if colour:
        head = head.replace(told, f"{_COLOUR[d.severity]}{d.severity}{_PLAIN} {d.code}", 1)
    lines = [head]
    lines += _snippet(d.where, source, width)
    if d.where.line is None and d.where.pointer:
        lines += fold(visible(d.where.pointer), width, "  at: ", 4)
    for name, said in (("cause", d.cause), ("fix", d.fix)):
        lines += fold(visible(said, keep_newlines=True).rstrip("\n"), width, f"  {name}: ", 4)
    return "\n".join(lines) + "\n"


def _place(where: Where) -> str:
    parts = (visible(where.file), where.line, where.column if where.line else None)
    return ":".join(str(part) for part in parts if part)


def _snippet(where: Where, source: Source, width: int) -> Iterable[str]:
    """The line at fault and a caret under its column; a long line is cut around the caret."""
    line = line_of(where, source)
    if line is None:
        return
    at = min((where.column or 1) - 1, len(line))
    before, after = _window(line, at, width - _MARGIN - 2)
    margin = f"{where.line:>5} | "
    yield f"{margin}{before}{after}".rstrip()
    if where.column is not None:
        yield " " * (len(margin) - 2) + "| " + " " * cells(before) + "^"


def _window(line: str, at: int, room: int) -> tuple[str, str]:
    """What is shown before and after a place, in at most `room` cells and a mark at each end that was cut."""
    before, after = _drawn(line[max(0, at - room) : at]), _drawn(line[at : at + room])
    left = max(room // 2, room - cells(after))
    while cells(before) > left:
        before = before[1:]
    right = room - cells(before)
    while cells(after) > right:
        after = after[:-1]
    return (
        before if before == _drawn(line[:at]) else f"…{before}",
        after if after == _drawn(line[at:]) else f"{after}…",
    )


def _drawn(text: str) -> str:
    return visible(text.replace("\t", _TAB))


def relative(file: str, root: str) -> str:
    """`file` as seen from `root`, without `.` and `..` where it can be said; absolute where it lies elsewhere."""
    if file in ("", "-"):
        return ""
    path = file.removeprefix(root.rstrip("/") + "/" if root else "")
    kept: list[str] = []
    for part in path.split("/"):
        if part == ".." and kept and kept[-1] != "..":
            kept.pop()
        elif part not in ("", "."):
            kept.append(part)
    return ("/" if path.startswith("/") else "") + "/".join(kept)


_LEVEL: dict[Severity, str] = {"error": "error", "warning": "warning", "note": "notice"}
_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = {**_DATA, ":": "%3A", ",": "%2C"}


def _annotation(d: Diagnostic, root: str) -> str:
    where = d.where
    named = {"file": visible(relative(where.file, root)), "line": where.line, "col": where.column, "title": d.code}
    properties = ",".join(f"{name}={_escaped(str(value), _PROPERTY)}" for name, value in named.items() if value)
    body = f"{d.message}\nCause: {d.cause}\nFix: {d.fix}"
    return f"::{_LEVEL[d.severity]} {properties}::{_escaped(visible(body, keep_newlines=True), _DATA)}"


def _escaped(text: str, table: dict[str, str]) -> str:
    return "".join(table.get(char, char) for char in text)
