"""What a picture of a Flow shows, before any drawing language: nodes, groups with ranks, and edges.

A Stage is a group, its waves are the ranks of the group; every other state is a node. Ids are generated (`n1`, `g1`),
so no author's word is ever an id. Labels are visible text; `dot.py` and `mermaid.py` only escape them. The Flow must
verify.
"""

from __future__ import annotations

from textwrap import wrap
from typing import Literal, assert_never

from piflows.compiler.render import amounts, words
from piflows.compiler.render.edges import Edge, Ids, edges, is_report, short
from piflows.compiler.render.units import flow_units, key, reading_order, unit_key, waves
from piflows.ir.bounds import bounds
from piflows.ir.flow import Action, Flow, Gate, Settle, Stage, State
from piflows.ir.frozen import frozen
from piflows.ir.gates import Round
from piflows.ir.plan import Over, Plan
from piflows.ir.unit import Role, Unit

START = "start"
LINE = 34  # characters of a line of a label
QUOTE = 3  # lines of what a unit asks for
GOAL = 90  # characters of a line of what all ask for
TITLE = 60  # characters of a title

Kind = Literal["start", "unit", "gate", "round", "action", "settle"]


@frozen
class Node:
    """`title` says what it is, `lines` the facts, `quote` what it asks for. `tone` is `writes`, an outcome or empty."""

    id: str
    kind: Kind
    title: str = ""
    lines: tuple[str, ...] = ()
    quote: tuple[str, ...] = ()
    tone: str = ""


@frozen
class Group:
    """A Stage: its units in ranks, each rank with its label."""

    id: str
    title: str
    line: str
    ranks: tuple[tuple[str, tuple[Node, ...]], ...]


@frozen
class Picture:
    """`lines` stand under the title: what is asked for, and what it may spend."""

    title: str
    lines: tuple[str, ...]
    items: tuple[Node | Group, ...]
    edges: tuple[Edge, ...]


def picture(flow: Flow) -> Picture:
    """The picture of a Flow that verifies."""
    ids = _ids(flow)
    shared = words.shared_ask(flow_units(flow))
    goal = _lines(shared, GOAL, QUOTE)
    spends = amounts.spends(bounds(flow), flow.concurrency)
    items = (Node(START, "start"), *(_item(state, flow, ids, shared) for state in reading_order(flow)))
    return Picture(short(words.title(flow), TITLE), (*goal, spends), items, tuple(edges(flow, ids, START)))


def _ids(flow: Flow) -> Ids:
    """A number for every state and unit, in the Flow's order."""
    states: dict[str, str] = {}
    units: dict[tuple[str, str], str] = {}
    for state in flow.states:
        if isinstance(state, Stage):
            states[state.name] = f"g{len(states) + 1}"
            for unit in (unit for wave in waves(state) for unit in wave):
                units[state.name, unit.name] = f"n{len(units) + 1}"
        else:
            states[state.name] = f"s{len(states) + 1}"
    return Ids(states, units)


def _item(state: State, flow: Flow, ids: Ids, shared: str) -> Node | Group:
    own, name = ids.states[state.name], short(state.name, TITLE)
    match state:
        case Stage():
            return _group(state, flow, ids, shared)
        case Gate():
            kind = "round" if isinstance(state.test, Round) else "gate"
            return Node(own, kind, name, _lines(words.condition(state), LINE // 2 + 6))
        case Action():
            return Node(own, "action", name, _lines(words.effect(state), LINE))
        case Settle():
            gets = (f"{read.slot} ← {words.value(read.value)}" for read in state.reads if is_report(state, read))
            lines = (line for line in (words.outcome(state), *gets) if line != name)
            return Node(own, "settle", name, tuple(short(line, TITLE) for line in lines), tone=state.outcome)
        case _:
            assert_never(state)


def _group(stage: Stage, flow: Flow, ids: Ids, shared: str) -> Group:
    levels = waves(stage)
    word = "level" if stage.schedule == "ready" else "wave"
    ranks = tuple(
        (f"{word} {number}", tuple(_unit(stage, unit, flow.roles[unit.role], ids, shared) for unit in wave))
        for number, wave in enumerate(levels, 1)
    )
    label, name = short(key(stage.label), TITLE), short(stage.name, TITLE)
    title = name if label == name else f"{name}: {label}"
    alone = isinstance(stage.work, Plan) and len(stage.work.units) == 1
    return Group(ids.states[stage.name], title, "" if alone else words.schedule(stage, len(levels)), ranks)


def _unit(stage: Stage, unit: Unit, role: Role, ids: Ids, shared: str) -> Node:
    asks = words.asks(unit)
    quote = _lines(asks, LINE, QUOTE) if asks != shared else ()
    over = stage.work
    lines = [
        f"one for each of {words.value(over.value)}, at most {over.cap}" if isinstance(over, Over) else "",
        words.who(role),
        f"tools {words.tools(role)}",
        words.size_of(role),
        f"cwd {words.line(role.cwd)}" if role.cwd else "",
    ]
    facts = tuple(line for said in lines if said for line in _lines(said, LINE))
    tone = "writes" if words.writes(role) else ""
    return Node(ids.units[stage.name, unit.name], "unit", short(unit_key(stage, unit), LINE), facts, quote, tone)


def _lines(text: str, width: int, most: int = 6) -> tuple[str, ...]:
    """A visible text in lines of at most `width`; what does not fit in `most` of them is `…`."""
    out = [line for raw in text.split("\n") for line in wrap(raw, width, break_on_hyphens=False)]
    return (*out[: most - 1], f"{out[most - 1][: width - 2]} …") if len(out) > most else tuple(out)
