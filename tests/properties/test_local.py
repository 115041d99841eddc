"""The local driver gives the outcome that the machine has without it, whatever the delays and wherever it crashes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from batteries.driver import OPENED, Children, Crash, Memory
from drive import SALTS, Reply, Run, salted
from hypothesis import given
from hypothesis import strategies as st
from machines import all_flows

from piflows.interpreter.drivers.local import drive
from piflows.interpreter.hands.clock import Clock, VirtualClock
from piflows.interpreter.machine import Machine
from piflows.ir.flow import Flow

Json = dict[str, Any]
FINAL = {"childSettled", "childFailed", "commandExited", "timePassed"}


def by_unit(salt: int) -> Reply:
    """The replies of `salted`, but all commands of a run exit alike: a shell knows no effect."""
    children = salted(salt)
    return lambda sent: {"exit": salt % 2, "text": f"out {salt}"} if sent["kind"] == "command" else children(sent)


class Delayed(Children):
    """Children that reply as a `Run` has them reply, each after a delay of its own."""

    def __init__(self, clock: Clock, run: Run, delays: list[int]) -> None:
        super().__init__(clock)
        self.run, self.delays = run, delays

    def begin(self, sent: Json) -> AsyncIterator[Json]:
        self.begun.append(sent["unit"])
        return self._child(sent, self.delays[len(self.begun) % len(self.delays)])

    async def _child(self, sent: Json, delay: int) -> AsyncIterator[Json]:
        await self.clock.sleep(delay)
        for report in self.run._reports(sent):
            if report["kind"] != "childStarted":
                yield report


async def driven(run: Run, delays: list[int], journal: Memory) -> Run:
    """The run, but driven by the local driver."""
    clock = VirtualClock()

    async def shell(*_: object) -> Json:
        return next(iter(run._reports({"kind": "command"})))

    run.machine = Machine(run.flow)
    backend = Delayed(clock, run, delays)
    await drive(run.machine, OPENED, backend, clock, shell, journal=journal, history=list(journal.events))
    return run


@given(
    all_flows(schedule="wave"),
    SALTS,
    st.lists(st.integers(0, 3), min_size=1, max_size=5),
    st.lists(st.integers(1, 40), max_size=3),
)
def test_the_outcome_depends_on_neither_delays_nor_crashes(
    flow: Flow, salt: int, delays: list[int], crashes: list[int]
) -> None:
    journal = Memory()
    for more in crashes:
        journal.crash = len(journal.events) + more
        try:
            asyncio.run(driven(Run(flow, by_unit(salt)), delays, journal))
        except Crash:
            continue
    journal.crash = 100_000
    run = asyncio.run(driven(Run(flow, by_unit(salt)), delays, journal))
    assert run.outcome == Run(flow, by_unit(salt)).go().outcome
    settled = [each["effect"] for each in journal.events if each["kind"] in FINAL]
    assert len(settled) == len(set(settled))
