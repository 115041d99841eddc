"""A plan beside what earlier runs measured: critical path, slack, expected cost, and what its gates were worth.

Every Stage counts once, as it is visited first: how often a round comes back is the plan's own bound. What nobody
measured is unknown, and so is every sum that needs it.
"""

from __future__ import annotations

from typing import Any

from piflows.compiler.render import amounts
from piflows.compiler.render.units import unit_key, waves
from piflows.ir.flow import Flow, Stage
from piflows.ir.fold import fold
from piflows.ir.frozen import frozen
from piflows.ir.measured import GateFigures, History, Measured, Rate, Span
from piflows.ir.plan import Over
from piflows.ir.topology import longest
from piflows.ir.unit import Unit
from piflows.ir.visible import visible

Json = dict[str, Any]
UNKNOWN = "unknown"
NOT_MEASURABLE = "not measurable"


@frozen
class Line:
    """A unit of the plan. `basis` says whose runs were measured; `slack` is None where a duration is unknown."""

    key: str
    agent: str
    basis: str
    measured: Measured | None
    least: int
    most: int
    slack: int | None


@frozen
class StageEvidence:
    """A Stage. `path` and `ms` are its critical path, `waves_ms` how long it takes with the barrier between waves, both
    for as many workers as there are units; None where a duration is unknown."""

    name: str
    lines: tuple[Line, ...]
    path: tuple[str, ...]
    ms: int | None
    waves_ms: int | None


def stages(flow: Flow, history: History) -> tuple[StageEvidence, ...]:
    """The Stages of a Flow beside what was measured."""
    return tuple(_stage(state, flow, history) for state in flow.states if isinstance(state, Stage))


def _stage(stage: Stage, flow: Flow, history: History) -> StageEvidence:
    levels = waves(stage)
    units = [unit for level in levels for unit in level]
    found = {unit.name: _measured(stage, unit, flow, history) for unit in units}
    took = {
        name: round(each.ms.middle) for name, (_, each) in found.items() if each is not None and each.ms is not None
    }
    known = len(took) == len(units)
    needs = {unit.name: tuple(need for need in unit.needs if need in found) for unit in units}
    slack, path = _critical(needs, took) if known else ({}, ())
    keys = {unit.name: unit_key(stage, unit) for unit in units}
    least, most = (stage.work.least, stage.work.cap) if isinstance(stage.work, Over) else (1, 1)
    lines = tuple(
        Line(keys[unit.name], flow.roles[unit.role].agent, *found[unit.name], least, most, slack.get(unit.name))
        for unit in units
    )
    return StageEvidence(
        stage.name,
        lines,
        tuple(keys[name] for name in path),
        sum(took[name] for name in path) if known else None,
        sum(max(took[unit.name] for unit in level) for level in levels) if known else None,
    )


def _measured(stage: Stage, unit: Unit, flow: Flow, history: History) -> tuple[str, Measured | None]:
    """Runs of the same unit by the same agent in the same mode; else those of the agent, whatever it was asked for."""
    agent = flow.roles[unit.role].agent
    same = history.units.get((flow.mode, unit_key(stage, unit), agent))
    if same is not None:
        return "this unit", same
    any_ = history.agents.get(agent)
    return ("any work of this agent" if any_ is not None else "", any_)


def _critical(needs: dict[str, tuple[str, ...]], took: dict[str, int]) -> tuple[dict[str, int], tuple[str, ...]]:
    """The slack of each unit, and a longest path: the units without slack that follow from its end to its start."""
    after: dict[str, list[str]] = {name: [] for name in needs}
    for name, wanted in needs.items():
        for need in wanted:
            after[need].append(name)
    ends, tails = longest(needs, took), longest(after, took)
    whole = max(ends.values(), default=0)
    slack = {name: whole - ends[name] - tails[name] + took[name] for name in needs}
    at = next((name for name in needs if ends[name] == whole), None)
    path: list[str] = []
    while at is not None:
        path.append(at)
        before = ends[at] - took[at]
        at = next((need for need in needs[at] if ends[need] == before), None)
    return slack, tuple(reversed(path))


def cost(found: tuple[StageEvidence, ...]) -> Span | None:
    """What all Stages cost together, each once; None where a unit's cost is not known of every run measured."""
    total = [0.0, 0.0, 0.0]
    for line in (line for stage in found for line in stage.lines):
        said = line.measured
        if said is None or said.cost is None or said.cost_unknown:
            return None
        total[0] += line.least * said.cost.least
        total[1] += line.most * said.cost.middle
        total[2] += line.most * said.cost.most
    return Span(*total)


def _own(flow: Flow, history: History) -> list[GateFigures]:
    """The gates of the flow's mode."""
    return [gate for gate in history.gates if gate.mode == flow.mode]


# ---- text ----------------------------------------------------------------------------------------------------------


def evidence_text(flow: Flow, history: History, width: int) -> str:
    """What was measured, in lines of at most `width` cells."""
    found = stages(flow, history)
    out = [f"EVIDENCE  {amounts.counted(history.calls, 'earlier run')}"]
    if history.unread:
        out[0] += f", {amounts.counted(history.unread, 'line')} not readable"
    out += _rows([("cost", f"{_dollars(cost(found))}, every stage once")], width)
    for stage in found:
        out += ["", f"MEASURED  {visible(stage.name)}", *_rows(_said(stage), width)]
    for gate in _own(flow, history):
        out += ["", *fold(visible(gate.name), width, "GATE  "), *_rows(_gate(gate), width)]
    return "\n".join(out) + "\n"


def _said(stage: StageEvidence) -> list[tuple[str, str]]:
    if stage.ms is None or stage.waves_ms is None:
        missing = ", ".join(
            visible(line.key) for line in stage.lines if line.measured is None or line.measured.ms is None
        )
        rows = [("critical", f"{UNKNOWN}: no duration of {missing}")]
    else:
        path = " -> ".join(map(visible, stage.path))
        rows = [("critical", f"{path}: {amounts.duration(stage.ms)}; in waves {amounts.duration(stage.waves_ms)}")]
    return rows + [("unit", _line(line)) for line in stage.lines]


def _line(line: Line) -> str:
    name, said = visible(f"{line.key} ({line.agent})"), line.measured
    if said is None:
        return f"{name}: {UNKNOWN}, no earlier run"
    failed = f", {said.failed} failed" if said.failed else ""
    slack = UNKNOWN if line.slack is None else amounts.duration(line.slack)
    parts = [_span(said.ms, amounts.duration), f"{_span(said.tokens, _count)} tokens", f"cost {_dollars(said.cost)}"]
    if said.cost is not None and said.cost_unknown:
        parts[-1] += f" ({said.cost_unknown} unknown)"
    basis = f"{amounts.counted(said.runs, 'run')} of {line.basis}{failed}"
    return f"{name}: {', '.join(parts)}; slack {slack}; {basis}"


def _span(found: Span | None, say: Any) -> str:
    if found is None:
        return UNKNOWN
    least, middle, most = (say(round(value)) for value in (found.least, found.middle, found.most))
    return middle if least == most else f"{middle} ({least} to {most})"


def _count(number: int) -> str:
    return f"{number:,}"


def _dollars(found: Span | None) -> str:
    if found is None:
        return UNKNOWN
    least, middle, most = (f"${value:.4f}" for value in (found.least, found.middle, found.most))
    return middle if least == most else f"{middle} ({least} to {most})"


def _gate(gate: GateFigures) -> list[tuple[str, str]]:
    rows = [("verdicts", f"{gate.verdicts}; first one a pass in {_rate(gate.first)}"), ("p", _rate(gate.p))]
    if gate.is_truth:
        rows.append(("d, φ", "a command's exit is taken as the truth about the step: d 1, φ 0"))
    else:
        rows += [("d", _rate(gate.d)), ("φ", _rate(gate.phi))]
    if gate.with_gate is not None and gate.p is not None:
        rows.append(("success", f"{gate.p.share:.2f} without it, {gate.with_gate:.2f} with it and one retry"))
    return rows if gate.is_truth else [*rows, ("advice", advice(gate))]


def advice(gate: GateFigures) -> str:
    """What the figures mean for the plan."""
    if gate.worth is None:
        missing = [each for each, found in (("wrong (d)", gate.d), ("right (φ)", gate.phi)) if found is None]
        return f"none: no step that it judged is known from elsewhere to be {' or '.join(missing)}"
    if gate.worth:
        return "d > φ: it catches more faults than it makes, as far as the other judge sees; keep it"
    return "d ≤ φ: it redoes right work at least as often as it catches wrong work; ground it in a command, or drop it"


def _rate(found: Rate | None) -> str:
    return NOT_MEASURABLE if found is None else f"{found.share:.2f} ({found.hits} of {found.of})"


def _rows(rows: list[tuple[str, str]], width: int) -> list[str]:
    return [part for name, said in rows for part in fold(said, width, f"  {name:<10}", 12)]


# ---- JSON ----------------------------------------------------------------------------------------------------------


def evidence_json(flow: Flow, history: History) -> Json:
    """The same for tools; `null` is unknown, or not measurable."""
    found = stages(flow, history)
    return {
        "runs": history.calls,
        "unread": history.unread,
        "costUsd": _span_json(cost(found)),
        "stages": [
            {
                "name": stage.name,
                "criticalPath": list(stage.path) if stage.ms is not None else None,
                "criticalPathMs": stage.ms,
                "wavesMs": stage.waves_ms,
                "units": [_line_json(line) for line in stage.lines],
            }
            for stage in found
        ],
        "gates": [_gate_json(gate) for gate in _own(flow, history)],
    }


def _line_json(line: Line) -> Json:
    said = line.measured
    return {
        "key": line.key,
        "agent": line.agent,
        "basis": line.basis or None,
        "runs": 0 if said is None else said.runs,
        "failed": 0 if said is None else said.failed,
        "ms": _span_json(said and said.ms),
        "tokens": _span_json(said and said.tokens),
        "costUsd": _span_json(said and said.cost),
        "costUnknown": 0 if said is None else said.cost_unknown,
        "slackMs": line.slack,
    }


def _gate_json(gate: GateFigures) -> Json:
    rates = {"first": gate.first, "p": gate.p, "d": gate.d, "phi": gate.phi}
    return {
        "name": gate.name,
        "verdicts": gate.verdicts,
        "isTruth": gate.is_truth,
        **{name: None if found is None else {"hits": found.hits, "of": found.of} for name, found in rates.items()},
        "successWithout": None if gate.p is None else gate.p.share,
        "successWith": gate.with_gate,
        "worth": gate.worth,
    }


def _span_json(found: Span | None) -> Json | None:
    return None if found is None else {"least": found.least, "middle": found.middle, "most": found.most}
