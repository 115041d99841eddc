"""What the journal of a run keeps when content is not recorded: structure alone.

A run whose journal lacks a text that is still to be read cannot be resumed, and says so before it spends.
Seed: Parameters (recordContent).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from piflows.interpreter.guards.redact import OMITTED, Redactor, withhold
from piflows.interpreter.program import Program
from piflows.ir.flow import Action, Gate, Settle, Stage, State
from piflows.ir.gates import Round
from piflows.ir.plan import Over

Json = dict[str, Any]

TEXTS = ("text", "stderr")
KEPT = ("schemaVersion", "contractId", "status", "retry")  # of an envelope: what decides, and no prose


def safe(event: Json, redactor: Redactor) -> Json:
    """An event as it is written down: what a child declared is looked at by its names, and told without secrets."""
    if event["kind"] == "inspected":
        return event | {"files": redactor.value(event["files"])}
    if (returned := event.get("returned")) is None:
        return event
    return event | {"returned": returned | redactor.value({name: returned[name] for name in ("paths", "digests")})}


def withheld(event: Json) -> Json:
    """An event as it is written down: with none of what a child or a command said, and with a mark that says so."""
    if "text" not in event:
        return event
    out = event | {name: OMITTED for name in TEXTS if event.get(name)} | {"withheld": True}
    if event["kind"] == "childFailed":
        out["facts"] = withhold(event["facts"])
    if (returned := event.get("returned")) is not None and returned["envelope"] is not None:
        found: Json = returned["envelope"]
        kept = withhold(found) | {name: found[name] for name in KEPT if name in found}
        out["returned"] = returned | {"envelope": kept}
    return out


def lacks(record: Json, program: Program) -> str:
    """The state whose unrecorded text somebody may still read; empty when there is none."""
    gone = {state for state, value in record["values"].items() if _gone(value)}
    if (stage := record["stage"]) is not None and _gone(stage["done"]):
        gone.add(record["state"])
    if not gone:
        return ""
    for state in _ahead(program, record["state"]):
        for read in _reads(state):
            if read in gone:
                return read
    return ""


def _gone(value: Any) -> bool:
    if isinstance(value, list):
        return any(map(_gone, cast("list[Any]", value)))
    held = cast(Json, value) if isinstance(value, dict) else {}
    return held.get("withheld") is True or held.get("text") == OMITTED


def _ahead(program: Program, name: str) -> Iterator[State]:
    """The states that can still be entered, the current one among them."""
    seen, todo = {name}, [name]
    while todo:
        state = program.states[todo.pop()]
        yield state
        for target in state.exits.values():
            if target not in seen:
                seen.add(target)
                todo.append(target)


def _reads(state: State) -> Iterator[str]:
    """The states whose texts a state passes on to somebody who works with them. A report is withheld anyway."""
    match state:
        case Stage():
            if isinstance(state.work, Over):
                yield state.work.value.state
            units = (state.work.unit,) if isinstance(state.work, Over) else state.work.units
            yield from (read.value.state for unit in units for read in unit.reads)
        case Gate():
            yield from (read.value.state for read in state.reads)
            if not isinstance(state.test, Round) and state.says:
                yield state.test.of
        case Action():
            yield from (read.value.state for read in state.reads)
        case Settle():
            return
