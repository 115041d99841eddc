"""The trace of one run: which file, what the call says of it, and what its evidence means for the details."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from piflows.interpreter.guards.budget import STOPS
from piflows.interpreter.guards.redact import Redactor
from piflows.interpreter.machine import Machine
from piflows.interpreter.trace import names
from piflows.interpreter.trace.export import Export
from piflows.interpreter.trace.fold import Fold, Setup
from piflows.interpreter.trace.sink import Sink
from piflows.ir.diagnostic import FlowError, diagnostic, error_object, error_text
from piflows.ir.flow import Flow

Json = dict[str, Any]

FILE, STRICT = "PI_FLOWS_TRACE_FILE", "PI_FLOWS_TRACE_STRICT"
YES = ("1", "true", "yes")


def trace_file(flow: Flow, env: Mapping[str, str]) -> str:
    """The file that a run of this Flow is traced to: the call's, else the host's; empty for none."""
    return flow.about.get("traceFile") or env.get(FILE, "")


def strict(flow: Flow, env: Mapping[str, str]) -> bool:
    """Whether the trace is a gate: the call's word goes before the host's."""
    said = flow.about.get("traceStrict")
    return env.get(STRICT, "").strip().lower() in YES if said is None else said


class Tracing:
    """Feeds the export while a run goes on. `opened` is the run's first event.

    Raises FlowError TRACE_INCOMPLETE for a strict run whose file cannot be written: it is known before the spend.
    """

    def __init__(self, flow: Flow, opened: Json, sink: Sink, *, resumed: bool) -> None:
        self.shown: str = opened["traceFile"]
        about = flow.about
        setup = Setup(
            mode=flow.mode,
            trace=opened["run"],
            invocation=opened["invocation"],
            base=opened.get("epoch", 0),
            label=about.get("traceLabel", ""),
            context=about.get("traceContext"),
            owed=flow.records,
            why=about.get("why", ""),
            record_content=flow.record_content,
            strict=opened["strict"],
        )
        redactor = Redactor(flow.redact_secrets, opened.get("home", ""))
        self.export = Export(Fold(setup, redactor, flow.contracts.get), sink, setup.strict)
        if setup.strict and sink.problem:
            raise FlowError(diagnostic("TRACE_INCOMPLETE", problem=f"{self.shown} cannot be written, {sink.problem}"))
        if resumed:
            self.export.take_up()
        self._at = 0

    def saw(self, event: Json, effects: Any) -> None:
        """An event, and the effects that follow from it."""
        self._at = max(self._at, event["at"])
        if event["kind"] == "opened":
            self.export.opened(event)
        self.export.saw(event, effects)

    def finished(self, machine: Machine, details: Json) -> Json:
        """The details with what became of the trace. A strict run without complete evidence is refused, unless it has
        an error of its own."""
        error = details["error"]
        told, issue = self.export.finished(self._at, error and error["code"], _outcome(machine, details), self.shown)
        self.export.sink.close()
        details = details | {"trace": told}
        if issue is None or error is not None:
            return details
        refused = diagnostic("TRACE_INCOMPLETE", problem=issue)
        text = f"{error_text(refused)}\n\n{details['text'] or ''}".rstrip()
        return details | {"outcome": "refused", "error": error_object(refused), "text": text}


REFUSALS = (  # of the host, once there is a trace to write to
    "PROJECT_AGENT_APPROVAL_REQUIRED",
    "PROJECT_AGENT_APPROVAL_DENIED",
    "CHECKPOINT_APPROVAL_REQUIRED",
)


def refused(flow: Flow, code: str, opened: Json, sink: Sink) -> None:
    """Leave a root in the trace for a run that the host refused before its first child. Seed: Trace export.

    Raises what `Tracing` raises.
    """
    trace = Tracing(flow, opened, sink, resumed=False)
    trace.export.opened(opened)
    trace.export.finished(opened["at"], code, {names.REFUSED: code}, trace.shown)
    trace.export.sink.close()


def _outcome(machine: Machine, details: Json) -> Json:
    """What the root says that only the run knows."""
    flow, assessed = machine.flow, machine.record["proposal"]["assessed"]
    codes = [each["error"]["code"] for each in details["results"] if each["error"]]
    verified = assessed is not None
    return {
        names.OUTCOME_VERIFIED: verified,
        names.OUTCOME_SUCCESS: assessed,
        names.OVER_BUDGET: any(code in STOPS for code in codes),
        names.SAME_MODEL: flow.about.get("sameModelVote"),
        names.PRESET: flow.about.get("preset"),
        names.PRESET_SOURCE: flow.about.get("presetSource"),
    }
