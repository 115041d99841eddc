"""A report as people read it, and as JSON. What a row says is hostile text: its hidden characters are made visible."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from piflows.interpreter.trace.report import Group, Report
from piflows.ir.fold import cells, fold, padded
from piflows.ir.visible import visible

FAULTS_MOST = 20  # incomplete runs that are named
COLUMNS = (
    "name",
    "runs",
    "execution",
    "verified outcome",
    "cost",
    "tokens",
    "elapsed",
    "worker",
    "critical",
    "verified tpso",
    "budget",
    "vote-model",
    "trace health",
)
NONE = "n/a"


def report_text(found: Report, width: int) -> str:
    """The whole report in lines of at most `width` cells; the last one ends with a newline."""
    blocks = [
        [line for each in _summary(found) for line in fold(each, width, hang=2)],
        _table("By mode", found.modes, width),
        _table("By trace label", found.labels, width),
        _list("Coordination events", found.kinds.items(), width),
        _list("Route choices", found.routes.items(), width),
        _list("Incomplete runs", found.faults[:FAULTS_MOST], width),
    ]
    return "\n".join("\n".join(block) + "\n" for block in blocks if block)


def report_json(found: Report) -> dict[str, Any]:
    """The report for tools: the fields of `Report` and `Group`, and whether it is complete."""
    return {**asdict(found), "complete": found.complete}


def _summary(found: Report) -> list[str]:
    total = found.total
    missing = f"; {total.runs - total.verified} unavailable"
    path = f"{duration(total.path)} ({total.path_known} available)"
    out = [
        f"Trace report: {visible(found.source)}",
        f"Runs: {total.runs}",
        f"Execution success: {rate(total.success, total.runs)}",
        f"Verified outcome success: {rate(total.outcome, total.verified, missing)}",
        f"Return assurance: {found.contracted} contracted, {found.ordinary} ordinary child runs",
        f"Cost: {_cost(total)} · Tokens: {_tokens(total)}",
        f"Elapsed: {duration(total.elapsed)} · Worker: {duration(total.worker)} · Critical path: {path}",
        f"Verified TPSO: {tokens(total.tpso)} · Budget hits: {total.over_budget} · "
        f"Same-model vote warnings: {total.same_model}",
        _health(found),
        f"Topology: {found.stages} stages, {found.events} events",
        f"Parse errors: {found.parse_errors}",
    ]
    if found.legacy:
        out.append(f"Legacy duration: {found.legacy} runs give flow.duration_ms_total alone, read as worker time")
    return out


def _health(found: Report) -> str:
    total = found.total
    out = f"Trace health: {total.observed}/{total.expected} spans ({total.dropped} dropped, {total.redacted} redacted, "
    out += f"{total.failed} failed exports), {total.incomplete} incomplete runs"
    if found.undeclared:
        out += f", {found.undeclared} undeclared-kind events"
    return out + (f", {found.dangling} dangling links" if found.dangling else "")


def _table(title: str, groups: Sequence[Group], width: int) -> list[str]:
    """Columns where they fit, else a paragraph for each name."""
    if not groups:
        return []
    rows = [_row(group) for group in groups]
    sizes = [max(cells(row[at]) for row in (COLUMNS, *rows)) for at in range(len(COLUMNS))]
    if sum(sizes) + 2 * len(sizes) <= width:
        lines = (
            "  ".join(padded(cell, size) for cell, size in zip(row, sizes, strict=True)) for row in (COLUMNS, *rows)
        )
        return [title, *(f"  {line.rstrip()}" for line in lines)]
    out = [title]
    for name, *values in rows:
        said = ", ".join(f"{column} {cell}" for column, cell in zip(COLUMNS[1:], values, strict=True))
        out += [*fold(name, width, "  ", 4), *fold(said, width, "    ")]
    return out


def _row(group: Group) -> tuple[str, ...]:
    dropped = f", {group.incomplete} incomplete" if group.incomplete else ""
    return (
        visible(group.name),
        str(group.runs),
        rate(group.success, group.runs),
        rate(group.outcome, group.verified),
        _cost(group),
        _tokens(group),
        duration(group.elapsed),
        duration(group.worker),
        duration(group.path),
        tokens(group.tpso),
        str(group.over_budget),
        str(group.same_model),
        f"{group.observed}/{group.expected}{dropped}",
    )


def _list(title: str, entries: Iterable[tuple[str, object]], width: int) -> list[str]:
    lines = [line for name, said in entries for line in fold(f"{visible(name)}: {visible(str(said))}", width, "  ", 4)]
    return [title, *lines] if lines else []


def _cost(group: Group) -> str:
    known = "unknown" if group.cost is None else f"${group.cost:.4f}"
    return known + (f" + {group.cost_unknown} unknown" if group.cost is not None and group.cost_unknown else "")


def _tokens(group: Group) -> str:
    known = "unknown" if group.tokens is None else tokens(group.tokens)
    return known + (f" + {group.tokens_unknown} unknown" if group.tokens is not None and group.tokens_unknown else "")


def rate(part: int, whole: int, more: str = "") -> str:
    """`2/3 (66.7%)`, `0/0 (n/a)`."""
    share = f"{100 * part / whole:.1f}%" if whole else NONE
    return f"{part}/{whole} ({share}{more})"


def tokens(count: float | None) -> str:
    """`950`, `1.2k`, `12k`, `1.2M`."""
    if count is None:
        return NONE
    if count < 999.5:
        return f"{count:.0f}"
    if count < 9_950:
        return f"{count / 1e3:.1f}k"
    return f"{count / 1e3:.0f}k" if count < 999_500 else f"{count / 1e6:.1f}M"


def duration(ms: float | None) -> str:
    """`850ms`, `12.3s`, `4m05s`, `2h03m`."""
    if ms is None:
        return NONE
    if ms < 1_000:
        return f"{ms:.0f}ms"
    if ms < 59_950:
        return f"{ms / 1_000:.1f}s"
    seconds = round(ms / 1_000)
    return f"{seconds // 60}m{seconds % 60:02}s" if seconds < 3_600 else f"{seconds // 3600}h{seconds // 60 % 60:02}m"
