"""What a process does without because it is a command line that is over soon.

`compile --check` runs on every commit of its users, and half of its time is spent before its first line of work.
"""

from __future__ import annotations

import gc
import sys
from types import ModuleType

LOADER = "pydantic.plugin._loader"


def quicken() -> None:
    """Collect garbage seldom, and look for no plugins of pydantic.

    Its models are built without plugins here, and the search for them takes a tenth of the time of a check: it reads
    the metadata of every installed package. `PYDANTIC_DISABLE_PLUGINS` saves only a part of it, and would be handed on
    to children. Where pydantic keeps its loader under another name nothing is changed.
    """
    gc.set_threshold(50_000, 20, 20)
    if LOADER not in sys.modules:
        loader = ModuleType(LOADER)
        setattr(loader, "get_plugins", tuple)  # noqa: B010  (a module has no such attribute to a type checker)
        sys.modules[LOADER] = loader
