"""The catalogue: agents and presets, bundled, of the user and of the project. The one room of the compiler with files.

In     a working directory, a home directory, the environment, a scope
Out    a `Catalog` of what the scope gives, with an issue for each file that was not loaded or is shadowed
Rules  sources in the order package, user, project, and in each by file name: the later one wins
       only regular files are opened, never more than a bound is read; what is left out is named with the reason
Add    a source: one more entry in `discover.SCOPES` and its directory in `places`
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from os.path import realpath
from pathlib import Path

from piflows.compiler.context import Catalog, Context

PACKAGE = "package:"  # what a bundled file's name begins with, so that it is the same on every machine


def host_context(cwd: Path, env: Mapping[str, str], base: Path | None = None, *, presets: bool = True) -> Context:
    """The context of this process. `base` is where the search for the project's directories begins, if not `cwd`.

    Without `presets` only those of the package are looked for.
    """
    from piflows.compiler.catalog.discover import discover

    cwd, home = cwd.absolute(), home_of(env)

    @cache
    def catalog(scope: str) -> Catalog:
        return discover(scope, home, base or cwd, env, lambda path: shown(path, cwd, home), presets=presets)

    @cache
    def real(path: str) -> str:
        return realpath(cwd / path)

    return Context(str(cwd), str(home), env, lambda scope: catalog(scope), lambda path: real(path))


def home_of(env: Mapping[str, str]) -> Path:
    """The home directory, absolute."""
    return (Path(env["HOME"]) if env.get("HOME") else Path.home()).absolute()


def shown(path: Path, cwd: Path, home: Path) -> str:
    """The name under which diagnostics, plans and lists speak of a file."""
    from piflows.compiler.catalog.discover import BUNDLED
    from piflows.compiler.catalog.files import label

    return f"{PACKAGE}{path.relative_to(BUNDLED)}" if path.is_relative_to(BUNDLED) else label(path, cwd, home)


def reread(name: str, cwd: Path, env: Mapping[str, str]) -> bytes | None:
    """The bytes of a file by such a name, or None when it cannot be read any more: to tell whether it has changed."""
    from piflows.compiler.catalog.discover import BUNDLED
    from piflows.compiler.catalog.files import Unreadable, read_regular

    if name.startswith(PACKAGE):
        path = BUNDLED / name[len(PACKAGE) :]
    else:
        path = home_of(env) / name[2:] if name.startswith("~/") else cwd / name
    try:
        return read_regular(path)
    except Unreadable:
        return None
