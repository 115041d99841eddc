"""A Stage: who may start now.

Pure functions over the state of one visit, a JSON value: `label` the stage key, `level` the next wave, `queue` the
units that may start (in order; under `ready` a heap of their urgencies), `waiting` the open needs per unit
(`ready`), `alive` how many run, `failed` whether one has, `done` each unit's record or None, `items` the list of a
Stage made `over` one.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import Any

from piflows.interpreter.program import Shape
from piflows.ir.flow import Stage

Json = dict[str, Any]


def begin(stage: Stage, shape: Shape, visit: int, label: str, items: list[Any] | None) -> Json:
    """The state of a Stage that is entered."""
    size = len(shape.units) if items is None else len(items)
    state: Json = {
        "visit": visit,
        "label": label,
        "items": items,
        "level": 0,
        "queue": [],
        "waiting": [],
        "alive": 0,
        "failed": False,
        "done": [None] * size,
    }
    if items is not None:
        state["queue"] = list(range(size))
    elif stage.schedule == "first":
        state["queue"] = shape.levels[0][:1]
    elif stage.schedule == "ready":
        state["waiting"] = [len(needs) for needs in shape.needs]
        state["queue"] = [shape.urgency[unit] for unit in shape.levels[0]]
        heapify(state["queue"])
    return state


def start(stage: Stage, shape: Shape, state: Json, room: int) -> list[int]:
    """Take the units that start now, at most `room`, in the order in which they start."""
    if stage.schedule == "ready" and state["failed"] and stage.failure == "stop":
        return []
    if state["items"] is None and stage.schedule == "ready":
        queue: list[int] = state["queue"]
        out = [shape.by_urgency[heappop(queue)] for _ in range(min(room, len(queue)))]
    else:
        if stage.schedule == "wave" and state["items"] is None:
            _next_wave(stage, shape, state)
        out = state["queue"][:room]
        del state["queue"][:room]
    state["alive"] += len(out)
    return out


def settle(stage: Stage, shape: Shape, state: Json, unit: int, record: Json) -> None:
    """A unit is over."""
    state["alive"] -= 1
    state["done"][unit] = record
    if record["status"] != "ok":
        state["failed"] = True
    elif stage.schedule == "ready" and state["items"] is None:
        waiting, queue = state["waiting"], state["queue"]
        for dependent in shape.dependents[unit]:
            waiting[dependent] -= 1
            if not waiting[dependent]:
                heappush(queue, shape.urgency[dependent])


def left_by(stage: Stage, state: Json) -> str | None:
    """The exit of a Stage in which nothing runs and nothing more starts; None while there is something to wait for."""
    if state["alive"]:
        return None
    if state["failed"] and stage.failure == "stop":
        return "failed"
    if stage.schedule == "first":
        return "then"
    return "then" if all(done is not None for done in state["done"]) else "stuck"


def _next_wave(stage: Stage, shape: Shape, state: Json) -> None:
    """Under `wave`: open the next level that has a unit to start, once the one before is over."""
    halted = state["failed"] and stage.failure == "stop"
    while not state["queue"] and not state["alive"] and state["level"] < len(shape.levels) and not halted:
        opened: int = state["level"]
        level = shape.levels[opened]
        state["level"] = opened + 1
        done = state["done"]
        state["queue"] = [
            unit for unit in level if all(done[need] and done[need]["status"] == "ok" for need in shape.needs[unit])
        ]
