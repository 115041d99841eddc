"""A project and a home that are empty but for given files, and calls compiled there."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from piflows.compiler import Compiled, compile_call
from piflows.compiler.catalog import host_context
from piflows.compiler.context import Context

Lay = Callable[[Mapping[str, str]], None]
World = Callable[..., Context]
Compile = Callable[..., Compiled]


def lay(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")


@pytest.fixture
def world(tmp_path: Path) -> World:
    """`world({file: text}, home={…}, env={…})`: the context of a project with these files."""

    def make(
        files: Mapping[str, str] | None = None,
        home: Mapping[str, str] | None = None,
        env: Mapping[str, str] | None = None,
        cwd: str = "",
    ) -> Context:
        for name, laid in (("project", files), ("home", home)):
            (tmp_path / name).mkdir(exist_ok=True)
            lay(tmp_path / name, laid or {})
        return host_context(tmp_path / "project" / cwd, {"HOME": str(tmp_path / "home"), **(env or {})})

    return make


@pytest.fixture
def compiled(world: World) -> Compile:
    """`compiled(call, files=…, home=…)`: the call, as an object or as text, with `why` where it has none."""

    def run(call: dict[str, Any] | str, **laid: Any) -> Compiled:
        text = call if isinstance(call, str) else json.dumps({"why": "asked for", **call}, indent=1)
        return compile_call(text, world(**laid), file="call.json")

    return run


def preset(name: str, template: dict[str, Any], *more: str) -> str:
    """The text of a preset file."""
    head = "\n".join(("---", f"name: {name}", "description: A preset.", *more, "---"))
    return f"{head}\n{json.dumps(template)}\n"


def agent(name: str, *more: str) -> str:
    """The text of an agent file."""
    return "\n".join(("---", f"name: {name}", "description: A helper.", *more, "---", "Answer briefly.\n"))
