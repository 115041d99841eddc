"""The details object of a finished run. Seed: Details object."""

from __future__ import annotations

from typing import Any

from piflows.interpreter.machine import Machine
from piflows.interpreter.results import usage
from piflows.ir.flow import Flow

Json = dict[str, Any]


def details(machine: Machine) -> Json:
    """What `run` reports: mode, outcome, header, text, results, error, and what the Flow says about its call.

    `outcome` is success, stopped (did not reach what was asked for, without a code) or refused (with `error`).
    """
    settled = machine.record["proposal"]
    about = described(machine.flow)
    return about | settled["data"] | {
        "outcome": settled["outcome"],
        "header": settled["header"],
        "text": settled["text"],
        "results": results(machine),
        "error": settled["error"],
    }  # fmt: skip


def results(machine: Machine) -> list[Json]:
    """The child runs so far, each with what it has used."""
    record = machine.record
    return [each | {"usage": usage(record["spent"], number)} for number, each in enumerate(record["results"])]


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
