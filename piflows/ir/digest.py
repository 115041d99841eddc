"""Canonical JSON and digests.

The digest of a Flow is over its JSON form, never over its textual form: layout, key order and the spelling of a number
decide nothing.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, cast

from piflows.ir.node import dump

if TYPE_CHECKING:
    from piflows.ir.flow import Flow

_EXACT = 2.0**53  # beyond it a float names no single whole number


def canonical(value: object) -> str:
    """Compact JSON of a JSON value: keys sorted, non-ASCII kept, a whole number written without a fraction.

    Raises ValueError for NaN and infinities, which JSON does not have.
    """
    return json.dumps(_plain(value), ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(flow: Flow) -> str:
    """`sha256:<hex>` of a Flow's canonical JSON form."""
    return text_digest(canonical(dump(flow)).encode())


def text_digest(data: bytes) -> str:
    """`sha256:<hex>` of bytes, as of an input file."""
    return f"sha256:{sha256(data).hexdigest()}"


def _plain(value: object) -> object:
    """`value` with each whole float as an int: 1000.0 in one reader is 1000 in another, and means the same."""
    match value:
        case dict():
            return {key: _plain(member) for key, member in cast("dict[str, object]", value).items()}
        case list() | tuple():
            return [_plain(member) for member in cast("list[object]", value)]
        case float() if value.is_integer() and abs(value) < _EXACT:
            return int(value)
        case _:
            return value
