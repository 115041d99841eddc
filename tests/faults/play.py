"""One run of the public command in this process, and all that may be judged of it: a scenario's evidence."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

from piflows.cli import main
from piflows.interpreter.backends.scripted import Scripted

Json = dict[str, Any]
WHY = "one context cannot hold it"
CONTROLLED = ("PI_FLOWS_TRACE_FILE", "PI_FLOWS_TRACE_STRICT")


@dataclass(frozen=True, slots=True)
class Played:
    """`sent`: the effects that children were started with, in their order: what each recipient was really given.

    `stdout`, `stderr`, `journal` and `files` (name to bytes, below the working directory) are all that was left behind.
    """

    status: int
    stdout: str
    stderr: str
    journal: str
    sent: tuple[Json, ...]
    files: dict[str, bytes]

    @property
    def details(self) -> Json:
        return json.loads(self.stdout)

    @property
    def code(self) -> str | None:
        error = self.details["error"]
        return error and error["code"]

    @property
    def prompts(self) -> list[str]:
        return [each["prompt"] for each in self.sent]

    @property
    def agents(self) -> str:
        return " ".join(each["agent"] for each in self.sent)

    @property
    def events(self) -> list[str]:
        """The kinds of the journal's events, without its opening line."""
        return [json.loads(line).get("kind", "") for line in self.journal.splitlines()]


def play(
    folder: Path,
    call: Json | str,
    children: list[Json],
    files: dict[str, str] | None = None,
    *,
    form: str = "json",
    prepare: Callable[[Path], None] | None = None,
) -> Played:
    """Run a call in an empty directory below `folder`; `prepare` lays there what JSON cannot say."""
    number = len(list(folder.iterdir()))
    beside, project = folder / str(number), folder / str(number) / "project"
    project.mkdir(parents=True)
    for name, said in (files or {}).items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(said, encoding="utf-8", newline="")
    if prepare is not None:
        prepare(project)
    whole = call if isinstance(call, str) else json.dumps({"why": WHY, **call})
    (beside / "call.json").write_text(whole, encoding="utf-8")
    (beside / "script.json").write_text(json.dumps({"children": children}), encoding="utf-8")
    told, said, sent = StringIO(), StringIO(), []
    paths = ("--script", "../script.json", "--journal", "../journal", "--format", form)
    with chdir(project), redirect_stdout(told), redirect_stderr(said), _home(beside), _watched(sent):
        try:
            status = main(["run", "../call.json", *paths])
        except SystemExit as left:
            status = int(left.code or 0)
    journal = beside / "journal"
    return Played(
        status,
        told.getvalue(),
        said.getvalue(),
        journal.read_text("utf-8") if journal.is_file() else "",
        tuple(sent),
        {str(path.relative_to(project)): path.read_bytes() for path in sorted(project.rglob("*")) if _plain(path)},
    )


def _plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


@contextmanager
def _home(folder: Path) -> Iterator[None]:
    """A home of its own, and no variable of ours from outside."""
    kept = {name: value for name, value in os.environ.items() if name not in CONTROLLED}
    with patch.dict(os.environ, {**kept, "HOME": str(folder)}, clear=True):
        yield


@contextmanager
def _watched(sent: list[Json]) -> Iterator[None]:
    """Note what every child is started with, before any redaction of a report."""
    begin = Scripted.begin

    def noted(self: Scripted, spawn: Json) -> Any:
        sent.append(dict(spawn))
        return begin(self, spawn)

    with patch.object(Scripted, "begin", noted):
        yield
