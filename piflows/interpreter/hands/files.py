"""Facts about files that a child declares: looked at once, never followed out of its directory, never waited for."""

from __future__ import annotations

import os
import stat
from hashlib import sha256
from typing import Any

from piflows.ir.limits import LIMITS

CHUNK = 1 << 20


def facts(cwd: str, paths: list[str]) -> dict[str, dict[str, Any]]:
    """Per path: `exists`, `inside` (its real place lies in the real `cwd`), `regular`, and the `sha256` of a regular
    file inside, None for one that is too large or cannot be read.

    The bound is one for all of them: a child can name one file in many ways, and many large ones.
    """
    try:
        base = os.path.realpath(cwd)
    except (OSError, ValueError):  # there is no such directory: then there is no such file
        return {}
    left = LIMITS.artifact_bytes
    found: dict[str, dict[str, Any]] = {}
    for path in paths:
        found[path], read = _facts(base, path, left)
        left -= read
    return found


def _facts(base: str, path: str, left: int) -> tuple[dict[str, Any], int]:
    """The facts of one path, and how many bytes of at most `left` were read for them."""
    missing: dict[str, Any] = {"exists": False, "inside": False, "regular": False, "sha256": None}
    try:
        real = os.path.realpath(os.path.join(base, path), strict=True)  # noqa: PTH118
    except (OSError, ValueError):
        return missing, 0
    inside = real == base or real.startswith(os.path.join(base, ""))  # noqa: PTH118
    if not inside:
        return missing | {"exists": True}, 0
    try:
        # no device or pipe is waited for, and the last step is no link that appeared since
        opened = os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    except OSError:
        return missing | {"exists": True, "inside": True, "regular": stat.S_ISREG(_mode(real))}, 0
    try:
        about = os.fstat(opened)
        regular = stat.S_ISREG(about.st_mode)
        found, read = _digest(opened, left) if regular and about.st_size <= left else (None, 0)
    finally:
        os.close(opened)
    return {"exists": True, "inside": True, "regular": regular, "sha256": found}, read


def _mode(real: str) -> int:
    try:
        return os.lstat(real).st_mode
    except OSError:
        return 0


def _digest(file: int, left: int) -> tuple[str | None, int]:
    """The digest of a file of at most `left` bytes, None for a larger one or an error, and how many were read."""
    made, read = sha256(), 0
    try:
        while chunk := os.read(file, min(CHUNK, left - read + 1)):
            read += len(chunk)
            if read > left:
                return None, left
            made.update(chunk)
    except OSError:
        return None, read
    return made.hexdigest(), read
