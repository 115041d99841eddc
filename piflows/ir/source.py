"""Where a thing stands in the text that a person or a model wrote."""

from __future__ import annotations

from piflows.ir.frozen import frozen


@frozen
class Where:
    """A place in a source text; each field is as exact as what is known.

    `file` as the person named it ("" = no file), `pointer` an RFC 6901 pointer into the JSON value of that text
    ("" = the whole), `line` and `column` from 1, `column` counted in characters, not in bytes.
    """

    file: str = ""
    pointer: str = ""
    line: int | None = None
    column: int | None = None


NOWHERE = Where()
