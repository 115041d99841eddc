"""The plan as an operator reads it before paying: who runs when, with which powers, how often at most, and every end.

Plain text, wrapped, from a Flow alone. A mark `*` stands before every unit that may write. Where a state is entered
more than once, keys are those of its first visit.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from textwrap import shorten
from typing import NamedTuple, assert_never

from piflows.compiler.render import amounts, words
from piflows.compiler.render.units import barriers, flow_units, key, reading_order, unit_key, waves
from piflows.ir.actions import Command
from piflows.ir.bounds import bounds
from piflows.ir.ceilings import UNCAPPED, disclosed
from piflows.ir.digest import digest
from piflows.ir.flow import Action, Flow, Gate, Settle, Stage, State
from piflows.ir.fold import WIDTH, cells, fold, padded
from piflows.ir.gates import Round
from piflows.ir.limits import LIMITS
from piflows.ir.plan import Over
from piflows.ir.unit import Unit
from piflows.ir.visible import visible

KEY_MOST = 22  # cells; a longer key has its line for itself
NAME, NAME_MOST = 12, 22  # cells of the column of names; a longer name has its line for itself
ASK_MOST = 150  # characters of what a unit asks for
GOAL_MOST = 400
FACT = len("reads  ")


class Row(NamedTuple):
    """What will be wrapped: `lead`, then `said`, whose later lines begin with `hang` spaces."""

    lead: str
    said: str = ""
    hang: int = 2


def plan_text(flow: Flow, width: int = WIDTH, assumed: Collection[str] = ()) -> str:
    """The whole plan in lines of at most `width` cells; the last one ends with a newline.

    `assumed` names the parameters (task, why) that nobody has given yet, so that a preset can be looked at.
    """
    shared = words.shared_ask(flow_units(flow))
    blocks = [_header(flow, shared, assumed), *(_state(state, flow, shared) for state in reading_order(flow))]
    return "\n".join("\n".join(_folded(block, width)) + "\n" for block in blocks)


def _folded(rows: Iterable[Row], width: int) -> Iterator[str]:
    for row in rows:
        yield from fold(row.said, width, row.lead, row.hang)


def _header(flow: Flow, shared: str, assumed: Collection[str]) -> list[Row]:
    ceilings = [amounts.ceiling(limit) for limit in disclosed(flow)] or [UNCAPPED]
    limits = [("timeout", f"{amounts.duration(flow.timeout_ms)} for each child run")]
    limits += [("ceilings", said) for said in ceilings]
    units = flow_units(flow)
    rows = [
        ("preset", _preset(flow)),
        ("not given", _assumed(assumed)),
        ("why", "" if "why" in assumed else str(flow.about.get("why") or "")),
        ("asks", shorten(shared, GOAL_MOST, placeholder=" …")),
        ("digest", digest(flow)[: words.DIGEST_SHOWN]),
        ("spends", amounts.spends(bounds(flow), flow.concurrency)),
        *_barriers(flow),
        ("models", words.models(flow.roles[unit.role] for unit in units)),
        *(limits if units else []),
        ("returns", words.returns(flow)),
        ("recorded", words.recorded(flow)),
        ("secrets", words.secrets(flow)),
        ("can write", _writers(flow)),
        ("starts with", flow.entry),
        ("every end", f"goes on to {flow.epilogue}" if flow.epilogue else ""),
    ]
    return [Row("PLAN  ", words.title(flow)), *_rows(rows)]


def _preset(flow: Flow) -> str:
    name, source = flow.about.get("preset"), flow.about.get("presetSource")
    return f"{name or ''}{' (project preset)' if source == 'project' else ''}"


def _assumed(names: Collection[str]) -> str:
    """What a preset still lacks. The task's place is seen as the placeholder itself."""
    said = {"task": "the task, seen here as {task} (--task)", "why": "the why (--why)"}
    return "; ".join(said[name] for name in said if name in names)


def _barriers(flow: Flow) -> list[tuple[str, str]]:
    prices = barriers(flow)
    named = len(prices) > 1
    return [("barrier", f"{name}: " * named + amounts.barrier(price)) for name, price in prices]


def _writers(flow: Flow) -> str:
    units = flow_units(flow)
    count = sum(words.writes(flow.roles[unit.role]) for unit in units)
    if not count:
        return "no unit" if units else ""
    shared = "; they may share a directory" if flow.allow_shared_write else ""
    return f"{count} of {amounts.counted(len(units), 'unit')}, marked *{shared}"


def _state(state: State, flow: Flow, shared: str) -> list[Row]:
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


def _title(state: State) -> Row:
    return Row(f"{state.kind.upper()}  ", visible(state.name))


def _stage(stage: Stage, flow: Flow, shared: str) -> list[Row]:
    levels = waves(stage)
    out = _row("label", key(stage.label)) if key(stage.label) != stage.name else []
    out += _row("runs", words.schedule(stage, len(levels)))
    if isinstance(stage.work, Over):
        many = amounts.between(stage.work.least, stage.work.cap)
        out += _row("over", f"{words.value(stage.work.value)}: one unit for each item, {many} items")
    width = min(KEY_MOST, max((cells(visible(unit_key(stage, unit))) for wave in levels for unit in wave), default=0))
    for number, wave in enumerate(levels, 1):
        if len(levels) > 1:
            out.append(Row("  ", f"{'level' if stage.schedule == 'ready' else 'wave'} {number}"))
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
        f"under  {words.contract(role, flow)}" if role.contract else "",
        f"asks   {shorten(asks, ASK_MOST, placeholder=' …')}" if asks != shared else "",
        f"needs  {visible(', '.join(unit.needs))}" if unit.needs else "",
        *(f"reads  {words.handoff(handoff)}" for handoff in unit.reads),
    ]
    return tuple(filter(None, said))


def _unit(name: str, writes: bool, facts: tuple[str, ...], width: int) -> list[Row]:
    """The unit's key in a column, beside it the facts."""
    mark = "*" if writes else " "
    beside = 6 + width
    rows = [Row(" " * beside, said, beside + FACT) for said in facts]
    if cells(name) > width:
        return [Row(f"  {mark} ", name, 4), *rows]
    return [rows[0]._replace(lead=f"  {mark} {padded(name, width)}  "), *rows[1:]]


def _gate(gate: Gate) -> list[Row]:
    name = "bound" if isinstance(gate.test, Round) else "decides"
    says = [(f"says {outcome}", words.line(said)) for outcome, said in sorted(gate.says.items())]
    return _rows([(name, words.condition(gate)), *says])


def _action(action: Action) -> list[Row]:
    rows = [("does", words.effect(action))]
    if isinstance(action.do, Command):
        kept = "" if action.do.cap == LIMITS.command_bytes else f"; output kept up to {amounts.size(action.do.cap)}"
        rows += [("cwd", words.line(action.do.cwd)), ("timeout", amounts.duration(action.do.timeout_ms) + kept)]
    return _rows(rows)


def _reads(state: Gate | Action | Settle) -> list[Row]:
    return [line for handoff in state.reads for line in _row("reads", words.handoff(handoff))]


def _exits(state: State, flow: Flow) -> list[Row]:
    """One row per exit; an exit that ends the flow says how."""
    ends = {end.name: f" ({words.outcome(end)})" for end in flow.states if isinstance(end, Settle)}
    return _rows([(name, f"-> {target}{ends.get(target, '')}") for name, target in words.exits(state)])


def _rows(rows: Iterable[tuple[str, str]]) -> list[Row]:
    return [row for name, said in rows if said for row in _row(name, said)]


def _row(name: str, said: str) -> list[Row]:
    """A name in its column, beside it what is said."""
    name, hang = visible(name), 2 + NAME
    if cells(name) > NAME_MOST:
        return [Row("  ", name), Row(" " * hang, visible(said), hang)]
    return [Row(f"  {padded(name, NAME - 1)} ", visible(said), hang)]
