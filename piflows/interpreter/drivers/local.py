"""The embedded driver: asyncio, one process. Effects out, events in, no decision of its own. See the package."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import itemgetter
from typing import Any

from piflows.interpreter.backends import Backend
from piflows.interpreter.drivers import reports
from piflows.interpreter.drivers.deadlines import Deadlines
from piflows.interpreter.drivers.replay import Core, Journal, Past, replay
from piflows.interpreter.effects import STARTS
from piflows.interpreter.events import FINAL
from piflows.interpreter.hands import files
from piflows.interpreter.hands.clock import Clock
from piflows.interpreter.machine import DriverError
from piflows.ir.diagnostic import FlowError, diagnostic

Json = dict[str, Any]
Shell = Callable[[str, str, float, int], Awaitable[Json]]
Watch = Callable[[Json, Json | None], None]
Saw = Callable[[Json, Sequence[Json]], None]

STARTED: Json = {"kind": "childStarted"}
_in_order = itemgetter(0)


async def drive(
    machine: Core,
    opened: Json,
    backend: Backend,
    clock: Clock,
    shell: Shell,
    *,
    journal: Journal | None = None,
    history: Sequence[Json] = (),
    watch: Watch | None = None,
    saw: Saw | None = None,
) -> None:
    """Drive a fresh machine until it is done.

    `opened` has run, invocation, flow, ir and cwd, the absolute directory that all others are relative to. With a
    `history`, the events of the run's journal, the run goes on from there, and its own opening counts. `watch` is told
    each new event and the effect that it belongs to, `saw` every event, those of the history too, with the effects that
    follow from it. Cancelling cancels the run: what lives is stopped, the machine hears of it and is done, then the
    cancellation goes on.

    Raises FlowError JOURNAL_INVALID when the machine cannot have had that history.
    """
    opened = history[0] if history else {"kind": "opened", **opened}
    local = _Local(machine, opened["cwd"], backend, clock, shell, journal, watch, saw)
    try:
        if history:
            local.resume(replay(machine, history, backend.recall, saw))
        else:
            local.announce(opened)
        await local.go()
    except DriverError as error:
        if not history:
            raise
        # without an edited journal the machine and its driver agree on what is under way
        raise FlowError(diagnostic("JOURNAL_INVALID", problem=f"the run cannot go on from it: {error}")) from error
    except asyncio.CancelledError:
        if not machine.done:
            local.announce({"kind": "cancelled"})
            await local.go()
        raise
    finally:
        await local.close()


class _Live:
    """An effect under way. `order`: its place among all starts. `over`: its last report is in the inbox.
    `ending`: what that report will be, when the driver ends it. `said`: what a child's last response said."""

    __slots__ = ("ending", "incarnation", "n", "order", "over", "said", "sent", "task")

    def __init__(self, sent: Json, incarnation: int, order: int) -> None:
        self.sent, self.incarnation, self.order = sent, incarnation, order
        self.n = 0
        self.over = False
        self.ending: Json | None = None
        self.said = ""
        self.task: asyncio.Task[None] | None = None


@dataclass(slots=True)
class _Local:
    """One drive. `busy` counts the live effects whose last report is still to come, `cancelling` those of them whose
    task was cancelled and has not ended yet."""

    machine: Core
    cwd: str
    backend: Backend
    clock: Clock
    shell: Shell
    journal: Journal | None
    watch: Watch | None
    saw: Saw | None
    past: Past = field(default_factory=Past)
    live: dict[str, _Live] = field(default_factory=dict[str, _Live])
    pending: deque[Json] = field(default_factory=deque[Json])
    inbox: list[tuple[int, _Live, Json]] = field(default_factory=list[tuple[int, _Live, Json]])
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.get_running_loop)
    started: int = 0
    busy: int = 0
    cancelling: int = 0
    deadlines: Deadlines[_Live] = field(init=False)

    def __post_init__(self) -> None:
        self.deadlines = Deadlines(self.clock, self._time_out)
        self.clock.attend(self.wake.set)

    # ---- the loop ----------------------------------------------------------------------------------------------

    async def go(self) -> None:
        """Carry out and report until the machine is done."""
        while not self.machine.done:
            if not self.cancelling and self.clock.quiet(self.busy):
                if self.inbox:
                    self._take()
                    continue
                if not self.live:
                    raise DriverError("nothing is under way and the machine is not done")
                if self.clock.advance():
                    continue
            self.wake.clear()
            await self.wake.wait()

    async def close(self) -> None:
        """End what still lives; nobody hears of it any more."""
        self.deadlines.close()
        tasks: list[asyncio.Task[None]] = []
        for live in self.live.values():
            live.over = True
            if live.task is not None and not live.task.done():
                live.task.cancel()
                tasks.append(live.task)
        if tasks:
            await asyncio.wait(tasks)

    # ---- events in ---------------------------------------------------------------------------------------------

    def announce(self, report: Json) -> None:
        """An event of the run itself, and what follows from it."""
        self._tick()
        self._feed("", 0, self.past.own, report, None)
        self.past.own += 1
        self._carry_out()

    def resume(self, past: Past) -> None:
        """Carry out again what has no final event; what was asked to stop only gets one."""
        self.past = past
        self._tick()
        for effect, sent in past.under_way.items():
            if effect in past.stopped:
                self._accept(_Live(sent, past.incarnations.get(effect, 0) + 1, 0), reports.stopped(sent))
            else:
                self.pending.append(sent)
        self._carry_out()

    def _take(self) -> None:
        """Feed what lies in the inbox, in the order in which the effects started: all of it happened now."""
        batch, self.inbox = self.inbox, []
        batch.sort(key=_in_order)
        self._tick()
        for _, live, report in batch:
            if report["kind"] in FINAL:
                del self.live[live.sent["effect"]]
            self._accept(live, report)
            if self.pending:
                self._carry_out()
            if self.machine.done:
                return

    def _tick(self) -> None:
        self.past.at = max(self.past.at, self.clock.now())

    def _accept(self, live: _Live, report: Json) -> None:
        """An event of an effect."""
        effect = live.sent["effect"]
        live.n += 1
        self._feed(effect, live.incarnation, live.n, self.machine.distil(effect, report), live.sent)

    def _feed(self, effect: str, incarnation: int, n: int, report: Json, sent: Json | None) -> None:
        """Make an event of a report, journal it, feed it."""
        past = self.past
        past.seq += 1
        event = {"seq": past.seq, "at": past.at, "effect": effect, "incarnation": incarnation, "n": n, **report}
        if self.journal is not None:
            self.journal.append(self.machine.recorded(event))
        if effects := self.machine.feed(event):
            self.pending.extend(effects)
        if self.saw is not None:
            self.saw(event, effects)
        if self.watch is not None:
            self.watch(event, sent)

    # ---- effects out -------------------------------------------------------------------------------------------

    def _carry_out(self) -> None:
        while self.pending:
            sent = self.pending.popleft()
            kind = sent["kind"]
            if kind in STARTS:
                self._start(sent)
            elif (live := self.live.get(sent["effect"])) is None:
                continue
            elif kind == "stop":
                self._end(live, reports.stopped(live.sent, live.said))
            elif kind == "steer" and not live.over:
                try:
                    self.backend.steer(sent["effect"], sent["text"])
                except Exception as error:
                    self._end(live, reports.broken(error))

    def _start(self, sent: Json) -> None:
        effect = sent["effect"]
        self.started += 1
        self.busy += 1
        self.live[effect] = live = _Live(sent, self.past.incarnations.get(effect, 0) + 1, self.started)
        if sent["kind"] == "spawn":
            self._start_child(live)
        else:
            live.task = self.loop.create_task(_WORK[sent["kind"]](self, live))

    def _start_child(self, live: _Live) -> None:
        live.n = 1
        self._feed(live.sent["effect"], live.incarnation, 1, STARTED, live.sent)
        try:
            said = self.backend.begin(live.sent)
        except Exception as error:
            self._report(live, reports.broken(error))
            return
        live.task = self.loop.create_task(self._child(live, said))
        self.deadlines.add(self.past.at + live.sent["timeoutMs"], live)

    async def _child(self, live: _Live, said: AsyncIterator[Json]) -> None:
        """Pass a backend's reports on; the final one once the backend has cleaned up after it.

        Whatever comes instead of a final report is a failed child.
        """
        last: Json | None = None
        try:
            async for report in said:
                found = reports.proper(report)
                if found["kind"] in FINAL:
                    last = found
                    break
                live.said = found.pop("text", live.said)
                self._report(live, found)
            else:
                last = reports.broken("it ended without a settlement")
        except asyncio.CancelledError:
            if live.ending is None:  # not cancelled by this driver
                last = reports.broken("its backend was cancelled")
            raise
        except Exception as error:
            last = reports.broken(error)
        finally:
            try:
                if (close := getattr(said, "aclose", None)) is not None:
                    await close()
            finally:
                if last is not None:
                    self._report(live, last)

    async def _command(self, live: _Live) -> None:
        sent = live.sent
        try:
            cwd = os.path.join(self.cwd, sent["cwd"])  # noqa: PTH118
            report = await self.shell(sent["command"], cwd, sent["timeoutMs"], sent["cap"])
        except Exception as error:
            report = reports.unstarted(error)
        self._report(live, report)

    async def _wait(self, live: _Live) -> None:
        await self.clock.sleep(live.sent["ms"])
        self._report(live, {"kind": "timePassed"})

    async def _inspect(self, live: _Live) -> None:
        cwd = os.path.join(self.cwd, live.sent["cwd"])  # noqa: PTH118
        found = await asyncio.to_thread(files.facts, cwd, live.sent["paths"])
        self._report(live, {"kind": "inspected", "files": found})

    def _time_out(self, live: _Live) -> None:
        self._end(live, reports.timed_out(live.sent, live.said))

    def _end(self, live: _Live, last: Json) -> None:
        """End an effect. `last` is its final report, unless it settles while it is being ended."""
        if live.over or live.ending is not None or live.task is None:
            return
        live.ending = last
        self.cancelling += 1
        live.task.cancel()
        live.task.add_done_callback(partial(self._ended, live))

    def _ended(self, live: _Live, _: asyncio.Task[None]) -> None:
        self.cancelling -= 1
        if live.ending is not None:
            self._report(live, live.ending)
        self.wake.set()

    def _report(self, live: _Live, report: Json) -> None:
        if live.over:
            return
        if report["kind"] in FINAL:
            live.over = True
            self.busy -= 1
        self.inbox.append((live.order, live, report))
        self.wake.set()


_WORK: dict[str, Callable[[_Local, _Live], Coroutine[Any, Any, None]]] = {
    "command": _Local._command,  # pyright: ignore[reportPrivateUsage]
    "wait": _Local._wait,  # pyright: ignore[reportPrivateUsage]
    "inspect": _Local._inspect,  # pyright: ignore[reportPrivateUsage]
}
