"""Names as identities: the escaping that keeps author ids from being taken for structure, and effect ids."""

from __future__ import annotations

_ESCAPES = {ord(char): f"%{ord(char):02X}" for char in "%#/!"}


def escape_key(author_id: str) -> str:
    """An author's id inside a unit key: `%` and `.` are percent-escaped (seed: Span topology)."""
    return author_id.replace("%", "%25").replace(".", "%2E")


def effect_id(state: str, visit: int, unit: str = "", attempt: int = 1) -> str:
    """`state#visit/unit!attempt`, the same in every replay. Separators inside names are percent-escaped."""
    if not f"{state}{unit}".isalnum():  # most names are
        state, unit = state.translate(_ESCAPES), unit.translate(_ESCAPES)
    return f"{state}#{visit}/{unit}!{attempt}"
