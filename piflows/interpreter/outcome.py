"""What an end proposes: outcome, error, header and text."""

from __future__ import annotations

from typing import Any, cast

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
    return {
        "outcome": "refused",
        "error": error_object(found),
        "header": None,
        "text": error_text(found),
        "data": {},
        "assessed": None,
    }


def proposed(state: Settle, slots: Values) -> Json:
    """The outcome of a Settle. A header is one line, whatever a name holds; the cap of the text counts it too."""
    error, body = None, fill(state.body, slots)
    if state.code is not None:
        refused = refusal(state.code, {name: fill(parts, slots) for name, parts in state.facts.items()})
        error, body = refused["error"], "\n\n".join(filter(None, (refused["text"], body)))
    elif state.outcome == "stopped":
        error = _spent(slots)
    header = cut_line(visible(fill(state.header, slots)), LIMITS.line_bytes)
    return {
        "outcome": state.outcome,
        "error": error,
        "header": header or None,
        "text": cut(body, _room(header), "Output"),
        "data": state.data,
        "assessed": state.assessed,
    }


def _spent(slots: Values) -> Json | None:
    """The error of a flow that stopped at a run which its budget refused or ended: that is more than a failed child."""
    for read in slots.slots.values():
        if isinstance(read, dict) and (error := cast(Json, read).get("error")) is not None:
            return error
    return None


def reported(outcome: Json, warning: str, incomplete: str) -> Json:
    """An outcome with what its reader must know of the texts that it was made from."""
    if outcome["outcome"] == "refused" or not (warning or incomplete):
        return outcome
    header = cut_line(" ".join(filter(None, (outcome["header"], incomplete))), LIMITS.line_bytes)
    text = "\n\n".join(filter(None, (warning, outcome["text"])))
    return outcome | {"header": header or None, "text": cut(text, _room(header), "Output")}


def _room(header: str) -> int:
    """How many bytes the cap of an answer leaves its text."""
    return LIMITS.text_bytes - len(f"{header}\n\n".encode() if header else b"")
