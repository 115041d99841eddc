"""The trace is a fold over the machine's stream: the same stream, the same one tree."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trace_streams import OPENED, Stream, chain, event, folded, note, run, settled, spawn, streams

from piflows.interpreter.trace import names
from piflows.interpreter.trace.readback import count, issue, parsed
from piflows.interpreter.trace.rows import line


def by_name(rows: list[dict[str, Any]], name: str) -> dict[str, Any]:
    [found] = [row for row in rows if row["name"] == name or row["attributes"].get(names.UNIT_KEY) == name]
    return found


def test_children_nest_in_stages_and_link_through_the_boundary() -> None:
    rows = folded(chain())
    wave, plan, root = by_name(rows, "flow.graph.stage.wave-1"), by_name(rows, "plan"), rows[-1]
    assert issue(rows) is None and root["parent_span_id"] is None
    assert (wave["start_time_unix_ms"], wave["end_time_unix_ms"]) == (1_010, 1_310)
    assert wave["attributes"][names.STAGE_SPANS] == 4 and wave["parent_span_id"] == root["span_id"]
    assert by_name(rows, "a")["parent_span_id"] == wave["span_id"]
    said = plan["attributes"]
    assert said[names.DEPENDS_ON] == "a.handoff,b.handoff" and said[names.DEPENDS_COUNT] == 2
    assert said[names.DEPENDS_IDS].split(",") == [by_name(rows, f"{each}.handoff")["span_id"] for each in "ab"]


def test_the_root_adds_up_and_knows_the_critical_path() -> None:
    said = folded(chain(), outcome={"flow.preset": "p"}, owed=["retry", "handoff"])[-1]["attributes"]
    assert {name: said[name] for name in (names.PATH_KNOWN, names.PATH, names.WORKER, names.ELAPSED)} == {
        names.PATH_KNOWN: True,
        names.PATH: 350,
        names.WORKER: 450,
        names.ELAPSED: 365,
    }
    assert (said[names.CHILDREN], said[names.TOKENS_TOTAL], said[names.COST_TOTAL]) == (3, 360, 1.5)
    assert (said[names.EXPECTED], said[names.OBSERVED], said[names.OWED]) == (8, 8, "handoff,retry")
    assert said["flow.preset"] == "p" and said[names.SUCCESS] is True


@pytest.mark.parametrize("spoil", ["unlinked event", "no dependencies said", "nobody has the key", "a loop"])
def test_a_critical_path_that_is_not_known_is_not_made_up(spoil: str) -> None:
    needs: Any = {"no dependencies said": None, "nobody has the key": ["z"], "a loop": ["b"]}.get(spoil, ["x"])
    opening = [note("x", "state", "x"), spawn("a") | {"dependsOn": needs}, spawn("b", needs=["a"])]
    said = folded([(OPENED, opening), *((each, []) for each in (*run("a", 10, 20), *run("b", 10, 20)))])[-1]
    assert said["attributes"][names.PATH_KNOWN] is False and names.PATH not in said["attributes"]


def test_what_a_child_row_says() -> None:
    rows = folded(chain())
    said = by_name(rows, "plan")["attributes"]
    assert said[names.TOOLS] == "read,grep" and said[names.PROMPT_VERSION].startswith("sha256:")
    assert (said[names.INPUT], said[names.OUTPUT], said[names.DURATION]) == ("Look, [REDACTED].", "found", 50)
    assert said[names.CONSTRAINTS].startswith("constraint.1:") and ",acceptance.1:" in said[names.CONSTRAINTS]
    assert said["flow.authority_may"] == "read%2C and look" and said["flow.authority_requires_approval_count"] == 1
    assert rows[-1]["attributes"][names.REDACTED] == 3
    hidden = by_name(folded(chain(), record_content=False), "plan")["attributes"]
    assert not names.PROSE & hidden.keys() and hidden["flow.authority_may_count"] == 1
    assert hidden[names.RECORDED] is False and hidden[names.SCHEMA_DIGEST] == said[names.SCHEMA_DIGEST]


def test_unknown_cost_stays_unknown() -> None:
    stream = [(OPENED, [spawn("a"), spawn("b")]), *((each, []) for each in (*run("a", 6, 7, None), *run("b", 6, 7)))]
    rows = folded(stream)
    assert names.COST not in by_name(rows, "a")["attributes"] and names.COST_TOTAL not in rows[-1]["attributes"]


def test_a_child_that_never_settles_is_there_as_aborted_and_a_late_answer_changes_nothing() -> None:
    stream = [(OPENED, [spawn("a"), spawn("b")]), (settled("a", 20, 5), []), (settled("a", 30, 7, "other"), [])]
    rows = folded(stream)
    assert by_name(rows, "a")["attributes"][names.OUTPUT] == "found"
    assert by_name(rows, "b")["status"] == {"code": "ERROR", "message": "CHILD_ABORTED"}
    assert rows[-1]["attributes"][names.SUCCESS] is False and rows[-1]["attributes"][names.FAILED_CHILDREN] == 1


def test_facts_that_come_with_the_end_join_the_row() -> None:
    facts: dict[str, Any] = {"kind": "note", "event": "facts", "effect": "s#1/a!1"}
    facts["attributes"] = {names.ERROR_CODE: "RETURN_ENVELOPE_INVALID", "flow.budget.spent_tokens": 7}
    row = folded([(OPENED, [spawn("a")]), (settled("a", 9), [facts])])[0]
    assert row["status"]["message"] == "RETURN_ENVELOPE_INVALID" and row["attributes"]["flow.budget.spent_tokens"] == 7


@given(streams(), st.booleans())
def test_any_stream_reads_back_as_one_tree(stream: Stream, content: bool) -> None:
    rows = folded(stream, record_content=content, owed=["state"])
    assert [line(row) for row in rows] == [line(row) for row in folded(stream, record_content=content, owed=["state"])]
    read = [parsed(line(row)) for row in rows]
    assert None not in read and issue([row for row in read if row]) is None
    assert len({row["span_id"] for row in rows}) == len(rows) == rows[-1]["attributes"][names.EXPECTED]
    assert count(rows).undeclared == 0 and not [row for row in rows if b"hunter2" in line(row)]


def test_many_dependencies_keep_their_arithmetic() -> None:
    wanted = [f"u{number}" for number in range(2_000)]
    for known in (0, 100, 300, 2_000):
        opening = [*(spawn(name) for name in wanted[:known]), spawn("all", needs=wanted)]
        rows = folded([(OPENED, opening)])
        said = by_name(rows, "all")["attributes"]
        assert said[names.DEPENDS_COUNT] == 2_000 and said[names.DEPENDS_CUT] is True
        assert all(len(said.get(name, "")) <= 8192 for name in (names.DEPENDS_ON, names.DEPENDS_IDS, names.UNRESOLVED))
        assert issue(rows) is None, (known, issue(rows))


def test_a_key_is_escaped_alike_wherever_it_stands() -> None:
    opening = [spawn("x", unit="build,linux"), spawn("y", needs=["build,linux", "100%"])]
    rows = folded([(OPENED, opening), (event("childStarted", "x", 9, 1), [])])
    assert by_name(rows, "build%2Clinux")["name"] == "flow.graph.recon"
    assert by_name(rows, "y")["attributes"][names.UNRESOLVED] == "100%25"
