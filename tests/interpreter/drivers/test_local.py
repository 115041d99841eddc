"""The local driver: the battery, the real machine, the real clock."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from batteries.backend import spawn
from batteries.driver import OPENED, SETTLED, Children, Crash, DriverBattery, Memory, Table, after, no_shell

from piflows.interpreter.backends import Host, open_backend
from piflows.interpreter.drivers.local import drive
from piflows.interpreter.effects import command, done
from piflows.interpreter.hands import shell as real_shell
from piflows.interpreter.hands.clock import Clock, RealClock, VirtualClock
from piflows.interpreter.machine import Machine
from piflows.interpreter.result import details
from piflows.ir.actions import Command, Wait
from piflows.ir.flow import Action, Flow, Gate, Settle, Stage
from piflows.ir.gates import ExitZero, Round
from piflows.ir.parts import text
from piflows.ir.plan import Plan
from piflows.ir.unit import Role, Unit

Json = dict[str, Any]


class TestLocal(DriverBattery):
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
        async def main() -> None:
            task = asyncio.current_task()
            assert task is not None

            def watch(event: Json, sent: Json | None) -> None:
                if cancel_at and f"{event['kind']} {(sent or {}).get('unit')}" == cancel_at:
                    task.cancel()

            try:
                await drive(machine, OPENED, backend, clock, shell, journal=journal, history=history, watch=watch)
            except asyncio.CancelledError:
                assert cancel_at and task.uncancel() == 0
            assert len(asyncio.all_tasks()) == 1

        asyncio.run(main())


def test_the_watch_is_told_each_new_event_and_its_effect() -> None:
    seen: list[tuple[str, str]] = []

    def watch(event: Json, sent: Json | None) -> None:
        seen.append((event["kind"], sent["unit"] if sent else ""))

    machine, clock = Table(opened=[spawn("a")], childSettled_a=[done()]), VirtualClock()
    asyncio.run(drive(machine, OPENED, Children(clock), clock, no_shell, watch=watch))
    assert seen == [("opened", ""), ("childStarted", "a"), ("turnEnded", "a"), ("childSettled", "a")]


def test_a_second_cancel_ends_at_once() -> None:
    async def main() -> list[str]:
        clock = RealClock()
        ended, waiting = list[str](), asyncio.Event()

        async def slow_to_go(_: Json, __: Clock) -> AsyncIterator[Json]:
            try:
                waiting.set()
                await asyncio.Event().wait()
                yield SETTLED
            except asyncio.CancelledError:
                ended.append("first")
                waiting.set()
                try:
                    await asyncio.Event().wait()
                finally:
                    ended.append("second")

        backend = Children(clock, {"a": slow_to_go})
        machine = Table(opened=[spawn("a")], cancelled=[{"kind": "stop", "effect": spawn("a")["effect"]}])
        task = asyncio.create_task(drive(machine, OPENED, backend, clock, no_shell))
        for _ in range(2):
            await waiting.wait()
            waiting.clear()
            task.cancel()
            await asyncio.sleep(0)
        with pytest.raises(asyncio.CancelledError):
            await task
        return ended

    assert asyncio.run(main()) == ["first", "second"]


def test_a_backend_that_is_cancelled_by_somebody_else_fails_its_child() -> None:
    async def cancelled(_: Json, __: Clock) -> AsyncIterator[Json]:
        future = asyncio.get_running_loop().create_future()
        future.cancel()
        await future
        yield SETTLED

    machine, clock = Table(opened=[spawn("a")], childFailed_a=[done()]), VirtualClock()
    asyncio.run(drive(machine, OPENED, Children(clock, {"a": cancelled}), clock, no_shell))
    assert machine.fed[-1]["facts"] == {"problem": "its backend was cancelled"}


def test_on_the_real_clock_and_shell(tmp_path: Path) -> None:
    machine = Table(
        opened=[spawn("b")],
        childSettled_b=[command("c#1/!1", "pwd -P", "", 10_000, 1_000)],
        commandExited_command=[spawn("a", timeoutMs=1)],
        childFailed_a=[done()],
    )
    clock = RealClock()
    backend = Children(clock, {"a": after(float("inf")), "b": after(1)})
    asyncio.run(drive(machine, OPENED | {"cwd": str(tmp_path)}, backend, clock, real_shell.run))
    assert [each["text"] for each in machine.fed if each["kind"] == "commandExited"] == [f"{tmp_path.resolve()}\n"]
    assert machine.fed[-1]["code"] == "CHILD_TIMEOUT"
    times = [each["at"] for each in machine.fed]
    assert times == sorted(times) and times[0] > 1_600_000_000_000


# ---- the real machine --------------------------------------------------------------------------------------------

FLOW = Flow(
    "hand",
    "work",
    (
        Stage(
            "work",
            text("work"),
            Plan((Unit("a", "w", text("a"), text("do a")), Unit("b", "w", text("b"), text("do b"), ("a",)))),
            {"then": "check", "failed": "lost"},
        ),
        Action("check", Command(text("test -f ready")), {"then": "ready"}),
        Gate("ready", ExitZero("check"), {"pass": "won", "fail": "again", "unstartable": "lost"}),
        Gate("again", Round(3), {"again": "pause", "spent": "lost"}),
        Action("pause", Wait(60_000), {"then": "work"}),
        Settle("won", "success", header=text("ready")),
        Settle("lost", "stopped", header=text("not ready")),
    ),
    {"w": Role("recon", "worker", "package")},
)
RULES = [
    {"unit": "b", "times": 5, "delayMs": 7},
    {"unit": "b", "writes": {"ready": ""}},
    {"delayMs": 3, "times": "always"},
]


def rehearse(cwd: Path, rules: list[Json], journal: Memory | None = None, history: Sequence[Json] = ()) -> Json:
    clock, machine = VirtualClock(history[-1]["at"] if history else 0), Machine(FLOW)
    backend = open_backend("scripted", Host(str(cwd), clock, (json.dumps({"children": rules}), "")))
    opened = OPENED | {"cwd": str(cwd)}
    asyncio.run(drive(machine, opened, backend, clock, real_shell.run, journal=journal, history=history))
    return details(machine)


def test_a_flow_with_rounds_waits_and_commands(tmp_path: Path) -> None:
    journal = Memory()
    result = rehearse(tmp_path, RULES, journal)
    assert (result["outcome"], result["header"]) == ("stopped", "not ready")
    assert [each["unit"] for each in result["results"]] == ["a", "b"] * 4
    assert [each["durationMs"] for each in result["results"]] == [3, 7] * 4
    assert journal.events[-1]["at"] == 4 * 10 + 3 * 60_000


def test_a_scripted_run_goes_on_from_any_event(tmp_path: Path) -> None:
    rules = [{"unit": "b"}, {"unit": "b", "writes": {"ready": ""}}, {"times": "always"}]

    def fresh(name: str) -> Path:
        (tmp_path / name).mkdir()
        return tmp_path / name

    whole = Memory()
    expected = rehearse(fresh("whole"), rules, whole)
    assert expected["outcome"] == "success" and len(expected["results"]) == 4
    for crash in range(1, len(whole.events)):
        cwd, journal = fresh(f"crash-{crash}"), Memory(crash=crash)
        with pytest.raises(Crash):
            rehearse(cwd, rules, journal)
        journal.crash = 1_000
        result = rehearse(cwd, rules, journal, list(journal.events))
        again = [each["text"] for each in result["results"]], result["header"], result["outcome"]
        assert again == ([each["text"] for each in expected["results"]], expected["header"], expected["outcome"])
