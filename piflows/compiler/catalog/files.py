"""Reading files that somebody else made: regular ones, up to a bound, and never a hang."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from piflows.ir.limits import LIMITS

_KINDS = (
    (stat.S_ISDIR, "it is a directory"),
    (stat.S_ISFIFO, "it is a FIFO"),
    (stat.S_ISSOCK, "it is a socket"),
    (stat.S_ISCHR, "it is a device"),
    (stat.S_ISBLK, "it is a device"),
)


_HOW = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_PIECE = 1 << 16


class Unreadable(Exception):
    """A file that is not read; its text is the reason, a clause."""


def read_regular(path: Path | str, most: int = LIMITS.file_bytes) -> bytes:
    """The bytes of a regular file of at most `most` bytes, symlinks followed. Raises Unreadable.

    It is opened without waiting and its kind is asked of what was opened, so nothing can be put in its place.
    """
    try:
        _regular(os.stat(path))  # noqa: PTH116  (opening a device can do something already)
        handle = os.open(path, _HOW)
        try:
            _regular(os.fstat(handle))
            data = _read(handle, most)
        finally:
            os.close(handle)
    except OSError as error:
        raise Unreadable(_reason(error)) from error
    if len(data) > most:
        raise Unreadable(f"it is larger than {most} bytes")
    return data


def _read(handle: int, most: int) -> bytes:
    """All that there is, up to somewhat more than `most`: the size that a file tells need not be its own."""
    parts: list[bytes] = []
    size = 0
    while size <= most and (part := os.read(handle, _PIECE)):
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def is_directory(path: Path) -> bool:
    """Whether there is a directory. Raises Unreadable for something else of that name, or when nobody can tell."""
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        if path.is_symlink():
            raise Unreadable("it is a link to nothing") from None
        return False
    except OSError as error:
        raise Unreadable(_reason(error)) from error
    if not stat.S_ISDIR(found.st_mode):
        raise Unreadable("it is no directory")
    return True


def entries(directory: Path) -> list[Path]:
    """What is in a directory, by name. Raises Unreadable; a directory that is not there is empty."""
    try:
        return sorted(directory.iterdir(), key=os.fsencode)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise Unreadable(_reason(error)) from error


def label(path: Path, cwd: Path, home: Path) -> str:
    """A path as diagnostics show it: from `cwd` when it lies there, else from `~`, else whole; any bytes as text."""
    if path.is_relative_to(cwd):
        shown = str(path.relative_to(cwd))
    elif path.is_relative_to(home):
        shown = f"~/{path.relative_to(home)}"
    else:
        shown = str(path)
    return os.fsencode(shown).decode("utf-8", "backslashreplace")


def _regular(found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise Unreadable(next((kind for test, kind in _KINDS if test(found.st_mode)), "it is no regular file"))


def _reason(error: OSError) -> str:
    text = error.strerror or "the system refuses it"
    return text[:1].lower() + text[1:]
