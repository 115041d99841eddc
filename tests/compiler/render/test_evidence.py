"""A plan beside what was measured: paths, slack and sums, with what is unknown said to be."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from piflows.compiler.render.evidence import _critical, advice, cost, evidence_json, evidence_text, stages
from piflows.ir.flow import Flow, Settle, Stage
from piflows.ir.measured import GateFigures, History, Measured, Rate, Span
from piflows.ir.parts import Text
from piflows.ir.plan import Plan
from piflows.ir.unit import Role, Unit

NEEDS = {
    "spec": (),
    "data": ("spec",),
    "tests": ("spec",),
    "code": ("data",),
    "run": ("code", "tests"),
    "report": ("run",),
}
TOOK = {"spec": 1000, "data": 3000, "tests": 2000, "code": 4000, "run": 1000, "report": 1000}


def flow() -> Flow:
    """The lecture's plan, whose critical path is 10 long and whose tests have 5 to spare."""
    units = tuple(
        Unit(name=name, label=(Text(name),), role="r", prompt=(Text("Look."),), needs=needs)
        for name, needs in NEEDS.items()
    )
    work = Stage("nodes", (Text("nodes"),), Plan(units), {"then": "end", "failed": "end"})
    return Flow(
        "graph", "nodes", (work, Settle("end", "success")), {"r": Role(agent="recon", slot="node", source="package")}
    )


def measured(ms: int, cost: float | None = 0.5) -> Measured:
    spent = None if cost is None else Span(cost / 2, cost, cost * 2)
    return Measured(2, 0, Span(ms, ms, ms), Span(10, 10, 10), spent, int(cost is None))


def history(*without: str, gates: tuple[GateFigures, ...] = ()) -> History:
    units = {("graph", name, "recon"): measured(ms) for name, ms in TOOK.items() if name not in without}
    return History(2, 0, units, {}, gates)


def test_the_lectures_critical_path_and_slack() -> None:
    [found] = stages(flow(), history())
    assert (found.path, found.ms, found.waves_ms) == (("spec", "data", "code", "run", "report"), 10_000, 10_000)
    assert {line.key: line.slack for line in found.lines if line.slack} == {"tests": 5_000}
    assert cost((found,)) == Span(1.5, 3.0, 6.0)


def test_what_nobody_measured_is_unknown_and_so_is_what_needs_it() -> None:
    text = evidence_text(flow(), history("tests"), 200)
    assert "critical  unknown: no duration of tests" in text and "cost      unknown, every stage once" in text
    assert "tests (recon): unknown, no earlier run" in text and "slack unknown" in text
    shown = evidence_json(flow(), history("tests"))
    assert shown["costUsd"] is None and shown["stages"][0]["criticalPath"] is None


def test_a_unit_that_never_ran_is_measured_by_its_agent() -> None:
    [found] = stages(flow(), History(1, 0, {}, {"recon": measured(100, None)}, ()))
    assert found.ms == 500 and cost((found,)) is None
    assert {line.basis for line in found.lines} == {"any work of this agent"}


def test_gates_of_the_mode_with_the_advice_that_their_figures_give() -> None:
    worth = GateFigures("graph", "good", 9, Rate(1, 2), Rate(1, 2), Rate(1, 2), Rate(1, 4))
    vain = GateFigures("graph", "vain", 9, Rate(1, 2), Rate(1, 2), Rate(1, 4), Rate(1, 4))
    other = GateFigures("loop", "other", 1, Rate(1, 1), None, None, None)
    text = evidence_text(flow(), history(gates=(worth, vain, other)), 200)
    assert "success   0.50 without it, 0.56 with it and one retry" in text and "0.50 with it" in text
    assert "GATE  good" in text and "GATE  other" not in text
    assert advice(worth).startswith("d > φ") and advice(vain).startswith("d ≤ φ") and "none: no step" in advice(other)


def test_hidden_characters_are_shown() -> None:
    hostile = GateFigures("graph", "\x1b[2J\u202e", 1, Rate(1, 1), None, None, None)
    text = evidence_text(flow(), history(gates=(hostile,)), 80)
    assert "\x1b" not in text and "\\x1b[2J\\u202e" in text and max(map(len, text.split("\n"))) <= 80


@given(st.lists(st.tuples(st.integers(0, 9), st.sets(st.integers(0, 11))), min_size=1, max_size=12))
def test_a_critical_path_is_one_chain_without_slack(drawn: list[tuple[int, set[int]]]) -> None:
    """The path is a chain of needs as long as the longest; who is later by its slack moves nothing, by more does."""
    needs = {str(at): tuple(str(need) for need in sorted(wanted) if need < at) for at, (_, wanted) in enumerate(drawn)}
    took = {str(at): ms for at, (ms, _) in enumerate(drawn)}

    def makespan(lasting: dict[str, int]) -> int:
        ends: dict[str, int] = {}
        for name in needs:
            ends[name] = max((ends[need] for need in needs[name]), default=0) + lasting[name]
        return max(ends.values())

    slack, path = _critical(needs, took)
    assert sum(took[name] for name in path) == makespan(took) and all(slack[name] == 0 for name in path)
    assert all(before in needs[after] for before, after in pairwise(path))
    for name in needs:
        assert makespan({**took, name: took[name] + slack[name]}) == makespan(took)
        assert makespan({**took, name: took[name] + slack[name] + 1}) == makespan(took) + 1
