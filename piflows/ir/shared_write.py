"""Who may write, who may run at once, in which directory: two writers in one directory overwrite each other.

Seed: Return requirements, delegation contracts, and write isolation. Used before a run for the Plans of the Flow, and
at run time for a Plan that a child made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache

from piflows.ir.flow import Flow, Stage
from piflows.ir.frozen import frozen
from piflows.ir.mentions import mentions, slots
from piflows.ir.parts import Index, Part, Parts, Slot, Text, constant
from piflows.ir.plan import Over
from piflows.ir.tools import writing
from piflows.ir.topology import Reach, antichain, levels, reach
from piflows.ir.unit import Ref, Role, Unit

Real = Callable[[str], str]
Cwd = str | tuple[Parts, tuple[Ref | None, ...]]  # a real directory; or its parts and the values of their slots


@frozen
class Clash:
    """Write-capable units of a Stage that may run at once in one directory. `cwd` is its real path, as it is shown."""

    state: str
    cwd: str
    units: tuple[str, ...]


@frozen
class Nested:
    """Write-capable units of a Stage that may run at once, one in a directory inside the other's."""

    state: str
    parent: str
    child: str


def write_capable(role: Role) -> tuple[str, ...]:
    """The tools that make a role a writer, as the role spells them; empty when it can only read."""
    return writing(role.tools)


def clashes(flow: Flow, real: Real) -> list[Clash]:
    """The first group of clashing units of each Stage, in the Flow's order; `real` resolves a directory's text."""
    if flow.concurrency <= 1 or flow.allow_shared_write:
        return []
    real = cache(real)
    found = (_first_clash(flow.roles, stage, real) for stage in flow.states if isinstance(stage, Stage))
    return [clash for clash in found if clash is not None]


def nested(flow: Flow, real: Real) -> list[Nested]:
    """Each directory inside that of another writer which may run at the same time, with the nearest such one."""
    if flow.concurrency <= 1 or flow.allow_shared_write:
        return []
    real = cache(real)
    found: dict[Nested, None] = {}
    for stage in flow.states:
        if isinstance(stage, Stage) and not isinstance(stage.work, Over):
            order: Reach | None = None
            for group in _groups(flow.roles, stage, real):
                order = order or _ready_order(stage)
                for parent, child in _inside(group, order):
                    found[Nested(stage.name, parent, child)] = None
    return list(found)


def agents(flow: Flow, clash: Clash) -> str:
    """The clashing units with the tools that made each a writer: `operator as a (pi defaults), analyst as b (edit)`."""
    stage = next(state for state in flow.states if state.name == clash.state)
    assert isinstance(stage, Stage)
    roles = {unit.name: flow.roles[unit.role] for unit in _units(stage)}
    said = ", ".join(f"{roles[name].agent} as {name} ({', '.join(write_capable(roles[name]))})" for name in clash.units)
    return f"{said}, up to {stage.work.cap} at once" if isinstance(stage.work, Over) else said


def _first_clash(roles: Mapping[str, Role], stage: Stage, real: Real) -> Clash | None:
    if isinstance(stage.work, Over):
        return _over_clash(roles, stage.name, stage.work, real)
    order: Reach | None = None
    for group in _groups(roles, stage, real):
        order = order or _ready_order(stage)
        for cwd, names in group.items():
            together = antichain(order, names) if order else names
            if len(together) > 1:
                return Clash(stage.name, _shown(cwd), tuple(together))
    return None


def _over_clash(roles: Mapping[str, Role], state: str, work: Over, real: Real) -> Clash | None:
    """A pattern clashes with itself, unless each item brings its own directory."""
    role = roles[work.unit.role]
    if work.cap <= 1 or not write_capable(role) or _per_item(role.cwd):
        return None
    return Clash(state, _shown(_cwd(role, work.unit, real)), (work.unit.name,))


def _per_item(cwd: Parts) -> bool:
    """Whether each item has a directory of its own: only its number is surely another than the next one's."""
    return any(isinstance(part, Index) for part, *_ in mentions(cwd))


def _units(stage: Stage) -> Sequence[Unit]:
    return (stage.work.unit,) if isinstance(stage.work, Over) else stage.work.units


def _ready_order(stage: Stage) -> Reach | None:
    """Who waits for whom under `ready`; None under `wave`, where the barrier decides."""
    return reach({unit.name: unit.needs for unit in _units(stage)}) if stage.schedule == "ready" else None


def _groups(roles: Mapping[str, Role], stage: Stage, real: Real) -> Iterator[dict[Cwd, list[str]]]:
    """The writers by directory: for each wave, or under `ready` for the whole Stage. Under `first` one runs alone."""
    units = {unit.name: unit for unit in _units(stage)}
    may = {name for name in {unit.role for unit in units.values()} if write_capable(roles[name])}
    writers = {name for name, unit in units.items() if unit.role in may}
    if len(writers) < 2 or stage.schedule == "first":
        return
    waves = [list(units)]
    if stage.schedule == "wave":
        waves = levels({name: unit.needs for name, unit in units.items()})
    for wave in waves:
        group: dict[Cwd, list[str]] = {}
        for name in wave:
            if name in writers:
                cwd = _cwd(roles[units[name].role], units[name], real)
                group.setdefault(cwd, []).append(name)
        yield group


def _cwd(role: Role, unit: Unit, real: Real) -> Cwd:
    """A constant directory is resolved; one with slots is its parts, with the value that each slot stands for."""
    fixed = constant(role.cwd)
    if fixed is not None:
        return real(fixed)
    values = {read.slot: read.value for read in unit.reads}
    return role.cwd, tuple(values.get(name) for name, _ in slots(role.cwd))


def _shown(cwd: Cwd) -> str:
    if isinstance(cwd, str):
        return cwd or "."
    return "".join(map(_draft, cwd[0]))


def _draft(part: Part) -> str:
    match part:
        case Text():
            return part.text
        case Slot():
            return f"{{{part.name}}}"
        case _:
            return "…"


def _inside(group: Mapping[Cwd, list[str]], order: Reach | None) -> Iterator[tuple[str, str]]:
    """Pairs (parent, child) of resolved directories; a stack holds the directories around the current one."""
    around: list[tuple[list[str], str]] = []
    for steps, cwd in sorted((_steps(cwd), cwd) for cwd in group if isinstance(cwd, str)):
        while around and around[-1][0] != steps[: len(around[-1][0])]:
            around.pop()
        for _, parent in reversed(around):
            if order is None or antichain(order, [*group[parent], *group[cwd]]):
                yield parent, cwd
                break
        around.append((steps, cwd))


def _steps(cwd: str) -> list[str]:
    """The components of a resolved path; of `/` the empty one, of the run's own directory none."""
    return cwd.rstrip("/").split("/") if cwd else []
