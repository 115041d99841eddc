"""What the states of a Flow hold: Plans, gates, ends, and that every part and handoff names what exists.

The graph of states is `structure.py`'s matter, whether a value is defined that of `assign.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from itertools import chain
from typing import assert_never

from piflows.ir.actions import Command
from piflows.ir.codes import CODES
from piflows.ir.contracted import contracted, units_of
from piflows.ir.finding import Finding, first, invalid, nearest, quoted
from piflows.ir.flow import Action, Flow, Gate, Settle, Stage, State
from piflows.ir.gates import AllPass, AtLeast, Beam, Choice, ExitZero, Round, Said, Trigger
from piflows.ir.mentions import slots
from piflows.ir.parts import constant
from piflows.ir.pattern import compile_pattern
from piflows.ir.plan import Over, Plan
from piflows.ir.reading import VALUE, States, handoffs, mentioned, never
from piflows.ir.topology import cycles, unknown
from piflows.ir.unit import Ref, Unit

PROTOCOLS = {"all_pass": "verdict", "beam": "score", "said": "loop", "choice": "route"}  # what a condition reads
_UNGUARDED = {"control": "a bare value", "report": "a report to the parent"}  # no guard marks what crosses so
_FACT = re.compile(r"\{\{|\}\}|\{(\w+)")


def wiring(flow: Flow) -> list[Finding]:
    """What is wrong inside the states, and with the contracts that their roles are under."""
    states = {state.name: state for state in flow.states}
    texts = _texts(flow)
    of_states = chain.from_iterable(_state(flow, states, texts, state) for state in flow.states)
    return first(chain(contracted(flow), of_states))


def _state(flow: Flow, states: States, texts: Set[str], state: State) -> Iterator[Finding]:
    match state:
        case Stage():
            yield from _work(states, texts, state)
            for unit in units_of(state):
                yield from _unit(flow, states, state, unit)
            yield from mentioned(states, state, "", [state.label], ())
        case Gate():
            yield from _condition(flow, states, state)
            yield from _says(states, state)
        case Action():
            yield from _doing(states, state)
        case Settle():
            yield from _end(state)
            yield from handoffs(states, state, "", state.reads)
            yield from mentioned(states, state, "", [*state.facts.values(), state.header, state.body], state.reads)
        case _:
            assert_never(state)


# ---- stages -----------------------------------------------------------------------------------------------------


def _work(states: States, texts: Set[str], stage: Stage) -> Iterator[Finding]:
    work, called = stage.work, f"stage {quoted(stage.name)}"
    if isinstance(work, Plan):
        yield from plan(stage.name, work)
        if stage.schedule == "first" and work.units and work.units[0].needs:
            yield invalid(f"{called} runs its first unit only, which needs another", stage.name, work.units[0].name)
        return
    if not 0 <= work.least <= work.cap or work.cap < 1:
        yield invalid(f"{called} takes {work.least} to {work.cap} items, which is no range from 1 up", stage.name)
    if stage.schedule == "first":
        yield invalid(f"{called} is made over a list: it has no first unit", stage.name)
    if work.unit.needs:
        yield invalid(f"{called} is made over a list: its units need nothing of each other", stage.name)
    problem = never(states, work.value, False)
    if not problem and _no_list(states, texts, work.value):
        problem = f"{work.value.pick} of {quoted(work.value.state)}, which is no list"
    if problem:
        yield invalid(f"{called} is made over {problem}", stage.name)


def _no_list(states: States, texts: Set[str], ref: Ref) -> bool:
    """Whether a value that can exist is one record, one result or a text."""
    one = ref.pick in ("unit", "failed") or (ref.pick == "value" and isinstance(states[ref.state], Action))
    return one or ref.state in texts


def plan(state: str, work: Plan) -> Iterator[Finding]:
    """A Plan by itself: units with unique names, and needs that are known and acyclic."""
    names: dict[str, Sequence[str]] = {}
    if not work.units:
        yield invalid(f"stage {quoted(state)} has no units", state)
    for unit in work.units:
        if not unit.name:
            yield invalid(f"a unit of stage {quoted(state)} has no name", state)
        elif unit.name in names:
            yield _graph(state, unit.name, f"two nodes have the id {quoted(unit.name)}")
        names[unit.name] = unit.needs
    if not any(names.values()):
        return
    for name, missing in unknown(names):
        near = nearest(missing, names)
        yield _graph(state, name, f"{quoted(name)} depends on {quoted(missing)}, which does not exist{near}")
    for loop in cycles(names):
        yield Finding("GRAPH_CYCLE", state, loop[0], {"chain": " -> ".join(loop)})


def _graph(state: str, unit: str, problem: str) -> Finding:
    return Finding("GRAPH_INVALID", state, unit, {"problem": problem})


def _unit(flow: Flow, states: States, stage: Stage, unit: Unit) -> Iterator[Finding]:
    texts = [unit.label, unit.prompt]
    role = flow.roles.get(unit.role)
    if role is None:
        near = nearest(unit.role, flow.roles)
        yield invalid(f"unit {quoted(unit.name)} has the unknown role {quoted(unit.role)}{near}", stage.name, unit.name)
    elif role.cwd:
        texts.append(role.cwd)
    if not unit.reads and all(part.kind == "text" for parts in texts for part in parts):
        return
    yield from handoffs(states, stage, unit.name, unit.reads)
    yield from mentioned(states, stage, unit.name, texts, unit.reads)
    for read in unit.reads:
        if read.form in _UNGUARDED:
            problem = f"the slot {quoted(read.slot)} of unit {quoted(unit.name)} crosses as {_UNGUARDED[read.form]}"
            yield invalid(f"{problem}, which no prompt may hold", stage.name, unit.name)
    said = {read.slot for read in unit.reads}
    for slot, _ in slots(unit.label) if constant(unit.label) is None else ():
        if slot in said:
            problem = f"the label of unit {quoted(unit.name)} is a name, which no child may write (slot {quoted(slot)})"
            yield invalid(problem, stage.name, unit.name)


def _texts(flow: Flow) -> set[str]:
    """The Gates whose value may be something else than a list of records; a Round has that of the Gates before it."""
    found = {
        state.name: state
        for state in flow.states
        if isinstance(state, Gate) and (state.says or not isinstance(state.test, AllPass | Beam | Round))
    }
    rounds = {state.name: state for state in flow.states if isinstance(state, Gate) and isinstance(state.test, Round)}
    todo = list(found.values())
    for gate in todo:  # grows while it is walked
        for target in gate.exits.values():
            if target in rounds and target not in found:
                found[target] = rounds[target]
                todo.append(rounds[target])
    return set(found)


# ---- gates ------------------------------------------------------------------------------------------------------


def _condition(flow: Flow, states: States, gate: Gate) -> Iterator[Finding]:
    test, called = gate.test, f"gate {quoted(gate.name)}"
    if isinstance(test, Round):
        return
    of = states.get(test.of)
    if of is None:
        yield invalid(
            f"{called} decides over {quoted(test.of)}, which is no state{nearest(test.of, states)}", gate.name
        )
    elif isinstance(test, ExitZero | Trigger):
        if not isinstance(of, Action) or not isinstance(of.do, Command):
            yield invalid(f"{called} decides over {quoted(test.of)}, which is no command", gate.name)
    elif not isinstance(of, Stage):
        yield invalid(f"{called} decides over {quoted(test.of)}, which is no stage", gate.name)
    else:
        yield from _over_stage(flow, gate, of)
    if isinstance(test, Trigger) and test.on == "match":
        yield from _pattern(gate.name, test.pattern)


def _over_stage(flow: Flow, gate: Gate, of: Stage) -> Iterator[Finding]:
    test, called = gate.test, f"gate {quoted(gate.name)}"
    protocol = PROTOCOLS.get(test.kind)
    if isinstance(test, Said | Choice) and (len(units_of(of)) != 1 or isinstance(of.work, Over)):
        yield invalid(f"{called} reads one answer, {quoted(of.name)} has not exactly one unit", gate.name)
    if isinstance(test, Beam) and not isinstance(of.work, Over):
        yield invalid(f"{called} ranks {quoted(of.name)}, which is not made over candidates", gate.name)
    if (isinstance(test, Beam) and test.width < 1) or (isinstance(test, AtLeast) and test.n < 1):
        yield invalid(f"{called} asks for fewer than one", gate.name)
    for unit in units_of(of) if protocol else ():
        role = flow.roles.get(unit.role)
        if role is not None and role.protocol != protocol:
            problem = f"{called} reads a {protocol} of {quoted(unit.name)}, whose role {quoted(unit.role)} gives none"
            yield invalid(problem, gate.name)
        if role is not None and isinstance(test, Choice) and role.candidates != test.candidates:
            yield invalid(f"{called} and the role {quoted(unit.role)} have different candidates", gate.name)


def _pattern(gate: str, pattern: str) -> Iterator[Finding]:
    try:
        compile_pattern(pattern)
    except ValueError as error:
        yield invalid(f"the pattern of gate {quoted(gate)} is no regular expression: {error}", gate)
    if not pattern:
        yield invalid(f"gate {quoted(gate)} matches without a pattern", gate)


def _says(states: States, gate: Gate) -> Iterator[Finding]:
    outcomes = gate.test.outcomes
    for outcome in dict.fromkeys((*gate.says, *gate.marks)):
        if outcome not in outcomes:
            yield invalid(f"gate {quoted(gate.name)} never has the outcome {quoted(outcome)}", gate.name)
    yield from handoffs(states, gate, "", gate.reads)
    if any(read.slot == VALUE for read in gate.reads):
        yield invalid(f"the slot {quoted(VALUE)} of gate {quoted(gate.name)} is its own value", gate.name)
    for outcome, parts in gate.says.items():
        yield from mentioned(states, gate, "", [parts], gate.reads, outcomes.get(outcome, False))


# ---- actions and ends -------------------------------------------------------------------------------------------


def _doing(states: States, action: Action) -> Iterator[Finding]:
    called = f"action {quoted(action.name)}"
    yield from handoffs(states, action, "", action.reads)
    if not isinstance(action.do, Command):
        if not 0 <= action.do.ms < float("inf"):
            yield invalid(f"{called} waits {action.do.ms} ms", action.name)
        return
    command = constant(action.do.command)
    if command is not None and not command.strip():
        yield invalid(f"{called} has no command", action.name)
    if action.do.timeout_ms < 1 or action.do.cap < 1:
        yield invalid(f"{called} has a timeout or a cap that is not positive", action.name)
    yield from mentioned(states, action, "", [action.do.command, action.do.cwd], action.reads)


def _end(settle: Settle) -> Iterator[Finding]:
    """A refusal carries an error of the catalogue with all its facts, another end none."""
    called = f"settle {quoted(settle.name)}"
    if settle.outcome != "refused":
        if settle.code is not None or settle.facts:
            yield invalid(f"{called} does not refuse, so it has neither code nor facts", settle.name)
        return
    code = None if settle.code is None else CODES.get(settle.code)
    if settle.code is None:
        yield invalid(f"{called} refuses without a code", settle.name)
    elif code is None:
        yield invalid(f"{called} has the unknown code {quoted(settle.code)}{nearest(settle.code, CODES)}", settle.name)
    elif code.severity != "error":
        yield invalid(f"{called} refuses with {code.name}, which is no error", settle.name)
    else:
        needed = [match[1] for match in _FACT.finditer(" ".join((code.message, code.cause, code.fix))) if match[1]]
        for fact in dict.fromkeys(needed):
            if fact not in settle.facts:
                yield invalid(f"{called} gives {code.name} without its fact {quoted(fact)}", settle.name)
