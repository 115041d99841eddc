"""The journal's lines, both ways, and every way in which a file is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from piflows.interpreter import journal
from piflows.ir.diagnostic import FlowError

Json = dict[str, Any]
FLOW = "sha256:0f"
HEADER = journal.header(FLOW, 1)
OPENED: Json = {"kind": "opened", "run": "r", "invocation": "i", "flow": FLOW, "ir": 1, "cwd": "/w"}
TURN: Json = {"kind": "turnEnded", "usage": {"input": 1, "output": 2, "costUsd": None}}
SETTLED: Json = {
    "kind": "childSettled",
    "text": "é\u2028\ud800",
    "exit": 0,
    "stopReason": "stop",
    "model": None,
    "stderr": "",
}
FAILED: Json = {
    "kind": "childFailed",
    "code": "CHILD_TIMEOUT",
    "facts": {"ms": 5},
    "text": "",
    "exit": 1,
    "stopReason": "timeout",
    "stderr": "",
}
EXITED: Json = {"kind": "commandExited", "exit": None, "text": "", "timedOut": True, "started": True, "reason": ""}


def numbered(*reports: Json) -> list[Json]:
    return [
        {"seq": n, "at": n * 10, "effect": "s#1/a!1" if n > 1 else "", "incarnation": 1, "n": n} | report
        for n, report in enumerate(reports, 1)
    ]


WHOLE = numbered(
    OPENED, {"kind": "childStarted"}, TURN, SETTLED, FAILED, EXITED, {"kind": "timePassed"}, {"kind": "cancelled"}
)


def written(events: list[Json]) -> bytes:
    return (HEADER + "".join(map(journal.line, events))).encode()


def refusal(data: bytes, flow: str = FLOW, ir: int = 1) -> tuple[str, int | None, str]:
    with pytest.raises(FlowError) as raised:
        journal.parse(data, flow, ir, "run.jsonl")
    found = raised.value.first
    assert found.where.file == "run.jsonl"
    return found.code, found.where.line, found.message


def test_it_reads_what_it_wrote() -> None:
    data = written(WHOLE)
    assert data.isascii()
    assert journal.parse(data, FLOW, 1) == (WHOLE, len(data))


@given(st.integers(0, len(written(WHOLE))))
def test_a_torn_last_line_is_dropped_wherever_it_is_torn(cut: int) -> None:
    data = written(WHOLE)[:cut]
    events, end = journal.parse(data, FLOW, 1)
    assert data[:end] == written(events)[:end] and b"\n" not in data[end:]
    assert events == WHOLE[: len(events)]


@pytest.mark.parametrize(
    ("flow", "ir", "says"),
    [("sha256:99", 1, "another flow, sha256:0f; this one is sha256:99"), (FLOW, 2, "version 1 of the flow's form")],
)
def test_a_journal_of_something_else(flow: str, ir: int, says: str) -> None:
    code, line, message = refusal(written(WHOLE), flow, ir)
    assert (code, line) == ("JOURNAL_INVALID", 1) and says in message


@pytest.mark.parametrize(
    "data",
    [
        b"shopping list",
        b"\n",
        b"{}\n",
        b'["piflows-journal"]\n',
        b"\xff\xfe\n",
        b"{" * 100_000 + b"\n",
        HEADER.encode()[1:],
    ],
)
def test_a_file_that_is_no_journal(data: bytes) -> None:
    code, line, message = refusal(data)
    assert (code, line) == ("JOURNAL_INVALID", 1) and "no journal" in message


def test_a_journal_of_a_later_version() -> None:
    data = HEADER.replace('"piflows-journal":1', '"piflows-journal":2').encode()
    assert "its version is 2, this program reads version 1" in refusal(data)[2]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b"", "no JSON object"),
        (b"[1]", "not an object"),
        (b'{"seq":2', "no JSON object"),
        (b'{"seq":2,"at":NaN}', "NaN is no number"),
        (b"\xff", "no JSON object"),
        (b"[" * 100_000, "no JSON object"),
        (b"{}", "`seq` in line 3"),
    ],
)
def test_a_malformed_line(line: bytes, says: str) -> None:
    code, number, message = refusal(written(WHOLE[:1]) + line + b"\n" + written(WHOLE[2:])[len(HEADER) :])
    assert (code, number) == ("JOURNAL_INVALID", 3) and says in message


def changed(event: Json, **members: Any) -> Json:
    return {name: value for name, value in {**event, **members}.items() if value != "gone"}


@pytest.mark.parametrize(
    ("place", "members", "says"),
    [
        (2, {"seq": 3}, "line 3 has number 3 where 2 is due"),
        (2, {"seq": 1}, "line 3 has number 1 where 2 is due"),
        (2, {"seq": True}, "`seq` in line 3"),
        (2, {"at": 9}, "time runs backwards in line 3"),
        (2, {"at": 9.5}, "`at` in line 3"),
        (2, {"effect": None}, "`effect` in line 3"),
        (2, {"incarnation": "1"}, "`incarnation` in line 3"),
        (2, {"n": "gone"}, "`n` in line 3"),
        (2, {"kind": "born"}, "`born` is no kind of event"),
        (2, {"kind": ["born"]}, "is no kind of event"),
        (2, {"kind": "gone"}, "is no kind of event"),
        (1, {"kind": "cancelled"}, "`opened` is the first event and no other"),
        (2, OPENED, "`opened` is the first event and no other"),
        (1, {"flow": "sha256:99"}, "opened for another flow"),
        (1, {"cwd": 5}, "`cwd` of opened"),
        (3, {"usage": {"input": 1, "output": "2", "costUsd": None}}, "`usage` of turnEnded"),
        (3, {"usage": {"input": 1, "output": 2}}, "`usage` of turnEnded"),
        (3, {"usage": 7}, "`usage` of turnEnded"),
        (4, {"text": "gone"}, "`text` of childSettled"),
        (4, {"model": 5}, "`model` of childSettled"),
        (5, {"facts": []}, "`facts` of childFailed"),
        (5, {"code": "NO_SUCH_CODE"}, "'NO_SUCH_CODE' of childFailed is unknown"),
        (5, {"facts": {}}, "'ms' of childFailed is unknown or missing"),
        (5, {"facts": {"ms": 5, "code": "X", "where": {}}}, ""),
        (6, {"exit": "0"}, "`exit` of commandExited"),
        (6, {"started": 1}, "`started` of commandExited"),
        (6, {"matched": "a+"}, "`matched` of commandExited"),
        (6, {"matched": None}, "`matched` of commandExited"),
        (6, {"matched": {"a+": True}}, ""),
    ],
)
def test_a_malformed_event(place: int, members: Json, says: str) -> None:
    events = [*WHOLE[: place - 1], changed(WHOLE[place - 1], **members), *WHOLE[place:]]
    if not says:
        assert journal.parse(written(events), FLOW, 1)[0] == events
        return
    code, line, message = refusal(written(events))
    assert (code, line) == ("JOURNAL_INVALID", place + 1) and says in message


@given(
    st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.dictionaries(st.text(), inner))
)
def test_whatever_a_line_holds_it_is_read_or_refused(value: Any) -> None:
    data = written(WHOLE[:1]) + json.dumps(value).encode() + b"\n"
    with pytest.raises(FlowError):
        journal.parse(data, FLOW, 1)
