"""What every IR type is: a frozen, slotted dataclass, validated and described by one pydantic adapter on first use."""

from __future__ import annotations

from dataclasses import field
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, dataclass_transform

if TYPE_CHECKING:
    from pydantic import TypeAdapter

    from piflows.ir.flow import Flow

from piflows.ir.frozen import frozen

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def node(cls: type[T]) -> type[T]:
    """Make a class an IR type. Its JSON form has exactly its fields, with exactly their types."""
    made = frozen(cls)
    setattr(made, "__pydantic_config__", {"extra": "forbid", "strict": True, "allow_inf_nan": False})  # noqa: B010  (slots hide it from types)
    return made


@cache
def adapter() -> TypeAdapter[Flow]:
    """The adapter of Flow. Built on first use: lowering constructs the dataclasses directly and never needs it."""
    from pydantic import TypeAdapter

    from piflows.ir.flow import Flow

    return TypeAdapter(Flow)


def dump(flow: Flow) -> dict[str, Any]:
    """The JSON form of a Flow: every field, no position of any source text."""
    return adapter().dump_python(flow, mode="json")


def load(text: str) -> Flow:
    """The Flow of a JSON form. Raises pydantic's ValidationError, whose locations are pointers into the text."""
    return adapter().validate_json(text)


def json_schema() -> dict[str, Any]:
    """JSON Schema of a Flow's JSON form."""
    return adapter().json_schema()
