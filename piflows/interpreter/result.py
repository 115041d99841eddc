"""The details object of a finished run. Seed: Details object."""

from __future__ import annotations

from typing import Any

from piflows.interpreter.guards.envelope import handoff
from piflows.interpreter.guards.redact import OMITTED, withhold
from piflows.interpreter.machine import Machine
from piflows.interpreter.results import usage
from piflows.ir.flow import Flow

Json = dict[str, Any]


def details(machine: Machine) -> Json:
    """What `run` reports: mode, outcome, header, text, results, error, and what the Flow says about its call.

    `outcome` is success, stopped (did not reach what was asked for, without a code) or refused (with `error`).
    """
    settled = machine.record["proposal"]
    flow, redactor = machine.flow, machine.redactor
    said: Json = redactor.value({name: settled[name] for name in ("header", "text", "error")})
    if not flow.record_content:
        said = _structure(said)
    return described(flow) | settled["data"] | {
        "outcome": settled["outcome"],
        "header": said["header"],
        "text": said["text"],
        "results": results(machine),
        "error": said["error"],
    }  # fmt: skip


def results(machine: Machine) -> list[Json]:
    """The child runs so far, each with what it has used, and with its handoff when another role consumed it.

    Secrets are gone from them; under `recordContent: false` so is whatever somebody wrote.
    """
    return [_result(machine, number) for number in range(len(machine.record["results"]))]


def _result(machine: Machine, number: int) -> Json:
    record = machine.record
    found: Json = record["results"][number]
    out = found | {"usage": usage(record["spent"], number), "prompt": machine.redactor.text(found["prompt"])}
    if f"run {found['step']}" in record["guard"]["crossed"]:
        out["handoff"] = handoff(out)
    return out if machine.flow.record_content else _structure(out)


def _structure(value: Json) -> Json:
    """A result, or the report, without what somebody wrote: status, usage and identifiers stay."""
    out = dict(value)
    for name in ("text", "prompt", "stderr", "header"):
        if out.get(name):
            out[name] = OMITTED
    for name in ("envelope", "handoff"):
        if name in out:
            out[name] = withhold(out[name])
    if out.get("error"):
        out["error"] = out["error"] | {"cause": OMITTED}
    return out


def described(flow: Flow) -> Json:
    """The part of the details that is known before the run."""
    return {
        "mode": flow.mode,
        "preset": flow.about.get("preset"),
        "agentScope": flow.about.get("agentScope", "user"),
        "budgetCeilings": [
            {"authority": each.authority, "ceiling": each.what, "limit": each.limit} for each in flow.ceilings
        ],
    }
