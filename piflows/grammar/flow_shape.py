"""How each IR type looks in the textual form, derived from its dataclass fields and their types.

Printer and parser both read these shapes, so a new field, condition or action kind needs no change in either. The
tables below only say where the derived look is not the pleasant one.
"""

from __future__ import annotations

import dataclasses
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from piflows.ir.flow import Ceiling, Flow, Mark, Stage
from piflows.ir.frozen import frozen
from piflows.ir.parts import Text
from piflows.ir.plan import Over, Plan
from piflows.ir.saved import Input
from piflows.ir.unit import Handoff, Ref, Role

Holds = Literal["one", "many", "keyed"]

_WORDS = {  # field -> the word its lines begin with, where it is not the field's name
    "roles": "role",
    "ceilings": "ceiling",
    "contracts": "contract",
    "marks": "mark",
    "units": "unit",
    "facts": "fact",
    "inputs": "input",
    "ms": "for",
}
_HEADS: dict[type, tuple[str, ...]] = {  # fields on a record's first line; one in <> is a word that stands there
    Ref: ("state", "pick", "unit"),
    Handoff: ("slot", "<from>", "value"),
    Ceiling: ("authority", "what", "limit"),
    Mark: ("name", "event", "minted"),
    Over: ("value",),
    Input: ("file", "digest"),
    Role: (),
}
_PROSE = frozenset({"prompt", "instead"})  # str fields that are written as lines of text
_BELOW = frozenset({"prompt", "body", "says"})  # texts that begin on a line of their own
_BY_KIND = frozenset({"states", "work"})  # a member's kind is the word its line begins with
_FLAT = frozenset({Plan, Flow})  # its lines stand among those of what holds it
_SHOWN: dict[type, frozenset[str]] = {  # written also when they have their default
    Flow: frozenset({"concurrency", "timeout_ms"}),
    Stage: frozenset({"schedule", "failure"}),
    Role: frozenset({"tools"}),
}


@frozen
class Scalar:
    """One word, or a quoted string. With `choices` one of these; a `duration` is in ms and written with its unit."""

    type: type
    choices: tuple[str, ...] = ()
    duration: bool = False


@frozen
class Lines:
    """Lines of text behind bars; `parts` when tags may stand in them, `below` when it begins under its word."""

    parts: bool
    below: bool


@frozen
class Json:
    """Any JSON value, on one line."""


@frozen
class Record:
    """A record: its head's fields on the first line, the others indented below."""

    cls: type


@frozen
class Kinds:
    """One of several records, told apart by their kind."""

    classes: dict[str, type]
    by_kind: bool


Of = Scalar | Lines | Json | Record | Kinds


@frozen
class Field:
    """One field: its lines begin with `word`; `default` is what its absence means (MISSING: it must be there)."""

    name: str
    word: str
    holds: Holds
    of: Of
    optional: bool
    default: Any
    shown: bool

    @property
    def arrows(self) -> bool:
        """Its lines are `outcome -> target`: it is a dict of words."""
        return self.holds == "keyed" and isinstance(self.of, Scalar)

    @property
    def rank(self) -> int:
        """Its place among the fields of a record: what is short comes first, the way out last."""
        match self.of:
            case Scalar():
                return 5 if self.arrows else 0
            case Lines(below=below):
                return 3 if below else 0
            case Json():
                return 1
            case Record(cls):
                return 4 if cls in _FLAT else 3 if self.holds == "keyed" else 2
            case Kinds():
                return 4 if self.of.by_kind else 2


@frozen
class Shape:
    """What a record looks like. `flat`: the field whose own lines stand among these, and the type of its value."""

    head: tuple[str, ...]
    fields: dict[str, Field]
    body: tuple[Field, ...]
    words: dict[str, Field]
    flat: tuple[str, type] | None


@cache
def shape(cls: type) -> Shape:
    """The shape of a record type."""
    hints = get_type_hints(cls)
    fields = {f.name: _field(cls, f, hints[f.name]) for f in dataclasses.fields(cls) if not _is_apart(f, hints)}
    head = _HEADS.get(cls, ("name",) if "name" in fields else ())
    rest = [field for field in fields.values() if field.name not in head]
    return Shape(
        head=head,
        fields=fields,
        body=tuple(sorted(rest, key=lambda field: field.rank)),
        words={word: field for field in rest for word in _words(field)},
        flat=next(((field.name, held) for field in rest for held in _held(field) if held in _FLAT), None),
    )


def kind_of(cls: type) -> str:
    """The `kind` that tells a type apart from its siblings, empty for a type that has none."""
    kinds = get_args(get_type_hints(cls).get("kind"))
    return kinds[0] if len(kinds) == 1 else ""  # of several, it is a field like any other


def _is_apart(field: dataclasses.Field[Any], hints: dict[str, Any]) -> bool:
    """A telling `kind` is a word of its record's first line, `version` is in the header."""
    return field.name == "version" or (field.name == "kind" and len(get_args(hints["kind"])) == 1)


def _words(field: Field) -> tuple[str, ...]:
    if field.arrows or (isinstance(field.of, Record) and field.of.cls in _FLAT):
        return ()
    if isinstance(field.of, Kinds) and field.of.by_kind:
        return tuple(kind for kind, cls in field.of.classes.items() if cls not in _FLAT)
    return (field.word,)


def _held(field: Field) -> tuple[type, ...]:
    match field.of:
        case Record(cls):
            return (cls,)
        case Kinds(classes):
            return tuple(classes.values())
        case _:
            return ()


def _field(cls: type, field: dataclasses.Field[Any], hint: Any) -> Field:
    holds, inner, optional = _holds(hint)
    name = field.name
    return Field(
        name=name,
        word=_WORDS.get(name, name.removesuffix("_ms")),
        holds=holds,
        of=_of(name, inner),
        optional=optional,
        default=_default(field, holds, optional),
        shown=name in _SHOWN.get(cls, ()),
    )


def _default(field: dataclasses.Field[Any], holds: Holds, optional: bool) -> Any:
    if field.default is not dataclasses.MISSING:
        return field.default
    if optional:
        return None
    absent: dict[Holds, Any] = {"one": dataclasses.MISSING, "many": (), "keyed": {}}
    return absent[holds]


def _holds(hint: Any) -> tuple[Holds, Any, bool]:
    """How many values a field holds, the type of one of them, and whether None may stand for them."""
    optional = False
    if get_origin(hint) in (Union, UnionType) and NoneType in get_args(hint):
        optional = True
        hint = Union[tuple(arg for arg in get_args(hint) if arg is not NoneType)]  # noqa: UP007  (built at run time)
    origin = get_origin(hint)
    if origin is tuple and not _is_parts(hint):
        return "many", get_args(hint)[0], optional
    if origin is dict:
        return "keyed", get_args(hint)[1], optional
    return "one", hint, optional


def _is_parts(hint: Any) -> bool:
    return get_origin(hint) is tuple and Text in get_args(get_args(hint)[0])


def _of(name: str, hint: Any) -> Of:
    if _is_parts(hint):
        return Lines(parts=True, below=name in _BELOW)
    if get_origin(hint) in (Union, UnionType):
        return Kinds({kind_of(cls): cls for cls in get_args(hint)}, name in _BY_KIND)
    if dataclasses.is_dataclass(hint):
        cls = cast("type", hint)
        return Kinds({kind: cls}, name in _BY_KIND) if (kind := kind_of(cls)) else Record(cls)
    if get_origin(hint) is Literal:
        return Scalar(str, get_args(hint))
    if hint is str and name in _PROSE:
        return Lines(parts=False, below=name in _BELOW)
    if hint in (str, int, float, bool):
        return Scalar(hint, duration=hint is not str and (name == "ms" or name.endswith("_ms")))
    if hint is Any:
        return Json()
    raise TypeError(f"the textual form has no notation for {name}: {hint}")
