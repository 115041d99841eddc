"""The span-tree test: every way in which rows can fail to be one tree, told from the rows alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trace_streams import JSON, chain, folded, note

from piflows.interpreter.trace import names
from piflows.interpreter.trace.readback import count, issue, judge, own, parsed
from piflows.interpreter.trace.rows import Row, line

Change = Callable[[list[Row]], Any]
GOOD = folded(chain(), owed=["retry"])
PLAN = next(at for at, row in enumerate(GOOD) if row["attributes"].get(names.UNIT_KEY) == "plan")


def put(at: int, **values: Any) -> Change:
    return lambda rows: rows[at].update(values)


def said(at: int, name: str, value: Any) -> Change:
    return lambda rows: rows[at]["attributes"].update({name: value})


def gone(at: int, *names: str) -> Change:
    return lambda rows: [rows[at]["attributes"].pop(name, None) for name in names]


FAULTS: list[tuple[Change, str]] = [
    (put(0, span_id=None), "has no span id"),
    (put(0, span_id=GOOD[1]["span_id"]), "stands twice"),
    (said(0, names.ROLE, "leaf"), "no known role"),
    (gone(0, names.ROLE), "no known role"),
    (put(0, start_time_unix_ms="1"), "has no times"),
    (put(0, end_time_unix_ms=True), "has no times"),
    (put(0, end_time_unix_ms=1), "ends before it starts"),
    (lambda rows: rows.pop(), "there is no root"),
    (lambda rows: rows.append({**rows[-1], "span_id": "r2"}), "2 roots"),
    (put(0, parent_span_id=None), "without a parent is not the root"),
    (put(-1, parent_span_id=GOOD[0]["span_id"]), "the root has a parent"),
    (put(0, parent_span_id="nobody"), "does not reach the root"),
    (put(0, parent_span_id=["x"]), "does not reach the root"),
    (put(0, parent_span_id=GOOD[0]["span_id"]), "in a circle"),
    (put(0, end_time_unix_ms=9_999), "outside its parent's time"),
    (said(-1, names.EXPECTED, "many"), "cannot be used"),
    (said(-1, names.EXPECTED, 7), "8 rows where 7"),
    (said(PLAN, names.DEPENDS_COUNT, 1), "counts fewer"),
    (said(PLAN, names.DEPENDS_COUNT, None), "counts fewer"),
    (said(PLAN, names.DEPENDS_COUNT, 3), "names fewer"),
    (said(PLAN, names.DEPENDS_CUT, True), "is whole"),
    (said(PLAN, names.DEPENDS_IDS, GOOD[0]["span_id"]), "do not add up"),
    (said(PLAN, names.UNRESOLVED, "x"), "do not add up"),
    (said(PLAN, names.DEPENDS_IDS, "a,b"), "unknown row"),
    (said(PLAN, names.DEPENDS_ON, "b.handoff,a.handoff"), "not its own"),
    (gone(PLAN, names.DEPENDS_ON), "without keys"),
]


@pytest.mark.parametrize(("change", "says"), FAULTS)
def test_each_fault_is_told(change: Change, says: str) -> None:
    rows = deepcopy(GOOD)
    assert issue(rows) is None
    change(rows)
    assert says in (issue(rows) or "")


def test_rows_in_any_order_are_the_same_tree() -> None:
    assert issue(GOOD[::-1]) is None


def test_older_traces_are_exempt() -> None:
    rows = deepcopy(GOOD)
    for row in rows:
        row["attributes"] = {"flow.mode": "graph"}
        row["parent_span_id"] = "nobody"
    assert issue(rows) is None


def test_a_dangling_link_is_counted_and_no_fault() -> None:
    rows = deepcopy(GOOD)
    rows[PLAN]["attributes"] |= {
        names.UNRESOLVED: "x",
        names.DEPENDS_ON: "a.handoff,x,b.handoff",
        names.DEPENDS_COUNT: 3,
    }
    assert issue(rows) is None and count(rows).dangling == 1


def test_only_an_undeclared_kind_of_the_own_hand_counts() -> None:
    def undeclared(minted: bool, **setup: Any) -> int:
        return count(folded([(chain()[0][0], [note("x", "state", minted=minted)])], **setup)).undeclared

    assert undeclared(False, owed=["retry"]) == undeclared(False, owed=[]) == 1
    assert undeclared(True, owed=["retry"]) == undeclared(False, owed=["state"]) == undeclared(False) == 0


def strict(rows: list[Row], spoiled: int = 0, attempted: int = len(GOOD), declared: int = len(GOOD)) -> str:
    return judge(rows, spoiled, GOOD[-1]["span_id"], attempted, declared) or ""


def test_what_a_strict_run_judges() -> None:
    strange = folded([(chain()[0][0], [note("x", "state", minted=False)])], owed=["retry"])
    assert strict(GOOD) == ""
    assert "cannot be read" in strict(GOOD, spoiled=1)
    assert "root is missing" in strict(GOOD[:-1])
    assert "declares 8" in strict(GOOD, declared=9)
    assert "7 of 8" in strict(GOOD[1:])
    assert "9 rows where 8" in strict([*GOOD, {**GOOD[0], "span_id": "more"}])
    assert "undeclared kind state" in strict(strange, attempted=2, declared=2)


def test_own_rows_are_found_among_those_of_others() -> None:
    other = folded(chain(), invocation="inv-2")
    lines = [*map(line, GOOD), *map(line, other), b"{torn\n", b'{"flow.invocation_id":"inv-1"\n']
    rows, spoiled = own(lines, "t" * 32, "inv-1")
    assert (rows, spoiled) == (GOOD, 1)


@pytest.mark.parametrize(
    "text", [b"[]", b"1", b"", b'{"a":NaN}', b'{"a":1e', b"[" * 100_000, b"\xff", b"{}x", b"9" * 5000]
)
def test_what_is_no_row(text: bytes) -> None:
    assert parsed(text) is None


@given(st.data())
def test_whatever_stands_in_rows_is_judged(data: st.DataObject) -> None:
    """No value of any member makes the test fail otherwise than by saying what is wrong."""
    rows = json.loads(json.dumps(GOOD))
    for _ in range(data.draw(st.integers(1, 3))):
        row = data.draw(st.sampled_from(rows))
        inside = data.draw(st.booleans()) and isinstance(row["attributes"], dict) and row["attributes"]
        place = row["attributes"] if inside else row
        place[data.draw(st.sampled_from(sorted(place)))] = data.draw(JSON)
    assert isinstance(issue(rows), str | None) and count(rows).present == len(GOOD)
