"""What any driver must do. A driver's test subclasses the battery and says how a run is driven."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from batteries.backend import spawn

from piflows.interpreter.effects import STARTS, command, done, inspect, note, steer, stop, wait
from piflows.interpreter.events import FINAL
from piflows.interpreter.hands.clock import Clock, RealClock, VirtualClock
from piflows.interpreter.machine import DriverError
from piflows.ir.diagnostic import FlowError

Json = dict[str, Any]
Child = Callable[[Json, Clock], AsyncIterator[Json]]

OPENED: Json = {"run": "r", "invocation": "i", "flow": "sha256:0f", "ir": 1, "cwd": "/"}
TURN: Json = {"kind": "turnEnded", "usage": {"input": 1, "output": 1, "costUsd": None}}
SETTLED: Json = {"kind": "childSettled", "text": "ok", "exit": 0, "stopReason": "stop", "model": None, "stderr": ""}
EXITED: Json = {"kind": "commandExited", "exit": 0, "text": "", "timedOut": False, "started": True, "reason": ""}


class Table:
    """A machine that is a table: after which event (`kind effect`, the unit alone of a spawn) which effects come.

    `fed` are the events it took. Like the real one it drops repeats, and is done once it has asked for Done.
    """

    def __init__(self, **after: Sequence[Json]) -> None:
        self.after = {key.replace("_", " ").strip(): list(effects) for key, effects in after.items()}
        self.fed: list[Json] = []
        self.done = False
        self.lacks = ""
        self.live: dict[str, Json] = {}

    def distil(self, effect: str, report: Json) -> Json:
        return {**report, "distilled": True} if report["kind"] == "childSettled" and effect else report

    def recorded(self, event: Json) -> Json:
        return event

    def feed(self, event: Json) -> list[Json]:
        if self.done:
            return []
        if event["effect"] and event["effect"] not in self.live:
            raise DriverError(f"no effect {event['effect']} was asked for")
        self.fed.append(event)
        asked = self.live.get(event["effect"], {})
        if event["kind"] in FINAL:
            del self.live[event["effect"]]
        out = self.after.get(f"{event['kind']} {asked.get('unit', asked.get('kind', ''))}".strip(), [])
        self.live |= {each["effect"]: each for each in out if each["kind"] in STARTS}
        self.done = any(each["kind"] == "done" for each in out)
        return list(out)

    def heard(self) -> list[str]:
        """The kinds and units of what was fed, in order."""
        return [" ".join(filter(None, (each["kind"], _unit(each["effect"])))) for each in self.fed]


@dataclass
class Children:
    """A backend whose children are functions by unit; `begun` and `recalled` are the spawns in order, `steered` the
    effects that were told something, with what."""

    clock: Clock
    children: dict[str, Child] = field(default_factory=dict[str, Child])
    begun: list[str] = field(default_factory=list[str])
    recalled: list[str] = field(default_factory=list[str])
    steered: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def begin(self, sent: Json) -> AsyncIterator[Json]:
        self.begun.append(sent["unit"])
        return self.children.get(sent["unit"], at_once)(sent, self.clock)

    def recall(self, sent: Json) -> None:
        self.recalled.append(sent["unit"])

    def steer(self, effect: str, text: str) -> None:
        self.steered.append((effect, text))


async def at_once(_: Json, __: Clock) -> AsyncIterator[Json]:
    yield TURN
    yield SETTLED


def after(ms: float, *reports: Json) -> Child:
    """A child that takes its time."""

    async def child(_: Json, clock: Clock) -> AsyncIterator[Json]:
        await clock.sleep(ms)
        for report in reports or (SETTLED,):
            yield report

    return child


async def no_shell(line: str, cwd: str, timeout_ms: float, cap: int) -> Json:  # noqa: ARG001
    """A shell that only tells what it was asked for."""
    return {**EXITED, "text": f"{line} in {cwd}"}


class Crash(Exception):
    """The process ends here."""


@dataclass
class Memory:
    """A journal in memory. After `crash` events it fails like a process that is gone."""

    events: list[Json] = field(default_factory=list[Json])
    crash: int = 10_000

    def append(self, event: Json) -> None:
        if len(self.events) >= self.crash:
            raise Crash
        self.events.append(event)


def _unit(effect: str) -> str:
    return effect.split("/")[-1].split("!")[0]


class DriverBattery:
    """Subclass it as `Test…` and give `drive`."""

    def drive(
        self,
        machine: Any,
        backend: Any,
        clock: Clock,
        *,
        shell: Callable[[str, str, float, int], Awaitable[Json]] = no_shell,
        journal: Memory | None = None,
        history: Sequence[Json] = (),
        cancel_at: str = "",
    ) -> None:
        """Drive a machine to its end. `cancel_at` cancels when that event (`kind unit`) was fed, once."""
        raise NotImplementedError

    def run(self, machine: Table, children: dict[str, Child] | None = None, **rest: Any) -> Children:
        clock = VirtualClock()
        backend = Children(clock, children or {})
        self.drive(machine, backend, clock, **rest)
        assert machine.done
        return backend

    # ---- order -------------------------------------------------------------------------------------------------

    def test_events_are_numbered_and_stamped(self) -> None:
        machine, journal = Table(opened=[spawn("a")], childSettled_a=[done()]), Memory()
        self.run(machine, {"a": after(7, TURN, SETTLED)}, journal=journal)
        assert machine.fed == journal.events
        stamps = [[each[name] for name in ("seq", "at", "effect", "incarnation", "n")] for each in machine.fed]
        effect = spawn("a")["effect"]
        assert stamps == [[1, 0, "", 0, 0], [2, 0, effect, 1, 1], [3, 7, effect, 1, 2], [4, 7, effect, 1, 3]]
        assert machine.fed[0] == {"seq": 1, "at": 0, "effect": "", "incarnation": 0, "n": 0, "kind": "opened"} | OPENED

    def test_reports_are_distilled_before_they_are_journalled(self) -> None:
        machine, journal = Table(opened=[spawn("a")], childSettled_a=[done()]), Memory()
        self.run(machine, journal=journal)
        assert [each.get("distilled") for each in journal.events] == [None, None, None, True]

    def test_effects_start_in_order(self) -> None:
        machine = Table(
            opened=[spawn(unit) for unit in "cab"], childSettled_c=[spawn("d"), spawn("e")], childSettled_e=[done()]
        )
        assert self.run(machine).begun == ["c", "a", "b", "d", "e"]

    def test_what_settles_at_one_instant_is_taken_in_the_order_of_the_starts(self) -> None:
        machine = Table(opened=[spawn(unit) for unit in "cab"], childSettled_b=[done()])

        async def in_two_naps(_: Json, clock: Clock) -> AsyncIterator[Json]:
            await clock.sleep(5)
            await clock.sleep(5)
            yield SETTLED

        self.run(machine, {"c": in_two_naps, "a": after(10), "b": after(10)})
        assert machine.heard()[-3:] == ["childSettled c", "childSettled a", "childSettled b"]

    def test_the_earlier_settles_first(self) -> None:
        machine = Table(opened=[spawn("a"), spawn("b")], childSettled_a=[done()])
        self.run(machine, {"a": after(10), "b": after(9)})
        assert machine.heard()[-2:] == ["childSettled b", "childSettled a"]

    # ---- effects -----------------------------------------------------------------------------------------------

    def test_a_command_runs_where_and_as_long_as_it_says(self) -> None:
        asked: list[tuple[float, int]] = []

        async def shell(line: str, cwd: str, timeout_ms: float, cap: int) -> Json:
            asked.append((timeout_ms, cap))
            return await no_shell(line, cwd, timeout_ms, cap)

        machine = Table(opened=[command("c#1/!1", "make", "app", 500, 9)], commandExited_command=[done()])
        self.run(machine, shell=shell)
        assert asked == [(500, 9)]
        assert machine.fed[-1]["text"] == "make in /app"

    def test_a_wait_is_time_that_passes(self) -> None:
        machine = Table(opened=[wait("w#1/!1", 60_000)], timePassed_wait=[done()])
        self.run(machine)
        assert [each["at"] for each in machine.fed] == [0, 60_000]

    def test_time_never_runs_backwards(self) -> None:
        machine, clock = Table(opened=[spawn("a")], childSettled_a=[done()]), VirtualClock()
        times = iter([50, 40, 30, 20, 10, 5, 4, 3, 2, 1])
        clock.now = lambda: next(times)  # type: ignore[method-assign]
        self.drive(machine, Children(clock), clock)
        assert {each["at"] for each in machine.fed} == {50}

    def test_files_are_looked_at_where_the_child_was(self, tmp_path: Path) -> None:
        (tmp_path / "there").write_text("x")
        look = inspect(spawn("a")["effect"] + "?files", str(tmp_path), ["there", "gone"])
        machine = Table(opened=[spawn("a")], childSettled_a=[look], inspected_inspect=[done()])
        self.run(machine)
        found = machine.fed[-1]["files"]
        assert {path: fact["exists"] for path, fact in found.items()} == {"there": True, "gone": False}

    def test_a_live_child_is_told_and_a_settled_one_is_not(self) -> None:
        a, b = spawn("a")["effect"], spawn("b")["effect"]
        told = [steer(a, "to a"), steer(b, "to b"), steer("work#9/x!1", "to nobody")]
        machine = Table(opened=[spawn("a"), spawn("b")], childSettled_a=told, childSettled_b=[done()])
        backend = self.run(machine, {"b": after(9)})
        assert backend.steered == [(b, "to b")]

    def test_a_child_that_answers_at_the_instant_it_would_be_told_is_not_disturbed(self) -> None:
        machine = Table(
            opened=[spawn("a"), spawn("b")], childSettled_a=[steer(spawn("b")["effect"], "x")], childSettled_b=[done()]
        )
        assert self.run(machine, {"a": after(5), "b": after(5)}).steered == []

    def test_a_child_that_cannot_be_told_fails(self) -> None:
        def broken(effect: str, text: str) -> None:  # noqa: ARG001
            raise BrokenPipeError("it does not listen")

        told = steer(spawn("b")["effect"], "x")
        machine, clock = (
            Table(opened=[spawn("a"), spawn("b")], childSettled_a=[told], childFailed_b=[done()]),
            VirtualClock(),
        )
        backend = Children(clock, {"b": after(float("inf"))})
        backend.steer = broken
        self.drive(machine, backend, clock)
        assert machine.fed[-1]["facts"] == {"problem": "BrokenPipeError: it does not listen"}

    def test_what_is_noted_is_carried_out_by_nobody(self) -> None:
        noted = note("x", "state", False, "a", "work", (), {})
        machine = Table(opened=[noted, spawn("a"), noted], childSettled_a=[noted, done()])
        assert self.run(machine).begun == ["a"]
        assert [each["kind"] for each in machine.fed] == ["opened", "childStarted", "turnEnded", "childSettled"]

    # ---- what backends and hands do wrong ----------------------------------------------------------------------

    @pytest.mark.parametrize(
        ("reports", "says"),
        [
            ([], "it ended without a settlement"),
            ([TURN], "it ended without a settlement"),
            ([ValueError("odd")], "ValueError: odd"),
            ([TURN, KeyError("x")], "KeyError: 'x'"),
            ([{"kind": "childStarted"}], "its backend reported `childStarted`"),
            ([{"kind": "commandExited"}], "its backend reported `commandExited`"),
            ([{}], "its backend reported `None`"),
            ([{**SETTLED, "text": None}], "`text` of childSettled is missing or malformed"),
            ([{"kind": "childFailed"}], "`code` of childFailed is missing or malformed"),
            ([{**TURN, "usage": {}}], "`usage` of turnEnded is missing or malformed"),
        ],
        ids=str,
    )
    def test_a_backend_that_breaks_the_rules_fails_its_child(self, reports: list[Any], says: str) -> None:
        async def child(_: Json, __: Clock) -> AsyncIterator[Json]:
            for report in reports:
                if isinstance(report, Exception):
                    raise report
                yield report

        machine = Table(opened=[spawn("a")], childFailed_a=[done()])
        self.run(machine, {"a": child})
        last = machine.fed[-1]
        assert (last["code"], last["facts"], last["stopReason"]) == ("CHILD_PROTOCOL_ERROR", {"problem": says}, "error")

    def test_a_backend_that_cannot_begin_fails_its_child(self) -> None:
        def child(_: Json, __: Clock) -> AsyncIterator[Json]:
            raise OSError("no more processes")

        machine = Table(opened=[spawn("a")], childFailed_a=[done()])
        self.run(machine, {"a": child})
        assert machine.fed[-1]["facts"] == {"problem": "OSError: no more processes"}

    def test_only_the_first_settlement_counts(self) -> None:
        machine = Table(opened=[spawn("a"), spawn("b")], childSettled_b=[done()])
        self.run(machine, {"a": after(1, SETTLED, {**SETTLED, "text": "again"}, TURN), "b": after(9)})
        assert [each for each in machine.heard() if each.endswith(" a")] == ["childStarted a", "childSettled a"]

    def test_a_shell_that_breaks_is_a_command_that_did_not_start(self) -> None:
        async def shell(*_: object) -> Json:
            raise RuntimeError("no shell")

        machine = Table(opened=[command("c#1/!1", "make", "", 500, 9)], commandExited_command=[done()])
        self.run(machine, shell=shell)
        assert (machine.fed[-1]["started"], machine.fed[-1]["reason"]) == (False, "RuntimeError: no shell")

    def test_a_machine_that_waits_for_nothing_is_told_so(self) -> None:
        with pytest.raises(DriverError, match="nothing is under way"):
            self.run(Table(opened=[]))

    # ---- time and stops ----------------------------------------------------------------------------------------

    def test_a_child_that_takes_too_long_is_ended(self) -> None:
        machine = Table(opened=[spawn("a", timeoutMs=1_000)], childFailed_a=[done()])
        self.run(machine, {"a": after(float("inf"))})
        last = machine.fed[-1]
        assert (last["at"], last["code"], last["facts"]) == (1_000, "CHILD_TIMEOUT", {"ms": 1_000})
        assert (last["stopReason"], last["exit"]) == ("timeout", 1)

    def test_every_child_has_its_own_time(self) -> None:
        times = {"a": 900, "b": 30, "c": 500, "d": 10_000, "e": 400}
        machine = Table(
            opened=[spawn(unit, timeoutMs=times[unit]) for unit in "abcd"],
            childFailed_b=[spawn("e", timeoutMs=times["e"])],
            childSettled_d=[done()],
        )
        self.run(machine, {unit: after(float("inf")) for unit in "abce"} | {"d": after(2_000)})
        ended = {_unit(each["effect"]): each["at"] for each in machine.fed if each["kind"] in FINAL}
        assert ended == {"b": 30, "e": 430, "c": 500, "a": 900, "d": 2_000}

    def test_a_child_that_is_in_time_is_left_alone(self) -> None:
        machine = Table(opened=[spawn("a", timeoutMs=1_000)], childSettled_a=[done()])
        self.run(machine, {"a": after(999)})
        assert machine.heard() == ["opened", "childStarted a", "childSettled a"]

    @pytest.mark.parametrize(
        ("sent", "kind", "members"),
        [
            (spawn("x"), "childFailed", {"code": "CHILD_ABORTED", "stopReason": "aborted", "exit": 1}),
            (command("x#1/!1", "sleep", "", 10_000, 9), "commandExited", {"exit": None, "started": True}),
            (wait("x#1/!1", 10_000), "timePassed", {}),
        ],
        ids=["spawn", "command", "wait"],
    )
    def test_what_is_stopped_gets_its_final_event(self, sent: Json, kind: str, members: Json) -> None:
        cleaned: list[str] = []

        async def never(*_: object) -> Json:
            try:
                await RealClock().sleep(float("inf"))
            finally:
                cleaned.append("gone")
            return EXITED

        last = f"{kind} {sent.get('unit', sent['kind'])}"
        after_a: list[Json] = [stop(sent["effect"])]
        machine = Table(opened=[sent, spawn("a")], childSettled_a=after_a, **{last: [done()]})
        clock = RealClock()
        self.drive(machine, Children(clock, {"x": after(float("inf"))}), clock, shell=never)
        assert machine.heard()[-2].startswith("childSettled a")
        assert machine.fed[-1]["kind"] == kind and members.items() <= machine.fed[-1].items()
        assert cleaned == ["gone"] * (sent["kind"] == "command")

    def test_a_child_that_is_ended_keeps_what_its_last_response_said(self) -> None:
        async def talks(_: Json, clock: Clock) -> AsyncIterator[Json]:
            for said in ("first", "second"):
                yield {**TURN, "text": said}
                await clock.sleep(2)
            yield TURN  # a response of tool calls alone has no text
            await clock.sleep(float("inf"))

        machine = Table(
            opened=[spawn("a"), spawn("b"), spawn("late", timeoutMs=7)],
            childSettled_b=[stop(spawn("a")["effect"])],
            childFailed_late=[done()],
        )
        self.run(machine, {"a": talks, "b": after(5), "late": talks})
        ended = {_unit(each["effect"]): each["text"] for each in machine.fed if each["kind"] == "childFailed"}
        assert ended == {"a": "second", "late": "second"}
        assert not any("text" in each for each in machine.fed if each["kind"] == "turnEnded")

    def test_a_stop_of_what_is_over_is_nothing(self) -> None:
        machine = Table(
            opened=[spawn("a"), spawn("b")], childSettled_a=[stop(spawn("b")["effect"])], childSettled_b=[done()]
        )
        self.run(machine)
        assert machine.heard().count("childSettled b") == 1

    def test_a_child_that_answers_although_it_is_stopped(self) -> None:
        async def stubborn(_: Json, clock: Clock) -> AsyncIterator[Json]:
            try:
                await clock.sleep(float("inf"))
            finally:
                yield {**SETTLED, "text": "late"}

        machine = Table(
            opened=[spawn("a"), spawn("b")], childSettled_b=[stop(spawn("a")["effect"])], childSettled_a=[done()]
        )
        self.run(machine, {"a": stubborn})
        assert machine.fed[-1]["text"] == "late"

    def test_nothing_comes_after_done_and_nothing_is_left(self) -> None:
        left: list[str] = []

        async def lives_on(_: Json, clock: Clock) -> AsyncIterator[Json]:
            try:
                await clock.sleep(float("inf"))
                yield SETTLED
            finally:
                left.append("gone")

        machine = Table(opened=[spawn("a"), spawn("b")], childSettled_b=[stop(spawn("a")["effect"]), done()])
        journal = Memory()
        self.run(machine, {"a": lives_on}, journal=journal)
        assert left == ["gone"]
        assert journal.events[-1]["kind"] == "childSettled"

    def test_what_comes_at_the_instant_of_done_is_not_heard(self) -> None:
        machine, journal = Table(opened=[spawn("a"), spawn("b")], childSettled_a=[done()]), Memory()
        self.run(machine, {"a": after(5), "b": after(5)}, journal=journal)
        assert [each["kind"] for each in journal.events].count("childSettled") == 1

    def test_a_settled_child_has_cleaned_up(self) -> None:
        cleaned: list[str] = []

        async def tidy(_: Json, clock: Clock) -> AsyncIterator[Json]:
            try:
                yield SETTLED
            finally:
                await clock.sleep(3)
                cleaned.append("gone")

        machine = Table(opened=[spawn("a")], childSettled_a=[done()])
        self.run(machine, {"a": tidy})
        assert cleaned == ["gone"] and machine.fed[-1]["at"] == 3

    def test_a_child_that_is_stopped_while_it_cleans_up_has_settled(self) -> None:
        async def slow_to_clean(_: Json, clock: Clock) -> AsyncIterator[Json]:
            try:
                yield SETTLED
            finally:
                await clock.sleep(float("inf"))

        machine = Table(opened=[spawn("a", timeoutMs=50)], childSettled_a=[done()])
        self.run(machine, {"a": slow_to_clean})
        assert machine.fed[-1]["at"] == 50

    # ---- cancel ------------------------------------------------------------------------------------------------

    def test_a_cancelled_run_hears_of_it_and_ends(self) -> None:
        machine = Table(opened=[spawn("a"), spawn("b")], cancelled=[stop(spawn("a")["effect"])], childFailed_a=[done()])
        journal, clock = Memory(), RealClock()
        backend = Children(clock, {"a": after(float("inf"))})
        self.drive(machine, backend, clock, journal=journal, cancel_at="childSettled b")
        assert machine.heard()[-2:] == ["cancelled", "childFailed a"]
        assert (machine.fed[-2]["effect"], machine.fed[-2]["n"]) == ("", 1)
        assert machine.fed == journal.events

    # ---- crash and resume --------------------------------------------------------------------------------------

    def pipeline(self) -> Table:
        """a and b at once, then a command, then c, then a wait."""
        return Table(
            opened=[spawn("a"), spawn("b")],
            childSettled_b=[command("check#1/!1", "make", "", 500, 9)],
            commandExited_command=[spawn("c")],
            childSettled_c=[wait("w#1/!1", 20)],
            timePassed_wait=[done()],
        )

    @pytest.mark.parametrize("crash", range(14))
    def test_a_crash_after_any_event_changes_nothing(self, crash: int) -> None:
        children = {"a": after(5, TURN, SETTLED), "b": after(9, TURN, SETTLED)}
        whole = self.pipeline()
        self.run(whole, children)
        crashed, journal = self.pipeline(), Memory(crash=crash)
        if crash < len(whole.fed):
            with pytest.raises(Crash):
                self.run(crashed, children, journal=journal)
        else:
            self.run(crashed, children, journal=journal)
        assert crashed.fed == journal.events  # nothing is used that is not written
        settled = {_unit(each["effect"]) for each in journal.events if each["kind"] == "childSettled"}
        started = [_unit(each["effect"]) for each in journal.events if each["kind"] == "childStarted"]
        again, journal.crash = self.pipeline(), 10_000
        backend = self.run(again, children, history=list(journal.events), journal=journal)
        assert backend.recalled == started
        assert not settled & set(backend.begun)
        assert _finals(again.fed) == _finals(whole.fed)
        assert [each["seq"] for each in journal.events] == list(range(1, len(journal.events) + 1))
        assert [each["at"] for each in journal.events] == sorted(each["at"] for each in journal.events)

    def test_files_are_looked_at_again_after_a_crash(self, tmp_path: Path) -> None:
        def table() -> Table:
            look = inspect(spawn("a")["effect"] + "?files", str(tmp_path), ["there"])
            return Table(opened=[spawn("a")], childSettled_a=[look], inspected_inspect=[done()])

        journal = Memory(crash=4)
        with pytest.raises(Crash):
            self.run(table(), journal=journal)
        assert journal.events[-1]["kind"] == "childSettled"
        (tmp_path / "there").write_text("x")
        again = table()
        assert self.run(again, history=list(journal.events)).begun == []
        assert again.fed[-1]["kind"] == "inspected" and again.fed[-1]["files"]["there"]["exists"]

    def test_the_journal_gets_what_is_recorded_and_the_machine_what_was_said(self) -> None:
        machine, journal = Table(opened=[spawn("a")], childSettled_a=[done()]), Memory()
        machine.recorded = lambda event: {**event, "text": "-"} if "text" in event else event
        self.run(machine, journal=journal)
        assert (machine.fed[-1]["text"], journal.events[-1]["text"]) == ("ok", "-")
        assert journal.events[:-1] == machine.fed[:-1]

    def test_a_run_that_lacks_a_text_is_refused_before_anything_starts(self) -> None:
        journal = Memory(crash=4)
        with pytest.raises(Crash):
            self.run(self.pipeline(), journal=journal)
        again, clock = self.pipeline(), VirtualClock()
        again.lacks = "node.a"
        backend, kept = Children(clock), list(journal.events)
        with pytest.raises(FlowError) as raised:
            self.drive(again, backend, clock, history=kept, journal=journal)
        assert raised.value.first.code == "JOURNAL_INVALID" and "node.a" in raised.value.first.message
        assert backend.begun == [] and journal.events == kept

    def test_what_runs_again_has_a_larger_incarnation_every_time(self) -> None:
        machine, journal = Table(opened=[spawn("a")], childSettled_a=[done()]), Memory(crash=3)
        for crash in (3, 5, 7):
            journal.crash = crash
            with pytest.raises(Crash):
                self.run(
                    Table(opened=[spawn("a")], childSettled_a=[done()]), journal=journal, history=list(journal.events)
                )
        journal.crash = 100
        assert self.run(machine, journal=journal, history=list(journal.events)).recalled == ["a"]
        stamps = [(each["kind"], each["incarnation"], each["n"]) for each in journal.events[1:]]
        again = [stamp for round_ in (1, 2, 3) for stamp in (("childStarted", round_, 1), ("turnEnded", round_, 2))]
        assert stamps == [*again, ("childStarted", 4, 1), ("turnEnded", 4, 2), ("childSettled", 4, 3)]

    def test_what_was_asked_to_stop_is_not_run_again(self) -> None:
        def table() -> Table:
            return Table(
                opened=[spawn("a"), spawn("b")], childSettled_b=[stop(spawn("a")["effect"])], childFailed_a=[done()]
            )

        journal, children = Memory(crash=5), {"a": after(50)}
        with pytest.raises(Crash):
            self.run(table(), children, journal=journal)
        assert journal.events[-1]["kind"] == "childSettled"
        again = table()
        assert self.run(again, children, history=list(journal.events)).begun == []
        assert (again.fed[-1]["code"], again.fed[-1]["incarnation"]) == ("CHILD_ABORTED", 2)

    def test_a_finished_run_does_nothing_more(self) -> None:
        machine, journal = self.pipeline(), Memory()
        self.run(machine, journal=journal)
        again, length = self.pipeline(), len(journal.events)
        assert self.run(again, history=list(journal.events), journal=journal).begun == []
        assert len(journal.events) == length

    def test_a_history_of_something_else_is_refused(self) -> None:
        journal = Memory()
        self.run(self.pipeline(), journal=journal)
        with pytest.raises(FlowError) as raised:
            self.run(Table(opened=[spawn("z")]), history=journal.events)
        assert raised.value.first.code == "JOURNAL_INVALID"
        assert raised.value.first.where.line == 3


def _finals(events: list[Json]) -> list[str]:
    return [_unit(each["effect"]) or each["effect"] for each in events if each["kind"] in FINAL]
