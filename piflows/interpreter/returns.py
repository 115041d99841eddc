"""What a child came back with: its text as it may be kept, its control value, and its return under a contract.

`distilled` works on a report before it is journalled; whatever needs the raw text happens there, once, so a replay
reads the outcome from the journal. `judged` then decides, when the facts of declared files are known.
Seed: Return requirements, delegation contracts, and write isolation.
"""

from __future__ import annotations

from typing import Any

from piflows.grammar.control import control_of_data, parse_control
from piflows.interpreter.events import Event
from piflows.interpreter.guards import envelope
from piflows.interpreter.guards.envelope import Rejected
from piflows.interpreter.guards.handoff import strip
from piflows.interpreter.guards.redact import Redactor
from piflows.ir.caps import cut
from piflows.ir.flow import Flow
from piflows.ir.limits import LIMITS
from piflows.ir.unit import Role, Unit

Json = dict[str, Any]


def distilled(flow: Flow, role: Role | None, redactor: Redactor, report: Json) -> Json:
    """A child's final report as it is kept: secrets and what is too long are gone from it. One that comes too late for
    its role, None, says nothing more.

    `control` is its value under the role's protocol, from the text as it came or, under a contract, from its data
    alone. `returned` holds, under a contract, what was found: `refused` (by shape or identity) and `misfit` (by data)
    as [code, facts] or None, the `paths` and `digests` that it declares, and the `envelope` as it is stored.
    """
    text, stderr = kept(report["text"], redactor), kept(report["stderr"], redactor, "Standard error")
    out = report if (text, stderr) == (report["text"], report["stderr"]) else {**report, "text": text, "stderr": stderr}
    if report["kind"] == "childFailed":
        out = {**out, "facts": redactor.value(report["facts"])}
    if role is None:
        return out
    if role.contract:
        return out | _returned(flow, role, redactor, report["text"])
    if role.protocol is not None:
        out = {**out, "control": parse_control(role.protocol, report["text"], role.candidates)}
    return out


def kept(text: str, redactor: Redactor, label: str = "Output") -> str:
    """A text as it goes into journal, state and report. Its secrets go before the cap, which must not halve one."""
    if not text:
        return text
    safe = redactor.text(text)
    if not (text.isascii() and text.isprintable()):
        plain = strip(text)
        if plain != text and redactor.changed(plain):  # a character that nobody sees hid a secret
            safe = redactor.text(plain)
    return safe if len(safe) * 4 <= LIMITS.text_bytes else cut(safe, LIMITS.text_bytes, label)


def _returned(flow: Flow, role: Role, redactor: Redactor, text: str) -> Json:
    found = envelope.candidate(text)
    refused = envelope.examine(found, role.contract)
    if refused is not None:
        return {
            "returned": {
                "refused": redactor.value(_pair(refused)),
                "paths": [],
                "digests": [],
                "misfit": None,
                "envelope": None,
            }
        }
    returned: Json = {
        "refused": None,
        "paths": envelope.paths(found),
        "digests": found["digests"],
        "misfit": redactor.value(_pair(envelope.conforms(found, flow.contracts[role.contract]))),
        "envelope": redactor.value(envelope.kept(found)),
    }
    if role.protocol is None:
        return {"returned": returned}
    return {"returned": returned, "control": control_of_data(role.protocol, found["data"], role.candidates)}


def _pair(rejected: Rejected | None) -> list[Any] | None:
    return None if rejected is None else [rejected.code, rejected.facts]


def judged(flow: Flow, unit: Unit, event: Event, files: Json) -> tuple[list[Any] | None, Json | None]:
    """Why a return is refused, as [code, facts], and the envelope when it is not. `files`: the facts per path.

    Integrity is asked before conformance. A return to the parent may be incomplete where its unit is `open_end`.
    """
    returned = event["returned"]
    if returned["refused"] is not None:
        return returned["refused"], None
    found = returned["envelope"]
    refused = _pair(envelope.artifacts(returned["paths"], returned["digests"], files)) or returned["misfit"]
    if refused is None and not unit.open_end:
        refused = _pair(envelope.completion(found, flow.incomplete))
    return (refused, None) if refused is not None else (None, found)
