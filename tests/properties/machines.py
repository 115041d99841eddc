"""Random Flows that verify: state machines with rounds nested and resetting each other, quorums, checks, several ends.

A Flow is a row of blocks, each with one head; every exit leads to a later head or to an end, every `again` to an
earlier head. What no path reaches is cut out. A reader asks for any value of the Flow; where the value is not defined
on every path its slot is left out. So nothing is rejected, and shrinking gives short rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

from calls import lowered_flows
from hypothesis import strategies as st

from piflows.ir.actions import Command, Wait
from piflows.ir.assign import assigned
from piflows.ir.bounds import bounds
from piflows.ir.canonical import identity
from piflows.ir.flow import Action, Ceiling, Flow, Gate, Settle, Stage, State
from piflows.ir.gates import AllPass, AtLeast, Beam, Choice, ExitZero, Round, Said, Trigger
from piflows.ir.parts import Counter, Index, Part, Parts, Section, Slot, Text, text
from piflows.ir.plan import Over, Plan
from piflows.ir.topology import postorder
from piflows.ir.unit import Handoff, Ref, Role, Unit

READ = ("read", "grep")
ROLES = {
    "plain": Role("recon", "worker", "package", tools=READ),
    "critic": Role("redteam", "critic", "package", tools=READ, protocol="verdict"),
    "scorer": Role("redteam", "scorer", "package", tools=(), protocol="score"),
    "writer": Role("operator", "writer", "package"),
    "body": Role("operator", "body", "package", tools=READ, protocol="loop"),
    "router": Role("controller", "router", "package", tools=(), protocol="route", candidates=("left", "Right")),
}
BLOCKS = ("stage", "round", "round", "quorum", "round", "panel", "fan", "check", "wait", "answer")
ENDS = (
    Settle("won", "success", header=text("Won.")),
    Settle("lost", "stopped"),
    Settle("broken", "refused", "SEARCH_NO_CANDIDATES", {"round": text("1")}),
)
Draw = st.DrawFn
Later = Callable[[], str]


@st.composite
def verifying_flows(draw: Draw, schedule: str | None = None, most: int = 60) -> Flow:
    """Flows for which `verify` finds nothing, of at most `most` child runs; `schedule` fixes that of every Stage."""
    concurrency, shared = draw(st.integers(1, 4)), draw(st.booleans())
    writers = shared or concurrency == 1
    count = draw(st.integers(1, 7))
    states: list[State] = []
    for number in range(count):
        states += _block(draw, number, count, schedule, writers, [each.name for each in states if _is_round(each)])
    epilogue = _epilogue(draw, schedule)
    flow = Flow(
        "made",
        "b0",
        (*states, *ENDS, *epilogue),
        ROLES,
        concurrency,
        allow_shared_write=shared,
        epilogue=epilogue[0].name if epilogue else "",
    )
    return _settled(_reading(draw, _bounded(_cut(flow), most)))


def all_flows(schedule: str | None = None) -> st.SearchStrategy[Flow]:
    """Flows that verify: random ones, and of each four one of a call, which are all under `wave`."""
    return st.sampled_from((True, True, True, False)).flatmap(
        lambda made: verifying_flows(schedule) if made else lowered_flows()
    )


@st.composite
def guarded_flows(draw: Draw, schedule: str | None = None) -> Flow:
    """The same with roles under contracts, ceilings that are never or at once reached, and a capture policy."""
    flow = draw(all_flows(schedule))
    limits = draw(st.lists(st.sampled_from((("maxTokens", 0), ("maxCostUsd", 10**9))), unique=True, max_size=1))
    contract: dict[str, Any] = {
        "objective": "Find it.",
        **{name: [] for name in ("constraints", "nonGoals", "dependencies", "acceptanceChecks")},
        "authority": {"may": [], "mustNot": [], "requiresApproval": []},
        "sideEffectClass": "none",
        "budget": dict(limits),
        "returnSchema": {"type": "object"},
        "owner": "parent",
    }
    bound = draw(st.sets(st.sampled_from(sorted(flow.roles)))) if flow.roles else set[str]()
    roles = {
        name: replace(role, contract=identity(contract)) if name in bound else role for name, role in flow.roles.items()
    }
    return replace(
        flow,
        roles=roles,
        contracts={identity(contract): contract} if bound else {},
        ceilings=draw(st.sampled_from(((), (Ceiling("flow", "maxTokens", 1e9),)))),
        incomplete=draw(st.sampled_from(("fail", "include"))),
        record_content=draw(st.booleans()),
    )


# ---- blocks -----------------------------------------------------------------------------------------------------


def _block(draw: Draw, number: int, count: int, schedule: str | None, writers: bool, rounds: list[str]) -> list[State]:
    """One block, named `b3` by its head; its further states are `b3-…`. Half of its exits lead to the next head."""
    name = f"b{number}"
    later = [f"b{each}" for each in range(number + 1, count)] + [end.name for end in ENDS]
    targets = st.sampled_from([*later[:1] * len(later), *later])

    def onward() -> str:
        return draw(targets)

    kind = draw(st.sampled_from(BLOCKS)) if number else "stage"
    plain = ["plain", *["writer"] * writers]
    if kind == "stage":
        return [_stage(draw, name, schedule, plain, onward)]
    if kind == "quorum":
        stage = _stage(draw, name, schedule, plain, onward, then=f"{name}-quorum")
        least = AtLeast(name, draw(st.integers(1, 3)))
        return [stage, Gate(f"{name}-quorum", least, {"enough": onward(), "short": onward()})]
    if kind == "panel":
        stage = _stage(draw, name, schedule, ["critic"], onward, then=f"{name}-verdict")
        return [stage, Gate(f"{name}-verdict", AllPass(name), {"pass": onward(), "revise": onward()})]
    if kind == "answer":
        return _answer(draw, name, schedule, onward)
    if kind == "fan":
        return _fan(draw, name, schedule, onward)
    if kind == "check":
        return _check(draw, name, onward)
    if kind == "wait":
        return [Action(name, Wait(draw(st.integers(0, 9))), {"then": onward()})]
    back = f"b{draw(st.integers(0, number - 1))}"
    inner = [each for each in rounds if draw(st.booleans())]
    return [Gate(name, Round(draw(st.integers(0, 3)), tuple(inner)), {"again": back, "spent": onward()})]


def _stage(
    draw: Draw, name: str, schedule: str | None, roles: list[str], onward: Later, then: str | None = None
) -> Stage:
    schedule = schedule or draw(st.sampled_from(("wave", "ready", "first")))
    failure = draw(st.sampled_from(("stop", "drain")))
    units: list[Unit] = []
    for number in range(draw(st.integers(1, 4))):
        earlier = st.lists(st.sampled_from([unit.name for unit in units]), unique=True) if units else st.just([])
        label = (Text(f"{name}.u{number}"),)
        units.append(Unit(f"u{number}", draw(st.sampled_from(roles)), label, text("Do it."), tuple(draw(earlier))))
    exits = {"then": then or onward()}
    if failure == "stop":
        exits["failed"] = onward()
    elif any(unit.needs for unit in units) and schedule != "first":
        exits["stuck"] = onward()
    if draw(st.booleans()):
        exits["refused"] = onward()
    order = draw(st.permutations(units)) if schedule != "first" else units
    return Stage(name, text(name), Plan(tuple(order)), exits, schedule, failure)  # pyright: ignore[reportArgumentType]


def _answer(draw: Draw, name: str, schedule: str | None, onward: Later) -> list[State]:
    """One child whose answer decides: a loop's body, or a router."""
    role = draw(st.sampled_from(("body", "router")))
    stage = _stage(draw, name, schedule, [role], onward, then=f"{name}-answer")
    assert isinstance(stage.work, Plan)
    unit = replace(stage.work.units[0], needs=())
    exits = {outcome: target for outcome, target in stage.exits.items() if outcome != "stuck"}
    stage = replace(stage, work=Plan((unit,)), exits={**exits, "failed": onward()}, failure="stop")
    test = Said(name) if role == "body" else Choice(name, ROLES["router"].candidates)
    return [stage, Gate(f"{name}-answer", test, {outcome: onward() for outcome in test.outcomes})]


def _is_round(state: State) -> bool:
    return isinstance(state, Gate) and isinstance(state.test, Round)


def _fan(draw: Draw, name: str, schedule: str | None, onward: Later) -> list[State]:
    """Candidates that drain, a quorum, one unit over each survivor or each record, then the best of them."""
    made = _stage(draw, name, schedule, ["plain"], onward, then=f"{name}-some")
    made = replace(made, failure="drain", exits={"then": f"{name}-some", "stuck": f"{name}-some"})
    some = Gate(f"{name}-some", AtLeast(name, 1), {"enough": f"{name}-over", "short": onward()})
    assert isinstance(made.work, Plan)
    cap = len(made.work.units)
    pick, least = draw(st.sampled_from((("ok", 0), ("ok", 1), ("value", cap))))
    read = Handoff("candidate", Ref(name, "item"))
    label = (Text(f"{name}.over-"), Index())
    unit = Unit("each", "scorer", label, (Text("Score "), Slot("candidate")), (), (read,))
    over = Over(Ref(name, pick), unit, cap, least)  # pyright: ignore[reportArgumentType]
    if draw(st.booleans()):
        return [made, some, Stage(f"{name}-over", (), over, {"then": onward(), "failed": onward()})]
    scored = Stage(f"{name}-over", (), over, {"then": f"{name}-best"}, "ready", "drain")
    return [made, some, scored, Gate(f"{name}-best", Beam(f"{name}-over", 2), {"kept": onward()})]


def _check(draw: Draw, name: str, onward: Later) -> list[State]:
    action = Action(name, Command(text("make check")), {"then": f"{name}-exit"})
    said: dict[str, Parts] = {"unstartable": (Text("It said "), Slot("value"))}
    says = said if draw(st.booleans()) else {}
    if draw(st.booleans()):
        exits = {"pass": onward(), "fail": onward(), "unstartable": onward()}
        return [action, Gate(f"{name}-exit", ExitZero(name), exits, says)]
    trigger = draw(st.sampled_from((Trigger(name), Trigger(name, "failure"), Trigger(name, "match", r"[02468]$"))))
    exits = {"fired": onward(), "quiet": onward(), "unstartable": onward()}
    return [action, Gate(f"{name}-exit", trigger, exits, says)]


def _epilogue(draw: Draw, schedule: str | None) -> list[State]:
    if not draw(st.booleans()):
        return []
    ends: list[State] = [Settle("kept", "keep"), Settle("replaced", "stopped"), Settle("saved", "success")]
    stage = _stage(draw, "epilogue", schedule, ["plain"], lambda: draw(st.sampled_from(ends)).name)
    return [stage, *ends]


# ---- the whole --------------------------------------------------------------------------------------------------


def _cut(flow: Flow) -> Flow:
    """Without what no path reaches."""
    edges = {state.name: list(state.exits.values()) for state in flow.states}
    reached = {*postorder(edges, flow.entry), *(postorder(edges, flow.epilogue) if flow.epilogue else ())}
    kept: list[State] = []
    for state in flow.states:
        if isinstance(state, Gate) and isinstance(state.test, Round):
            resets = tuple(inner for inner in state.test.resets if inner in reached)
            state = replace(state, test=replace(state.test, resets=resets))
        if state.name in reached:
            kept.append(state)
    return replace(flow, states=tuple(kept))


def _bounded(flow: Flow, most: int) -> Flow:
    """Rounds go back less often until the worst case is small enough to walk."""
    while bounds(flow).most_runs > most and any(_times(state) for state in flow.states):
        flow = replace(flow, states=tuple(_fewer(state) for state in flow.states))
    return flow


def _times(state: State) -> int:
    return state.test.times if isinstance(state, Gate) and isinstance(state.test, Round) else 0


def _fewer(state: State) -> State:
    if not isinstance(state, Gate) or not isinstance(state.test, Round):
        return state
    return replace(state, test=replace(state.test, times=max(0, state.test.times - 1)))


def _reading(draw: Draw, flow: Flow) -> Flow:
    """Every unit, command and end reads some values, as if all were defined."""
    values = st.sampled_from([ref for state in flow.states for ref in _values(state)] or [Ref(flow.entry)])
    rounds = [state.name for state in flow.states if _times(state)]

    def more(
        reads: tuple[Handoff, ...], other: Literal["envelope", "report"] = "report"
    ) -> tuple[tuple[Handoff, ...], tuple[Part, ...]]:
        new: list[Handoff] = []
        for number, value in enumerate(draw(st.lists(values, max_size=2))):
            absent = draw(st.sampled_from(("refuse", "text")))
            instead = "(none)" if absent == "text" else ""
            new.append(Handoff(f"r{number}", value, draw(st.sampled_from(("text", other))), absent, instead))
        said: list[Part] = [Section(read.slot, (Text("\nIt said: "), Slot(read.slot))) for read in new]
        counted: list[Part] = [Counter(draw(st.sampled_from(rounds)))] if rounds and draw(st.booleans()) else []
        return (*reads, *new), (*said, *counted)

    def unit(each: Unit) -> Unit:
        reads, parts = more(each.reads, "envelope")  # what crosses into a prompt is marked
        return replace(each, reads=reads, prompt=(*each.prompt, *parts))

    states: list[State] = []
    for state in flow.states:
        if isinstance(state, Stage) and isinstance(state.work, Plan):
            state = replace(state, work=replace(state.work, units=tuple(unit(each) for each in state.work.units)))
        elif isinstance(state, Stage) and isinstance(state.work, Over):
            state = replace(state, work=replace(state.work, unit=unit(state.work.unit)))
        elif isinstance(state, Settle):
            reads, parts = more(())
            state = replace(state, reads=reads, body=parts)
        elif isinstance(state, Action) and isinstance(state.do, Command):
            reads, parts = more(())
            state = replace(state, reads=reads, do=replace(state.do, command=(*state.do.command, *parts)))
        states.append(state)
    return replace(flow, states=tuple(states))


def _values(state: State) -> list[Ref]:
    """What a state publishes."""
    if isinstance(state, Stage):
        units = (
            [Ref(state.name, "unit", each.name) for each in state.work.units] if isinstance(state.work, Plan) else []
        )
        return [Ref(state.name), Ref(state.name, "ok"), Ref(state.name, "failed"), *units]
    if isinstance(state, Action):
        return [Ref(state.name), Ref(state.name, "all")]
    valued = isinstance(state, Gate) and (state.says or any(state.test.outcomes.values()))
    return [Ref(state.name)] if valued else []


def _settled(flow: Flow) -> Flow:
    """Slots whose value is not defined on every path are left out when it is absent."""
    undefined = {(each.state, each.unit, each.facts["placeholder"]) for each in assigned(flow)}

    def allowed(state: str, unit: str, reads: tuple[Handoff, ...]) -> tuple[Handoff, ...]:
        return tuple(replace(read, absent="omit") if (state, unit, read.slot) in undefined else read for read in reads)

    def one(state: State) -> State:
        change: dict[str, Any] = {}
        if not isinstance(state, Stage):
            change["reads"] = allowed(state.name, "", state.reads)
        elif isinstance(state.work, Plan):
            units = [replace(each, reads=allowed(state.name, each.name, each.reads)) for each in state.work.units]
            change["work"] = replace(state.work, units=tuple(units))
        else:
            each = state.work.unit
            change["work"] = replace(state.work, unit=replace(each, reads=allowed(state.name, each.name, each.reads)))
        return replace(state, **change)

    return replace(flow, states=tuple(one(state) for state in flow.states))
