"""Child runs: dispatch and its refusals, and what an ended child comes to.

Functions over the run's record; effects and notes are appended to what they are given. Everything here is the same for
every mode. Seed: Handoff injection policy; Return requirements, delegation contracts, and write isolation.
"""

from __future__ import annotations

from typing import Any

from piflows.interpreter import crossing, effects, record, returns
from piflows.interpreter.events import Event
from piflows.interpreter.fill import ABSENT, fill, fill_prompt
from piflows.interpreter.guards import budget
from piflows.interpreter.marks import Marks
from piflows.interpreter.program import Program, Shape, Terms
from piflows.interpreter.reads import links, values
from piflows.interpreter.refused import Refused
from piflows.interpreter.results import NO_USAGE, begun, refused_run, settled, unit_record
from piflows.ir.flow import Stage
from piflows.ir.names import effect_id
from piflows.ir.unit import Unit

Json = dict[str, Any]


def spawn(known: Json, program: Program, stage: Stage, number: int, marks: Marks, out: list[Json]) -> Json | None:
    """Dispatch unit `number` of a Stage. None when its child was asked for; else the record of a run that was refused.

    The order of refusals: a latched violation of the handoff policy, also by what this child would read; the flow's
    budget; its contract's.
    """
    shape, under_way = program.shapes[stage.name], known["stage"]
    over = under_way["items"] is not None
    at = 0 if over else number
    unit = shape.units[at]
    terms, place = program.terms[unit.role], len(known["results"])
    refused = crossing.violation(known) if known["guard"]["latched"] else None
    if (fixed := shape.fixed[at]) is not None and not unit.reads and not terms.role.cwd:
        (key, prompt), cwd = fixed, ""
    else:
        key, prompt, cwd, refused = _filled(known, program, shape, at, number, marks, refused)
    effect = effect_id(stage.name, under_way["visit"], str(number + 1) if over else unit.name)
    sent = effects.spawn(
        effect, key, under_way["label"], terms.role, prompt, cwd, terms.timeout_ms, place + 1, terms.schema
    )
    if marks.on:
        sent["dependsOn"] = links(known, program, unit, number)
    known["results"].append(begun(sent, unit.name))
    known["spent"] += NO_USAGE
    known["stamps"] += (0, 0)
    wave = 1 if over else shape.wave[number]
    if terms.limits and refused is None:
        refused = _unaffordable(known, terms, sent, marks)
    if refused is not None:
        return refused_run(known["results"][place], wave, refused)
    known["live"][effect] = record.child(sent, number, wave, place, unit.role)
    out.append(sent)
    return None


def _unaffordable(known: Json, terms: Terms, sent: Json, marks: Marks) -> Refused | None:
    """Why no child may start under these budgets."""
    found = budget.spawn_refusal(known["accounts"], terms.limits, terms.role.agent)
    if found is None:
        return None
    refused = Refused(found[0], **found[1])
    marks.refused(sent, refused)
    return refused


def _filled(
    known: Json, program: Program, shape: Shape, at: int, number: int, marks: Marks, refused: Refused | None
) -> tuple[str, str, str, Refused | None]:
    """A unit's key, prompt and directory, and why it may not start because of what it would read."""
    unit, items, spared = shape.units[at], known["stage"]["items"], shape.spared[at]
    try:
        slots = values(known, program, unit.reads, marks, number, ABSENT if items is None else items[number], spared)
    except Refused as found:
        if found.code != crossing.VIOLATION:
            raise
        slots, refused = values(known, program, (), marks), refused or found
    slots.index = number + 1
    key = fill(unit.label, slots)
    return (
        (key, fill_prompt(unit.prompt, slots), fill(program.terms[unit.role].role.cwd, slots), None)
        if refused is None
        else (key, "", "", refused)
    )


def asks_files(event: Event, live: Json) -> Json | None:
    """The effect that looks at the files which a return declares, None when nothing is to be looked at."""
    returned = event.get("returned")
    if event["kind"] != "childSettled" or not returned or returned["refused"] is not None or not returned["paths"]:
        return None
    return effects.inspect(f"{event['effect']}?files", live["cwd"], returned["paths"])


def unseen(event: Event) -> Event:
    """The end of a child whose files nobody has looked at, as the run was cancelled: nothing is said of them."""
    ended: Json = {"kind": "childFailed", "code": "CHILD_ABORTED", "facts": {}, "stopReason": "aborted"}
    return {**event, **ended, "exit": max(1, event["exit"])}


def over(known: Json, program: Program, stage: Stage, event: Event, live: Json, files: Json, marks: Marks) -> Json:
    """Enter what an ended child came to; the record that later states read."""
    result = known["results"][live["result"]]
    refused: list[Any] | None = None
    found: Json | None = None
    if "returned" in event and event["kind"] == "childSettled":
        unit = _unit(program, stage, live["unit"])
        refused, found = returns.judged(program.flow, unit, event, files)
        marks.returned(result, event, refused, consumed=(stage.name, unit.name) in program.consumed)
    if refused is not None:
        code, facts = refused
        facts = {**facts, "role": result["role"]}
        event = {**event, "kind": "childFailed", "code": code, "facts": facts, "exit": max(1, event["exit"])}
    if marks.on:
        marks.facts(event["effect"], program.terms[live["role"]].limits, known["accounts"], event)
    settled(result, event, live["began"])
    each = unit_record(result, live["wave"], event, found)
    if found is not None:
        result["envelope"] = found
    if refused is not None:
        each["refused"] = [event["code"], event["facts"]]
    return each


def invalid_return(under_way: Json) -> Refused | None:
    """The first return of a Stage, in item order, that was refused: nothing goes on from it, whatever else failed."""
    for each in under_way["done"]:
        if each is not None and "refused" in each:
            code, facts = each["refused"]
            return Refused(code, **facts)
    return None


def _unit(program: Program, stage: Stage, number: int) -> Unit:
    units = program.shapes[stage.name].units
    return units[0 if len(units) == 1 else number]
