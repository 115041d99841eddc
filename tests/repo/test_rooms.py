"""Each package opens with what comes in, what goes out, its rules and how to add to it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "piflows"
ROOMS = sorted(path for path in PACKAGE.rglob("__init__.py"))
MODULES = sorted(PACKAGE.rglob("*.py"))


def name(path: Path) -> str:
    return path.relative_to(PACKAGE.parent).as_posix()


@pytest.mark.parametrize("path", [path for path in ROOMS if path.parent.parent == PACKAGE], ids=name)
def test_a_room_says_what_it_is(path: Path) -> None:
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    starts = [line.split(" ")[0] for line in docstring.split("\n") if line and not line.startswith(" ")]
    assert [word for word in starts if word in {"In", "Out", "Rules", "Add"}] == ["In", "Out", "Rules", "Add"]


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_a_module_says_what_it_is_for(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_nothing_stays_undone(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not [word for word in ("TODO", "FIXME", "XXX", "NotImplementedError") if word in text]


def functions(path: Path) -> list[tuple[int, str]]:
    found = [
        each for each in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(each, ast.FunctionDef)
    ]
    return [((each.end_lineno or each.lineno) - each.lineno + 1, f"{name(path)}:{each.name}") for each in found]


def test_sizes() -> None:
    lines = sorted(((len(path.read_text(encoding="utf-8").splitlines()), name(path)) for path in MODULES), reverse=True)
    long = sorted((each for path in MODULES for each in functions(path)), reverse=True)
    assert not [each for each in lines if each[0] > 330], lines[:10]
    assert not [each for each in long if each[0] > 50], long[:10]
    assert long[len(long) // 10][0] <= 30, long[: len(long) // 10]
