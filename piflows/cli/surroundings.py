"""What surrounds the preset files of one check: the scope of each and its context. A folder is looked at once."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from piflows.cli.source import here, lies_in
from piflows.ir.diagnostic import Diagnostic, diagnostic
from piflows.ir.source import Where

if TYPE_CHECKING:
    from piflows.compiler.context import Context
    from piflows.grammar.agent import Source
    from piflows.grammar.preset import Preset

    Place = tuple[str, Source, Path | None]


class Surroundings:
    """Presets that were checked already are known by folder and name, so that one of two of a name is told of."""

    def __init__(self) -> None:
        self.places: dict[str, Place] = {}
        self.contexts: dict[Path | None, Context] = {}
        self.files: dict[tuple[str, str], str] = {}

    def of(self, path: str) -> Place:
        """As `lies_in`; files that are no links lie where their folder does."""
        if os.path.islink(path):  # noqa: PTH114  (many files: a Path for each costs more than the question)
            return lies_in(path)
        folder = os.path.dirname(path)  # noqa: PTH120
        if folder not in self.places:
            self.places[folder] = lies_in(path)
        return self.places[folder]

    def context(self, base: Path | None = None) -> Context:
        """The context of the project that begins at `base`, with the presets of the package alone."""
        if base not in self.contexts:
            self.contexts[base] = here(base, presets=False)
        return self.contexts[base]

    def namesake(self, preset: Preset) -> list[Diagnostic]:
        """What is to be said when an earlier file of the same folder has this preset's name."""
        key = (os.path.dirname(preset.file), preset.name)  # noqa: PTH120
        other = self.files.setdefault(key, preset.file)
        if other == preset.file:
            return []
        facts = {"file": preset.file, "name": preset.name, "other": other}
        return [diagnostic("PRESET_NAME_SHADOWED", Where(preset.file), **facts)]
