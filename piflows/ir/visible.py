"""Control and bidi characters made visible: a terminal must not be driven by what a child, a file or a person wrote."""

from __future__ import annotations

import json
import re

# C0 but tab and newline, DEL and C1 | zero-width and direction marks | line and paragraph separator, embeddings,
# overrides | joiners, isolates, deprecated shaping | BOM | lone surrogates.
_HIDDEN = "\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff"  # a character class
_IN_TEXT, _IN_LINE = f"[{_HIDDEN}]", f"[\n\t{_HIDDEN}]"  # most commands print nothing that they are needed for
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def visible(text: str, keep_newlines: bool = False) -> str:
    r"""`text` with every hidden character as an escape: `\n`, `\x1b`, `\u202e`.

    Applying it again changes nothing. Tab and newline stay when `keep_newlines`; else the result is one line.
    """
    if text.isascii() and text.isprintable():
        return text
    return re.sub(_IN_TEXT if keep_newlines else _IN_LINE, _escape, text)


def visible_json(value: object, indent: int | None = 2) -> str:
    r"""`value` as JSON that a terminal can show: hidden characters are JSON's own `\u` escapes, so nothing is lost."""
    text = json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False)
    return re.sub(_IN_TEXT, lambda match: f"\\u{ord(match[0]):04x}", text)


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    code = ord(char)
    return _SHORT.get(char) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")
