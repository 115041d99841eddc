"""A saved plan as what `run` is given: found, proved, compared with its inputs, all of it without the compiler."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from piflows.cli.source import is_saved
from piflows.ir.diagnostic import Diagnostic, FlowError, diagnostic
from piflows.ir.digest import text_digest
from piflows.ir.limits import LIMITS
from piflows.ir.source import Where

if TYPE_CHECKING:
    from piflows.ir.flow import Flow
    from piflows.ir.saved import Saved

PACKAGE = "package:"  # what the name of a bundled file begins with
PRESETS = Path(__file__).parent.parent / "presets"


def saved_text(word: str) -> str | None:
    """The text of a file that holds a saved plan; None for anything else, of which the reader of calls says more."""
    try:
        path = Path(word)
        if not path.is_file() or path.stat().st_size > LIMITS.saved_bytes:
            return None
        text = path.read_bytes().decode()
    except (OSError, ValueError):
        return None
    return text if is_saved(text) else None


def proved(text: str, file: str) -> Flow:
    """The Flow of a saved plan that may be run here and now.

    Raises FlowError: IR_INVALID, what `verify` finds, or PLAN_STALE when a file that it was made from has changed.
    """
    from piflows.grammar.saved import read_saved
    from piflows.ir.verify import verify

    saved = read_saved(text, file)
    if found := verify(saved.flow, os.path.realpath):
        raise FlowError(*(diagnostic(each.code, Where(file, each.state), **each.facts) for each in found))
    if changes := list(_changes(saved)):
        raise FlowError(diagnostic("PLAN_STALE", Where(file), changes="; ".join(changes)))
    return saved.flow


def host_decides(flow: Flow) -> bool:
    """Whether the host has a say in a saved plan: trust in the project's files, nesting, strict traces."""
    about = flow.about
    return (
        any(name.startswith("PI_FLOWS_") for name in os.environ)
        or any(role.source == "project" for role in flow.roles.values())
        or about.get("presetSource") == "project"
        or about.get("traceStrict") is not None
    )


def admitted(flow: Flow) -> Diagnostic | None:
    """Why the host refuses a saved plan, or None. Only where it has a say, the compiler's rules for it are asked."""
    if not host_decides(flow):
        return None
    from piflows.cli.source import here
    from piflows.compiler import admit_flow
    from piflows.interpreter.hands.people import person

    return admit_flow(flow, here(), person())


def _changes(saved: Saved) -> Iterator[str]:
    for each in saved.inputs:
        place = _place(each.file)
        try:
            digest = text_digest(place.read_bytes()) if place.is_file() else None
        except (OSError, ValueError):
            digest = None
        if digest != each.digest:
            yield f"{each.file} {'has changed' if digest else 'cannot be read any more'}"


def _place(name: str) -> Path:
    """Where a file lies that plans speak of by this name: bundled, in the home directory, or from here."""
    if name.startswith(PACKAGE):
        return PRESETS / name.removeprefix(PACKAGE)
    return Path.home() / name[2:] if name.startswith("~/") else Path(name)
