"""Discovery: directories → a Catalog. Seed: Workflow presets; Parameters (`agentScope`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from piflows.compiler.catalog.files import Unreadable, entries, is_directory, read_regular
from piflows.compiler.context import Catalog
from piflows.compiler.expand import template_faults
from piflows.grammar.agent import Source, parse_agent
from piflows.grammar.preset import Preset, parse_preset
from piflows.ir.diagnostic import Diagnostic, diagnostic
from piflows.ir.frozen import frozen
from piflows.ir.source import Where

PACKAGE_ONLY = "PI_FLOWS_PACKAGE_AGENTS_ONLY"
SCOPES: dict[str, tuple[Source, ...]] = {
    "user": ("package", "user"),
    "project": ("package", "project"),
    "all": ("package", "user", "project"),
}
AGENTS, PRESETS = "flow-agents", "flow-presets"  # directories in `~/.pi/agent` and in a project's `.pi`
BUNDLED = Path(__file__).parents[2] / "presets"  # the package's own presets; `agents` in it are its agents


@frozen
class Codes:
    """The codes of one kind of file."""

    kind: str
    folder: str
    file: str
    shadowed: str


AGENT_CODES = Codes("agent", "AGENT_DIR_UNREADABLE", "AGENT_FILE_UNREADABLE", "AGENT_NAME_SHADOWED")
PRESET_CODES = Codes("preset", "PRESET_DIR_UNREADABLE", "PRESET_FILE_UNREADABLE", "PRESET_NAME_SHADOWED")


def discover(
    scope: str,
    home: Path,
    base: Path,
    env: Mapping[str, str],
    shown: Callable[[Path], str],
    *,
    presets: bool = True,
) -> Catalog:
    """What the scope gives. The project's directories are the nearest ones from `base` upwards.

    `shown` gives the name under which diagnostics speak of a path. Without `presets` only those of the package count.
    """
    agents = _Shelf(AGENT_CODES, parse_agent, shown)
    flows = _Shelf(PRESET_CODES, parse_preset, shown)
    agents_dirs = {"package": BUNDLED / "agents", "user": home / ".pi" / "agent" / AGENTS}
    presets_dirs = {"package": BUNDLED, "user": home / ".pi" / "agent" / PRESETS}
    sources = ("package",) if env.get(PACKAGE_ONLY) == "1" else SCOPES[scope]
    for name, shelf, places in ((AGENTS, agents, agents_dirs), (PRESETS, flows, presets_dirs)):
        if (here := shelf.nearest(base, name, tell="project" in sources)) is not None:
            places["project"] = here
        for source in sources if presets or shelf is agents else ("package",):
            shelf.add(places.get(source), source)
    return Catalog(
        dict(sorted(agents.loaded.items())),
        dict(sorted(flows.loaded.items())),
        (*agents.issues, *flows.issues),
        {source: str(path) for source, path in agents_dirs.items()},
        {source: str(path) for source, path in presets_dirs.items()},
        agents.skipped | flows.skipped,
    )


@dataclass(slots=True)
class _Shelf:
    """The files of one kind: what was loaded, and what is to be said about the others."""

    codes: Codes
    parse: Callable[[bytes, str], tuple[Any, list[Diagnostic]]]
    shown: Callable[[Path], str]
    loaded: dict[str, Any] = field(default_factory=dict[str, Any])
    issues: list[Diagnostic] = field(default_factory=list[Diagnostic])
    skipped: dict[tuple[str, str], Diagnostic] = field(default_factory=dict[tuple[str, str], Diagnostic])

    def nearest(self, base: Path, name: str, *, tell: bool) -> Path | None:
        """The nearest directory `.pi/name` from `base` upwards. `tell` of what has the name and is none."""
        for at in (base, *base.parents):
            here = at / ".pi" / name
            try:
                if is_directory(here):
                    return here
            except Unreadable as refusal:
                if tell:
                    self._say(self.codes.folder, here, problem=str(refusal))
        return None

    def add(self, directory: Path | None, source: Source) -> None:
        """All `*.md` of a directory."""
        if directory is None:
            return
        try:
            listed = entries(directory)
        except Unreadable as refusal:
            self._say(self.codes.folder, directory, problem=str(refusal))
            return
        for path in listed:
            if path.name.endswith(".md"):
                self._load(path, source)

    def _load(self, path: Path, source: Source) -> None:
        try:
            made, found = self.parse(read_regular(path), self.shown(path))
        except Unreadable as refusal:
            self._skip(path.stem, self._say(self.codes.file, path, problem=str(refusal)))
            return
        self.issues += found
        if made is None:
            self._skip(path.stem, found[-1])
        elif faults := template_faults(made) if isinstance(made, Preset) else []:
            self.issues += faults
            self._skip(path.stem, faults[0])
            self._skip(made.name, faults[0])
        else:
            if before := self.loaded.get(made.name):
                self._say(self.codes.shadowed, path, name=made.name, other=before.file)
            self.loaded[made.name] = replace(made, source=source)

    def _skip(self, name: str, issue: Diagnostic) -> None:
        self.skipped[self.codes.kind, name] = issue

    def _say(self, code: str, path: Path, **facts: str) -> Diagnostic:
        file = self.shown(path)
        self.issues.append(diagnostic(code, Where(file), file=file, **facts))
        return self.issues[-1]
