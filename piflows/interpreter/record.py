"""What the run knows so far: one JSON value, which is also the snapshot.

A state publishes when it is left: inside a Stage a unit reads its needs as of this visit, all else as of the entry.
"""

from __future__ import annotations

from typing import Any

from piflows.interpreter import crossing
from piflows.interpreter.fill import ABSENT
from piflows.interpreter.program import Program, Shape
from piflows.interpreter.tables import ALIVE, NEW
from piflows.ir.flow import IR_VERSION
from piflows.ir.unit import Ref

Json = dict[str, Any]


def fresh() -> Json:
    """The state of a run that has not been opened.

    `values`: per state its latest published value. `all`: per Action the results of all visits. `rounds`: how often
    each went back. `led`: the Gate that led to the current state. `stage`: the Stage under way. `live` and `over`: the
    effects that run and that have settled (a child's with its number in `results`). `results`: what the details object
    lists; `spent` and `stamps`: in one row what each of them used, and the stamp of its final event. `accounts`: what
    was spent of each budget that has a ceiling. `guard`: the handoff guard's state. `proposal`: the outcome so far.
    """
    return {
        "ir": IR_VERSION,
        "run": NEW,
        "opened": None,
        "state": "",
        "led": "",
        "visits": {},
        "values": {},
        "all": {},
        "rounds": {},
        "stage": None,
        "live": {},
        "over": {},
        "results": [],
        "spent": [],
        "stamps": [],
        "accounts": {},
        "guard": crossing.fresh(),
        "proposal": None,
    }


def alive(sent: Json) -> Json:
    """What is known of an effect that was just asked for."""
    return {"phase": ALIVE, "asked": sent["kind"], "incarnation": 0, "n": 0, "began": None}


def child(sent: Json, unit: int, wave: int, result: int, role: str) -> Json:
    """The same of a child run: its unit's number and wave, its place in `results`, its role; under a contract `cwd`.

    Added when they happen: whether it was told to wrap up (`notice`: sent, seen), and the refusal of the `budget` that
    ended it. Few members make it small: there is one of every child that lives.
    """
    found: Json = {
        "phase": ALIVE, "asked": "spawn", "incarnation": 0, "n": 0, "began": None,
        "unit": unit, "wave": wave, "result": result, "role": role,
    }  # fmt: skip
    return found if sent["contract"] is None else {**found, "cwd": sent["cwd"]}


def publish(record: Json, state: str, value: Any) -> None:
    """Give a state's value to whoever comes later; ABSENT takes the old one back."""
    if value is ABSENT:
        record["values"].pop(state, None)
    else:
        record["values"][state] = value


def value(record: Json, program: Program, ref: Ref, reader: int = -1, item: Any = ABSENT) -> Any:
    """The value that a Ref names, or ABSENT. `reader` is the number of the unit that asks inside a Stage."""
    if ref.pick == "item":
        return item
    if ref.pick == "all":
        return record["all"].get(ref.state, ABSENT)
    if ref.pick == "unit":
        return _unit(record, program, ref, reader)
    found = record["values"].get(ref.state, ABSENT)
    if found is ABSENT or ref.pick == "value":
        return found
    if ref.pick == "ok":
        return [each for each in found if each["status"] == "ok"]
    return first_failed(found)


def _unit(record: Json, program: Program, ref: Ref, reader: int) -> Any:
    shape = program.shapes[ref.state]
    number = shape.index.get(ref.unit)
    if number is None:
        return ABSENT
    if reader >= 0 and record["state"] == ref.state and shape.reaches(reader, ref.unit):
        return record["stage"]["done"][number] or ABSENT
    found = record["values"].get(ref.state)
    return ABSENT if found is None or found[number]["status"] == "stranded" else found[number]


def first_failed(records: list[Json]) -> Any:
    """The first that failed: by wave, then in item order, so no settle order decides it."""
    failed = [each for each in records if each["status"] == "failed"]
    return min(failed, key=lambda each: each["wave"]) if failed else ABSENT


def count(record: Json, stage: str, status: str) -> int:
    """How many units of a Stage's latest visit have a status."""
    records = record["values"].get(stage, [])
    return len(records) if status == "all" else sum(each["status"] == status for each in records)


def stage_value(shape: Shape, under_way: Json) -> list[Json]:
    """The value of a Stage that is left: its records in item order; what never started is stranded."""
    names = [unit.name for unit in shape.units]
    return [
        done or {"unit": names[number] if under_way["items"] is None else str(number + 1), "status": "stranded"}
        for number, done in enumerate(under_way["done"])
    ]
