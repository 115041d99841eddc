"""What the plan and the pictures call things: one short phrase for each value, role, condition, effect and bound.

Every phrase is one line without hidden characters, whatever stood in the Flow.
"""

from __future__ import annotations

from collections import Counter as Counted
from collections.abc import Iterable
from dataclasses import fields

from piflows.compiler.render.amounts import counted, duration, size
from piflows.compiler.render.units import UNKNOWN
from piflows.ir.actions import Command, Doing, Wait
from piflows.ir.caps import cut_line
from piflows.ir.flow import Action, Flow, Gate, Settle, Stage, State
from piflows.ir.gates import AllPass, AtLeast, Beam, Choice, Condition, ExitZero, Round, Said, Trigger
from piflows.ir.limits import LIMITS
from piflows.ir.parts import Count, Counter, Each, Index, Part, Parts, Section, Slot, Text
from piflows.ir.plan import Plan
from piflows.ir.shared_write import write_capable
from piflows.ir.unit import Handoff, Ref, Role, Unit
from piflows.ir.visible import visible

DIGEST_SHOWN = len("sha256:") + 12
_STATE_EXITS = ("then", "failed", "stuck", "refused")


# ---- parts ------------------------------------------------------------------------------------------------------


def draft(parts: Parts) -> str:
    """Parts as a text with its gaps shown: a slot is `‹name›`, a counter `‹its round›`. May have several lines."""
    return "".join(map(_draft, parts))


def _draft(part: Part) -> str:
    match part:
        case Text():
            return part.text
        case Slot():
            return f"‹{part.name}›" if part.field == "text" else f"‹{part.name}.{part.field}›"
        case Counter():
            return f"‹{part.round}›" + (f" {part.noun.many}" if part.noun else "")
        case Index():
            return UNKNOWN
        case Count():
            return UNKNOWN if part.noun is None else f"{UNKNOWN} {part.noun.many}"
        case Section():
            return draft(part.parts)
        case Each():
            return f"‹{part.slot}›"


def line(parts: Parts) -> str:
    """`draft` as one visible line."""
    return visible(draft(parts))


def asks(unit: Unit) -> str:
    """What a prompt asks for first: its first paragraph that is no heading. May have several lines, or be empty."""
    paragraph: list[str] = []
    for raw in draft(unit.prompt).splitlines():
        text = raw.strip()
        if text and not text.startswith("#"):
            paragraph.append(text)
        elif paragraph:
            break
    return visible("\n".join(paragraph), keep_newlines=True)


def shared_ask(units: Iterable[Unit]) -> str:
    """What most of several units ask for first: a goal that their prompts begin with. Empty when there is none."""
    counts = Counted(map(asks, units))
    most, count = max(counts.items(), key=lambda item: item[1], default=("", 0))
    return most if count > 1 and 2 * count > counts.total() else ""


# ---- values, roles ----------------------------------------------------------------------------------------------


def value(ref: Ref) -> str:
    """A value by its name: `state`, `state.unit`, `state.ok`, `state.failed`, `state.all`, `item`."""
    match ref.pick:
        case "value":
            return visible(ref.state)
        case "unit":
            return visible(f"{ref.state}.{ref.unit}")
        case "item":
            return "item"
        case _:
            return visible(f"{ref.state}.{ref.pick}")


def absent(handoff: Handoff) -> str:
    """What an absent value means; empty when it refuses."""
    match handoff.absent:
        case "refuse":
            return ""
        case "omit":
            return "left out when absent"
        case "text":
            return f'"{visible(handoff.instead)}" when absent'


def crossing(handoff: Handoff) -> str:
    """How a value crosses where that is not the default: form, policy, cap, meaning of absent.

    `text` and `report` are what a child and a parent get by default.
    """
    said = [
        "" if handoff.form in ("text", "report") else f"as {handoff.form}",
        "" if handoff.policy == "warn" else f"policy {handoff.policy}",
        "" if handoff.cap == LIMITS.handoff_bytes else f"at most {size(handoff.cap)}",
        absent(handoff),
    ]
    return "; ".join(filter(None, said))


def handoff(edge: Handoff) -> str:
    """The edge as `slot <- value`, and how it crosses."""
    return visible(f"{edge.slot} <- ") + "; ".join(filter(None, (value(edge.value), crossing(edge))))


def tools(role: Role) -> str:
    """The effective tools."""
    if role.tools is None:
        return "pi defaults"
    return visible(", ".join(role.tools)) or "none"


def writes(role: Role) -> bool:
    """Whether a unit in this role may write."""
    return bool(write_capable(role))


def contract(role: Role, flow: Flow) -> str:
    """The delegation contract that a role's returns are checked against, by what it is for; empty without one."""
    if not role.contract:
        return ""
    objective = cut_line(visible(flow.contracts[role.contract]["objective"]), LIMITS.id_bytes)
    apart = ", spend counted apart" if role.account else ""
    return f'contract "{objective}" ({role.contract[:DIGEST_SHOWN]}{apart})'


def returns(flow: Flow) -> str:
    """What becomes of a return under a contract that says it is not complete; empty where there is no contract."""
    if not flow.contracts:
        return ""
    return {"fail": "an incomplete one is refused", "include": "a partial or blocked one is used, and marked"}[
        flow.incomplete
    ]


def recorded(flow: Flow) -> str:
    """What is kept of the texts of a run; empty when all is."""
    return "" if flow.record_content else "structure alone, no text (recordContent false)"


def secrets(flow: Flow) -> str:
    """Whether secrets are kept out of what is written; empty when they are."""
    return "" if flow.redact_secrets else "not redacted (redactSecrets false)"


def model(role: Role) -> str:
    """The model as far as it is known, and the thinking level when one is set."""
    thinking = f", thinking {role.thinking}" if role.thinking else ""
    return visible(_model(role) + thinking)


def _model(role: Role) -> str:
    return role.model or ("not chosen yet" + (f" (tier {role.tier})" if role.tier else ""))


def size_of(role: Role) -> str:
    """Model or tier, and thinking, in few words."""
    chosen = role.model or (f"tier {role.tier}" if role.tier else "model not chosen yet")
    return visible(", ".join(filter(None, (chosen, role.thinking and f"thinking {role.thinking}"))))


def models(roles: Iterable[Role]) -> str:
    """The models of several units with how many units want each, in order of first use."""
    counts = Counted(map(_model, roles))
    return visible("; ".join(f"{counted(count, 'unit')}: {name}" for name, count in counts.items()))


def title(flow: Flow) -> str:
    """What a Flow is called: its preset with the mode, or the mode."""
    preset = flow.about.get("preset")
    return visible(f"{preset} ({flow.mode})" if preset else flow.mode)


def who(role: Role) -> str:
    """The agent and the slot that it fills; where it comes from when that is not the package."""
    slot = "" if role.slot in ("", role.agent) else f" as {role.slot}"
    return visible(f"{role.agent}{slot}" + ("" if role.source == "package" else f" ({role.source} agent)"))


# ---- conditions, effects, exits -----------------------------------------------------------------------------------


def condition(gate: Gate) -> str:
    """What a Gate decides, as a phrase."""
    match test := gate.test:
        case AllPass():
            said = f"every verdict of {test.of} is PASS"
        case Said():
            said = f"{test.of} says that it is done"
        case Choice():
            said = f"whom {test.of} names"
        case AtLeast():
            said = f"at least {test.n} of {test.of} succeeded"
        case Beam():
            said = f"keep the {test.width} best of {test.of}"
        case ExitZero():
            said = f"{test.of} exited with 0"
        case Trigger():
            said = trigger(test)
        case Round():
            said = bound(test)
        case _:
            said = generic(test)
    return visible(said)


def trigger(test: Trigger) -> str:
    """What a Trigger waits for."""
    match test.on:
        case "success":
            return f"{test.of} exited with 0"
        case "failure":
            return f"{test.of} exited with another status than 0"
        case "match":
            return f"the output of {test.of} matches /{test.pattern}/"


def bound(test: Round) -> str:
    """How often a Round goes back."""
    return f"at most {counted(test.times, 'time')} back" + (
        f", and resets {', '.join(test.resets)}" if test.resets else ""
    )


def generic(node: Condition | Doing) -> str:
    """A condition or effect by its kind and fields: the words for a kind that has none of its own here."""
    values = (f"{field.name} {getattr(node, field.name)}" for field in fields(node) if field.name != "kind")
    return f"{node.kind} ({', '.join(values)})"


def effect(action: Action) -> str:
    """What an Action does, as a phrase."""
    match do := action.do:
        case Command():
            return line(do.command)
        case Wait():
            return f"wait {duration(do.ms)}"
        case _:
            return visible(generic(do))


def outcome(state: Settle) -> str:
    """How a Settle ends the flow."""
    if state.outcome == "keep":
        return "what was proposed stands"
    return visible(f"{state.outcome} {state.code}" if state.code else state.outcome)


def facts(state: Settle) -> str:
    """The facts of a refusal, in the order of their names."""
    return "; ".join(f"{visible(name)} {line(state.facts[name])}" for name in sorted(state.facts))


def exits(state: State) -> list[tuple[str, str]]:
    """A state's exits as (outcome, target), in the order in which the kind of state or condition names its outcomes."""
    order: tuple[str, ...] = tuple(state.test.outcomes) if isinstance(state, Gate) else _STATE_EXITS
    known = [name for name in order if name in state.exits]
    return [(name, state.exits[name]) for name in known + sorted(state.exits.keys() - set(known))]


def schedule(stage: Stage, waves: int) -> str:
    """How a Stage runs its units and what a failure means; one unit has nobody to fail for."""
    if isinstance(stage.work, Plan) and len(stage.work.units) == 1:
        return "one unit"
    match stage.schedule:
        case "wave":
            how = counted(waves, "wave") + (", one after the other" if waves > 1 else "")
        case "ready":
            how = "each unit starts once its needs are done"
        case "first":
            how = "only the first unit"
    ends = {"stop": "after a failure nothing new starts", "drain": "a failure stops only what needs it"}
    return f"{how}; {ends[stage.failure]}"
