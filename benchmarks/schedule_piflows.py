"""No-op units through the machine and the `local` driver, journal in memory: microseconds a unit, as one JSON line.

Only the run is timed: the Flow is built before. Every unit must have run exactly once.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

from shapes import SHAPES, Deps
from timing import arguments, say, timed

from piflows.interpreter.drivers.local import drive
from piflows.interpreter.hands import shell
from piflows.interpreter.hands.clock import RealClock
from piflows.interpreter.machine import Machine
from piflows.ir.flow import IR_VERSION, Flow, Settle, Stage
from piflows.ir.parts import text
from piflows.ir.plan import Plan
from piflows.ir.unit import Role, Unit

Json = dict[str, Any]
SETTLED = {"kind": "childSettled", "text": "done", "exit": 0, "stopReason": "stop", "model": None, "stderr": ""}


class NoOp:
    """A backend whose children settle at once."""

    def __init__(self) -> None:
        self.begun = 0

    def recall(self, spawn: Json, /) -> None: ...

    def begin(self, _: Json, /) -> AsyncIterator[Json]:
        self.begun += 1
        return self

    def __aiter__(self) -> AsyncIterator[Json]:
        return self

    async def __anext__(self) -> Json:
        return SETTLED


def flow(deps: Deps, concurrency: int) -> Flow:
    """One Stage of these units, each started as soon as its needs are done."""
    units = [
        Unit(f"n{number}", "worker", text(f"n{number}"), text("Do it."), tuple(f"n{need}" for need in needs))
        for number, needs in enumerate(deps)
    ]
    stage = Stage("nodes", text("nodes"), Plan(tuple(units)), exits={"then": "done", "failed": "bad"}, schedule="ready")
    ends = (Settle("done", "success"), Settle("bad", "stopped"))
    return Flow("bench", "nodes", (stage, *ends), {"worker": Role("recon", "node", "package")}, concurrency=concurrency)


class Memory:
    """A journal that keeps its events."""

    def __init__(self) -> None:
        self.events: list[Json] = []

    def append(self, event: Json, /) -> None:
        self.events.append(event)


def job(bench: Flow, nodes: int) -> Callable[[], None]:
    """One run, which checks itself. What is made once for a run, the machine with its tables, is not timed."""
    machine, backend, journal = Machine(bench), NoOp(), Memory()

    def run() -> None:
        opened = {"run": "r", "invocation": "i", "flow": "", "ir": IR_VERSION, "cwd": "/"}
        asyncio.run(drive(machine, opened, backend, RealClock(), shell.run, journal=journal))
        assert backend.begun == nodes
        assert machine.record["proposal"]["outcome"] == "success"
        assert len(journal.events) == 1 + 2 * nodes

    return run


def main() -> None:
    args = arguments()
    deps = SHAPES[args.shape](args.n)
    bench = flow(deps, concurrency=args.n)
    say(timed(lambda: job(bench, len(deps)), args.runs), len(deps))


main()
