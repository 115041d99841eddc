"""How numbers are said: times, sizes, counts, ceilings, and what a flow may spend at least and at most."""

from __future__ import annotations

from piflows.ir.barrier import Barrier
from piflows.ir.bounds import Bounds
from piflows.ir.ceilings import said
from piflows.ir.flow import Ceiling
from piflows.ir.visible import visible

_UNITS = ((3_600_000, "h"), (60_000, "min"), (1_000, "s"), (1, "ms"))


def duration(ms: float) -> str:
    """Milliseconds as at most two units: `10 h`, `1 min 30 s`, `250 ms`."""
    for index, (each, name) in enumerate(_UNITS[:-1]):
        if ms >= each:
            whole, rest = divmod(ms, each)
            below, small = _UNITS[index + 1]
            return f"{whole:g} {name}" + (f" {rest / below:g} {small}" if rest else "")
    return f"{ms:g} ms"


def size(count: int) -> str:
    """Bytes: `16 KiB`, `100 bytes`."""
    return f"{count // 1024} KiB" if count >= 1024 and count % 1024 == 0 else f"{count} bytes"


def spends(cost: Bounds, concurrency: int) -> str:
    """The worst and the best case of what is paid for."""
    if not cost.most_runs:
        return "nothing: no child runs"
    runs = counted(between(cost.least_runs, cost.most_runs), "child run")
    waves = counted(between(cost.least_waves, cost.most_waves), "wave")
    vain = "; no run of it can succeed" if cost.least_runs is None else ""
    return f"{runs} in {waves}, at most {concurrency} at a time{vain}"


def ceiling(limit: Ceiling) -> str:
    """One ceiling under its authority."""
    return visible(f"{limit.authority}: {said(limit)}")


def counted(number: int | str, noun: str) -> str:
    """`1 time`, `2 times`, `2 to 6 waves`."""
    return f"{number} {noun}" if str(number) == "1" else f"{number} {noun}s"


def between(least: int | None, most: int) -> str:
    """`4`, `2 to 6`, or `up to 6` where no least is known."""
    if least is None:
        return f"up to {most}"
    return f"{least}" if least == most else f"{least} to {most}"


def barrier(price: Barrier) -> str:
    """What waiting for whole waves costs against starting each unit once its needs are done."""
    steps = f"{counted(price.steps, 'step')} as {counted(price.waves, 'wave')}, {price.ready_steps} if started as ready"
    if not price.held:
        return f"{steps}; free: no unit waits for one that it does not need"
    waits = "waits for one that it does" if price.held == 1 else "wait for one that they do"
    held = f"{price.held} of {counted(price.units, 'unit')} {waits} not need"
    return (
        f"{steps} (steps of one child run, all alike); {held}: "
        f"up to {counted(price.worst, 'time')} as long where lengths differ"
    )
