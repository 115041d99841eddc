"""An exhaustive walk of a small Flow: every outcome of every Stage and Gate, with the counts of its rounds.

It knows the meaning of a Flow from docs/states.md and nothing of how bounds are computed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

from piflows.ir.flow import Flow, Gate, Settle, Stage
from piflows.ir.gates import Round
from piflows.ir.plan import Over
from piflows.ir.unit import Unit

Spent = tuple[int, int]  # child runs, waves


@dataclass(frozen=True)
class Place:
    """Where a run is: the state, how often each round went back, and the outcome proposed so far."""

    state: str
    rounds: tuple[tuple[str, int], ...] = ()
    proposed: str = ""


@dataclass(frozen=True)
class Walked:
    """Runs and waves: the least of all ways to a success (None: there is none), and the most of all ways."""

    least: tuple[int | None, int | None]
    most: Spent


def walk(flow: Flow) -> Walked:
    """Every way from the entry to the end, each place once."""
    known: dict[Place, Walked] = {}
    start = Place(flow.entry)
    path = [start]
    while path:
        place = path[-1]
        steps = list(_steps(flow, place))
        new = [onward for _, onward in steps if isinstance(onward, Place) and onward not in known]
        if new:
            path.append(new[0])
            continue
        path.pop()
        ways = [
            (spent, known[onward] if isinstance(onward, Place) else Walked((0, 0) if onward else (None, None), (0, 0)))
            for spent, onward in steps
        ]
        known[place] = Walked((_least(ways, 0), _least(ways, 1)), (_most(ways, 0), _most(ways, 1)))
    return known[start]


def _least(ways: list[tuple[Spent, Walked]], what: int) -> int | None:
    found = [(spent[what], onward.least[what]) for spent, onward in ways]
    return min((spent + more for spent, more in found if more is not None), default=None)


def _most(ways: list[tuple[Spent, Walked]], what: int) -> int:
    return max(spent[what] + onward.most[what] for spent, onward in ways)


def _steps(flow: Flow, place: Place) -> Iterator[tuple[Spent, Place | bool]]:
    """Each next place with what is spent on the way to it; at the end whether it is a success."""
    state = next(state for state in flow.states if state.name == place.state)
    if isinstance(state, Settle):
        proposed = place.proposed if state.outcome == "keep" else state.outcome
        if flow.epilogue and not place.proposed:
            yield (0, 0), replace(place, state=flow.epilogue, proposed=proposed)
        else:
            yield (0, 0), proposed == "success"
    elif isinstance(state, Stage):
        for outcome, spent in set(_visits(state)):
            if outcome in state.exits:
                yield spent, replace(place, state=state.exits[outcome])
    elif isinstance(state, Gate) and isinstance(state.test, Round):
        counts = dict(place.rounds)
        used = counts.get(state.name, 0)
        if used >= state.test.times:
            yield (0, 0), replace(place, state=state.exits["spent"])
        else:
            counts = {name: count for name, count in counts.items() if name not in state.test.resets}
            after = tuple(sorted({**counts, state.name: used + 1}.items()))
            yield (0, 0), replace(place, state=state.exits["again"], rounds=after)
    else:
        for target in state.exits.values():
            yield (0, 0), replace(place, state=target)


# ---- what one visit of a Stage can come to ----------------------------------------------------------------------


def _visits(stage: Stage) -> Iterator[tuple[str, Spent]]:
    """Each outcome with its runs and waves, for every set of units that would fail."""
    yield "refused", (0, 0)
    if isinstance(stage.work, Over):
        for items in range(stage.work.least, stage.work.cap + 1):
            spent = (items, min(1, items))
            yield "then", spent
            if items and stage.failure == "stop":
                yield "failed", spent
            yield "refused", spent
        return
    units = stage.work.units[:1] if stage.schedule == "first" else stage.work.units
    yield "refused", _wave(stage, units, set())[1]
    for fails in product((False, True), repeat=len(units)):
        failing = {unit.name for unit, fail in zip(units, fails, strict=True) if fail}
        if stage.schedule == "ready":
            yield from _ready(stage, units, failing)
        else:
            yield _wave(stage, units, failing)


def _wave(stage: Stage, units: tuple[Unit, ...], failing: set[str]) -> tuple[str, Spent]:
    """Wave after wave; after a failure `stop` begins no further one, `drain` strands what needs the failed."""
    done: set[str] = set()
    left, waves, failed = list(units), 0, False
    while left and not (failed and stage.failure == "stop"):
        wave = [unit for unit in left if set(unit.needs) <= done]
        if not wave:
            return "stuck", (len(units) - len(left), waves)
        waves += 1
        left = [unit for unit in left if unit not in wave]
        failed = failed or any(unit.name in failing for unit in wave)
        done |= {unit.name for unit in wave} - failing
    outcome = "failed" if failed and stage.failure == "stop" else "then"
    return outcome, (len(units) - len(left), waves)


def _ready(stage: Stage, units: tuple[Unit, ...], failing: set[str]) -> Iterator[tuple[str, Spent]]:
    """One at a time in every order, which spends the least and the most there is. Its waves are its levels."""
    depth: dict[str, int] = {}
    while len(depth) < len(units):
        for unit in units:
            if all(need in depth for need in unit.needs):
                depth[unit.name] = 1 + max((depth[need] for need in unit.needs), default=0)
    todo: list[frozenset[str]] = [frozenset()]
    for ran in todo:  # grows while it is walked
        stopped = bool(ran & failing) and stage.failure == "stop"
        can = [unit.name for unit in units if unit.name not in ran and set(unit.needs) <= ran - failing]
        spent = (len(ran), max((depth[name] for name in ran), default=0))
        if stopped or not can:
            yield ("failed" if stopped else "then" if len(ran) == len(units) else "stuck"), spent
        todo += [] if stopped else [ran | {name} for name in can if ran | {name} not in todo]
