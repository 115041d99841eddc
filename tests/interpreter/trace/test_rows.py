"""The form of a row: ids that anybody can compute again, caps, escapes."""

from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trace_streams import folded

from piflows.interpreter.trace import names, rows

CONTEXT = {"attempt": 1.0, "runId": "r", "caseId": "c é", "trialId": "t", "trialIndex": 2}


def test_the_trace_id_is_that_of_the_context_in_its_own_order() -> None:
    told = (
        '{"schemaVersion":"pi-flows.runtime-trace.v1","runId":"r","caseId":"c é","trialId":"t",'
        '"trialIndex":2,"arm":null,"attempt":1,"mode":"graph"}'
    )
    trace = sha256(told.encode()).hexdigest()[:32]
    assert rows.trace_id(CONTEXT, "graph") == trace
    root = folded([], context=CONTEXT, label="night")[-1]
    assert (root["trace_id"], root["span_id"]) == (trace, sha256(f"{trace}:root".encode()).hexdigest()[:32])
    said = root["attributes"]
    assert (said["flow.case_id"], said["flow.trial_index"], said["flow.attempt"]) == ("c é", 2, 1)
    assert said[names.LABEL] == "night" and "flow.arm" not in said


def test_the_keys_of_a_row_stand_in_their_order() -> None:
    assert list(folded([])[-1]) == [
        *("trace_id", "span_id", "parent_span_id", "name"),
        *("start_time_unix_ms", "end_time_unix_ms", "status", "attributes"),
    ]


def test_a_secret_is_out_before_a_text_is_cut() -> None:
    long = "x" * 1020 + "hunter2"
    said = folded([], outcome={"flow.preset": long}, context={**CONTEXT, "arm": "hunter2"})[-1]["attributes"]
    assert said["flow.preset"] == "x" * 1020 + "[RED" and said["flow.arm"] == "[REDACTED]"


@given(st.text())
def test_escaping_can_be_undone_and_leaves_no_comma(key: str) -> None:
    assert rows.unescape(rows.escape(key)) == key and "," not in rows.escape(key)


@pytest.mark.parametrize("cap", [0, 1, 2, 3, 4])
def test_a_text_is_cut_between_characters(cap: int) -> None:
    assert rows.cut("aé€", cap) == {0: "", 1: "a", 2: "a", 3: "aé", 4: "aé"}[cap]
