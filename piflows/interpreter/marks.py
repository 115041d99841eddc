"""Coordination events: what the run decides without a child, said for the trace as `note` effects.

A run that is not traced collects none. Each note has a name, a kind, whether the run itself minted it, the unit and
stage keys that it stands at, and flat attributes. Seed: Coordination events.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from piflows.interpreter import effects
from piflows.interpreter.guards.budget import FLOW, Limit
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


REJECTED = Mark("handoff.rejected", "validation", minted=True)  # by its contract; the guard's is a handoff event
SPENT = {"maxCostUsd": "cost_usd", "maxTokens": "tokens", "maxGeneratedTokens": "generated_tokens"}


class Marks:
    """Collects the notes of one event."""

    def __init__(self, on: bool) -> None:
        self.on = on
        self.notes: list[Json] = []

    def note(self, mark: Mark, key: str, stage: str, attributes: Json, needs: Sequence[str] = ()) -> None:
        """One event; `needs` are the keys that it depends on."""
        if self.on:
            self.notes.append(effects.note(mark.name, mark.event, mark.minted, key, stage, needs, attributes))

    def minted(self, name: str, at: str, of: Json, attributes: Json) -> None:
        """An event of the run's own, beside the child run `of`, at a key made from its key."""
        self.note(MINTED[name], f"{of['unit']}.{at}", of["stage"], attributes, [of["unit"]])

    def facts(self, effect: str, limits: Sequence[Limit], accounts: Json, event: Json) -> None:
        """What an ended child counts as, and what is spent of the budgets that govern it."""
        if self.on:
            said: Json = {"flow.stop_reason": event["stopReason"], "flow.error_code": event.get("code", "")}
            self.notes.append(effects.facts(effect, said | _state(limits, accounts)))

    def crossed(self, held: Json, found: Json, policy: str) -> None:
        """A text crossed, or was withheld: what of it went on, never what it said."""
        if self.on and "key" in held:
            name = "handoff.accepted" if found["action"] != "fail" else "handoff.rejected"
            of = {"unit": held["key"], "stage": held.get("stage", "")}
            self.minted(name, "handoff", of, handoff_facts(held, found, policy))

    def refused(self, sent: Json, refused: Refused) -> None:
        """A child was not started because of a budget."""
        if self.on:
            authority = refused.facts.get("authority", "")
            facts: Json = {"flow.budget.authority": str(authority).lower(), "flow.budget.refused_agent": sent["agent"]}
            self.note(MINTED["child.refused"], f"{sent['unit']}.budget", sent["stage"], facts)

    def wrapped_up(self, result: Json, delivered: bool) -> None:
        """A child had been told to wrap up."""
        if self.on:
            facts: Json = {"flow.budget.wrapup_agent": result["agent"], "flow.budget.wrapup_delivered": delivered}
            self.minted("child.wrap_up", "wrapup", result, facts)

    def ended(self, result: Json, code: str, graceful: bool) -> None:
        """A budget ended a child."""
        if self.on:
            name = "child.exhausted" if code == "BUDGET_EXCEEDED" else "child.unobservable"
            facts: Json = {"flow.budget.terminated_agent": result["agent"], "flow.budget.graceful": graceful}
            self.minted(name, "budget", result, facts)

    def returned(self, result: Json, event: Json, refused: list[Any] | None, *, consumed: bool) -> None:
        """A return under a contract was judged, and so was each file that it declares.

        One that another role is there to consume is a handoff: it is accepted when it crosses, or rejected here. Any
        other is a report to the parent.
        """
        if not self.on:
            return
        facts: Json = {} if refused is None else {"flow.error_code": refused[0]}
        if not consumed:
            self.minted(f"envelope.{'validated' if refused is None else 'rejected'}", "validation", result, facts)
        elif refused is not None:
            facts["flow.handoff.acceptance"] = f"rejected:{refused[0]}"
            self.note(REJECTED, f"{result['unit']}.handoff", result["stage"], facts, [result["unit"]])
        name = "artifact.referenced" if refused is None else "artifact.rejected"
        for number, path in enumerate(event["returned"]["paths"], 1):
            found: Json = {"flow.artifact.path": path, "flow.artifact.from_agent": result["agent"]}
            self.minted(name, f"artifact-{number}", result, {**found, "flow.artifact.verified": refused is None})

    def drain(self) -> list[Json]:
        """What was noted, once."""
        out, self.notes = self.notes, []
        return out


def _state(limits: Sequence[Limit], accounts: Json) -> Json:
    """The budgets after a run: what is spent, and of what there is a limit."""
    out: Json = {}
    for limit in limits:
        prefix = "flow.budget" if limit.account == FLOW else "flow.contract_budget"
        for what, said in SPENT.items():
            out[f"{prefix}.spent_{said}"] = accounts.get(limit.account, {}).get(what, 0)
        out[f"{prefix}.limit_{SPENT[limit.ceiling.what]}"] = limit.ceiling.limit
    return out


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
