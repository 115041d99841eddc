"""All checks of a Flow of one Stage: microseconds a node, as one JSON line. Every unit reads all that it needs.

Under `ready`, so that shared writes are decided by reachability and not by waves.
"""

from __future__ import annotations

from collections.abc import Callable

from shapes import SHAPES, Deps
from timing import arguments, say, timed

from piflows.ir.flow import Flow, Settle, Stage
from piflows.ir.parts import Slot, Text, text
from piflows.ir.plan import Plan
from piflows.ir.unit import Handoff, Ref, Role, Unit
from piflows.ir.verify import verify


def flow(deps: Deps) -> Flow:
    """A reader for each node, and its needs as slots of its prompt."""
    units: list[Unit] = []
    for number, needs in enumerate(deps):
        reads = tuple(Handoff(f"s{need}", Ref("nodes", "unit", f"n{need}")) for need in needs)
        prompt = (Text("Go on from "), *(Slot(read.slot) for read in reads))
        units.append(
            Unit(f"n{number}", "worker", text(f"n{number}"), prompt, tuple(f"n{need}" for need in needs), reads)
        )
    stage = Stage("nodes", text("nodes"), Plan(tuple(units)), {"then": "done", "failed": "bad"}, "ready")
    role = Role("recon", "node", "package", tools=("read",))
    ends = (Settle("done", "success"), Settle("bad", "stopped"))
    return Flow("bench", "nodes", (stage, *ends), {"worker": role})


def main() -> None:
    args = arguments()
    deps = SHAPES[args.shape](args.n)
    bench = flow(deps)
    assert verify(bench) == []
    job: Callable[[], object] = lambda: verify(bench)  # noqa: E731
    say(timed(lambda: job, args.runs), len(deps))


main()
