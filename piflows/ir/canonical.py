"""Canonical JSON as JavaScript writes it, and the digest of it: the identity of a contract.

Compact, object keys sorted at every level by UTF-16 code unit, arrays in order, strings and numbers in the form of
`JSON.stringify`. Values nest no deeper than what a reader of this package lets through.
"""

from __future__ import annotations

import json
import math
from hashlib import sha256
from typing import Any, cast

_EXACT = 2**53  # above it JavaScript's numbers have gaps


def canonical(value: Any) -> str:
    """The canonical text of a JSON value."""
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        keys = sorted(members, key=_units)
        return "{" + ",".join(f"{_string(key)}:{canonical(members[key])}" for key in keys) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(canonical, cast("list[Any]", value))) + "]"
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    return _number(value)


def identity(value: Any) -> str:
    """`sha256:` and the hex digest of the canonical text. Seed: delegation contracts."""
    return f"sha256:{sha256(canonical(value).encode('utf-8')).hexdigest()}"


def _units(key: str) -> bytes:
    return key.encode("utf-16-be", "surrogatepass")


def _string(text: str) -> str:
    """A string with what JavaScript escapes: quote, backslash, controls, and halves of a surrogate pair."""
    written = json.dumps(text, ensure_ascii=False)
    if written.isascii():
        return written
    return "".join(f"\\u{ord(char):04x}" if 0xD800 <= ord(char) <= 0xDFFF else char for char in written)


def _number(number: float) -> str:
    """A number as JavaScript prints the double that it is."""
    if isinstance(number, int) and -_EXACT <= number <= _EXACT:
        return str(number)
    try:
        double = float(number)
    except OverflowError:
        return "null"
    if not math.isfinite(double):
        return "null"
    if double == 0:
        return "0"
    sign, digits, exponent = _shortest(double)
    point = len(digits) + exponent
    if len(digits) <= point <= 21:
        return f"{sign}{digits}{'0' * exponent}"
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    power = f"e{'+' if point > 0 else '-'}{abs(point - 1)}"
    return f"{sign}{digits[0]}{'.' if len(digits) > 1 else ''}{digits[1:]}{power}"


def _shortest(double: float) -> tuple[str, str, int]:
    """Sign, the fewest digits that mean this double, and the power of ten of the last one."""
    mantissa, _, power = repr(abs(double)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    exponent = int(power or 0) - len(fraction)
    digits = (whole + fraction).lstrip("0")
    stripped = digits.rstrip("0")
    return ("-" if double < 0 else ""), stripped, exponent + len(digits) - len(stripped)
