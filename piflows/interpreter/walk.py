"""The walk through a Flow's states: what entering one does, where an outcome leads, how a run ends.

A mutable object over the run's record, the base of `Machine`, which brings the events. Pure, as the machine is.
"""

from __future__ import annotations

from typing import Any, assert_never, cast

from piflows.interpreter import actions, children, crossing, effects, record, waves
from piflows.interpreter.fill import ABSENT, Values, fill
from piflows.interpreter.gates import DECIDE, decided
from piflows.interpreter.guards.redact import Redactor
from piflows.interpreter.marks import Marks
from piflows.interpreter.outcome import proposed, refusal, reported
from piflows.interpreter.program import Program
from piflows.interpreter.reads import values
from piflows.interpreter.refused import Refused
from piflows.interpreter.tables import CANCELLING, RUN
from piflows.ir.flow import IR_VERSION, Action, Flow, Gate, Settle, Stage, State
from piflows.ir.names import effect_id
from piflows.ir.plan import Over
from piflows.ir.unit import Handoff

Json = dict[str, Any]

CLOSED = [2**53, 0, ""]  # above every incarnation: whatever still comes is late


class DriverError(Exception):
    """The driver broke the rules. What a child does wrong is never an exception: it settles the unit with a code."""


class Walk:
    """One run of a Flow, as far as its states know it."""

    def __init__(self, flow: Flow, state: Json | None = None) -> None:
        self.flow = flow
        self.program = Program(flow)
        self.marks = Marks(on=False)
        self.record: Json = record.fresh() if state is None else state
        if self.record["ir"] != IR_VERSION:
            raise DriverError(f"a snapshot of IR version {self.record['ir']}, this machine reads {IR_VERSION}")

        self._open()

    def _open(self) -> None:
        """What the facts of the opening decide: whose home is not told, and whether a trace is kept."""
        opened: Json = self.record["opened"] or {}
        self.redactor = Redactor(self.flow.redact_secrets, opened.get("home", ""))
        self.marks.on = opened.get("traced", False)

    def _run(self, kind: str) -> None:
        if kind not in RUN[self.record["run"]]:
            raise DriverError(f"{kind} while the run is {self.record['run']}")
        self.record["run"] = RUN[self.record["run"]][kind]

    def _unit_over(self, stage: Stage, unit: int, each: Json) -> None:
        under_way = self.record["stage"]
        if under_way["items"] is not None:
            each["item"] = under_way["items"][unit]
        waves.settle(stage, self.program.shapes[stage.name], under_way, unit, each)

    # ---- states ------------------------------------------------------------------------------------------------

    def _go(self, name: str, out: list[Json]) -> None:
        """Enter a state, and on through every state that takes no time."""
        while name:
            state = self.program.states[name]
            visits = self.record["visits"]
            visits[name] = visits.get(name, 0) + 1
            self.record["state"] = name
            try:
                name = self._enter(state, out)
            except Refused as refused:
                name = self._refused(state, refused, out)

    def _refused(self, state: State, refused: Refused, out: list[Json]) -> str:
        """Where a refusal leads: to the state's own exit, else it is the outcome, which the epilogue gets to see.

        What lives is stopped, and the state has no value.
        """
        self._stop_all(out)
        record.publish(self.record, state.name, ABSENT)
        self.record["led"], self.record["stage"] = "", None
        if following := state.exits.get("refused", ""):
            return following
        outcome = refusal(refused.code, refused.facts)
        if self.flow.epilogue and self.record["proposal"] is None:
            self.record["proposal"] = outcome
            return self.flow.epilogue
        self._finish(outcome, out)
        return ""

    def _stop_all(self, out: list[Json]) -> None:
        """Stop what lives and close it: its later events are dropped, turns that it still ends are not charged."""
        for effect in self.record["live"]:
            out.append(effects.stop(effect))
            self.record["over"][effect] = CLOSED
        self.record["live"] = {}

    def _enter(self, state: State, out: list[Json]) -> str:
        """Do what a state does at once; the next state's name, or empty when there is something to wait for."""
        match state:
            case Stage():
                return self._begin_stage(state, out)
            case Gate():
                return self._decide(state)
            case Action():
                effect = effect_id(state.name, self.record["visits"][state.name])
                sent = actions.request(state.do, effect, self._values(state.reads))
                self.record["live"][effect] = {**record.alive(sent), "sent": dict(sent)}
                out.append(sent)
                return ""
            case Settle():
                return self._settle(state, out)
            case _:
                assert_never(state)

    def _leave(self, state: State, outcome: str, out: list[Json]) -> None:
        self.record["led"] = state.name if isinstance(state, Gate) else ""
        self._go(state.exits[outcome], out)

    def _begin_stage(self, stage: Stage, out: list[Json]) -> str:
        items = self._items(stage.name, stage.work) if isinstance(stage.work, Over) else None
        shape, visit = self.program.shapes[stage.name], self.record["visits"][stage.name]
        label = fill(stage.label, self._values(()))
        self.record["stage"] = waves.begin(stage, shape, visit, label, items)
        return self._start(stage, out)

    def _items(self, stage: str, work: Over) -> list[Any]:
        """The list that a Stage is made over. The Flow's bounds rest on its length, so they are held here."""
        items = record.value(self.record, self.program, work.value)
        if not isinstance(items, list) or not work.least <= len(found := cast("list[Any]", items)) <= work.cap:
            bounds = f"{work.least} to {work.cap} items"
            raise Refused("IR_INVALID", problem=f"stage {stage} takes {bounds}, the list breaks that bound")
        return found

    def _stage(self, stage: Stage, out: list[Json]) -> None:
        try:
            following = self._start(stage, out)
        except Refused as refused:
            following = self._refused(stage, refused, out)
        if following:
            self._go(following, out)

    def _start(self, stage: Stage, out: list[Json]) -> str:
        """Start what may start now; the next state's name once the Stage is left, else empty."""
        shape, under_way = self.program.shapes[stage.name], self.record["stage"]
        while units := waves.start(stage, shape, under_way, self.flow.concurrency - under_way["alive"]):
            refused = False
            for unit in units:
                each = children.spawn(self.record, self.program, stage, unit, self.marks, out)
                if each is not None:
                    refused = True
                    self._unit_over(stage, unit, each)
            if not refused:  # else there is room again
                break
        left = waves.left_by(stage, under_way)
        if left is None:
            return ""
        if (invalid := children.invalid_return(under_way)) is not None:
            raise invalid
        record.publish(self.record, stage.name, record.stage_value(shape, under_way))
        self.record["stage"], self.record["led"] = None, ""
        return stage.exits[left]

    def _decide(self, gate: Gate) -> str:
        slots = self._values(gate.reads)
        outcome, value = DECIDE[gate.test.kind](gate.test, self.record)
        if (mark := gate.marks.get(outcome)) is not None:
            self.marks.note(mark, gate.name, "", decided(gate.test, self.record))
        if (says := gate.says.get(outcome)) is not None:
            slots.slots["value"] = value
            value = {"text": fill(says, slots), "key": gate.name}
        record.publish(self.record, gate.name, value)
        self.record["led"] = gate.name
        return gate.exits[outcome]

    # ---- the end -----------------------------------------------------------------------------------------------

    def _values(self, reads: tuple[Handoff, ...]) -> Values:
        return values(self.record, self.program, reads, self.marks)

    def _settle(self, state: Settle, out: list[Json]) -> str:
        proposal = self.record["proposal"]
        if state.mark is not None:
            self.marks.note(state.mark, state.name, "", {})
        if state.outcome != "keep":
            proposal = proposed(state, self._values(state.reads))
        in_epilogue = self.record["proposal"] is not None
        if self.flow.epilogue and not in_epilogue:
            self.record["proposal"] = proposal
            return self.flow.epilogue
        self._finish(proposal, out)
        return ""

    def _finish(self, outcome: Json, out: list[Json]) -> None:
        if (violated := crossing.violation(self.record)) is not None and self.record["run"] != CANCELLING:
            outcome = refusal(violated.code, violated.facts)
        outcome = reported(outcome, crossing.warning(self.record), crossing.incomplete(self.record))
        self.record["proposal"], self.record["stage"] = outcome, None
        self._run("finished")
        self._stop_all(out)
        out.append(effects.done())
