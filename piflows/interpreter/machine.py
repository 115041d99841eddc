"""The machine: `feed(event)` gives the effects that must now happen outside, in order.

Pure: it reads no clock, file, random number or socket; time and outcomes arrive in events. Its whole state is one JSON
value. It takes no decision of its own: who starts is in `waves`, outcomes in `gates`, texts in `fill`.
"""

from __future__ import annotations

import json
from typing import Any, assert_never, cast

from piflows.interpreter import actions, capture, children, crossing, effects, record, returns, spending, waves
from piflows.interpreter.events import ANSWERS, FINAL, Event, fingerprint
from piflows.interpreter.fill import ABSENT, Values, fill
from piflows.interpreter.gates import DECIDE, decided
from piflows.interpreter.guards.redact import Redactor
from piflows.interpreter.marks import Marks
from piflows.interpreter.outcome import proposed, refusal, reported
from piflows.interpreter.program import Program
from piflows.interpreter.reads import values
from piflows.interpreter.refused import Refused
from piflows.interpreter.results import charge, final
from piflows.interpreter.tables import CANCELLING, DONE, NEW, OVER, RUN, UNIT
from piflows.ir.flow import IR_VERSION, Action, Flow, Gate, Settle, Stage, State
from piflows.ir.names import effect_id
from piflows.ir.pattern import found_in
from piflows.ir.plan import Over
from piflows.ir.unit import Handoff

Json = dict[str, Any]

OPENED = ("run", "invocation", "flow", "ir", "cwd", "home", "traced")
DISTILLED = frozenset({"childSettled", "childFailed", "commandExited"})
CLOSED = [2**53, 0, ""]  # above every incarnation: whatever still comes is late


class DriverError(Exception):
    """The driver broke the rules. What a child does wrong is never an exception: it settles the unit with a code."""


class Machine:
    """One run of a Flow. The only mutable object of the interpreter."""

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

    @property
    def done(self) -> bool:
        """Whether the run is over."""
        return self.record["run"] == DONE

    def snapshot(self) -> str:
        """The whole state as JSON text; `Machine(flow, json.loads(text))` goes on from it."""
        return json.dumps(self.record, ensure_ascii=False)

    def distil(self, effect: str, report: Json) -> Json:
        """A report as it is journalled: what only its raw text can tell is read here, once, and what must not be kept
        is gone from it. A replay reads both from the journal."""
        kind = report["kind"]
        if kind not in DISTILLED or (live := self.record["live"].get(effect)) is None:
            return report
        if kind != "commandExited":
            return returns.distilled(self.flow, self.flow.roles[live["role"]], self.redactor, report)
        patterns, said = self.program.patterns(self.record["state"]), report["text"]
        matched = {each: found_in(each, said.strip()) for each in patterns}
        return {**report, "text": returns.kept(said, self.redactor), "matched": matched}

    def recorded(self, event: Event) -> Event:
        """An event as the journal keeps it."""
        if self.flow.contracts:
            event = capture.safe(event, self.redactor)
        return event if self.flow.record_content else capture.withheld(event)

    @property
    def lacks(self) -> str:
        """The state whose text was not recorded and may still be read: such a run cannot go on from its journal."""
        return "" if self.flow.record_content or self.done else capture.lacks(self.record, self.program)

    def feed(self, event: Event) -> list[Json]:
        """Take one event; return what must now happen outside, in order.

        Raises DriverError when no driver may send this event now. An exact repeat, an event of a closed incarnation
        and whatever comes after Done are dropped.
        """
        kind, run = event["kind"], self.record["run"]
        out: list[Json] = []
        if run == DONE:
            return out
        if kind == "opened":
            self._run(kind)
            self.record["opened"] = {name: event[name] for name in OPENED if name in event}
            self._open()
            self._go(self.flow.entry, out)
        elif run == NEW:
            raise DriverError(f"{kind} before opened")
        elif kind == "cancelled":
            self._cancel(out)
        elif (live := self._known(event)) is not None:
            self._progress(event, live, out)
        if self.marks.notes:
            out += self.marks.drain()
        return out

    # ---- events ------------------------------------------------------------------------------------------------

    def _run(self, kind: str) -> None:
        if kind not in RUN[self.record["run"]]:
            raise DriverError(f"{kind} while the run is {self.record['run']}")
        self.record["run"] = RUN[self.record["run"]][kind]

    def _known(self, event: Event) -> Json | None:
        """The live effect that an event belongs to, None when the event is to be dropped."""
        effect, stamp = event["effect"], (event["incarnation"], event["n"])
        live = self.record["live"].get(effect)
        if live is None:
            over = self.record["over"].get(effect)
            if over is None:
                raise DriverError(f"no effect {effect} was asked for")
            last, same = final(self.record, over, event)
            if event["kind"] in FINAL and (stamp > last or (stamp == last and not same)):
                raise DriverError(f"{effect} settled twice")
            return None
        if stamp <= (live["incarnation"], live["n"]):
            return None
        return live

    def _progress(self, event: Event, live: Json, out: list[Json]) -> None:
        kind, effect = event["kind"], event["effect"]
        after = UNIT[live["phase"]].get(kind)
        if after is None or kind not in ANSWERS[live["asked"]]:
            raise DriverError(f"{kind} for {effect}, which is {live['phase']}")
        live["phase"], live["incarnation"], live["n"] = after, event["incarnation"], event["n"]
        if kind == "childStarted":
            live["began"] = event["at"]
            if self.program.limited:
                spending.started(self.record, self.program, effect, live, out)
        elif kind == "turnEnded":
            charge(self.record["spent"], live["result"], event["usage"])
            if self.program.limited:
                spending.turned(self.record, self.program, effect, event["usage"], out)
        elif kind == "noticeSeen":
            live["notice"] = "seen"
        if after in OVER:
            del self.record["live"][effect]
            if "unit" in live and live["budget"] is None and live["asked"] == "spawn":
                self.record["over"][effect] = number = live["result"]
                self.record["stamps"][2 * number : 2 * number + 2] = event["incarnation"], event["n"]
            else:
                self.record["over"][effect] = [event["incarnation"], event["n"], fingerprint(event)]
            self._settled(event, live, out)

    def _settled(self, event: Event, live: Json, out: list[Json]) -> None:
        state = self.program.states[self.record["state"]]
        if "unit" in live:
            self._child_over(event, live, out)
        elif isinstance(state, Action) and not self._cancelled_all(out):
            value = actions.result(state.do, self.record["visits"][state.name], live["sent"], event)
            record.publish(self.record, state.name, value)
            self.record["all"].setdefault(state.name, []).append(value)
            self._leave(state, "then", out)

    def _child_over(self, event: Event, live: Json, out: list[Json]) -> None:
        """A child ended. What its return declares is looked at before it counts."""
        files: Json = {}
        if event["kind"] == "inspected":
            event, files = live["settled"], event["files"]
        else:
            if live["budget"] is not None or live["notice"]:
                event = spending.verdict(self.record, live, event, self.marks)
            if "returned" in event and (look := children.asks_files(event, live)) is not None:
                waits = {**live, **record.alive(look), "began": live["began"], "settled": event}
                self.record["live"][look["effect"]] = waits
                out.append(look)
                return
        state = self.program.states[self.record["state"]]
        assert isinstance(state, Stage)
        each = children.over(self.record, self.program, state, event, live, files, self.marks)
        if not self._cancelled_all(out):
            self._unit_over(state, live["unit"], each)
            self._stage(state, out)

    def _unit_over(self, stage: Stage, unit: int, each: Json) -> None:
        under_way = self.record["stage"]
        if under_way["items"] is not None:
            each["item"] = under_way["items"][unit]
        waves.settle(stage, self.program.shapes[stage.name], under_way, unit, each)

    def _cancel(self, out: list[Json]) -> None:
        self._run("cancelled")
        for effect, live in self.record["live"].items():
            live["phase"] = UNIT[live["phase"]]["cancelled"]
            out.append(effects.stop(effect))
        self._cancelled_all(out)

    def _cancelled_all(self, out: list[Json]) -> bool:
        """Whether the run was cancelled; it finishes when nothing lives any more."""
        if self.record["run"] != CANCELLING:
            return False
        if not self.record["live"]:
            self._finish(refusal("CHILD_ABORTED", {}), out)
        return True

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
