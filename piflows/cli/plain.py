"""A finding as plain text: where it is, then the five lines of its error; secrets are gone from it."""

from __future__ import annotations

from dataclasses import replace

from piflows.ir.diagnostic import Diagnostic, error_text
from piflows.ir.fold import WIDTH, fold
from piflows.ir.visible import visible


def plainly(found: Diagnostic, width: int = WIDTH) -> str:
    """`file:line:column: ` as far as it is known, and the error's text, wrapped."""
    found = discreet(found)
    where = found.where
    file = visible(where.file) or ("standard input" if where.line else "")
    place = "".join(f"{part}:" for part in (file, where.line, where.column) if part)
    lines = f"{place} {error_text(found)}".lstrip().split("\n")
    return "\n".join(part for line in lines for part in fold(line, width, hang=4))


def discreet(found: Diagnostic) -> Diagnostic:
    """A finding that tells no secret, as the details of a refusal do not: a name in it may be one."""
    texts = {name: hidden(getattr(found, name)) for name in ("message", "cause", "fix")}
    where = replace(found.where, file=hidden(found.where.file), pointer=hidden(found.where.pointer))
    return replace(found, where=where, **texts)


def hidden(text: str) -> str:
    """A text of the terminal without secrets, each line for itself, so that line numbers stay."""
    from piflows.interpreter.guards.redact import Redactor

    redactor = Redactor(on=True, home="")
    return "\n".join(map(redactor.text, text.split("\n")))
