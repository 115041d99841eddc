"""The virtual clock jumps when everything waits on it, in one order; the real one only moves on."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable

import pytest

from piflows.interpreter.hands.clock import Clock, RealClock, VirtualClock


async def until_over(clock: VirtualClock, *sleepers: Awaitable[object]) -> None:
    """What a driver does: advance whenever all that lives sleeps."""
    woken = asyncio.Event()
    clock.attend(woken.set)
    tasks = [asyncio.ensure_future(each) for each in sleepers]
    for task in tasks:
        task.add_done_callback(lambda _: woken.set())
    while living := [task for task in tasks if not task.done()]:
        if not clock.quiet(len(living)) or not clock.advance():
            woken.clear()
            await woken.wait()


def test_time_jumps_from_instant_to_instant() -> None:
    clock, seen = VirtualClock(start=5), list[tuple[str, int]]()

    async def sleeper(name: str, *naps: float) -> None:
        for nap in naps:
            await clock.sleep(nap)
            seen.append((name, clock.now()))

    asyncio.run(until_over(clock, sleeper("a", 3_600_000, 10), sleeper("b", 7, 8), sleeper("c", 7)))
    assert seen == [("b", 12), ("c", 12), ("b", 20), ("a", 3_600_005), ("a", 3_600_015)]


def test_time_stands_still_while_one_is_busy() -> None:
    clock = VirtualClock()

    async def busy(going: asyncio.Event) -> None:
        await going.wait()

    async def main() -> list[int]:
        going = asyncio.Event()
        asyncio.get_running_loop().call_later(0, going.set)
        seen: list[int] = []
        clock.later(1, lambda: seen.append(clock.now()))
        working = asyncio.create_task(busy(going))
        sleeping = asyncio.create_task(clock.sleep(1))
        for _ in range(3):
            await asyncio.sleep(0)
            assert not clock.quiet(2) or clock.now() == 0
        await working
        assert clock.quiet(1) and clock.advance()
        await sleeping
        return seen

    assert asyncio.run(main()) == [1]


def test_a_cancelled_sleeper_no_longer_waits() -> None:
    async def main() -> None:
        clock = VirtualClock()
        for ms in (10, math.inf):
            sleeping = asyncio.create_task(clock.sleep(ms))
            await asyncio.sleep(0)
            assert clock.quiet(1) and not clock.quiet(2)
            sleeping.cancel()
            with pytest.raises(asyncio.CancelledError):
                await sleeping
            assert clock.quiet(0) and not clock.quiet(1)
        assert not clock.advance()
        assert clock.now() == 0

    asyncio.run(main())


def test_a_cancelled_call_is_not_made() -> None:
    clock, made = VirtualClock(), list[str]()
    clock.later(5, lambda: made.append("no")).cancel()
    kept = clock.later(9, lambda: made.append("yes"))
    assert clock.advance() and made == ["yes"] and clock.now() == 9
    kept.cancel()
    assert not clock.advance()


def test_a_call_may_cancel_another_of_the_same_instant() -> None:
    clock, made = VirtualClock(), list[str]()
    later = clock.later(6, lambda: made.append("late"))
    clock.later(5, later.cancel)
    second = clock.later(5, lambda: made.append("second"))
    assert clock.advance() and made == ["second"]
    second.cancel()
    assert not clock.advance()


def test_the_real_clock_moves_on() -> None:
    async def main() -> None:
        clock: Clock = RealClock()
        before = clock.now()
        assert before > 1_600_000_000_000
        assert clock.quiet(7) and not clock.advance()
        rung = asyncio.Event()
        clock.later(0, rung.set)
        clock.later(60_000, pytest.fail).cancel()
        await rung.wait()
        await clock.sleep(0)
        assert clock.now() >= before
        never = asyncio.create_task(clock.sleep(math.inf))
        await asyncio.sleep(0)
        assert not never.done()
        never.cancel()

    asyncio.run(main())
