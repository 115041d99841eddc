"""Discovery: directories → a Catalog. Seed: Workflow presets; Parameters (`agentScope`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from os.path import dirname, join, splitext
from typing import Any

from piflows.compiler.catalog.files import Unreadable, is_directory, names, read_regular
from piflows.compiler.context import Catalog
from piflows.compiler.expand import template_faults
from piflows.grammar.agent import Source, parse_agent
from piflows.grammar.preset import Preset, parse_preset
from piflows.ir.diagnostic import Diagnostic, diagnostic
from piflows.ir.source import Where

PACKAGE_ONLY = "PI_FLOWS_PACKAGE_AGENTS_ONLY"
SCOPES: dict[str, tuple[Source, ...]] = {
    "user": ("package", "user"),
    "project": ("package", "project"),
    "all": ("package", "user", "project"),
}
AGENTS, PRESETS = "flow-agents", "flow-presets"  # directories in `~/.pi/agent` and in a project's `.pi`


def discover(scope: str, home: str, base: str, env: Mapping[str, str], shown: Callable[[str], str]) -> Catalog:
    """What the scope gives. The project's directories are the nearest ones from `base` upwards.

    `shown` gives the name under which diagnostics speak of a path.
    """
    agents = _Shelf("AGENT", parse_agent, shown)
    presets = _Shelf("PRESET", parse_preset, shown)
    agents_dirs = {**agents.places(AGENTS, home, base), "package": join(bundled(), "agents")}
    presets_dirs = {**presets.places(PRESETS, home, base), "package": bundled()}
    for source in ("package",) if env.get(PACKAGE_ONLY) == "1" else SCOPES[scope]:
        agents.add(agents_dirs.get(source), source)
        presets.add(presets_dirs.get(source), source)
    return Catalog(
        dict(sorted(agents.loaded.items())),
        dict(sorted(presets.loaded.items())),
        (*agents.issues, *presets.issues),
        {source: agents_dirs[source] for source in SCOPES["all"] if source in agents_dirs},
        {source: presets_dirs[source] for source in SCOPES["all"] if source in presets_dirs},
        agents.skipped | presets.skipped,
    )


def bundled() -> str:
    """The directory of the presets that come with the package; its agents are in `agents` inside it."""
    return join(dirname(dirname(dirname(__file__))), "presets")


@dataclass(slots=True)
class _Shelf:
    """The files of one kind: what was loaded, and what is to be said about the others."""

    kind: str
    parse: Callable[[bytes, str], tuple[Any, list[Diagnostic]]]
    shown: Callable[[str], str]
    loaded: dict[str, Any] = field(default_factory=dict[str, Any])
    issues: list[Diagnostic] = field(default_factory=list[Diagnostic])
    skipped: dict[tuple[str, str], Diagnostic] = field(default_factory=dict[tuple[str, str], Diagnostic])

    def places(self, name: str, home: str, base: str) -> dict[str, str]:
        """The directories of the user and, where there is one, of the project."""
        found = {"user": join(home, ".pi", "agent", name)}
        at = base
        while True:
            here = join(at, ".pi", name)
            try:
                if is_directory(here):
                    return found | {"project": here}
            except Unreadable as refusal:
                self._say("DIR_UNREADABLE", here, problem=str(refusal))
            if dirname(at) == at:
                return found
            at = dirname(at)

    def add(self, directory: str | None, source: Source) -> None:
        """All `*.md` of a directory."""
        try:
            listed = names(directory) if directory else []
        except Unreadable as refusal:
            self._say("DIR_UNREADABLE", str(directory), problem=str(refusal))
            return
        for name in listed:
            if name.endswith(".md"):
                self._load(join(str(directory), name), source)

    def _load(self, path: str, source: Source) -> None:
        try:
            made, found = self.parse(read_regular(path), self.shown(path))
        except Unreadable as refusal:
            self._skip(path, self._say("FILE_UNREADABLE", path, problem=str(refusal)))
            return
        self.issues += found
        faults = template_faults(made) if isinstance(made, Preset) else []
        self.issues += faults
        if made is None or faults:
            self._skip(path, faults[0] if faults else found[-1], *([made.name] if faults else []))
            return
        if before := self.loaded.get(made.name):
            self._say("NAME_SHADOWED", path, name=made.name, other=before.file)
        self.loaded[made.name] = replace(made, source=source)

    def _skip(self, path: str, issue: Diagnostic, *declared: str) -> None:
        stem = splitext(self.shown(path).rpartition("/")[2])[0]
        for name in (stem, *declared):
            self.skipped[self.kind.lower(), name] = issue

    def _say(self, code: str, path: str, **facts: str) -> Diagnostic:
        file = self.shown(path)
        self.issues.append(diagnostic(f"{self.kind}_{code}", Where(file), file=file, **facts))
        return self.issues[-1]
