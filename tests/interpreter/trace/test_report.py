"""The report: what a file says, told run by run."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trace_streams import JSON, OPENED, Hider, chain, folded, note

from piflows.interpreter.trace import names
from piflows.interpreter.trace.fold import Fold, Setup
from piflows.interpreter.trace.report import Report, report
from piflows.interpreter.trace.rows import Row, line
from piflows.interpreter.trace.told import duration, rate, report_json, report_text, tokens

VERIFIED = {names.OUTCOME_VERIFIED: True, names.OUTCOME_SUCCESS: True}
REJECTED = {**VERIFIED, names.OUTCOME_SUCCESS: False}


def of(*runs: list[Row], more: list[bytes] | None = None) -> Report:
    return report("t.jsonl", [*(line(row) for rows in runs for row in rows), *(more or [])])


def several() -> list[list[Row]]:
    routed = [note("route.selected", "state", minted=False, attributes={names.ROUTE: "docs"})]
    return [
        folded(chain(), owed=[], outcome=VERIFIED),
        folded(
            chain(),
            invocation="inv-2",
            mode="evaluate",
            label="night",
            outcome={**VERIFIED, names.OUTCOME_SUCCESS: False},
        ),
        folded([(OPENED, routed)], invocation="inv-3", mode="route", owed=["state"], error="BUDGET_EXCEEDED"),
    ]


WIDE = """\
Trace report: t.jsonl
Runs: 3
Execution success: 2/3 (66.7%)
Verified outcome success: 1/2 (50.0%; 1 unavailable)
Return assurance: 2 contracted, 4 ordinary child runs
Cost: $3.0000 · Tokens: 720
Elapsed: 730ms · Worker: 900ms · Critical path: 700ms (2 available)
Verified TPSO: 720 · Budget hits: 0 · Same-model vote warnings: 0
Trace health: 18/18 spans (0 dropped, 6 redacted, 0 failed exports), 0 incomplete runs
Topology: 4 stages, 5 events
Parse errors: 0

By mode
  name      runs  execution     verified outcome  cost     tokens  elapsed  worker  critical  verified tpso  budget  \
vote-model  trace health
  evaluate  1     1/1 (100.0%)  0/1 (0.0%)        $1.5000  360     365ms    450ms   350ms     n/a            0       \
0           8/8
  graph     1     1/1 (100.0%)  1/1 (100.0%)      $1.5000  360     365ms    450ms   350ms     360            0       \
0           8/8
  route     1     0/1 (0.0%)    0/0 (n/a)         $0.0000  0       0ms      0ms     n/a       n/a            0       \
0           2/2
"""
TAIL = """\
Coordination events
  handoff: 4
  state: 1

Route choices
  docs: 1
"""


def test_the_whole_report() -> None:
    found = of(*several())
    text = report_text(found, 200)
    assert text.startswith(WIDE) and text.endswith(TAIL) and "(unlabeled)" in text
    assert found.complete and report_json(found)["complete"] is True


def test_where_columns_do_not_fit_each_name_has_its_paragraph() -> None:
    lines = report_text(of(*several()), 60).split("\n")
    assert max(map(len, lines)) <= 60 and "  evaluate" in lines


def test_runs_of_one_trace_are_told_apart_by_invocation() -> None:
    again = folded(chain(), invocation="inv-2")
    assert of(folded(chain()), again).total.runs == 2


def fault(rows: list[Row]) -> str:
    found = of(rows)
    assert not found.complete
    return found.faults[0][1]


def test_what_makes_a_run_incomplete() -> None:
    good = folded(chain(), owed=[])
    broken, degraded = deepcopy(good), deepcopy(good)
    broken[0]["parent_span_id"] = "nobody"
    lost = [row for row in good if row["attributes"].get(names.UNIT_KEY) != "plan"]
    degraded[-1]["attributes"] |= {names.HEALTH: "degraded"}
    assert fault(lost) == "1 rows are missing" and fault(good[:-1]) == "there is no root"
    assert "does not reach" in fault(broken) and fault(degraded) == "its export was degraded"
    assert "never declared" in fault(folded([(OPENED, [note("x", "state", minted=False)])], owed=[]))


@pytest.mark.parametrize("certified", [None, "", "a circle"])
def test_a_strict_outcome_stands_only_when_it_is_certified(certified: str | None) -> None:
    fold = Fold(Setup("evaluate", "t" * 32, "i", 0, strict=True), Hider(), {}.get)
    fold.opened(OPENED)
    rows = [fold.root(None, VERIFIED, 0)]
    if certified is not None:
        rows.append(fold.certified(certified or None))
    found = of(rows)
    assert (found.total.verified, found.complete) == ((1, True) if certified == "" else (0, False))


def test_an_older_trace_is_read_as_root_and_children() -> None:
    told = {names.MODE: "single", names.LEGACY_WORKER: 90, names.SUCCESS: True}
    root = {"trace_id": "t", "span_id": "r", "parent_span_id": None, "attributes": told}
    child = {"trace_id": "t", "span_id": "c", "parent_span_id": "r", "attributes": {names.AGENT: "recon"}}
    found = of([child, root])
    assert (found.total.runs, found.total.worker, found.total.elapsed, found.ordinary) == (1, 90, None, 1)
    assert found.complete and "Legacy duration: 1 runs" in report_text(found, 80)


def test_what_is_no_row_is_a_parse_error() -> None:
    found = of(folded(chain()), more=[b"{torn", b"[]", b"{}", b'{"trace_id": 1}', b"", b"\xff"])
    assert (found.parse_errors, found.total.runs, found.complete) == (6, 1, False)
    assert not report("empty", []).complete


def test_hostile_names_are_made_visible_and_numbers_that_are_none_are_unknown() -> None:
    rows = folded(chain())
    rows[-1]["attributes"] |= {names.MODE: "\x1b[2Jgraph\n\u202e", names.COST_TOTAL: 1e300, names.TOKENS_TOTAL: "9" * 9}
    text = report_text(of(rows), 200)
    assert "\\x1b[2Jgraph\\n\\u202e" in text and "\x1b" not in text and "\u202e" not in text
    assert "Cost: unknown · Tokens: unknown" in text


@given(st.data())
def test_whatever_stands_in_a_file_is_told(data: st.DataObject) -> None:
    rows = json.loads(json.dumps(several()[0]))
    for row in rows:
        if data.draw(st.booleans()):
            row["attributes"][data.draw(st.sampled_from(sorted(row["attributes"])))] = data.draw(JSON)
        if data.draw(st.booleans()):
            row[data.draw(st.sampled_from(sorted(set(row) - {"attributes"})))] = data.draw(JSON)
    found = report("t", [json.dumps(row).encode() for row in rows])
    shown: Any = json.loads(json.dumps(report_json(found), allow_nan=False))
    assert (
        not any(char in report_text(found, 80) for char in "\x00\x1b\u202e")
        and shown["total"]["runs"] == found.total.runs
    )


@pytest.mark.parametrize(
    ("count", "says"),
    [
        *((0, "0"), (999.4, "999"), (999.5, "1.0k"), (1_234, "1.2k"), (9_949, "9.9k"), (9_950, "10k")),
        *((12_345, "12k"), (999_499, "999k"), (999_500, "1.0M"), (1_240_000, "1.2M"), (None, "n/a")),
    ],
)
def test_tokens(count: float | None, says: str) -> None:
    assert tokens(count) == says


def test_rates_and_durations() -> None:
    assert (rate(2, 3), rate(0, 0, "; 4 unavailable")) == ("2/3 (66.7%)", "0/0 (n/a; 4 unavailable)")
    said = {999: "999ms", 1_000: "1.0s", 59_949: "59.9s", 59_960: "1m00s", 245_000: "4m05s", 7_380_000: "2h03m"}
    assert {ms: duration(ms) for ms in said} == said
