"""A new file in a folder: whole or not at all, and never through a link that leads elsewhere."""

from __future__ import annotations

import os
from os.path import lexists, realpath
from pathlib import Path


class Occupied(Exception):
    """The file is not written; the text is the reason, a clause."""


def put(base: Path, parts: tuple[str, ...], data: bytes, *, force: bool = False) -> None:
    """Write `base/parts…`, making its folders; `force` replaces a regular file that is there.

    `base` is what a person named and may be a link itself; what lies in it may not lead out of it. Raises Occupied.
    """
    if not base.is_dir():
        raise Occupied(f"there is no directory {base}")
    target = base.joinpath(*parts)
    try:
        if not Path(realpath(target.parent)).is_relative_to(realpath(base)):
            raise Occupied("a link on the way to it leads out of the directory")
        target.parent.mkdir(parents=True, exist_ok=True)
        if lexists(target):
            _replaceable(target, force)
        _write(target, data, force)
    except FileExistsError as error:
        there = Path(error.filename2 or error.filename or target)
        raise Occupied("a file of that name is there" if there == target else f"{there} is no directory") from None
    except OSError as error:
        raise Occupied(_reason(error)) from None


def _replaceable(target: Path, force: bool) -> None:
    if target.is_symlink():
        raise Occupied("a link of that name is there")
    if not target.is_file():
        raise Occupied("something of that name is there and is no file")
    if not force:
        raise Occupied("a file of that name is there")


def _write(target: Path, data: bytes, force: bool) -> None:
    """By way of a file beside it, which only takes the name once it is whole."""
    beside = target.with_name(f".{target.name}.{os.getpid()}")
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        if force:
            beside.replace(target)
        else:
            os.link(beside, target)  # unlike a rename, this takes no name that is in use by now
    finally:
        beside.unlink(missing_ok=True)


def _reason(error: OSError) -> str:
    text = error.strerror or "the system refuses it"
    return text[:1].lower() + text[1:]
