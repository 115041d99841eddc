"""Effects: what the machine asks of a driver, as self-contained JSON data in a deterministic order.

Each has its `kind` and its `effect` id `state#visit/unit!attempt`, the same in every replay; an engine's key is
`run/effect`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from piflows.ir.unit import Role

Effect = dict[str, Any]

STARTS = frozenset({"spawn", "command", "wait", "inspect"})  # what is under way until its final event


def spawn(
    effect: str, unit: str, stage: str, role: Role, prompt: str, cwd: str, timeout_ms: int, step: int, schema: object
) -> Effect:
    """Start a child run. `cwd` is relative to the run's directory; `tools` None means pi's defaults.

    Under a contract `contract` is its identity and `returnSchema` what the data of the return must fit.
    """
    return {
        "kind": "spawn",
        "effect": effect,
        "unit": unit,
        "stage": stage,
        "step": step,
        "agent": role.agent,
        "role": role.slot,
        "source": role.source,
        "system": role.prompt,
        "prompt": prompt,
        "tools": None if role.tools is None else list(role.tools),
        "model": role.model,
        "tier": role.tier,
        "thinking": role.thinking,
        "cwd": cwd,
        "timeoutMs": timeout_ms,
        "protocol": role.protocol,
        "candidates": list(role.candidates),
        "contract": role.contract or None,
        "returnSchema": schema,
    }


def command(effect: str, line: str, cwd: str, timeout_ms: int, cap: int) -> Effect:
    """Run a shell command; its output is kept up to `cap` bytes."""
    return {"kind": "command", "effect": effect, "command": line, "cwd": cwd, "timeoutMs": timeout_ms, "cap": cap}


def wait(effect: str, ms: float) -> Effect:
    """Let a duration pass."""
    return {"kind": "wait", "effect": effect, "ms": ms}


def steer(effect: str, text: str) -> Effect:
    """Give a live child a message before its next response; `noticeSeen` proves that it arrived."""
    return {"kind": "steer", "effect": effect, "text": text}


def stop(effect: str) -> Effect:
    """Stop what that effect started. It still settles, however late."""
    return {"kind": "stop", "effect": effect}


def done() -> Effect:
    """The run is over; nothing that comes after is used."""
    return {"kind": "done", "effect": "done"}


def inspect(effect: str, cwd: str, paths: list[str]) -> Effect:
    """Look at files: whether each is there, inside `cwd`, regular, and its SHA-256."""
    return {"kind": "inspect", "effect": effect, "cwd": cwd, "paths": paths}


def note(name: str, event: str, minted: bool, key: str, stage: str, needs: Sequence[str], attributes: Effect) -> Effect:
    """An event for the trace: nobody carries it out. `needs` are the unit keys it depends on, `attributes` are flat."""
    said = {"name": name, "event": event, "minted": minted, "key": key, "stage": stage, "attributes": attributes}
    return {"kind": "note", "effect": "", **said, "dependsOn": list(needs)}


def facts(effect: str, attributes: Effect) -> Effect:
    """What the trace says of the child run of an effect beside its events."""
    return {"kind": "note", "effect": effect, "event": "facts", "attributes": attributes}
