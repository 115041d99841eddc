"""What compilation may know of the outside, as values: nothing in the pure part looks anything up by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

from piflows.ir.diagnostic import Diagnostic
from piflows.ir.frozen import frozen

if TYPE_CHECKING:
    from piflows.grammar.agent import Agent
    from piflows.grammar.preset import Preset


@frozen
class Catalog:
    """The agents and presets that one scope gives, after shadowing; both sorted by name.

    issues       what is wrong with files that were read, or could not be, in the order of the sources
    skipped      ("agent" or "preset", name) → the issue that kept a file of that name out; its name is its stem and,
                 when it is known, what it declares
    agents_dirs  source → directory, also of the sources that this scope does not read; `presets_dirs` likewise
    """

    agents: Mapping[str, Agent]
    presets: Mapping[str, Preset]
    issues: tuple[Diagnostic, ...] = ()
    agents_dirs: Mapping[str, str] = field(default_factory=dict[str, str])
    presets_dirs: Mapping[str, str] = field(default_factory=dict[str, str])
    skipped: Mapping[tuple[str, str], Diagnostic] = field(default_factory=dict[tuple[str, str], Diagnostic])


@frozen
class Context:
    """cwd, home: absolute paths. env: the variables of the process. catalog: scope → what it gives.

    real: a directory as an author wrote it (relative to `cwd`, "" = `cwd`) → its real absolute path, symlinks resolved.
    """

    cwd: str
    home: str
    env: Mapping[str, str]
    catalog: Callable[[str], Catalog]
    real: Callable[[str], str]

    def short(self, path: str) -> str:
        """A path with the home directory written as `~`."""
        inside = path == self.home or path.startswith(f"{self.home}/")
        return f"~{path[len(self.home) :]}" if self.home and inside else path

    def holding(self, preset: Preset, issues: Sequence[Diagnostic] = ()) -> Context:
        """The same, with this preset in every scope, whatever else has its name, and what is to be said of its file."""

        def catalog(scope: str) -> Catalog:
            found = self.catalog(scope)
            presets = dict(sorted({**found.presets, preset.name: preset}.items()))
            told = tuple(dict.fromkeys((*found.issues, *issues)))
            return Catalog(found.agents, presets, told, found.agents_dirs, found.presets_dirs, found.skipped)

        return Context(self.cwd, self.home, self.env, catalog, self.real)
