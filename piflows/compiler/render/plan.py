"""The plan as an operator reads it before paying: who runs when, with which powers, how often at most, and every end.

Plain text of 80 columns, from a Flow alone. A mark `*` stands before every unit that may write. Where a state is
entered more than once, keys are those of its first visit.
"""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import shorten, wrap
from typing import assert_never

from piflows.compiler.render import amounts, words
from piflows.compiler.render.units import flow_units, key, unit_key, waves
from piflows.ir.actions import Command
from piflows.ir.bounds import bounds
from piflows.ir.digest import digest
from piflows.ir.flow import Action, Flow, Gate, Settle, Stage, State
from piflows.ir.gates import Round
from piflows.ir.limits import LIMITS
from piflows.ir.plan import Over
from piflows.ir.unit import Unit
from piflows.ir.visible import visible

WIDTH = 80
KEY_MOST = 22  # a longer key has its line for itself
ASK_MOST = 150  # characters of what a unit asks for
GOAL_MOST = 400
FACT = len("reads  ")
DIGEST_SHOWN = len("sha256:") + 12


def plan_text(flow: Flow) -> str:
    """The whole plan; its last line ends with a newline."""
    shared = words.shared_ask(flow_units(flow))
    blocks = [_header(flow, shared), *(_state(state, flow, shared) for state in flow.states)]
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _header(flow: Flow, shared: str) -> list[str]:
    ceilings = [amounts.ceiling(limit) for limit in flow.ceilings] or ["uncapped: no cost or token ceiling"]
    limits = [("timeout", f"{amounts.duration(flow.timeout_ms)} for each child run")]
    limits += [("ceilings", said) for said in ceilings]
    rows = [
        ("preset", str(flow.about.get("preset") or "none")),
        ("why", str(flow.about.get("why") or "")),
        ("asks", shorten(shared, GOAL_MOST, placeholder=" …")),
        ("digest", digest(flow)[:DIGEST_SHOWN]),
        ("spends", amounts.spends(bounds(flow), flow.concurrency)),
        ("models", words.models(flow.roles[unit.role] for unit in flow_units(flow))),
        *(limits if flow_units(flow) else []),
        ("can write", _writers(flow)),
        ("starts with", flow.entry),
        ("every end", f"goes on to {flow.epilogue}" if flow.epilogue else ""),
    ]
    return [f"PLAN  {visible(flow.mode)}", *_rows(rows)]


def _writers(flow: Flow) -> str:
    units = flow_units(flow)
    count = sum(words.writes(flow.roles[unit.role]) for unit in units)
    if not count:
        return "no unit" if units else ""
    shared = "; they may share a directory" if flow.allow_shared_write else ""
    return f"{count} of {amounts.counted(len(units), 'unit')}, marked *{shared}"


def _state(state: State, flow: Flow, shared: str) -> list[str]:
    match state:
        case Stage():
            return [_title(state), *_stage(state, flow, shared), *_exits(state, flow)]
        case Gate():
            return [_title(state), *_gate(state), *_reads(state), *_exits(state, flow)]
        case Action():
            return [_title(state), *_action(state), *_reads(state), *_exits(state, flow)]
        case Settle():
            rows = [
                ("outcome", words.outcome(state)),
                ("facts", words.facts(state)),
                ("says", words.line(state.header)),
            ]
            return [_title(state), *_rows(rows), *_reads(state)]
        case _:
            assert_never(state)


def _title(state: State) -> str:
    return f"{state.kind.upper()}  {visible(state.name)}"


def _stage(stage: Stage, flow: Flow, shared: str) -> list[str]:
    levels = waves(stage)
    out = _row("label", key(stage.label)) if key(stage.label) != stage.name else []
    out += _row("runs", words.schedule(stage, len(levels)))
    if isinstance(stage.work, Over):
        many = amounts.between(stage.work.least, stage.work.cap)
        out += _row("over", f"{words.value(stage.work.value)}: one unit for each item, {many} items")
    width = min(KEY_MOST, max((len(visible(unit_key(stage, unit))) for wave in levels for unit in wave), default=0))
    for number, wave in enumerate(levels, 1):
        if len(levels) > 1:
            out.append(f"  {'level' if stage.schedule == 'ready' else 'wave'} {number}")
        said: dict[tuple[str, ...], str] = {}  # facts -> the first unit of this wave that has them
        for unit in wave:
            facts, name = _facts(unit, flow, shared), visible(unit_key(stage, unit))
            same = f"same as {said[facts]}" if facts in said else ""
            out += _unit(name, words.writes(flow.roles[unit.role]), (same,) if same else facts, width)
            said.setdefault(facts, name)
    return out


def _facts(unit: Unit, flow: Flow, shared: str) -> tuple[str, ...]:
    """What is said of a unit, one fact per line."""
    role = flow.roles[unit.role]
    asks = words.asks(unit)
    said = [
        f"agent  {words.who(role)}",
        f"tools  {words.tools(role)}{' (can write)' if words.writes(role) else ''}",
        f"model  {words.model(role)}",
        f"cwd    {words.line(role.cwd)}" if role.cwd else "",
        f"asks   {shorten(asks, ASK_MOST, placeholder=' …')}" if asks != shared else "",
        f"needs  {visible(', '.join(unit.needs))}" if unit.needs else "",
        *(f"reads  {words.handoff(handoff)}" for handoff in unit.reads),
    ]
    return tuple(filter(None, said))


def _unit(name: str, writes: bool, facts: tuple[str, ...], width: int) -> list[str]:
    """The unit's key in a column, beside it the facts."""
    mark = "*" if writes else " "
    lead = f"  {mark} {name:<{width}}  "
    if len(name) > width:
        return [*_wrapped(f"  {mark} ", name), *_hung(" " * (6 + width), facts)]
    first, *rest = _hung(" " * len(lead), facts)
    return [lead + first.strip(), *rest]


def _hung(indent: str, lines: Iterable[str]) -> list[str]:
    """Facts at an indent, each as `name  what is said`; wrapped text stands below what is said."""
    return [out for said in lines for out in _wrapped(indent, said, len(indent) + FACT)]


def _gate(gate: Gate) -> list[str]:
    name = "bound" if isinstance(gate.test, Round) else "decides"
    says = [(f"says {outcome}", words.line(said)) for outcome, said in sorted(gate.says.items())]
    return _rows([(name, words.condition(gate)), *says])


def _action(action: Action) -> list[str]:
    rows = [("does", words.effect(action))]
    if isinstance(action.do, Command):
        kept = "" if action.do.cap == LIMITS.command_bytes else f"; output kept up to {amounts.size(action.do.cap)}"
        rows += [("cwd", words.line(action.do.cwd)), ("timeout", amounts.duration(action.do.timeout_ms) + kept)]
    return _rows(rows)


def _reads(state: Gate | Action | Settle) -> list[str]:
    return [line for handoff in state.reads for line in _row("reads", words.handoff(handoff))]


def _exits(state: State, flow: Flow) -> list[str]:
    """One row per exit; an exit that ends the flow says how."""
    ends = {end.name: f" ({words.outcome(end)})" for end in flow.states if isinstance(end, Settle)}
    return _rows([(name, f"-> {target}{ends.get(target, '')}") for name, target in words.exits(state)])


def _rows(rows: Iterable[tuple[str, str]]) -> list[str]:
    return [line for name, said in rows if said for line in _row(name, said)]


def _row(name: str, said: str) -> list[str]:
    """A name in its column, beside it what is said, wrapped."""
    return _wrapped(f"  {visible(name):<12}", visible(said), 14)


def _wrapped(lead: str, said: str, indent: int | None = None) -> list[str]:
    return wrap(
        said,
        WIDTH,
        initial_indent=lead,
        subsequent_indent=" " * (len(lead) if indent is None else indent),
        break_on_hyphens=False,
    ) or [lead.rstrip()]
