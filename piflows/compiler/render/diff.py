"""What changed between two Flows, in the terms of the plan: spend, bounds, units, handoffs, exits.

Each Flow is a table of facts, (kind, name) -> field -> what is said of it; two tables are compared. So the work is
linear, and a renamed id is one thing that went and another that came. A Flow with another digest always has another
table: what no fact says is the fact `else`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields
from difflib import unified_diff
from typing import Any, Literal

from piflows.compiler.render import amounts, words
from piflows.compiler.render.units import barriers, flow_units, key, waves
from piflows.ir.actions import Command
from piflows.ir.bounds import bounds
from piflows.ir.caps import cut_line
from piflows.ir.ceilings import disclosed
from piflows.ir.digest import digest
from piflows.ir.flow import Action, Flow, Gate, Settle, Stage, State
from piflows.ir.fold import WIDTH, fold
from piflows.ir.frozen import frozen
from piflows.ir.gates import Round
from piflows.ir.limits import LIMITS
from piflows.ir.parts import Parts
from piflows.ir.plan import Over
from piflows.ir.unit import Unit
from piflows.ir.visible import visible

Json = dict[str, Any]
Facts = dict[str, str]
Table = dict[tuple[str, str], Facts]

PROMPT = "prompt"  # the field whose lines are compared
ELSE = "else"  # the field that only says that something differs
_SIGN = {"added": "+", "removed": "-", "changed": "~"}
_TOLD = (
    "agent",
    "tools",
    "model",
    "cwd",
    "contract",
    "objective",
    "budget",
    "needs",
    "decides",
    "bound",
    "does",
    "outcome",
)  # of what came or went
_COMPARED = 1_000_000  # lines times lines
_FEW = 20  # changed lines of a prompt that are shown


@frozen
class Change:
    """One thing that came, went or differs. `fields`: (field, before, after), where "" is: not there."""

    how: Literal["added", "removed", "changed"]
    kind: str
    name: str
    fields: tuple[tuple[str, str, str], ...]


def diff(before: Flow, after: Flow) -> list[Change]:
    """What changed, what went at its old place; empty exactly when both have one digest."""
    if digest(before) == digest(after):
        return []
    old, new = _table(before), _table(after)
    places: dict[tuple[str, str], None] = dict.fromkeys([*old, *new])
    return [change for place in places if (change := _change(place, old.get(place), new.get(place)))]


def _change(place: tuple[str, str], old: Facts | None, new: Facts | None) -> Change | None:
    before: Facts = old or {}
    after: Facts = new or {}
    names: dict[str, None] = dict.fromkeys([*before, *after])
    said = [(name, before.get(name, ""), after.get(name, "")) for name in names]
    said = [each for each in said if each[1] != each[2]]
    how = "added" if old is None else "removed" if new is None else "changed"
    plain = [each for each in said if each[0] != ELSE]
    said = plain if plain or how != "changed" else said
    return Change(how, *place, tuple(said)) if said or how != "changed" else None


# ---- facts ------------------------------------------------------------------------------------------------------


def _table(flow: Flow) -> Table:
    """Empty facts are left out."""
    table: Table = {("plan", ""): _head(flow), **_contracts(flow)}
    for state in flow.states:
        table[state.kind, state.name] = _state(state)
        if isinstance(state, Stage):
            levels = waves(state)
            for number, level in enumerate(levels, 1):
                for unit in level:
                    wave = str(number) if len(levels) > 1 else ""
                    table["unit", f"{state.name}.{unit.name}"] = _unit(unit, flow, wave)
    return {place: {name: said for name, said in facts.items() if said} for place, facts in table.items()}


def _contracts(flow: Flow) -> Table:
    """The contracts by what they are for; of several for one thing the later ones by their identity too."""
    table: Table = {}
    for name, contract in flow.contracts.items():
        called = cut_line(visible(contract["objective"]), LIMITS.id_bytes)
        called += f" ({name[: words.DIGEST_SHOWN]})" if ("contract", called) in table else ""
        table["contract", called] = {
            **{member: visible(_as_given(value)) for member, value in contract.items() if value not in ([], {})},
            ELSE: name,
        }
    return table


def _as_given(value: object) -> str:
    """What a call said, as it said it: a text bare, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _head(flow: Flow) -> Facts:
    ceilings = {f"ceiling {limit.authority} {limit.what}": amounts.ceiling(limit) for limit in disclosed(flow)}
    about = {name: visible(_as_given(flow.about[name])) for name in sorted(flow.about)}
    return {
        "mode": visible(flow.mode),
        **about,
        "digest": digest(flow)[: words.DIGEST_SHOWN],
        "spends": amounts.spends(bounds(flow), flow.concurrency),
        **{f"barrier {name}": amounts.barrier(price) for name, price in barriers(flow)},
        "models": words.models(flow.roles[unit.role] for unit in flow_units(flow)),
        "timeout": amounts.duration(flow.timeout_ms),
        **(ceilings or {"ceilings": "uncapped"}),
        "shared writes": "allowed" if flow.allow_shared_write else "",
        "returns": words.returns(flow),
        "recorded": words.recorded(flow),
        "secrets": words.secrets(flow),
        "starts with": visible(flow.entry),
        "every end": visible(flow.epilogue),
        ELSE: repr((flow.incomplete, flow.records)),
    }


def _state(state: State) -> Facts:
    exits = {f"exit {name}": visible(target) for name, target in words.exits(state)}
    match state:
        case Stage():
            facts = {"label": visible(key(state.label)), "runs": words.schedule(state, len(waves(state)))}
            if isinstance(state.work, Over):
                facts["over"] = f"{words.value(state.work.value)}, {state.work.least} to {state.work.cap} items"
            else:
                facts["units"] = visible(", ".join(unit.name for unit in state.work.units))
            return facts | exits | {ELSE: repr((state.label, state.schedule, state.failure, _work(state)))}
        case Gate():
            name = "bound" if isinstance(state.test, Round) else "decides"
            facts = {name: words.condition(state)}
            facts |= {f"says {outcome}": words.line(said) for outcome, said in sorted(state.says.items())}
        case Action():
            facts = {"does": words.effect(state)}
            if isinstance(state.do, Command):
                cap = amounts.size(state.do.cap)
                facts |= {"cwd": words.line(state.do.cwd), "output": cap}
                facts["timeout"] = amounts.duration(state.do.timeout_ms)
        case Settle():
            facts = {"outcome": words.outcome(state), "facts": words.facts(state), "says": words.line(state.header)}
            facts |= {PROMPT: _text(state.body)}
    reads = {f"reads {read.slot}": words.handoff(read) for read in state.reads}
    return facts | reads | exits | {ELSE: repr(state)}


def _work(stage: Stage) -> object:
    """What is left of a Stage's work when its units have said their own."""
    work = stage.work
    return (work.value, work.cap, work.least) if isinstance(work, Over) else work.revision


def _unit(unit: Unit, flow: Flow, wave: str) -> Facts:
    role = flow.roles[unit.role]
    return {
        "wave": wave,
        "agent": words.who(role),
        "tools": words.tools(role) + (" (can write)" if words.writes(role) else ""),
        "model": words.model(role),
        "cwd": words.line(role.cwd),
        "contract": words.contract(role, flow),
        "needs": visible(", ".join(unit.needs)),
        **{f"reads {read.slot}": words.handoff(read) for read in unit.reads},
        PROMPT: _text(unit.prompt),
        "system prompt": visible(role.prompt, keep_newlines=True),
        ELSE: repr((role, [(field.name, getattr(unit, field.name)) for field in fields(unit) if field.name != "role"])),
    }


def _text(parts: Parts) -> str:
    return visible(words.draft(parts), keep_newlines=True)


# ---- forms ------------------------------------------------------------------------------------------------------


def diff_text(before: Flow, after: Flow, width: int = WIDTH) -> str:
    """The changes as people read them; empty when there is none."""
    return "".join(f"{line}\n" for change in diff(before, after) for line in _lines(change, width))


def diff_json(before: Flow, after: Flow) -> Json:
    """`same`, both digests, and `changes`: `change`, `kind`, `name`, `fields` (`field`, `before`, `after`; null: not
    there; the field `else` has neither: something differs that the plan does not show)."""
    return {
        "same": digest(before) == digest(after),
        "before": digest(before),
        "after": digest(after),
        "changes": [
            {
                "change": change.how,
                "kind": change.kind,
                "name": change.name,
                "fields": [
                    {"field": name, "before": old or None, "after": new or None}
                    if name != ELSE
                    else {"field": name, "before": None, "after": None}
                    for name, old, new in change.fields
                ],
            }
            for change in diff(before, after)
        ],
    }


def lines_diff(before: str, after: str, names: tuple[str, str]) -> str:
    """The changed lines of two textual forms, as `diff -u` writes them."""
    old, new = (text.splitlines(keepends=True) for text in (before, after))
    return "".join(
        visible(line, keep_newlines=True) for line in unified_diff(old, new, visible(names[0]), visible(names[1]))
    )


def _lines(change: Change, width: int) -> Iterator[str]:
    yield from fold(f"{change.kind.upper()}  {visible(change.name)}", width, f"{_SIGN[change.how]} ", 4)
    for name, old, new in change.fields:
        if name == ELSE:
            yield "    something that the plan does not show: compare the lines of the textual forms"
        elif change.how == "changed":
            yield from _field(name, old, new, width)
        elif name in _TOLD:
            yield from fold(visible(old or new), width, f"    {name:<11} ", 16)


def _field(name: str, old: str, new: str, width: int) -> Iterator[str]:
    """Both sides in one line where they fit, else one below the other; of a text its first changed lines."""
    lines = fold(visible(f"{old or 'none'} -> {new or 'none'}"), width, f"    {visible(name):<11} ")
    if len(lines) == 1 and len(name) < 12 and "\n" not in old + new:
        yield from lines
        return
    changed = [f"-{old or 'none'}", f"+{new or 'none'}"]
    if "\n" in old + new:
        changed = _changed(old.split("\n"), new.split("\n"))
    yield from fold(visible(name), width, "    ")
    for line in changed[:_FEW]:
        yield from fold(line[1:], width, f"      {line[0]} ")
    if len(changed) > _FEW:
        yield f"      … and {amounts.counted(len(changed) - _FEW, 'line')} more"


def _changed(old: list[str], new: list[str]) -> list[str]:
    """The lines that went, with `-` before them, and those that came, with `+`. What begins and ends alike is cut off
    first; of what is too long to be compared line by line, all went and all came."""
    same = 0
    while same < min(len(old), len(new)) and old[same] == new[same]:
        same += 1
    old, new = old[same:], new[same:]
    while old and new and old[-1] == new[-1]:
        del old[-1], new[-1]
    if len(old) * len(new) > _COMPARED:
        return [*(f"-{line}" for line in old), *(f"+{line}" for line in new)]
    return [line for line in unified_diff(old, new, n=0, lineterm="") if line[:2] != "@@"][2:]
