"""One alarm for many time limits."""

from __future__ import annotations

from dataclasses import dataclass

from piflows.interpreter.drivers.deadlines import Deadlines
from piflows.interpreter.hands.clock import VirtualClock


@dataclass
class Item:
    order: int
    over: bool = False


def test_each_item_expires_in_its_time_unless_it_is_over() -> None:
    clock, seen = VirtualClock(), list[tuple[int, int]]()
    watched = Deadlines[Item](clock, lambda item: seen.append((item.order, clock.now())))
    items = [Item(number) for number in range(5)]
    for item, time in zip(items, (50, 20, 20, 30, 40), strict=True):
        watched.add(time, item)
    items[2].over = items[3].over = True
    while clock.advance():
        pass
    assert seen == [(1, 20), (4, 40), (0, 50)]


def test_a_later_item_takes_an_over_one_s_place() -> None:
    clock, seen = VirtualClock(), list[int]()
    watched = Deadlines[Item](clock, lambda item: seen.append(item.order))
    first = Item(1)
    watched.add(10, first)
    first.over = True
    watched.add(30, Item(2))
    assert clock.advance() and clock.now() == 30 and seen == [2]


def test_nothing_is_watched_after_the_close() -> None:
    clock = VirtualClock()
    watched = Deadlines[Item](clock, lambda item: None)  # noqa: ARG005
    watched.close()
    watched.add(10, Item(1))
    watched.close()
    assert not clock.advance()
