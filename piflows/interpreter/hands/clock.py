"""Time: the real clock, and a virtual one that jumps when everything that lives waits on it.

Rehearsals and tests run on the virtual clock: delays, hanging children with a timeout and the waits of a monitor cost
no real time, and what happens at one instant happens in one order. Times are milliseconds.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable
from functools import partial
from heapq import heappop, heappush
from typing import Protocol


class Timer(Protocol):
    """What `later` returns."""

    def cancel(self) -> None:
        """Forget the call; nothing happens when it was made already."""


class Clock(Protocol):
    """What drivers and backends may know about time."""

    def now(self) -> int:
        """The time in whole milliseconds; never decreases."""
        ...

    def later(self, ms: float, call: Callable[[], None]) -> Timer:
        """Call in `ms` milliseconds."""
        ...

    async def sleep(self, ms: float) -> None:
        """Come back in `ms` milliseconds; `math.inf` is never."""

    def attend(self, wake: Callable[[], None]) -> None:
        """Call `wake` whenever `quiet` may have become true."""

    def quiet(self, busy: int) -> bool:
        """Whether nothing more can happen at this instant, when `busy` effects have not reported their end yet."""
        ...

    def advance(self) -> bool:
        """Jump to the next instant at which something is due and make its calls; False when this clock cannot."""
        ...


class RealClock:
    """Wall-clock time since 1970, carried on by a clock that nobody sets back."""

    def __init__(self) -> None:
        self._origin = time.time_ns() - time.monotonic_ns()

    def now(self) -> int:
        return (self._origin + time.monotonic_ns()) // 1_000_000

    def later(self, ms: float, call: Callable[[], None]) -> Timer:
        return asyncio.get_running_loop().call_later(ms / 1000, call)

    async def sleep(self, ms: float) -> None:
        if math.isinf(ms):
            await asyncio.get_running_loop().create_future()
        await asyncio.sleep(ms / 1000)

    def attend(self, wake: Callable[[], None]) -> None:
        """Nothing to tell: real time passes by itself."""

    def quiet(self, busy: int) -> bool:  # noqa: ARG002
        return True

    def advance(self) -> bool:
        return False


class _Call:
    """A call that is due at some time, unless it was cancelled."""

    __slots__ = ("call",)

    def __init__(self, call: Callable[[], None]) -> None:
        self.call: Callable[[], None] | None = call

    def cancel(self) -> None:
        self.call = None


class VirtualClock:
    """Starts at `start`. Time stands still while anything that lives is busy with something else than this clock.

    That covers a real command: its duration is none on this clock, and nobody else's time runs out meanwhile.
    """

    def __init__(self, start: float = 0) -> None:
        self._now = start
        self._due: list[tuple[float, int, _Call]] = []
        self._made = 0
        self._sleepers = 0
        self._wake: Callable[[], None] = lambda: None

    def now(self) -> int:
        return int(self._now)

    def later(self, ms: float, call: Callable[[], None]) -> _Call:
        made = _Call(call)
        self._made += 1
        heappush(self._due, (self._now + ms, self._made, made))
        return made

    async def sleep(self, ms: float) -> None:
        waiter = asyncio.get_running_loop().create_future()
        timer = self.later(ms, partial(self._rouse, waiter)) if ms < math.inf else None
        self._sleepers += 1
        self._wake()
        try:
            await waiter
        finally:
            if waiter.cancelled():
                self._sleepers -= 1
                if timer is not None:
                    timer.cancel()

    def attend(self, wake: Callable[[], None]) -> None:
        self._wake = wake

    def quiet(self, busy: int) -> bool:
        return busy <= self._sleepers

    def advance(self) -> bool:
        due = self._due
        while due and due[0][2].call is None:
            heappop(due)
        if not due:
            return False
        self._now = instant = due[0][0]
        while due and due[0][0] == instant:
            if (call := heappop(due)[2].call) is not None:
                call()
        return True

    def _rouse(self, waiter: asyncio.Future[None]) -> None:
        if not waiter.done():
            self._sleepers -= 1
            waiter.set_result(None)
