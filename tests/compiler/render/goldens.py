"""What was accepted once, beside what comes out now. `pytest --accept` rewrites."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "golden" / "render"


def compare(request: pytest.FixtureRequest, name: str, now: str) -> None:
    """Compare a text with the file of that name. A digest is not compared: it only says that the IR has its form."""
    now = re.sub(r"sha256:[0-9a-f]+", "sha256:…", now)
    file = FOLDER / name
    if request.config.getoption("--accept", default=False):
        file.write_text(now, encoding="utf-8")
    assert now == file.read_text(encoding="utf-8")
