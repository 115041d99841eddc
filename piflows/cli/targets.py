"""What `compile` was asked to look at: files and folders, each file with its kind.

A folder is walked in the order of its names. A file that is no preset, agent or call gives a note; a symlink that leads
back ends there.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal

from piflows.compiler.catalog.discover import AGENTS
from piflows.compiler.catalog.files import Unreadable, entries, read_regular
from piflows.ir.diagnostic import Diagnostic, diagnostic
from piflows.ir.frozen import frozen
from piflows.ir.source import Where

Kind = Literal["call", "preset", "agent"]
CLOSED = ("node_modules", "__pycache__")  # folders that are not entered, beside hidden ones but `.pi`
_FRONT = rb"(?:\xef\xbb\xbf)?---[ \t]*(?:\r?\n|\r|\Z)"


@frozen
class Target:
    """One file to look at; `-` is standard input."""

    path: str
    kind: Kind
    data: bytes | None = None  # what was read already


def kind_of(path: str) -> Kind:
    """What a file is by its name and folder: Markdown is a preset, or an agent among agents; all else is a call."""
    if not path.endswith(".md"):
        return "call"
    folder = os.path.basename(os.path.dirname(path))  # noqa: PTH119, PTH120  (many files: a Path for each costs more)
    if folder in ("", "."):
        folder = Path(path).absolute().parent.name
    return "agent" if folder in (AGENTS, "agents") else "preset"


def is_folder(path: str) -> bool:
    """Whether a path leads to a folder."""
    return os.path.isdir(path)  # noqa: PTH112  (one that cannot be looked at is none: whoever reads it says so)


def walk(folder: str) -> Iterator[Target | Diagnostic]:
    """The files of a folder and of the folders in it, and a finding for whatever is left out."""
    seen: set[tuple[int, int]] = set()
    stack = [Path(folder)]
    while stack:
        path = stack.pop()
        try:
            found = path.stat()
        except OSError as error:
            found = None
            if error.errno in (errno.ENAMETOOLONG, errno.EACCES):
                yield _unreadable(path, str(error.strerror).lower())
                continue
        if found is None or not stat.S_ISDIR(found.st_mode):
            yield _file(path)
            continue
        here = (found.st_dev, found.st_ino)  # the real path would cost as many questions as the folder is deep
        if here in seen:
            yield _note(path, "it leads to a folder that was read already")
        elif seen and (path.name in CLOSED or (path.name.startswith(".") and path.name != ".pi")):
            yield _note(path, "such a folder is not entered")
        else:
            seen.add(here)
            try:
                stack += reversed(entries(path))
            except Unreadable as refusal:
                yield _unreadable(path, str(refusal))


def _file(path: Path) -> Target | Diagnostic:
    kind = kind_of(str(path))
    if kind == "call":
        return Target(str(path), kind) if path.suffix == ".json" else _note(path, "it is neither Markdown nor JSON")
    try:
        data = read_regular(path)
    except Unreadable:
        return Target(str(path), kind)  # whoever reads it says why it cannot
    return Target(str(path), kind, data) if re.match(_FRONT, data) else _note(path, "it has no frontmatter")


def _unreadable(path: Path, problem: str) -> Diagnostic:
    issue = diagnostic("PRESET_DIR_UNREADABLE", Where(str(path)), file=str(path), problem=problem)
    return replace(issue, severity="error")


def _note(path: Path, problem: str) -> Diagnostic:
    return diagnostic("FILE_SKIPPED", Where(str(path)), file=str(path), problem=problem)
