"""The time limits of all children under one alarm: most children are over long before theirs."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from typing import Generic, Protocol, TypeVar

from piflows.interpreter.hands.clock import Clock, Timer


class Item(Protocol):
    """Something with a time limit. `order` is unique; what is `over` is dropped in passing."""

    order: int
    over: bool


T = TypeVar("T", bound=Item)


class Deadlines(Generic[T]):
    """Calls `expire` with each item that is not over when its time is."""

    def __init__(self, clock: Clock, expire: Callable[[T], None]) -> None:
        self._clock, self._expire = clock, expire
        self._due: list[tuple[float, int, T]] = []
        self._alarm: Timer | None = None

    def add(self, time: float, item: T) -> None:
        """Watch an item until `time` on the clock."""
        due = self._due
        while due and due[0][2].over:
            heappop(due)
        heappush(due, (time, item.order, item))
        if self._alarm is None or due[0][2] is item:
            self._set()

    def close(self) -> None:
        """Watch nothing any more."""
        if self._alarm is not None:
            self._alarm.cancel()

    def _set(self) -> None:
        self.close()
        self._alarm = self._clock.later(self._due[0][0] - self._clock.now(), self._ring) if self._due else None

    def _ring(self) -> None:
        now, due = self._clock.now(), self._due
        while due and (due[0][2].over or due[0][0] <= now):
            item = heappop(due)[2]
            if not item.over:
                self._expire(item)
        self._set()
