"""The details object of a run: what is known before it, and how it ended. Seed: Details object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from piflows import __version__
from piflows.interpreter.capture import structure
from piflows.interpreter.guards.envelope import handoff
from piflows.interpreter.guards.redact import OMITTED, Redactor
from piflows.interpreter.machine import Machine
from piflows.interpreter.results import usage
from piflows.ir.caps import cut, cut_line
from piflows.ir.ceilings import as_json, disclosed
from piflows.ir.diagnostic import Diagnostic, error_lines, error_object, error_text
from piflows.ir.flow import Ceiling, Flow
from piflows.ir.limits import LIMITS, config

Json = dict[str, Any]

NO_MODE = "list"  # what the details of a refusal say when the call has no mode
NAMES = ("unit", "name", "stage", "agent", "model")  # of a result, which somebody chose; his secret is none of ours
OF_CHILDREN = frozenset(
    {
        "RETURN_ENVELOPE_INVALID",
        "RETURN_CONTRACT_MISMATCH",
        "RETURN_ENVELOPE_INCOMPLETE",
        "RETURN_DIGEST_MISMATCH",
        "CHILD_PROTOCOL_ERROR",
    }
)  # whose message names what a child wrote
FOUND = ("agentsDir", "presetsDir", "presets", "agents", "discoveryIssues")


def details(machine: Machine) -> Json:
    """What `run` reports: what was known before, outcome, header, text, results, error, and what the end adds.

    `outcome` is success, stopped (did not reach what was asked for, without a code) or refused (with `error`).
    """
    settled = machine.record["proposal"]
    flow, redactor = machine.flow, machine.redactor
    said: Json = redactor.value({name: settled[name] for name in ("header", "text", "error")})
    if not flow.record_content:
        said = said | _unsaid(said)
    return described(flow) | settled["data"] | {
        "outcome": settled["outcome"],
        "header": said["header"],
        "text": said["text"],
        "results": results(machine),
        "error": said["error"],
    }  # fmt: skip


def refusal(about: Json, error: Diagnostic) -> Json:
    """The details of a run that did not begin, with what is known of its call."""
    said: Json = Redactor(on=True, home="").value({"text": error_text(error), "error": error_object(error)})
    return about | {"outcome": "refused", "header": None, "text": said["text"], "results": [], "error": said["error"]}


def results(machine: Machine) -> list[Json]:
    """The child runs so far, each with what it has used, and with its handoff when another role consumed it.

    Texts are within their caps and secrets are gone from them; under `recordContent: false` so is whatever somebody
    wrote.
    """
    return [_result(machine, number) for number in range(len(machine.record["results"]))]


def _result(machine: Machine, number: int) -> Json:
    record = machine.record
    found: Json = record["results"][number]
    named = {name: machine.redactor.text(found[name]) for name in NAMES if found[name]}
    out: Json = (
        found
        | named
        | {
            "role": cut_line(found["role"], LIMITS.line_bytes),
            "prompt": machine.redactor.text(found["prompt"]),
            "text": cut(found["text"], LIMITS.text_bytes, "Output"),
            "stderr": cut(found["stderr"], LIMITS.stderr_bytes, "Standard error"),
            "error": machine.redactor.value(found["error"]),
            "usage": usage(record["spent"], number),
        }
    )
    if f"run {found['step']}" in record["guard"]["crossed"]:
        out["handoff"] = handoff(out)
    return out if machine.flow.record_content else out | _unsaid(out)


def _unsaid(value: Json) -> Json:
    """What somebody wrote in a result, or in the report, as it is told when content is not recorded: status, usage and
    identifiers stay."""
    out = {name: OMITTED for name in ("text", "prompt", "stderr") if value.get(name)}
    kept = {name: structure(value[name]) for name in ("envelope", "handoff") if name in value}
    if (error := value.get("error")) is None:
        return out | kept
    names = error["code"] in OF_CHILDREN
    error = error | {"cause": OMITTED} | ({"message": OMITTED} if names else {})
    return out | kept | {"error": error} | ({"text": error_lines(error)} if "header" in value else {})


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
