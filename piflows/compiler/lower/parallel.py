"""Parallel: all tasks in one wave, failed ones tolerated and reported. Seed: Modes.

The exit status tells whether all of them succeeded, so both ends give the same report.
"""

from __future__ import annotations

from piflows.compiler.lower.make import Maker, report
from piflows.compiler.lower.sentences import every_run, t
from piflows.grammar.call import Call
from piflows.ir.flow import Flow
from piflows.ir.gates import AtLeast
from piflows.ir.parts import Count, text
from piflows.ir.unit import Ref, Unit

NAME, RECORDS = "parallel", frozenset[str]()


def lower(call: Call, make: Maker) -> Flow:
    """One Stage that drains, and a Gate that asks whether every task succeeded."""
    units = _units(call, make)
    header = t("Flow parallel: {ok}/{all} succeeded.", ok=(Count("tasks", "ok"),), all=len(units))
    make.stage("tasks", text("tasks"), units, then="all-ok", at="/tasks")
    make.gate("all-ok", AtLeast("tasks", len(units)), {"enough": "done", "short": "partial"}, at="/tasks")
    runs = [report("runs", Ref("tasks"))]
    make.settle("done", "success", header=header, body=every_run("runs"), reads=runs)
    make.settle("partial", "stopped", header=header, body=every_run("runs"), reads=runs)
    return make.flow("tasks")


def _units(call: Call, make: Maker) -> list[Unit]:
    return [
        make.unit(
            "tasks",
            str(number),
            make.role(item, "task", resolved=True),
            text(f"tasks.{number}"),
            text(item.task) + make.requirements(item),
            at=f"/tasks/{number - 1}",
        )
        for number, item in enumerate(call.tasks or (), 1)
    ]
