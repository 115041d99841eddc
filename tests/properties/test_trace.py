"""The trace of every run of every flow is one tree, and says of its children what the results say."""

from __future__ import annotations

from drive import SALTS, Run, salted
from hypothesis import given
from hypothesis import strategies as st
from machines import all_flows
from trace_streams import Hider

from piflows.interpreter.machine import Machine
from piflows.interpreter.trace import names
from piflows.interpreter.trace.fold import Fold, Setup
from piflows.interpreter.trace.readback import count, issue, judge
from piflows.interpreter.trace.rows import Row
from piflows.ir.flow import Flow


def traced(flow: Flow, done: Run) -> list[Row]:
    """The rows of a run, folded from its journal."""
    machine, fold = Machine(flow), Fold(Setup(flow.mode, "t" * 32, "i", 0, owed=[]), Hider(), {}.get)
    rows: list[Row] = []
    for event in done.journal:
        effects = machine.feed(event)
        if event["kind"] == "opened":
            fold.opened(event)
        rows += fold.saw(event, effects)
    rows += fold.finished(done.journal[-1]["at"])
    return [*rows, fold.root(None, {}, 0)]


@given(all_flows(), SALTS, st.lists(st.integers(0, 50)))
def test_every_run_reads_back_as_one_tree(flow: Flow, salt: int, order: list[int]) -> None:
    picks = iter(order)
    done = Run(flow, salted(salt), pick=lambda alive: next(picks, 0) % alive).go()
    rows = traced(flow, done)
    assert issue(rows) is None and judge(rows, 0, rows[-1]["span_id"], len(rows), len(rows)) is None
    children = [row["attributes"] for row in rows if row["attributes"][names.ROLE] == names.CHILD]
    # A result of a child that was stopped may lack what its row has: the machine no longer listens.
    assert sorted(each[names.STEP] for each in children) == [each["step"] for each in done.results]
    settled = {each["step"]: each for each in done.results if each["exitCode"] != -1}
    for each in children:
        if (result := settled.get(each[names.STEP])) is not None:
            said = (each.get(names.ERROR_CODE), each[names.STOP_REASON], each.get(names.DURATION))
            assert said == (result["error"] and result["error"]["code"], result["stopReason"], result["durationMs"])
    assert count(rows).expected == len(rows)
