"""What `plan` and `graph` share: the Flow that a CALL means, its findings on standard error, a file written whole."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from os.path import realpath
from pathlib import Path
from typing import TYPE_CHECKING

from piflows.cli.plain import discreet, hidden
from piflows.cli.source import CallSource, load_call
from piflows.cli.terminal import width
from piflows.ir.diagnostic import Diagnostic, FlowError, diagnostic
from piflows.ir.frozen import frozen
from piflows.ir.source import Where

if TYPE_CHECKING:
    from piflows.ir.flow import Flow


@frozen
class Shown:
    """`flow` is None when something refuses it. `inputs`: (file, digest) of what it was compiled from.

    `assumed` names the parameters that nobody gave."""

    flow: Flow | None
    diagnostics: tuple[Diagnostic, ...]
    inputs: tuple[tuple[str, str], ...] = ()
    assumed: tuple[str, ...] = ()

    @property
    def refusal(self) -> Diagnostic | None:
        """The error that a run would give: the first one."""
        return next((each for each in self.diagnostics if each.severity == "error"), None)


def load_flow(args: argparse.Namespace, *, general: bool) -> Shown:
    """The Flow of a call, a preset or a saved plan; its findings are on standard error by then.

    `general`: a preset may lack its task and why. Raises SystemExit (2) for wrong usage.
    """
    source = None
    try:
        source = load_call(args, general=general)
        shown = _saved(source) if source.saved else _compiled(source)
    except FlowError as refused:
        shown = Shown(None, refused.diagnostics)
    report(shown.diagnostics, source)
    return shown


def _compiled(source: CallSource) -> Shown:
    compiled = source.compile()
    return Shown(compiled.flow, compiled.diagnostics, compiled.inputs, source.assumed)


def _saved(source: CallSource) -> Shown:
    """A saved plan is proved like any other Flow."""
    from piflows.grammar.saved import read_saved
    from piflows.ir.verify import verify

    saved = read_saved(source.text, source.file)
    found = [
        diagnostic(each.code, Where(source.file, each.state), **each.facts)
        for each in verify(saved.flow, source.context.real)
    ]
    inputs = tuple((each.file, each.digest) for each in saved.inputs)
    return Shown(None if found else saved.flow, tuple(found), inputs)


def report(diagnostics: tuple[Diagnostic, ...], source: CallSource | None) -> None:
    """Print findings on standard error, with the lines that they stand in; no secret that a call or a file holds."""
    if diagnostics:
        from piflows.compiler.render.diagnostics import render

        colour = sys.stderr.isatty() and not os.environ.get("NO_COLOR")
        read, found = reader(source), [discreet(each) for each in diagnostics]

        def lines(file: str) -> str | None:
            text = read(file)
            return None if text is None else hidden(text)

        text = render(found, "text", source=lines, colour=colour, width=width(sys.stderr))
        sys.stderr.write(text)


def reader(source: CallSource | None) -> Callable[[str], str | None]:
    """The text of a file that a finding stands in: of the call as it was read, of any other as it is now."""
    from piflows.compiler.catalog import reread

    def read(file: str) -> str | None:
        if source is not None and file == source.file and not source.made:
            return source.text
        data = reread(file, Path.cwd(), os.environ) if file else None
        return None if data is None else data.decode(errors="replace")

    return read


def write(path: str, data: bytes) -> str | None:
    """Write a file whole or not at all; why it cannot be written, or None.

    A regular file is replaced, also behind a symlink; a device or pipe is written to.
    """
    try:
        target = Path(realpath(path))
        beside = target.parent / f".piflows-{os.getpid()}"
        if target.exists() and not target.is_file():
            target.write_bytes(data)
            return None
        try:
            beside.write_bytes(data)
            beside.replace(target)
        finally:
            beside.unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        return error.strerror or str(error) if isinstance(error, OSError) else str(error)
    return None
