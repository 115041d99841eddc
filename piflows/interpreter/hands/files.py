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
    file inside, None for one that is too large or cannot be read."""
    base = os.path.realpath(cwd)
    return {path: _facts(base, path) for path in paths}


def _facts(base: str, path: str) -> dict[str, Any]:
    missing: dict[str, Any] = {"exists": False, "inside": False, "regular": False, "sha256": None}
    try:
        real = os.path.realpath(os.path.join(base, path), strict=True)  # noqa: PTH118
    except (OSError, ValueError):
        return missing
    inside = real == base or real.startswith(os.path.join(base, ""))  # noqa: PTH118
    if not inside:
        return missing | {"exists": True}
    try:
        # no device or pipe is waited for, and the last step is no link that appeared since
        opened = os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    except OSError:
        return missing | {"exists": True, "inside": True, "regular": stat.S_ISREG(_mode(real))}
    with os.fdopen(opened, "rb") as file:
        regular = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
        found = _digest(file) if regular else None
    return {"exists": True, "inside": True, "regular": regular, "sha256": found}


def _mode(real: str) -> int:
    try:
        return os.lstat(real).st_mode
    except OSError:
        return 0


def _digest(file: Any) -> str | None:
    """The digest of a file of at most `artifact_bytes`."""
    made, left = sha256(), LIMITS.artifact_bytes
    while chunk := file.read(CHUNK):
        left -= len(chunk)
        if left < 0:
            return None
        made.update(chunk)
    return made.hexdigest()
