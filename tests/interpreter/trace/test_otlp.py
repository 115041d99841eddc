"""The rows of a trace as spans of OpenTelemetry, and what becomes of them on the way to an endpoint."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from cli.conftest import Run, run  # noqa: F401  (a fixture)
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as wire
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode
from trace_streams import JSON, chain, folded

from piflows.interpreter.trace import names, otlp
from piflows.interpreter.trace.rows import Row, line, root_id, trace_id
from piflows.ir.diagnostic import FlowError

CONTEXT = {"runId": "r", "caseId": "c", "trialId": "t"}
TRACE = trace_id(CONTEXT, "graph")
HOST = "127.0.0.1"


def rows(**more: Any) -> list[Row]:
    return folded(chain(), trace=TRACE, context=CONTEXT, **more)


def exported(rows: list[Row]) -> list[ReadableSpan]:
    """What an exporter of the SDK is given for these rows."""
    exporter = InMemorySpanExporter()
    exporter.export([each for each in otlp.spans(map(line, rows)) if each is not None])
    return list(exporter.get_finished_spans())


def said(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


def ids(span: ReadableSpan) -> tuple[str, str]:
    """Trace id and span id in hex."""
    context = span.get_span_context()
    assert context is not None
    return f"{context.trace_id:032x}", f"{context.span_id:016x}"


def test_a_row_as_a_span() -> None:
    given = rows(label="nightly")
    spans = dict(zip((row["span_id"] for row in given), exported(given), strict=True))
    [row] = [row for row in given if row["attributes"].get(names.UNIT_KEY) == "plan"]
    span, parent = spans[row["span_id"]], spans[row["parent_span_id"]]
    assert ids(span) == (TRACE, row["span_id"][:16]) and span.name == row["name"]
    assert span.parent == parent.get_span_context() and span.resource.attributes == {"service.name": "piflows"}
    assert (span.start_time, span.end_time) == (1_320_000_000, 1_370_000_000)
    linked = row["attributes"][names.DEPENDS_IDS].split(",")
    assert [each.context for each in span.links] == [spans[id].get_span_context() for id in linked] and linked
    assert span.attributes == row["attributes"] | {names.SPAN_ID: row["span_id"]}
    kinds = {name: type(value) for name, value in said(span).items()}
    assert kinds == {name: type(value) for name, value in row["attributes"].items()} | {names.SPAN_ID: str}
    assert {kinds[name] for name in (names.COST, names.TURNS, names.LABEL)} == {float, int, str}


def test_the_status_of_a_span() -> None:
    good, bad = exported(rows())[-1], exported(rows(error="BUDGET_EXCEEDED"))[-1]
    assert good.parent is None and good.status.status_code is StatusCode.OK
    assert (bad.status.status_code, bad.status.description) == (StatusCode.ERROR, "BUDGET_EXCEEDED")


def test_two_invocations_of_one_context_do_not_collide() -> None:
    first, second = rows(invocation="inv-1"), rows(invocation="inv-2")
    assert first[-1]["span_id"] == second[-1]["span_id"] == root_id(TRACE)
    spans = exported([*first, *second])
    known = {ids(each) for each in spans}
    assert len(known) == len(first) + len(second) and {trace for trace, _ in known} == {TRACE}
    for each in spans:  # each parent is of the same invocation
        [parent] = [other for other in spans if each.parent == other.get_span_context()] or [each]
        assert said(parent)[names.INVOCATION] == said(each)[names.INVOCATION]
    assert sum(each.parent is None for each in spans) == 2


@pytest.mark.parametrize(
    "spoil",
    [
        {"trace_id": "t" * 32},
        {"trace_id": None},
        {"span_id": "0" * 32},
        {"span_id": "ab" * 8},
        {"parent_span_id": 7},
        {"name": ["n"]},
        {"start_time_unix_ms": -1},
        {"start_time_unix_ms": True},
        {"end_time_unix_ms": 1},
        {"end_time_unix_ms": 1e14},
    ],
)
def test_what_is_no_row_is_no_span(spoil: dict[str, Any]) -> None:
    row = rows()[0]
    assert list(otlp.spans([json.dumps(row | spoil).encode(), b"{torn", b"", b"[" * 100_000])) == [None] * 4


@given(st.dictionaries(st.sampled_from(["status", "attributes", "name", "start_time_unix_ms", "x"]), JSON), JSON)
def test_whatever_stands_in_a_row_can_be_put_on_the_wire(spoil: dict[str, Any], value: Any) -> None:
    from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans

    odd = {"x": value, "\ud800": "\udfff", "big": 2**63}
    for span in otlp.spans([json.dumps(rows()[0] | {"name": "\ud800", "attributes": odd} | spoil).encode()]):
        if span is None:
            continue
        told = encode_spans([span]).resource_spans[0].scope_spans[0].spans[0]
        assert len(told.attributes) == len(span.attributes or {})  # the encoder leaves out what it cannot write


# ---- over HTTP -----------------------------------------------------------------------------------------------------


class Endpoint:
    """An endpoint on a free port: what it was sent, and how it answers."""

    def __init__(self, answer: Callable[[BaseHTTPRequestHandler], None]) -> None:
        self.requests: list[wire.ExportTraceServiceRequest] = []
        requests = self.requests

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                requests.append(wire.ExportTraceServiceRequest.FromString(body))
                answer(self)

            def log_message(self, format: str, *args: Any) -> None: ...

        self.server = ThreadingHTTPServer((HOST, 0), Handler)
        self.server.daemon_threads = False  # closing it waits for its answers
        self.url = f"http://{HOST}:{self.server.server_address[1]}/v1/traces"

    @property
    def spans(self) -> list[Any]:
        return [
            span
            for request in self.requests
            for each in request.resource_spans
            for scope in each.scope_spans
            for span in scope.spans
        ]


@contextmanager
def endpoint(answer: Callable[[BaseHTTPRequestHandler], None]) -> Iterator[Endpoint]:
    made = Endpoint(answer)
    worker = threading.Thread(target=made.server.serve_forever, kwargs={"poll_interval": 0.01})
    worker.start()
    try:
        yield made
    finally:
        made.server.shutdown()
        made.server.server_close()
        worker.join()


def says(
    status: int, body: bytes = b"", headers: dict[str, str] | None = None
) -> Callable[[BaseHTTPRequestHandler], None]:
    def answer(to: BaseHTTPRequestHandler) -> None:
        to.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            to.send_header(name, value)
        to.end_headers()
        to.wfile.write(body)

    return answer


@pytest.fixture(autouse=True)
def straight(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "*")


def test_a_file_is_sent(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    monkeypatch.setattr(otlp, "BATCH", 3)
    given = rows()
    Path("t.jsonl").write_bytes(b"{torn\n" + b"".join(map(line, given)))
    with endpoint(says(200)) as there:
        status, out, err = run("report", "t.jsonl", "--otlp", there.url)
    assert (status, err) == (0, f"spans sent: {len(given)}; lines skipped that are no rows: 1\n")
    assert out.startswith("Trace report: t.jsonl\nRuns: 1\n") and len(there.requests) == 3
    told = [
        (each.trace_id.hex(), next(v.value.string_value for v in each.attributes if v.key == names.SPAN_ID))
        for each in there.spans
    ]
    assert told == [(row["trace_id"], row["span_id"]) for row in given]
    assert there.requests[0].resource_spans[0].resource.attributes[0].value.string_value == "piflows"


PARTIAL = wire.ExportTraceServiceResponse(
    partial_success=wire.ExportTracePartialSuccess(rejected_spans=2, error_message="too old")
).SerializeToString()


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (says(404), "it answers 404 Not Found"),
        (says(302, headers={"Location": "http://localhost/"}), "it answers 302 Found"),
        (says(503, headers={"Retry-After": "3600"}), "it answers 503 Service Unavailable"),
        (says(200, PARTIAL), "it rejects 2 spans, too old"),
    ],
)
def test_an_endpoint_that_refuses(
    answer: Callable[[BaseHTTPRequestHandler], None],
    problem: str,
    run: Run,  # noqa: F811
) -> None:
    Path("t.jsonl").write_bytes(b"".join(map(line, rows())))
    with endpoint(answer) as there:
        status, out, err = run("report", "t.jsonl", "--format", "json", "--otlp", f"{there.url}?key=s3cret")
    assert (status, json.loads(out)["complete"], len(there.requests)) == (1, True, 1)
    assert " ".join(err.split()).startswith(
        f"The trace is not sent to {there.url}, 0 of 8 spans were taken before: {problem}."
    )
    assert "Code: TRACE_NOT_SENT" in err and "s3cret" not in err


def test_an_endpoint_that_nobody_listens_at() -> None:
    with endpoint(says(200)) as gone:
        url = gone.url
    with pytest.raises(FlowError, match=f"{url}, 0 of 8 spans were taken before: Connection refused"):
        otlp.send(map(line, rows()), url.replace("//", "//user:s3cret@"))


def test_an_answer_that_never_ends_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    over = threading.Event()

    def drip(to: BaseHTTPRequestHandler) -> None:
        to.send_response(200)
        to.send_header("Content-Length", "1000000")
        to.end_headers()
        while not over.wait(0.02):
            to.wfile.write(b"x")

    monkeypatch.setattr(otlp, "GRACE", 0.0)
    with endpoint(drip) as there:
        try:
            with pytest.raises(FlowError, match=r"no whole answer after 0\.2 s"):
                otlp.send(map(line, rows()), there.url, timeout=0.2)
        finally:
            over.set()


# ---- wrong usage ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["localhost:4318", "ftp://a/b", "http://", "http://a:b/", "http://[/", ""])
def test_an_endpoint_is_a_whole_url(word: str, run: Run) -> None:  # noqa: F811
    status, out, err = run("report", "t.jsonl", "--otlp", word)
    assert (status, out) == (2, "") and "http://localhost:4318/v1/traces" in " ".join(err.split())


def test_without_the_extra(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    monkeypatch.delitem(sys.modules, "piflows.interpreter.trace.otlp")
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    status, out, err = run("report", "t.jsonl", "--otlp", "http://localhost:4318/v1/traces")
    assert (status, out) == (2, "") and "pip install 'piflows[otlp]'" in " ".join(err.split())
