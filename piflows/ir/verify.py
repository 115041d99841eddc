"""Well-formedness of any Flow, hand-written ones too: what is proved before anything is spent.

In order: the graph of states (`structure.py`), what the states hold (`wiring.py`), then, for a Flow that is whole so
far, its worst case, definite assignment (`assign.py`) and shared writes (`shared_write.py`). The rules of the checker
call the same functions and add positions. Nothing here raises or fails to end for a well-typed Flow, and all of it is
linear in the size of the Flow but for a far-fetched order of rounds.
"""

from __future__ import annotations

from collections.abc import Callable

from piflows.ir.assign import assigned
from piflows.ir.bounds import bounds, round_totals
from piflows.ir.finding import Finding, invalid
from piflows.ir.flow import Flow, Gate, Stage
from piflows.ir.gates import Round
from piflows.ir.plan import Over
from piflows.ir.shared_write import agents, clashes
from piflows.ir.structure import structure
from piflows.ir.wiring import wiring

__all__ = ["RUNS_MOST", "Finding", "affordable", "shared_writes", "verify"]

RUNS_MOST = 1_000_000_000  # a worst case above it is a mistake, not a plan
BACK_MOST = 1_000_000  # a loop of gates alone spends nothing, and must end all the same


def verify(flow: Flow, real: Callable[[str], str] = str) -> list[Finding]:
    """Every fault of a Flow, structural ones first and then alone; empty for a Flow that may be run.

    `real` gives the real directory of a role's `cwd`; without it a directory is known by its spelling.
    """
    found = structure(flow) + wiring(flow)
    return found or affordable(flow) + assigned(flow) + shared_writes(flow, real)


def affordable(flow: Flow) -> list[Finding]:
    """The worst case is a number of runs, and of ways back, that somebody could mean."""
    if not any(isinstance(state, Gate) and isinstance(state.test, Round) for state in flow.states):
        stages = [state.work for state in flow.states if isinstance(state, Stage)]  # each is visited once at most
        if sum(work.cap if isinstance(work, Over) else len(work.units) for work in stages) <= RUNS_MOST:
            return []
    if bounds(flow).most_runs > RUNS_MOST:
        return [invalid(f"its worst case is more than {RUNS_MOST} child runs")]
    if sum(round_totals(flow).values()) > BACK_MOST:
        return [invalid(f"its rounds can go back more than {BACK_MOST} times in all")]
    return []


def shared_writes(flow: Flow, real: Callable[[str], str] = str) -> list[Finding]:
    """Writers that may run at once in one directory, for each Stage the first such group."""
    return [
        Finding("SHARED_WRITE_CWD", clash.state, clash.units[0], {"cwd": clash.cwd, "agents": agents(flow, clash)})
        for clash in clashes(flow, real)
    ]
