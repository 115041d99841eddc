"""What an end proposes: outcome, error, header and text."""

from __future__ import annotations

from typing import Any

from piflows.interpreter.fill import Values, fill
from piflows.ir.caps import cut, cut_line
from piflows.ir.diagnostic import diagnostic, error_object, error_text
from piflows.ir.flow import Settle
from piflows.ir.limits import LIMITS
from piflows.ir.visible import visible

Json = dict[str, Any]


def refusal(code: str, facts: Json) -> Json:
    """The outcome of a refusal that no Settle reports."""
    found = diagnostic(code, **facts)
    return {"outcome": "refused", "error": error_object(found), "header": None, "text": error_text(found), "data": {}}


def proposed(state: Settle, slots: Values) -> Json:
    """The outcome of a Settle. A header is one line, whatever a name holds; the cap of the text counts it too."""
    error, body = None, fill(state.body, slots)
    if state.code is not None:
        refused = refusal(state.code, {name: fill(parts, slots) for name, parts in state.facts.items()})
        error, body = refused["error"], "\n\n".join(filter(None, (refused["text"], body)))
    header = cut_line(visible(fill(state.header, slots)), LIMITS.line_bytes)
    return {
        "outcome": state.outcome,
        "error": error,
        "header": header or None,
        "text": cut(body, LIMITS.text_bytes - len(f"{header}\n\n".encode() if header else b""), "Output"),
        "data": state.data,
    }
