"""Coordination events: what the run decides without a child, said for the trace as `note` effects.

A run that is not traced collects none. Each note has a name, a kind, whether the run itself minted it, the unit and
stage keys that it stands at, and flat attributes. Seed: Coordination events.
"""

from __future__ import annotations

from typing import Any

from piflows.interpreter import effects
from piflows.interpreter.refused import Refused
from piflows.ir.flow import Kind, Mark

Json = dict[str, Any]

_KINDS: dict[Kind, tuple[str, ...]] = {
    "handoff": ("handoff.accepted", "handoff.rejected"),
    "validation": ("envelope.validated", "envelope.rejected"),
    "artifact": ("artifact.referenced", "artifact.rejected"),
    "budget": ("child.refused", "child.wrap_up", "child.exhausted", "child.unobservable"),
}
# the events that the run itself records
MINTED = {name: Mark(name, kind, minted=True) for kind, names in _KINDS.items() for name in names}


class Marks:
    """Collects the notes of one event."""

    def __init__(self, on: bool) -> None:
        self.on = on
        self.notes: list[Json] = []

    def note(self, mark: Mark, key: str, stage: str, attributes: Json) -> None:
        """One event."""
        if self.on:
            self.notes.append(effects.note(mark.name, mark.kind, mark.minted, key, stage, attributes))

    def minted(self, name: str, key: str, stage: str, attributes: Json) -> None:
        """An event of the run's own."""
        self.note(MINTED[name], key, stage, attributes)

    def crossed(self, held: Json, found: Json, policy: str) -> None:
        """A text crossed, or was withheld: what of it went on, never what it said."""
        if self.on and "key" in held:
            name = "handoff.accepted" if found["action"] != "fail" else "handoff.rejected"
            self.minted(name, f"{held['key']}.handoff", held.get("stage", ""), handoff_facts(held, found, policy))

    def refused(self, sent: Json, refused: Refused) -> None:
        """A child was not started because of a budget."""
        if self.on:
            at = f"{sent['unit']}.budget"
            self.minted("child.refused", at, sent["stage"], _budget(refused.facts, refused_agent=sent["agent"]))

    def wrapped_up(self, result: Json, delivered: bool) -> None:
        """A child had been told to wrap up."""
        if self.on:
            facts: Json = {"flow.budget.wrapup_agent": result["agent"], "flow.budget.wrapup_delivered": delivered}
            self.minted("child.wrap_up", f"{result['unit']}.wrapup", result["stage"], facts)

    def ended(self, result: Json, code: str, graceful: bool) -> None:
        """A budget ended a child."""
        if self.on:
            name = "child.exhausted" if code == "BUDGET_EXCEEDED" else "child.unobservable"
            facts: Json = {"flow.budget.terminated_agent": result["agent"], "flow.budget.graceful": graceful}
            self.minted(name, f"{result['unit']}.budget", result["stage"], facts)

    def returned(self, result: Json, event: Json, refused: list[Any] | None) -> None:
        """A return under a contract was judged, and so was each file that it declares."""
        if not self.on:
            return
        key, stage = result["unit"], result["stage"]
        verdict = "validated" if refused is None else "rejected"
        facts: Json = {} if refused is None else {"flow.error_code": refused[0]}
        self.minted(f"envelope.{verdict}", f"{key}.validation", stage, facts)
        name = "artifact.referenced" if refused is None else "artifact.rejected"
        for number, path in enumerate(event["returned"]["paths"], 1):
            found: Json = {"flow.artifact.path": path, "flow.artifact.from_agent": result["agent"]}
            self.minted(name, f"{key}.artifact-{number}", stage, {**found, "flow.artifact.verified": refused is None})

    def drain(self) -> list[Json]:
        """What was noted, once."""
        out, self.notes = self.notes, []
        return out


def _budget(facts: Json, **more: Any) -> Json:
    authority: Json = {"authority": facts["authority"].lower()} if "authority" in facts else {}
    return {f"flow.budget.{name}": value for name, value in (authority | more).items()}


def handoff_facts(held: Json, found: Json, policy: str) -> Json:
    """What the trace says of a text that was prepared for its readers."""
    flagged, action = bool(found["labels"]), found["action"]
    envelope: Json = held.get("envelope") or {}
    facts: Json = {
        "compatibility": "typed" if envelope else "legacy-prose",
        "status": envelope.get("status", "completed" if held.get("status", "ok") == "ok" else "failed"),
        "contract_id": envelope.get("contractId", "(legacy)"),
        "from_agent": held.get("agent", ""),
        "from_step": held.get("step"),
        "acceptance": "accepted" if action != "fail" else "rejected:HANDOFF_POLICY_VIOLATION",
        "evidence_count": len(envelope.get("evidence", ())),
        "artifact_count": len(envelope.get("artifactReferences", ())),
        "digest_count": len(envelope.get("digests", ())),
        "changed_state_count": len(envelope.get("changedState", ())),
        "unresolved_count": len(envelope.get("unresolvedQuestions", ())),
        "retryable": envelope.get("retry", {}).get("retryable", False),
        "injection_warnings": ", ".join(found["labels"]),
        "policy": policy,
        "policy_action": action,
        "scan_flagged": flagged,
        "payload_propagated": flagged and action == "warn",
        "payload_withheld": action in ("quarantine", "fail"),
        "sensitive_request_propagated": action == "warn" and any("exfiltration" in each for each in found["labels"]),
        "compositional": found["compositional"],
        "raw_bytes": found["rawBytes"],
        "carried_bytes": found["carriedBytes"],
        "filtered": found["carriedBytes"] < found["rawBytes"],
    }
    return {f"flow.handoff.{name}": value for name, value in facts.items() if value is not None}
