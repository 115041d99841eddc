"""`frozen`: a dataclass that cannot change, made in a third of the time of `dataclass(frozen=True, slots=True)`.

A command line starts anew for every check, and its classes with it: what is written once for all of them here, the
standard decorator compiles for each. Fields, `replace`, `fields` and pattern matching are those of dataclasses. A field
may have a default or a default factory, and no other option; there is no `__post_init__`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from typing import Any, NoReturn, TypeVar, dataclass_transform

T = TypeVar("T")

_UNSET: Any = object()
_INIT = """
def __init__(self{parameters}):
{settings}
"""


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[T]) -> type[T]:
    """Make a class a frozen dataclass with slots: equal and hashed by its fields, copied and pickled by its init."""
    made: Any = dataclass(init=False, repr=False, eq=False, slots=True)(cls)
    known = fields(made)
    scope: dict[str, Any] = {"_set": object.__setattr__, "_unset": _UNSET, "__name__": cls.__module__}
    parameters = "".join(f", {each.name}{_default(each, scope)}" for each in known)
    settings = "\n".join(_setting(each) for each in known) or "    pass"
    exec(_INIT.format(parameters=parameters, settings=settings), scope)  # the text holds names of fields alone
    made.__init__ = scope["__init__"]
    made.__init__.__qualname__ = f"{cls.__qualname__}.__init__"  # what a TypeError calls it
    made.__eq__, made.__hash__, made.__reduce__ = _by_values([each.name for each in known])
    made.__repr__, made.__setattr__, made.__delattr__ = _repr, _refuse, _refuse
    return made


def _by_values(names: list[str]) -> tuple[Callable[..., Any], ...]:
    """Equality, hash and the way to copy, all three by the values of the fields."""
    several = attrgetter("__class__", "__class__", *names)  # of one name alone it would give no tuple

    def equal(self: object, other: object) -> Any:
        return several(self) == several(other) if other.__class__ is self.__class__ else NotImplemented

    def hashed(self: object) -> int:
        return hash(several(self))

    def reduced(self: object) -> tuple[type, tuple[Any, ...]]:
        return self.__class__, several(self)[2:]

    return equal, hashed, reduced


def _default(each: Field[Any], scope: dict[str, Any]) -> str:
    if each.default is not MISSING:
        scope[f"_default_{each.name}"] = each.default
        return f"=_default_{each.name}"
    if each.default_factory is not MISSING:
        scope[f"_make_{each.name}"] = each.default_factory
        return "=_unset"
    return ""


def _setting(each: Field[Any]) -> str:
    name = each.name
    made = f"_make_{name}() if {name} is _unset else " if each.default_factory is not MISSING else ""
    return f"    _set(self, {name!r}, {made}{name})"


def _repr(self: Any) -> str:
    return (
        f"{type(self).__qualname__}({', '.join(f'{each.name}={getattr(self, each.name)!r}' for each in fields(self))})"
    )


def _refuse(self: Any, name: str, *_: object) -> NoReturn:
    raise FrozenInstanceError(f"{type(self).__name__}.{name} cannot be changed")
