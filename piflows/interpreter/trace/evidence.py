"""Evidence for planning: what the rows of earlier runs measured, per unit and agent, and what gates were worth.

Pure. A gate's `d` and `φ` need somebody else's word on whether the step was right: a check command of the same round,
or a verified outcome that another judge decided. Without one they are not measurable, and nothing is made up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from piflows.interpreter.trace import names
from piflows.interpreter.trace.readback import amount, attributes, parsed, text
from piflows.interpreter.trace.rows import Row, unescape
from piflows.ir.measured import GateFigures, History, Measured, rate, span

# Gates whose own verdict is the verified outcome: it says nothing about them.
DECIDES = frozenset({"evaluate.panel_verdict", "evaluate.check_command", "orchestrate.verify_verdict"})


@dataclass(slots=True)
class _Runs:
    """The amounts of child runs alike."""

    ms: list[float] = field(default_factory=list[float])
    tokens: list[float] = field(default_factory=list[float])
    cost: list[float] = field(default_factory=list[float])
    runs: int = 0
    failed: int = 0

    def add(self, said: Mapping[str, Any]) -> None:
        self.runs += 1
        self.failed += bool(said.get(names.ERROR_CODE))
        used = [amount(said.get(name)) for name in (names.TOKENS_IN, names.TOKENS_OUT)]
        both = used[0] + used[1] if used[0] is not None and used[1] is not None else None
        places = ((self.ms, amount(said.get(names.DURATION))), (self.tokens, both), (self.cost, _cost(said)))
        for values, value in places:
            if value is not None:
                values.append(value)

    def measured(self) -> Measured:
        unknown = self.runs - len(self.cost)
        return Measured(self.runs, self.failed, span(self.ms), span(self.tokens), span(self.cost), unknown)


@dataclass(slots=True)
class _Call:
    """Verdicts of one call: by gate, then by round, whether it passed; and the root's verified outcome."""

    mode: str
    verdicts: dict[str, dict[int, bool]] = field(default_factory=dict[str, dict[int, bool]])
    checks: set[str] = field(default_factory=set[str])
    outcome: bool | None = None

    def add(self, said: Mapping[str, Any], name: str) -> None:
        checked, passed = said.get(names.CHECK_PASSED), said.get(names.VERDICT_PASS)
        verdict = checked if isinstance(checked, bool) else passed
        if not isinstance(verdict, bool) or said.get("flow.check.spawn_failed") is True:
            return
        by_round = self.verdicts.setdefault(name, {})
        told = amount(said.get(names.CHECK_ROUND if isinstance(checked, bool) else names.VERDICT_ROUND))
        by_round[len(by_round) + 1 if told is None else int(told)] = verdict
        if isinstance(checked, bool):
            self.checks.add(name)

    def truth(self, gate: str) -> dict[int, bool]:
        """Whether the step was right, by round, as far as somebody else than the gate knows."""
        out: dict[int, bool] = {}
        for name in self.checks - {gate}:
            for number, passed in self.verdicts[name].items():
                out[number] = passed and out.get(number, True)
        if not out and self.outcome is not None and gate not in DECIDES:
            out[max(self.verdicts[gate])] = self.outcome
        return out


def history(lines: Iterable[bytes]) -> History:
    """What the lines of trace files measured. A line that is no row is counted as unread."""
    units: dict[tuple[str, str, str], _Runs] = {}
    agents: dict[str, _Runs] = {}
    calls: dict[tuple[str, str], _Call] = {}
    unread = 0
    for line in lines:
        row = parsed(line)
        if row is None or not isinstance(row.get("trace_id"), str):
            unread += 1
            continue
        said, role = attributes(row), text(row, names.ROLE)
        call = calls.setdefault((text(row, names.INVOCATION), row["trace_id"]), _Call(text(row, names.MODE)))
        if role == names.EVENT and text(row, names.EVENT_KIND) == "validation":
            call.add(said, text(row, names.EVENT_NAME))
        elif role == names.ROOT and said.get(names.OUTCOME_VERIFIED) is True:
            outcome = said.get(names.OUTCOME_SUCCESS)
            call.outcome = outcome if isinstance(outcome, bool) else None
        elif agent := text(row, names.AGENT):
            units.setdefault(_place(row, agent), _Runs()).add(said)
            agents.setdefault(agent, _Runs()).add(said)
    return History(
        len(calls),
        unread,
        {place: runs.measured() for place, runs in units.items()},
        {agent: runs.measured() for agent, runs in agents.items()},
        _gates(list(calls.values())),
    )


def _place(row: Row, agent: str) -> tuple[str, str, str]:
    return text(row, names.MODE), unescape(text(row, names.UNIT_KEY)), agent


def _cost(said: Mapping[str, Any]) -> float | None:
    return amount(said.get(names.COST))


def _gates(calls: Sequence[_Call]) -> tuple[GateFigures, ...]:
    found: dict[tuple[str, str], list[_Call]] = {}
    for call in calls:
        for name in call.verdicts:
            found.setdefault((call.mode, name), []).append(call)
    return tuple(_figures(mode, name, found[mode, name]) for mode, name in sorted(found))


def _figures(mode: str, name: str, calls: Sequence[_Call]) -> GateFigures:
    """A check is taken as the truth about its step; any other gate is held against what others know."""
    first = [call.verdicts[name][min(call.verdicts[name])] for call in calls]
    verdicts = sum(len(call.verdicts[name]) for call in calls)
    one = rate(first)
    assert one is not None  # a gate is named by a verdict of it
    if any(name in call.checks for call in calls):
        return GateFigures(mode, name, verdicts, one, one, None, None, is_truth=True)
    right: list[bool] = []
    flagged: dict[bool, list[bool]] = {True: [], False: []}
    for call in calls:
        truth, said = call.truth(name), call.verdicts[name]
        if 1 in truth:
            right.append(truth[1])
        for number in truth.keys() & said.keys():
            flagged[truth[number]].append(not said[number])
    return GateFigures(mode, name, verdicts, one, rate(right), rate(flagged[False]), rate(flagged[True]))
