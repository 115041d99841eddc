"""Rooms import what lies below, and the pure part imports nothing of the outside world."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "piflows"
MODULES = sorted(PACKAGE.rglob("*.py"))
ALLOWED = {
    "ir": {"ir"},
    "grammar": {"ir", "grammar"},
    "compiler": {"ir", "grammar", "compiler"},
    "interpreter": {"ir", "grammar", "interpreter"},
    "presets": set[str](),
    "cli": {"ir", "grammar", "compiler", "interpreter", "cli"},
}
OUTSIDE = {
    "asyncio",
    "os",
    "pathlib",
    "random",
    "socket",
    "subprocess",
    "threading",
    "time",
    "uuid",
    "datetime",
    "tempfile",
}
WORLDLY = (
    "interpreter/drivers/",
    "interpreter/backends/",
    "interpreter/hands/",
    "interpreter/trace/sink.py",
    "interpreter/trace/otlp.py",
    "compiler/catalog/",
    "cli/",
)
HEAVY = {"lark", "jinja2", "asyncio", "rich", "jsonschema", "yaml", "regex", "opentelemetry"}


def imported(path: Path) -> Iterator[str]:
    for found in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(found, ast.Import):
            yield from (alias.name for alias in found.names)
        elif isinstance(found, ast.ImportFrom) and found.module:
            assert found.level == 0, f"{path}: relative import"
            yield found.module
            yield from (f"{found.module}.{alias.name}" for alias in found.names)


def name(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_rooms_import_what_lies_below(path: Path) -> None:
    room = name(path).split("/")[0]
    for module in imported(path):
        package, *rest = module.split(".")
        if package == "piflows" and rest and room in ALLOWED and (PACKAGE / rest[0]).is_dir():
            assert rest[0] in ALLOWED[room], f"{name(path)} imports {module}"


@pytest.mark.parametrize("path", [path for path in MODULES if "/" in name(path)], ids=name)
def test_the_pure_part_imports_nothing_of_the_outside(path: Path) -> None:
    if not name(path).startswith(WORLDLY):
        assert not OUTSIDE & {module.split(".")[0] for module in imported(path)}


@pytest.mark.parametrize("path", sorted((PACKAGE / "interpreter").rglob("*.py")), ids=name)
def test_inside_the_interpreter(path: Path) -> None:
    inner = {module.removeprefix("piflows.interpreter.") for module in imported(path)}
    if name(path).startswith(("interpreter/backends/", "interpreter/hands/")):
        assert not {module for module in inner if module.startswith(("machine", "drivers"))}
    if name(path).startswith("interpreter/drivers/"):
        assert not {module for module in inner if module.startswith(("gates", "waves", "fill", "guards"))}


SHARED = {"__init__", "make", "protocol", "sentences", "terms"}  # beside the rules and the modes


@pytest.mark.parametrize("path", sorted((PACKAGE / "compiler").rglob("*.py")), ids=name)
def test_no_rule_imports_another_and_no_mode_another(path: Path) -> None:
    for kind in ("check/rules", "lower"):
        if path.parent == PACKAGE / "compiler" / kind and path.stem not in SHARED:
            siblings = {each.stem for each in path.parent.glob("*.py")} - {*SHARED, path.stem}
            taken = {module.rsplit(".", 1)[1] for module in imported(path) if f".{kind.replace('/', '.')}." in module}
            assert not siblings & taken


def test_a_clean_check_imports_nothing_heavy(tmp_path: Path) -> None:
    call = tmp_path / "call.json"
    call.write_text('{"agent": "recon", "task": "Look.", "why": "asked for"}', encoding="utf-8")
    script = (
        "import sys\n"
        f"for name in {sorted(HEAVY)!r}: sys.modules[name] = None\n"
        "from piflows.cli import main\n"
        f"sys.exit(main(['compile', '--check', {str(call)!r}]))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (done.returncode, done.stderr) == (0, "")
