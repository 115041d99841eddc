"""What crosses from one role to another: each text is prepared once, by the handoff guard, before anybody reads it.

The guard's state lies in the run's record: its history, the first violation, which is latched, and what was prepared.
Seed: Handoff injection policy.
"""

from __future__ import annotations

from typing import Any, cast

from piflows.interpreter.guards import handoff
from piflows.interpreter.marks import Marks
from piflows.interpreter.refused import Refused
from piflows.ir.unit import Handoff

Json = dict[str, Any]

VIOLATION = "HANDOFF_POLICY_VIOLATION"
QUARANTINED = "quarantine"


def fresh() -> Json:
    """The guard of a run.

    prepared  per text, by whom it was written, what became of it
    latched   the facts of the first violation
    flagged   the labels of what was suspicious, in the order in which they were met
    crossed   the runs that somebody consumed
    """
    return {**handoff.fresh(), "latched": None, "prepared": {}, "crossed": {}, "flagged": []}


def crossed(
    record: Json, value: Any, read: Handoff, marks: Marks, reader: int, *, spared: bool = False
) -> tuple[Any, tuple[str, ...]]:
    """A value as its consumer may have it, and the labels of what is suspicious in it. `spared`: the consumer learns of
    a failed run that it failed, and nothing of what it wrote.

    Raises Refused HANDOFF_POLICY_VIOLATION under the policy `fail`; the first violation of a run is kept.
    """
    labels: dict[str, None] = {}
    of = read.value  # an item is another text for each reader
    place = f"{of.state}#{record['visits'].get(of.state, 0)} {of.pick} {reader if of.pick == 'item' else of.unit}"
    if of.pick == "item":
        place += f" of {record['state']}#{record['visits'].get(record['state'], 0)}"
    out = _each(record, value, read, place, marks, labels, spared=spared)
    return out, tuple(labels)


def violation(record: Json) -> Refused | None:
    """The latched violation: nothing is dispatched after it."""
    found = record["guard"]["latched"]
    return None if found is None else Refused(VIOLATION, **found)


def withheld(record: Json, held: Json) -> bool:
    """Whether a run's answer was quarantined before its control value was used."""
    return record["guard"]["prepared"].get(f"run {held['step']}", {}).get("action") == QUARANTINED


def warning(record: Json) -> str:
    """What the report says of texts that crossed although they are suspicious; empty when none did."""
    return handoff.warning(record["guard"]["flagged"])


def incomplete(record: Json) -> str:
    """What the header says of returns that were used although they are not complete; empty when none was."""
    used = [each for each in record["results"] if each.get("envelope", {}).get("status") in ("partial", "blocked")]
    crossed = [each for each in used if f"run {each['step']}" in record["guard"]["crossed"]]
    if not crossed:
        return ""
    said = ", ".join(f"{each['agent']}:{each['envelope']['status']}" for each in crossed)
    return f"Included incomplete handoffs by explicit policy: {said}."


def _each(
    record: Json, value: Any, read: Handoff, place: str, marks: Marks, labels: dict[str, None], *, spared: bool
) -> Any:
    if isinstance(value, list):
        listed = cast("list[Any]", value)
        return [
            _each(record, each, read, f"{place}/{at}", marks, labels, spared=spared) for at, each in enumerate(listed)
        ]
    held = cast(Json, value) if isinstance(value, dict) else {}
    if not isinstance(held.get("text"), str):
        return cast(Any, value)
    if read.form == "envelope" and "step" in held:  # it says of itself what it is worth
        held = {**held, "compatibility": "typed" if "envelope" in held else "legacy-prose"}
    prepared = _prepared(record, held, read, place, marks, untold=spared and held.get("status") == "failed")
    labels.update(dict.fromkeys(prepared["labels"]))
    if prepared["action"] == QUARANTINED:
        return {**held, "text": prepared["text"], "control": None, "reason": ""}
    return held if prepared["text"] is None else {**held, "text": prepared["text"]}


def _prepared(record: Json, held: Json, read: Handoff, place: str, marks: Marks, *, untold: bool) -> Json:
    """What the guard makes of a text, once: whoever reads it later gets the same, or less under a stricter policy. Of a
    run whose text is `untold`, nothing crosses that could be suspicious."""
    guard, key = record["guard"], place
    if "step" in held:
        guard["crossed"][f"run {held['step']}"] = True
        key = f"run {held['step']}{' untold' if untold else ''}"
    if key not in guard["prepared"]:
        found = handoff.kept_back(held["text"]) if untold else handoff.prepare(guard, held["text"], read.policy)
        guard["prepared"][key] = found
        found["text"] = None if found["text"] == held["text"] else found["text"]
        marks.crossed(held, found, read.policy)
        if found["labels"]:
            guard["flagged"] += [label for label in found["labels"] if label not in guard["flagged"]]
    found = guard["prepared"][key]
    if found["labels"] and handoff.stricter(found["action"], read.policy) != found["action"]:
        found = guard["prepared"][key] = handoff.held_to(found, read.policy)
        marks.crossed(held, found, read.policy)
    if found["action"] == "fail":
        facts = {"producer": _producer(held, read), "labels": found["labels"]}
        guard["latched"] = guard["latched"] or facts
        raise Refused(VIOLATION, **guard["latched"])
    return found


def _producer(held: Json, read: Handoff) -> str:
    return f'"{held["agent"]}" ({held["key"]})' if "agent" in held else read.value.state
