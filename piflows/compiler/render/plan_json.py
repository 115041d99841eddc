"""The plan as JSON, for tools: what `plan_text` says, with every value under its own name.

Top level: `mode`, `preset`, `digest`, `irVersion`, `concurrency`, `timeoutMs`, `ceilings` (a list, or the word
`uncapped`), `bounds`, `barrier` (what it costs each Stage that has one: `ir.barrier`), `waves` (lists of unit
keys, every Stage once, in the Flow's order), `entry`, `epilogue`,
`allowSharedWriteCwd`, `incompleteHandoffPolicy`, `recordContent`, `redactSecrets`, `contracts` (each as it was given,
by its identity, which roles and units name), `states` and `roles`. `null` means unknown or none; nothing is left out.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, assert_never

from piflows.compiler.render import words
from piflows.compiler.render.units import barriers, flow_waves, key, unit_key, wave_keys, waves
from piflows.ir.barrier import Barrier
from piflows.ir.bounds import bounds
from piflows.ir.ceilings import as_json, disclosed
from piflows.ir.digest import digest
from piflows.ir.flow import Action, Flow, Gate, Settle, Stage, State
from piflows.ir.gates import Round
from piflows.ir.plan import Over
from piflows.ir.shared_write import write_capable
from piflows.ir.unit import Handoff, Role, Unit

Json = dict[str, Any]


def plan_json(flow: Flow) -> Json:
    """The whole plan as plain JSON values."""
    cost = bounds(flow)
    return {
        "mode": flow.mode,
        "preset": flow.about.get("preset"),
        "digest": digest(flow),
        "irVersion": flow.version,
        "concurrency": flow.concurrency,
        "timeoutMs": flow.timeout_ms,
        "ceilings": as_json(disclosed(flow)) or "uncapped",
        "bounds": {
            "leastRuns": cost.least_runs,
            "mostRuns": cost.most_runs,
            "leastWaves": cost.least_waves,
            "mostWaves": cost.most_waves,
        },
        "barrier": [_barrier(name, price) for name, price in barriers(flow)],
        "waves": flow_waves(flow),
        "entry": flow.entry,
        "epilogue": flow.epilogue or None,
        "allowSharedWriteCwd": flow.allow_shared_write,
        "incompleteHandoffPolicy": flow.incomplete,
        "recordContent": flow.record_content,
        "redactSecrets": flow.redact_secrets,
        "contracts": dict(flow.contracts),
        "states": [_state(state, flow) for state in flow.states],
        "roles": {name: _role(flow.roles[name]) for name in sorted(flow.roles)},
    }


def _barrier(stage: str, price: Barrier) -> Json:
    return {
        "stage": stage,
        "units": price.units,
        "waves": price.waves,
        "steps": price.steps,
        "readySteps": price.ready_steps,
        "held": price.held,
        "worstRatio": price.worst,
    }


def _state(state: State, flow: Flow) -> Json:
    out: Json = {"name": state.name, "kind": state.kind, "exits": dict(words.exits(state))}
    match state:
        case Stage():
            return out | _stage(state, flow)
        case Gate():
            times = state.test.times if isinstance(state.test, Round) else None
            out |= {"condition": words.condition(state), "test": asdict(state.test), "timesBack": times}
        case Action():
            out |= {"effect": state.do.kind, "does": words.effect(state)}
        case Settle():
            facts = {name: words.draft(said) for name, said in sorted(state.facts.items())}
            out |= {"outcome": state.outcome, "code": state.code, "facts": facts}
        case _:
            assert_never(state)
    return out | {"reads": [_handoff(handoff) for handoff in state.reads]}


def _stage(stage: Stage, flow: Flow) -> Json:
    work = stage.work
    over = isinstance(work, Over) and {"value": words.value(work.value), "least": work.least, "cap": work.cap}
    return {
        "label": key(stage.label),
        "schedule": stage.schedule,
        "failure": stage.failure,
        "over": over or None,
        "waves": wave_keys(stage),
        "units": [
            {"wave": number} | _unit(stage, unit, flow) for number, wave in enumerate(waves(stage), 1) for unit in wave
        ],
    }


def _unit(stage: Stage, unit: Unit, flow: Flow) -> Json:
    role = _role(flow.roles[unit.role])
    slot = role.pop("slot")
    return {
        "name": unit.name,
        "key": unit_key(stage, unit),
        "role": slot,
        **role,
        "openEnd": unit.open_end,
        "needs": list(unit.needs),
        "reads": [_handoff(handoff) for handoff in unit.reads],
    }


def _role(role: Role) -> Json:
    return {
        "agent": role.agent,
        "slot": role.slot,
        "source": role.source,
        "tools": None if role.tools is None else list(role.tools),
        "writeCapable": bool(write_capable(role)),
        "model": role.model,
        "tier": role.tier,
        "thinking": role.thinking,
        "cwd": words.draft(role.cwd),
        "protocol": role.protocol,
        "contract": role.contract or None,
        "account": role.account or None,
    }


def _handoff(handoff: Handoff) -> Json:
    return {
        "slot": handoff.slot,
        "from": words.value(handoff.value),
        "form": handoff.form,
        "policy": handoff.policy,
        "cap": handoff.cap,
        "absent": handoff.absent,
        "instead": handoff.instead if handoff.absent == "text" else None,
    }
