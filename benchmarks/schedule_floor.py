"""The floor: Kahn's counters and one asyncio task a node, nothing on top. Microseconds a node, as one JSON line."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from shapes import SHAPES, Deps, dependents
from timing import arguments, say, timed


async def node(number: int) -> int:
    return number


async def kahn(deps: Deps, after: Deps) -> None:
    loop = asyncio.get_running_loop()
    over: asyncio.Future[None] = loop.create_future()
    waiting, left = [len(needs) for needs in deps], len(deps)

    def start(number: int) -> None:
        loop.create_task(node(number)).add_done_callback(finished)

    def finished(task: asyncio.Task[int]) -> None:
        nonlocal left
        left -= 1
        for dependent in after[task.result()]:
            waiting[dependent] -= 1
            if not waiting[dependent]:
                start(dependent)
        if not left:
            over.set_result(None)

    for number, open_needs in enumerate(waiting):
        if not open_needs:
            start(number)
    await over


def main() -> None:
    args = arguments()
    deps = SHAPES[args.shape](args.n)
    after = dependents(deps)
    job: Callable[[], None] = lambda: asyncio.run(kahn(deps, after))  # noqa: E731
    say(timed(lambda: job, args.runs), len(deps))


main()
