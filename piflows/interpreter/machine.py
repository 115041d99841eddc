"""The machine: `feed(event)` gives the effects that must now happen outside, in order.

Pure: it reads no clock, file, random number or socket; time and outcomes arrive in events. Its whole state is one JSON
value. It takes no decision of its own: what a state does is in `walk`, who starts in `waves`, outcomes in `gates`,
texts in `fill`.
"""

from __future__ import annotations

import json
from typing import Any

from piflows.interpreter import actions, capture, children, effects, record, returns, spending
from piflows.interpreter.events import ANSWERS, FINAL, Event, fingerprint
from piflows.interpreter.outcome import refusal
from piflows.interpreter.results import charge, final
from piflows.interpreter.tables import CANCELLING, DONE, NEW, OVER, STOPPED, UNIT
from piflows.interpreter.walk import DriverError, Walk
from piflows.ir.flow import Action, Stage
from piflows.ir.pattern import found_in

Json = dict[str, Any]

OPENED = ("run", "invocation", "flow", "ir", "cwd", "home", "traced")
DISTILLED = frozenset({"childSettled", "childFailed", "commandExited"})


class Machine(Walk):
    """One run of a Flow. The only mutable object of the interpreter."""

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
        if kind not in DISTILLED:
            return report
        live = self.record["live"].get(effect)
        if kind != "commandExited":
            role = None if live is None else self.flow.roles[live["role"]]
            return returns.distilled(self.flow, role, self.redactor, report)
        patterns, said = self.program.patterns(self.record["state"]), report["text"]
        matched = {each: found_in(each, said.strip()) for each in patterns}
        return {**report, "text": returns.kept(said, self.redactor), "matched": matched}

    def recorded(self, event: Event) -> Event:
        """An event as the journal keeps it."""
        if self.program.kept_whole:
            return event
        return capture.recorded(self.record, event, self.redactor, content=self.flow.record_content)

    @property
    def lacks(self) -> str:
        """The state whose text was not recorded and may still be read: such a run cannot go on from its journal."""
        return "" if self.done else capture.lacks(self.record, self.program)

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
            if live["asked"] == "spawn" and "budget" not in live and "returned" not in event:
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
            stopped, event, files = live["phase"] == STOPPED, live["settled"], event["files"]
            event = children.unseen(event) if stopped else event
        else:
            if "budget" in live or "notice" in live:
                event = spending.verdict(self.record, live, event, self.marks)
            running = self.record["run"] != CANCELLING
            if running and "returned" in event and (look := children.asks_files(event, live)) is not None:
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
