"""The texts in the package's own modules, but for the catalogue of codes: what a code is reported or used by."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import piflows

PACKAGE = Path(piflows.__file__).parent


def sources() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if not path.name.startswith("codes_"))


def constants(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
