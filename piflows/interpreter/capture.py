"""What the journal of a run keeps when content is not recorded: structure alone.

A run whose journal lacks a text that is still to be read cannot be resumed, and says so before it spends.
Seed: Parameters (recordContent).
"""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import normpath
from typing import Any, cast

from piflows.interpreter.events import Event
from piflows.interpreter.guards.redact import OMITTED, Redactor, withhold
from piflows.interpreter.program import Program
from piflows.ir.flow import Action, Gate, Settle, Stage, State
from piflows.ir.gates import Round
from piflows.ir.plan import Over

Json = dict[str, Any]

TEXTS = ("text", "stderr")
REFUSALS = ("refused", "misfit")
KEPT = ("schemaVersion", "contractId", "status")  # of an envelope: what decides, and no prose


def recorded(record: Json, event: Event, redactor: Redactor, *, content: bool) -> Event:
    """An event as it is written down: without secrets, and without `content` with none of what anybody said."""
    if event["kind"] == "inspected" and (live := record["live"].get(event["effect"])) is not None:
        shown = _shown(live["settled"]["returned"]["paths"], redactor, content)
        return event | {"files": {shown.get(path, path): found for path, found in event["files"].items()}}
    if "returned" in event:
        event = event | {"returned": _declared(event["returned"], redactor, content)}
    return event if content else _withheld(event)


def _declared(returned: Json, redactor: Redactor, content: bool) -> Json:
    """A return that names files by what may be told of their names. `renamed`: they cannot be looked for any more."""
    shown = _shown(returned["paths"], redactor, content)
    plain = {normpath(path): name for path, name in shown.items()}
    digests = [
        {**each, "artifact": plain.get(normpath(each["artifact"]), redactor.text(each["artifact"]))}
        for each in returned["digests"]
    ]
    renamed = any(path != name for path, name in shown.items())
    return returned | {"paths": list(shown.values()), "digests": digests, "renamed": renamed}


def _shown(paths: list[str], redactor: Redactor, content: bool) -> dict[str, str]:
    """What each path is told as; no two alike."""
    out: dict[str, str] = {}
    for number, path in enumerate(paths, 1):
        name = redactor.text(path) if content else f"artifact {number}"
        out[path] = name if name not in out.values() else f"{name} ({number})"
    return out


def _withheld(event: Event) -> Event:
    """An event with none of what a child or a command said, and with a mark that says so. A blank text stays one."""
    if "text" not in event:
        return event
    out = event | {name: OMITTED for name in TEXTS if event.get(name, "").strip()} | {"withheld": True}
    if event["kind"] == "childFailed":
        out["facts"] = withhold(event["facts"])
    if (returned := event.get("returned")) is not None:
        refusals = {name: returned[name] and [returned[name][0], withhold(returned[name][1])] for name in REFUSALS}
        out["returned"] = returned | refusals
        if (found := returned["envelope"]) is not None:
            kept = structure(found) | {name: found[name] for name in KEPT if name in found}
            kept["retry"] = kept["retry"] | {"retryable": found["retry"]["retryable"]}
            out["returned"]["envelope"] = kept
    return out


def structure(envelope: Json) -> Json:
    """An envelope of which its own members are told and no word; its data, whose keys are the child's, is not."""
    return withhold({**envelope, "data": ""})


def lacks(record: Json, program: Program) -> str:
    """The state whose unrecorded text somebody may still read, or whose files can no longer be looked at for want of
    their names; empty when there is none."""
    waiting = [live["settled"] for live in record["live"].values() if "settled" in live]
    if any(_gone(event) or event["returned"].get("renamed") for event in waiting):
        return record["state"]
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
    text = held.get("text")
    # what a Gate says may be made of such a text
    return held.get("withheld") is True or (isinstance(text, str) and OMITTED in text)


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
            if not isinstance(state.test, Round) and any(state.test.outcomes.values()):  # its value holds them
                yield state.test.of
        case Action():
            yield from (read.value.state for read in state.reads)
        case Settle():
            return
