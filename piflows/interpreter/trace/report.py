"""What a trace file says, one invocation at a time: its runs, and their sums by mode and by label.

Seed: Trace health and strict mode. Pure: lines in, values out; `told` says them to people. A row is kept as what is
asked of it later, so memory grows with the number of rows, not with what stands in them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from piflows.interpreter.trace import names
from piflows.interpreter.trace.readback import Counts, amount, attributes, count, issue, parsed, root_of, text
from piflows.interpreter.trace.rows import Row
from piflows.ir.frozen import frozen

UNLABELLED, UNKNOWN = "(unlabeled)", "unknown"
CODE_MOST = 1024  # characters of an attribute that are kept, but of those that hold keys or ids
_FORM = ("trace_id", "span_id", "parent_span_id", "start_time_unix_ms", "end_time_unix_ms")
_WHOLE = frozenset({names.UNIT_KEY, names.STAGE_KEY, *names.PLACEMENT})
_KEPT = _WHOLE | {
    *(names.ROLE, names.INVOCATION, names.CONTRACT),
    *(names.EVENT_KIND, names.EVENT_NAME, names.MINTED, names.ROUTE, names.STRUCTURE_OK, names.STRUCTURE_REVOKED),
}
_ROOT = frozenset(
    {
        *(names.MODE, names.LABEL, names.COST_TOTAL, names.TOKENS_TOTAL, names.WORKER, names.ELAPSED),
        *(names.PATH_KNOWN, names.PATH, names.LEGACY_WORKER, names.SUCCESS, names.OUTCOME_VERIFIED),
        *(names.OUTCOME_SUCCESS, names.OVER_BUDGET, names.SAME_MODEL, names.ROOT_ROUTE, names.EXPECTED),
        *(names.REDACTED, names.FAILED_EXPORTS, names.HEALTH, names.OWED, names.PENDING),
    }
)


@frozen
class Run:
    """One invocation. `outcome` is None where no verifier said anything that still holds; an amount is None when it is
    not known; `fault` says why its evidence is incomplete, empty when it is complete."""

    id: str
    mode: str
    label: str
    success: bool
    outcome: bool | None
    cost: float | None
    tokens: float | None
    elapsed: float | None
    worker: float | None
    path: float | None
    over_budget: bool
    same_model: bool
    legacy: bool
    contracted: int
    ordinary: int
    redacted: int
    counts: Counts
    fault: str
    kinds: dict[str, int]
    routes: tuple[str, ...]


@frozen
class Group:
    """The sums over some runs. `cost_unknown` and `tokens_unknown` count the runs that do not know theirs."""

    name: str
    runs: int
    success: int
    outcome: int
    verified: int
    cost: float | None
    cost_unknown: int
    tokens: float | None
    tokens_unknown: int
    elapsed: float | None
    worker: float | None
    path: float | None
    path_known: int
    tpso: float | None
    over_budget: int
    same_model: int
    expected: int
    observed: int
    dropped: int
    redacted: int
    failed: int
    incomplete: int


@frozen
class Report:
    """A whole file. `complete`: there is a run, none is incomplete, every line was read."""

    source: str
    total: Group
    modes: tuple[Group, ...]
    labels: tuple[Group, ...]
    contracted: int
    ordinary: int
    dangling: int
    undeclared: int
    stages: int
    events: int
    legacy: int
    parse_errors: int
    kinds: dict[str, int]
    routes: dict[str, int]
    faults: tuple[tuple[str, str], ...]

    @property
    def complete(self) -> bool:
        """Whether the evidence is whole."""
        return self.total.runs > 0 and not self.total.incomplete and not self.parse_errors


def report(source: str, lines: Iterable[bytes]) -> Report:
    """The report over the lines of a file, read once, in time linear in their length."""
    calls: dict[tuple[str, str], list[Row]] = {}
    errors = 0
    for line in lines:
        row = parsed(line)
        if row is None or not isinstance(row.get("trace_id"), str):
            errors += 1
        else:
            calls.setdefault((text(row, names.INVOCATION), row["trace_id"]), []).append(_slim(row))
    runs = [_run(invocation or trace, rows) for (invocation, trace), rows in calls.items()]
    kinds: Counter[str] = Counter()
    for each in runs:
        kinds.update(each.kinds)
    return Report(
        source,
        _group("", runs),
        _grouped(runs, lambda each: each.mode),
        _grouped(runs, lambda each: each.label),
        *(sum(each.contracted for each in runs), sum(each.ordinary for each in runs)),
        *(sum(each.counts.dangling for each in runs), sum(each.counts.undeclared for each in runs)),
        *(sum(each.counts.stages for each in runs), sum(each.counts.events for each in runs)),
        sum(each.legacy for each in runs),
        errors,
        dict(sorted(kinds.items())),
        dict(sorted(Counter(choice for each in runs for choice in each.routes).items())),
        tuple((each.id, each.fault) for each in runs if each.fault),
    )


def _slim(row: Row) -> Row:
    """What the report asks of a row."""
    said = attributes(row)
    wanted = _KEPT if text(row, names.ROLE) not in (names.ROOT, "") else _KEPT | _ROOT
    out: Row = {name: row[name] for name in _FORM if name in row}
    kept: dict[str, Any] = {}
    for name in said.keys() & wanted:
        value = said[name]
        kept[name] = value[:CODE_MOST] if isinstance(value, str) and name not in _WHOLE else value
    out["attributes"] = kept
    return out


def _run(name: str, rows: list[Row]) -> Run:
    root = root_of(rows)
    said: Mapping[str, Any] = {} if root is None else attributes(root)
    children = [row for row in rows if row is not root and text(row, names.ROLE) in (names.CHILD, "")]
    contracted = sum(bool(text(row, names.CONTRACT)) for row in children)
    events = [row for row in rows if text(row, names.ROLE) == names.EVENT]
    counts = count(rows)
    legacy = names.LEGACY_WORKER in said and names.WORKER not in said
    chosen: list[Any] = (
        [said.get(names.ROOT_ROUTE)] if names.ROOT_ROUTE in said else [text(row, names.ROUTE) for row in events]
    )
    return Run(
        name,
        _text(said.get(names.MODE)) or UNKNOWN,
        _text(said.get(names.LABEL)) or UNLABELLED,
        said.get(names.SUCCESS) is True,
        _outcome(said, events),
        amount(said.get(names.COST_TOTAL)),
        amount(said.get(names.TOKENS_TOTAL)),
        amount(said.get(names.ELAPSED)),
        amount(said.get(names.LEGACY_WORKER if legacy else names.WORKER)),
        amount(said.get(names.PATH)) if said.get(names.PATH_KNOWN) is not False else None,
        said.get(names.OVER_BUDGET) is True,
        said.get(names.SAME_MODEL) is True,
        legacy,
        contracted,
        len(children) - contracted,
        int(amount(said.get(names.REDACTED)) or 0),
        counts,
        _fault(rows, root, counts),
        Counter(text(row, names.EVENT_KIND) or UNKNOWN for row in events),
        tuple(choice for choice in chosen if isinstance(choice, str) and choice),
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _outcome(root: Any, events: Sequence[Row]) -> bool | None:
    """What an independent verifier said; nothing when it was to be certified, and was not, or was revoked."""
    if root.get(names.OUTCOME_VERIFIED) is not True or not isinstance(root.get(names.OUTCOME_SUCCESS), bool):
        return None
    if any(attributes(row).get(names.STRUCTURE_REVOKED) is True for row in events):
        return None
    if root.get(names.PENDING) is True and not any(
        attributes(row).get(names.STRUCTURE_OK) is True and attributes(row).get(names.MINTED) is True for row in events
    ):
        return None
    return root[names.OUTCOME_SUCCESS]


def _fault(rows: list[Row], root: Row | None, counts: Counts) -> str:
    """Why a run's evidence is incomplete."""
    if root is None:
        return "there is no root"
    if problem := issue(rows):
        return problem
    if counts.dropped:
        return f"{counts.dropped} rows are missing"
    if attributes(root).get(names.HEALTH) in ("degraded", "missing"):
        return f"its export was {attributes(root)[names.HEALTH]}"
    if counts.undeclared:
        return f"{counts.undeclared} events of a kind that its mode never declared"
    if any(attributes(row).get(names.STRUCTURE_REVOKED) is True for row in rows):
        return "its own certification revoked it"
    return ""


def _grouped(runs: Sequence[Run], key: Callable[[Run], str]) -> tuple[Group, ...]:
    by_name: dict[str, list[Run]] = {}
    for each in runs:
        by_name.setdefault(key(each), []).append(each)
    return tuple(_group(name, by_name[name]) for name in sorted(by_name))


def _group(name: str, runs: Sequence[Run]) -> Group:
    """Verified TPSO is what all verified runs used, for each one that a verifier accepted."""
    verified = [each for each in runs if each.outcome is not None]
    outcome = sum(each.outcome is True for each in verified)
    spent = _sum(each.tokens for each in verified) if all(each.tokens is not None for each in verified) else None
    return Group(
        name,
        len(runs),
        sum(each.success for each in runs),
        outcome,
        len(verified),
        _sum(each.cost for each in runs),
        sum(each.cost is None for each in runs),
        _sum(each.tokens for each in runs),
        sum(each.tokens is None for each in runs),
        _sum(each.elapsed for each in runs),
        _sum(each.worker for each in runs),
        _sum(each.path for each in runs),
        sum(each.path is not None for each in runs),
        spent / outcome if spent is not None and outcome else None,
        sum(each.over_budget for each in runs),
        sum(each.same_model for each in runs),
        sum(_expected(each.counts) for each in runs),
        sum(each.counts.present for each in runs),
        sum(each.counts.dropped for each in runs),
        sum(each.redacted for each in runs),
        sum(each.counts.failed for each in runs),
        sum(bool(each.fault) for each in runs),
    )


def _expected(counts: Counts) -> int:
    return counts.present if counts.expected is None else counts.expected


def _sum(values: Iterable[float | None]) -> float | None:
    """The sum of what is known; None when nothing is."""
    known = [each for each in values if each is not None]
    return sum(known) if known else None
