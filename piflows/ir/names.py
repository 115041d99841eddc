"""Names that the IR uses as identities, and the escaping that keeps author ids from being taken for structure."""

from __future__ import annotations

from typing import NewType

StateName = NewType("StateName", str)
UnitName = NewType("UnitName", str)
RoleName = NewType("RoleName", str)
UnitKey = NewType("UnitKey", str)


def escape_key(author_id: str) -> str:
    """An author's id inside a unit key: `%` and `.` are percent-escaped (seed: Span topology)."""
    return author_id.replace("%", "%25").replace(".", "%2E")


def effect_id(state: str, visit: int, unit: str = "", attempt: int = 1) -> str:
    """`state#visit/unit!attempt`, the same in every replay. Separators inside names are percent-escaped."""
    return f"{_part(state)}#{visit}/{_part(unit)}!{attempt}"


def _part(name: str) -> str:
    for char in "%#/!":
        name = name.replace(char, f"%{ord(char):02X}")
    return name
