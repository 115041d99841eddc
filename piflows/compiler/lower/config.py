"""Config: directories, defaults and bounds that a call would run under. No child runs. Seed: Modes; Parameters."""

from __future__ import annotations

from piflows.compiler import discovered
from piflows.compiler.lower.make import Maker
from piflows.grammar.call import Call
from piflows.ir.flow import Flow
from piflows.ir.limits import config
from piflows.ir.parts import text
from piflows.ir.visible import visible

NAME, RECORDS = "config", frozenset[str]()

TIERS = ("fast", "capable", "deep")


def lower(call: Call, make: Maker) -> Flow:
    """One Settle, whose text is known now. Of the call only `agentScope` counts: it decides what was found."""
    found = discovered.data(make.catalog, make.home)
    lines = [
        f"agentScope: {call.agent_scope}",
        *(f"agentsDir.{source}: {visible(path)}" for source, path in found["agentsDir"].items()),
        *(f"presetsDir.{source}: {visible(path)}" for source, path in found["presetsDir"].items()),
        *(f"{name}: {value}" for name, value in config().items()),
        *(f"modelTier.{tier}: chosen by the backend, no model is pinned here" for tier in TIERS),
        *(f"discoveryIssue: {line}" for line in discovered.issue_lines(make.catalog.issues, make.home)),
    ]
    make.settle("answer", "success", body=text("\n".join(lines)), data=found | {"config": config()})
    return make.flow("answer")
