"""The details object of a run: what is known before it, and how it ended. Seed: Details object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from piflows import __version__
from piflows.interpreter.machine import Machine
from piflows.interpreter.results import usage
from piflows.ir.caps import cut, cut_line
from piflows.ir.ceilings import as_json, disclosed
from piflows.ir.diagnostic import Diagnostic, error_object, error_text
from piflows.ir.flow import Ceiling, Flow
from piflows.ir.limits import LIMITS, config

Json = dict[str, Any]

NO_MODE = "list"  # what the details of a refusal say when the call has no mode
FOUND = ("agentsDir", "presetsDir", "presets", "agents", "discoveryIssues")


def details(machine: Machine) -> Json:
    """What `run` reports: what was known before, outcome, header, text, results, error, and what the end adds.

    `outcome` is success, stopped (did not reach what was asked for, without a code) or refused (with `error`).
    """
    settled = machine.record["proposal"]
    return described(machine.flow) | settled["data"] | {
        "outcome": settled["outcome"],
        "header": settled["header"],
        "text": settled["text"],
        "results": results(machine),
        "error": settled["error"],
    }  # fmt: skip


def refusal(about: Json, error: Diagnostic) -> Json:
    """The details of a run that did not begin, with what is known of its call."""
    outcome: Json = {"outcome": "refused", "header": None, "text": error_text(error), "results": []}
    return about | outcome | {"error": error_object(error)}


def results(machine: Machine) -> list[Json]:
    """The child runs so far, each with what it has used, its texts within their caps."""
    record = machine.record
    return [
        each
        | {
            "role": cut_line(each["role"], LIMITS.line_bytes),
            "text": cut(each["text"], LIMITS.text_bytes, "Output"),
            "stderr": cut(each["stderr"], LIMITS.stderr_bytes, "Standard error"),
            "usage": usage(record["spent"], number),
        }
        for number, each in enumerate(record["results"])
    ]


def described(flow: Flow) -> Json:
    """What a Flow says of its call before the run."""
    about = flow.about
    return known(flow.mode, about.get("preset"), about.get("agentScope", "user"), disclosed(flow))


def known(
    mode: str = NO_MODE, preset: str | None = None, scope: str = "user", ceilings: Sequence[Ceiling] = ()
) -> Json:
    """The part of the details that is known before the run, also of a call that has no Flow.

    What discovery has found (`FOUND`) is null here, as for a saved plan, for which nobody looks; who has looked puts
    it in (`compiler.discovered.joined`).
    """
    return {
        "version": __version__,
        "mode": mode,
        "preset": preset,
        "agentScope": scope,
        "config": config(),
        **dict.fromkeys(FOUND),
        "budgetCeilings": as_json(ceilings),
        "approvals": [],
    }
