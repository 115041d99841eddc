"""Where a value of the expanded call stands in the text that a person wrote: the call's, or the preset file's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piflows.compiler.params import Path, pointer
from piflows.ir.frozen import frozen
from piflows.ir.source import Where

if TYPE_CHECKING:
    from piflows.compiler.expand import Expansion
    from piflows.grammar.located import Located


@frozen
class Places:
    """Paths → places. `made` says that the call's text was put together from options: it has no lines to show."""

    text: Located
    expansion: Expansion | None = None
    made: bool = False

    def __call__(self, path: Path, *, key: bool = False, within: str = "") -> Where:
        """The place of a value of the expanded call; with `key`, that of the key before it.

        `within` is a placeholder in a text: its own place.
        """
        preset = self.expansion.preset if self.expansion else None
        if preset is not None and self.expansion is not None and (not path or path[0] in self.expansion.templated):
            return preset.body.where(pointer(path), key=key, within=within)
        return self.in_call(path, key=key, within=within)

    def in_call(self, path: Path, *, key: bool = False, within: str = "") -> Where:
        """The place of a value of the call as it was given."""
        at = pointer(path)
        return Where(self.text.file, at) if self.made else self.text.where(at, key=key, within=within)

    def in_template(self, path: Path, *, key: bool = False, within: str = "") -> Where:
        """The place of a value of the preset's template."""
        preset = self.expansion.preset if self.expansion else None
        return preset.body.where(pointer(path), key=key, within=within) if preset else Where()
