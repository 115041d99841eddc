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
from os.path import abspath, expanduser, join, realpath

from piflows.compiler.context import Catalog, Context

PACKAGE = "package:"  # what a bundled file's name begins with, so that it is the same on every machine


def host_context(cwd: str, env: Mapping[str, str], base: str | None = None) -> Context:
    """The context of this process. `base` is where the search for the project's directories begins, if not `cwd`."""
    from piflows.compiler.catalog.discover import discover

    home, cwd = _home(env), abspath(cwd)

    @cache
    def catalog(scope: str) -> Catalog:
        return discover(scope, home, abspath(base) if base else cwd, env, lambda path: shown(path, cwd, home))

    @cache
    def real(path: str) -> str:
        return realpath(join(cwd, path))

    return Context(cwd, home, env, lambda scope: catalog(scope), lambda path: real(path))


def shown(path: str, cwd: str, home: str) -> str:
    """The name under which diagnostics, plans and lists speak of a file."""
    from piflows.compiler.catalog.discover import bundled
    from piflows.compiler.catalog.files import label

    inside = bundled() + "/"
    return PACKAGE + path[len(inside) :] if path.startswith(inside) else label(path, cwd, home)


def reread(name: str, cwd: str, env: Mapping[str, str]) -> bytes | None:
    """The bytes of a file by such a name, or None when it cannot be read any more: to tell whether it has changed."""
    from piflows.compiler.catalog.discover import bundled
    from piflows.compiler.catalog.files import Unreadable, read_regular

    if name.startswith(PACKAGE):
        path = join(bundled(), name[len(PACKAGE) :])
    elif name.startswith("~/"):
        path = join(_home(env), name[2:])
    else:
        path = join(cwd, name)
    try:
        return read_regular(path)
    except Unreadable:
        return None


def _home(env: Mapping[str, str]) -> str:
    return abspath(env.get("HOME") or expanduser("~"))
