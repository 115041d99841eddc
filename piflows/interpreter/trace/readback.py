"""Whether rows hold together as one tree, and what is missing: the same test for a strict run and for the report.

Seed: Trace health and strict mode. Pure. Rows are whatever a file holds: nothing of their form is taken for granted.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Any, cast

from piflows.interpreter.trace import names
from piflows.interpreter.trace.rows import IDS_MOST, Row
from piflows.ir.frozen import frozen
from piflows.ir.limits import LIMITS


@frozen
class Counts:
    """What the rows of one call add up to. `present` rows, `expected` by the root (None: not said), `dangling` links,
    events of kinds that the mode never declared (`undeclared`), `failed` exports as the root says."""

    present: int
    expected: int | None
    failed: int
    stages: int
    events: int
    dangling: int
    undeclared: int

    @property
    def dropped(self) -> int:
        """Rows that are not there."""
        return max(self.failed, (self.present if self.expected is None else self.expected) - self.present)


def attributes(row: Row) -> Mapping[str, Any]:
    """A row's attributes, empty when it has none that can be read."""
    found = row.get("attributes")
    return cast("Mapping[str, Any]", found) if isinstance(found, dict) else {}


def text(row: Row, name: str) -> str:
    """A text among a row's attributes, empty when there is none."""
    found = attributes(row).get(name)
    return found if isinstance(found, str) else ""


def amount(value: Any) -> float | None:
    """A number that can be counted with: finite, not negative, not beyond any sum of money or tokens."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if 0 <= value <= LIMITS.amount else None


def whole(row: Row, name: str) -> int | None:
    """A count among a row's attributes."""
    found = amount(attributes(row).get(name))
    return int(found) if found is not None and found == int(found) else None


def root_of(rows: Iterable[Row]) -> Row | None:
    """The root: by its role, in an old trace by having no parent."""
    first = None
    for row in rows:
        role = text(row, names.ROLE)
        if role == names.ROOT:
            return row
        if first is None and not role and row.get("parent_span_id") is None:
            first = row
    return first


def count(rows: list[Row]) -> Counts:
    """What the rows of one call add up to."""
    root = root_of(rows)
    roles = [text(row, names.ROLE) for row in rows]
    return Counts(
        len(rows),
        None if root is None else whole(root, names.EXPECTED),
        0 if root is None else whole(root, names.FAILED_EXPORTS) or 0,
        roles.count(names.STAGE),
        roles.count(names.EVENT),
        sum(len(_listed(row, names.UNRESOLVED)) for row in rows),
        0 if root is None else len(undeclared(rows, root)),
    )


def undeclared(rows: list[Row], root: Row) -> list[Row]:
    """The events of a mode's own hand whose kind the mode never declared; none where nothing was declared at all."""
    owed = attributes(root).get(names.OWED)
    if not isinstance(owed, str):
        return []
    kinds = set(owed.split(","))
    return [
        row
        for row in rows
        if text(row, names.ROLE) == names.EVENT
        and attributes(row).get(names.MINTED) is not True
        and text(row, names.EVENT_KIND) not in kinds
    ]


def issue(rows: list[Row]) -> str | None:
    """Why the rows of one call are no span tree, None when they are one. Older traces, without roles, are exempt."""
    declares = any(names.EXPECTED in attributes(row) for row in rows)
    if not declares and not any(names.ROLE in attributes(row) for row in rows):
        return None
    by_id: dict[str, Row] = {}
    for row in rows:
        if problem := _form(row, by_id):
            return problem
        by_id[row["span_id"]] = row
    return _roots(rows) or _reach(by_id) or _nested(by_id) or _expectation(rows) or _links(rows, by_id)


def judge(rows: list[Row], spoiled: int, root: str, attempted: int, declared: int) -> str | None:
    """What a strict run says of its own rows, read back: the issue, or None.

    `spoiled`: own lines that cannot be read; `root`: the id of the root; `attempted`: rows that were written, as the
    writer counts them; `declared`: what the root was written with as expectation, the certification's row included.
    """
    if spoiled:
        return f"{spoiled} own rows cannot be read"
    found = next((row for row in rows if row.get("span_id") == root), None)
    if found is None:
        return "the root is missing"
    if (said := whole(found, names.EXPECTED)) != declared:
        return f"the root declares {'nothing' if said is None else said} instead of {declared} rows"
    if len(rows) > declared:
        return f"{len(rows)} rows where {declared} were declared"
    if len(rows) < attempted:
        return f"{len(rows)} of {attempted} rows are there"
    if problem := issue(rows):
        return problem
    if strange := undeclared(rows, found):
        return f"an event of the undeclared kind {text(strange[0], names.EVENT_KIND) or '(none)'}"
    return None


def own(lines: Iterable[bytes], trace: str, invocation: str) -> tuple[list[Row], int]:
    """The rows of one call among lines of a shared file, and how many lines of it cannot be read.

    A line that is no JSON object counts as the call's own when it names the call.
    """
    rows: list[Row] = []
    spoiled = 0
    mark = invocation.encode()
    for line in lines:
        if mark not in line:
            continue
        row = parsed(line)
        if row is None:
            spoiled += 1
        elif row.get("trace_id") == trace and text(row, names.INVOCATION) == invocation:
            rows.append(row)
    return rows, spoiled


def parsed(line: bytes) -> Row | None:
    """A line as a row: strict JSON, one object. None for anything else."""
    try:
        value = json.loads(line.decode(), parse_constant=_no_number)
    except (ValueError, RecursionError):
        return None
    return cast("Row", value) if isinstance(value, dict) else None


def _no_number(word: str) -> None:
    raise ValueError(word)


# ---- the clauses of the test ---------------------------------------------------------------------------------------


def _form(row: Row, by_id: Mapping[str, Row]) -> str | None:
    """A row by itself: an id that no other has, a known role, times that run forwards."""
    span = row.get("span_id")
    if not isinstance(span, str) or not span:
        return "a row has no span id"
    if span in by_id:
        return f"the span id {span} stands twice"
    if text(row, names.ROLE) not in names.ROLES:
        return f"the row {span} has no known role"
    start, end = row.get("start_time_unix_ms"), row.get("end_time_unix_ms")
    if not (_time(start) and _time(end)):
        return f"the row {span} has no times"
    return f"the row {span} ends before it starts" if cast("float", start) > cast("float", end) else None


def _time(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= 2**53 and isfinite(value)


def _roots(rows: list[Row]) -> str | None:
    roots = [row for row in rows if text(row, names.ROLE) == names.ROOT]
    top = [row for row in rows if row.get("parent_span_id") is None]
    if len(roots) != 1:
        return "there is no root" if not roots else f"there are {len(roots)} roots"
    if len(top) != 1 or top[0] is not roots[0]:
        return "the row without a parent is not the root" if top else "the root has a parent"
    return None


def _reach(by_id: Mapping[str, Row]) -> str | None:
    """Every row leads to the root: the parents of each are walked until one is met that is known to."""
    reaches: set[str] = set()
    for start in by_id:
        walked: dict[str, None] = {}
        at: Any = start
        while at is not None:
            if not isinstance(at, str) or at not in by_id:
                return f"the row {start} does not reach the root"
            if at in reaches:
                break
            if at in walked:
                return f"the row {start} is in a circle"
            walked[at] = None
            at = by_id[at].get("parent_span_id")
        reaches.update(walked)
    return None


def _nested(by_id: Mapping[str, Row]) -> str | None:
    for span, row in by_id.items():
        parent = by_id.get(row.get("parent_span_id") or "")
        if parent is not None and not (
            parent["start_time_unix_ms"] <= row["start_time_unix_ms"]
            and row["end_time_unix_ms"] <= parent["end_time_unix_ms"]
        ):
            return f"the row {span} lies outside its parent's time"
    return None


def _expectation(rows: list[Row]) -> str | None:
    root = cast("Row", root_of(rows))
    if names.EXPECTED not in attributes(root):
        return None
    said = whole(root, names.EXPECTED)
    if said is None:
        return "the root's expectation cannot be used"
    return f"{len(rows)} rows where {said} were declared" if len(rows) > said else None


def _listed(row: Row, name: str) -> list[str]:
    found = text(row, name)
    return found.split(",") if found else []


def _links(rows: list[Row], by_id: Mapping[str, Row]) -> str | None:
    for row in rows:
        if problem := _linked(row, by_id):
            return f"the row {row['span_id']} {problem}"
    return None


def _linked(row: Row, by_id: Mapping[str, Row]) -> str | None:
    """The arithmetic of one row's dependencies."""
    said = attributes(row)
    keys, ids, lost = (_listed(row, name) for name in (names.DEPENDS_ON, names.DEPENDS_IDS, names.UNRESOLVED))
    if not keys:
        return "has links without keys" if any(name in said for name in names.PLACEMENT) else None
    total, cut = whole(row, names.DEPENDS_COUNT), said.get(names.DEPENDS_CUT) is True
    if total is None or len(keys) > total:
        return "counts fewer dependencies than it names"
    if cut != (len(keys) < total) and not (cut and total == 1):  # one key can be too long by itself
        return "is marked as cut and is whole" if cut else "names fewer dependencies than it counts"
    short = total - len(ids) - len(lost)
    lost_cut = said.get(names.UNRESOLVED_CUT) is True
    if short < 0 or (short and not lost_cut and not (cut and len(ids) >= IDS_MOST)):
        return "has links that do not add up"
    if not short and lost_cut and len(lost) != 1:
        return "is marked as cut and is whole"
    if any(each not in by_id for each in ids):
        return "depends on an unknown row"
    return None if lost_cut else _positions(keys[:-1] if cut else keys, ids, lost, by_id)


def _positions(keys: list[str], ids: list[str], lost: list[str], by_id: Mapping[str, Row]) -> str | None:
    """Each id stands at the place of its key, unresolved keys passed over. Nothing is known of what was cut off."""
    spans, missing = iter(ids), Counter(lost)
    span = next(spans, None)
    for key in keys:
        if span is not None and key in (text(by_id[span], names.UNIT_KEY), text(by_id[span], names.STAGE_KEY)):
            span = next(spans, None)
        elif missing[key]:
            missing[key] -= 1
        elif span is not None:
            return f"has an id at the place of {key} that is not its own"
    return None
