"""What earlier runs measured: amounts per unit, and what gates were worth where somebody else knew."""

from __future__ import annotations

from typing import Any

import pytest
from trace_streams import OPENED, folded, note, run, spawn

from piflows.interpreter.trace import names
from piflows.interpreter.trace.evidence import history
from piflows.interpreter.trace.rows import Row, line
from piflows.ir.measured import GateFigures, History, Rate, Span

CHECK, PANEL = "worktree.integration_check", "orchestrate.decomposition_review_verdict"
Round = tuple[bool | None, bool | None]  # what the check said, what the panel said


def of(*runs: list[Row], more: tuple[bytes, ...] = ()) -> History:
    return history([*(line(row) for rows in runs for row in rows), *more])


def judged(number: int, *rounds: Round, **more: Any) -> list[Row]:
    notes: list[dict[str, Any]] = []
    for at, (check, panel) in enumerate(rounds, 1):
        if check is not None:
            notes.append(note(CHECK, attributes={names.CHECK_PASSED: check, names.CHECK_ROUND: at}))
        if panel is not None:
            notes.append(note(PANEL, attributes={names.VERDICT_PASS: panel, names.VERDICT_ROUND: at}))
    return folded([(OPENED, notes)], invocation=f"i{number}", mode="m", **more)


def gate(found: History, name: str) -> GateFigures:
    [each] = [each for each in found.gates if each.name == name]
    return each


def test_amounts_by_unit_and_by_agent() -> None:
    def once(number: int, took: int, cost: float | None) -> list[Row]:
        opening = [spawn("a", unit="build,linux"), spawn("b")]
        events = [*run("a", 10, 10 + took, cost), *run("b", 10, 20)]
        return folded([(OPENED, opening), *((each, []) for each in events)], invocation=f"i{number}")

    found = of(once(1, 100, 0.5), once(2, 300, None), more=(b"{torn",))
    unit = found.units["graph", "build,linux", "recon"]
    assert (unit.runs, unit.failed, unit.ms) == (2, 0, Span(100, 200, 300))
    assert (unit.cost, unit.cost_unknown, unit.tokens) == (Span(0.5, 0.5, 0.5), 1, Span(120, 120, 120))
    assert (found.agents["recon"].runs, found.calls, found.unread) == (4, 2, 1)


def test_a_gate_is_held_against_the_check_of_the_same_round() -> None:
    found = of(
        judged(1, (False, False), (True, True)),
        judged(2, (False, True), (True, True)),
        judged(3, (True, False), (True, True)),
        judged(4, (True, True)),
    )
    panel, check = gate(found, PANEL), gate(found, CHECK)
    assert (panel.p, panel.d, panel.phi) == (Rate(2, 4), Rate(1, 2), Rate(1, 5))
    assert panel.with_gate == pytest.approx(0.5 + 0.25 * (0.5 - 0.2)) and panel.worth is True
    assert (check.is_truth, check.p, check.d, check.with_gate) == (True, Rate(2, 4), None, 0.75)


def test_a_gate_that_flags_right_work_as_often_as_wrong_is_not_worth_having() -> None:
    panel = gate(of(judged(1, (False, True), (True, False))), PANEL)
    assert (panel.d, panel.phi, panel.worth) == (Rate(0, 1), Rate(1, 1), False)
    assert panel.with_gate == panel.p.share == 0 if panel.p else False


@pytest.mark.parametrize("rounds", [[(None, True)], [(None, False), (None, True)]])
def test_without_another_judge_nothing_is_measurable(rounds: list[Round]) -> None:
    panel = gate(of(judged(1, *rounds)), PANEL)
    assert (panel.p, panel.d, panel.phi, panel.with_gate, panel.worth) == (None, None, None, None, None)
    assert panel.first == Rate(int(rounds[0][1] is True), 1)


def test_a_verified_outcome_judges_the_last_verdict_of_a_gate_that_did_not_decide_it() -> None:
    outcome = {names.OUTCOME_VERIFIED: True, names.OUTCOME_SUCCESS: False}
    assert gate(of(judged(1, (None, True), outcome=outcome)), PANEL).d == Rate(0, 1)
    deciding = folded(
        [(OPENED, [note("evaluate.panel_verdict", attributes={names.VERDICT_PASS: True})])], outcome=outcome
    )
    assert gate(of(deciding), "evaluate.panel_verdict").d is None


def test_a_command_that_could_not_start_is_no_verdict() -> None:
    unstarted = note(CHECK, attributes={names.CHECK_PASSED: False, "flow.check.spawn_failed": True})
    assert of(folded([(OPENED, [unstarted])])).gates == ()
