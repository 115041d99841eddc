"""The rows of a trace file as spans of OpenTelemetry, and their way to an OTLP/HTTP endpoint.                     (I/O)

Needs the extra `piflows[otlp]`: importing this module without it raises ModuleNotFoundError. `spans` is pure, `send`
is not. Headers, certificates and compression are taken from the environment as OpenTelemetry names them
(`OTEL_EXPORTER_OTLP_HEADERS`, …).
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterable, Iterator, Sequence
from threading import Thread
from typing import Any, TypeGuard, cast

import requests
from google.protobuf.message import DecodeError
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.trace import Link, SpanContext, Status, StatusCode, TraceFlags

from piflows.interpreter.trace import names
from piflows.interpreter.trace.readback import amount, attributes, parsed, text
from piflows.interpreter.trace.rows import ID_CHARS, Row, root_id, span_id
from piflows.ir.diagnostic import FlowError, diagnostic

TIMEOUT = 10.0  # seconds that one batch may take, with all its retries
BATCH = 200  # spans of one request: collectors refuse bodies of many megabytes
GRACE = 1.0  # seconds more before a batch is given up: the timeout of the exporter itself comes first where it can
OTLP_CHARS = 16  # hex characters of a span id in OTLP
NS_PER_MS = 1_000_000
MS_MOST = (2**63 - 1) // NS_PER_MS  # backends keep nanoseconds as signed 64 bits

_ID = re.compile(rf"[0-9a-f]{{{ID_CHARS}}}")
_RESOURCE = Resource({SERVICE_NAME: "piflows"})
_STATUS = {"OK": StatusCode.OK, "ERROR": StatusCode.ERROR}


def spans(lines: Iterable[bytes]) -> Iterator[ReadableSpan | None]:
    """The span of each line, None for a line that is no row of a trace."""
    for line in lines:
        try:
            row = parsed(line)
            yield None if row is None else _span(row)
        except (ValueError, RecursionError):
            yield None


def send(lines: Iterable[bytes], endpoint: str, timeout: float = TIMEOUT) -> tuple[int, int]:
    """Send the rows; how many spans were sent, and how many lines were skipped because they are no rows.

    `timeout`: seconds for each batch. Raises FlowError TRACE_NOT_SENT when the endpoint does not take a batch; nothing
    is sent after it.
    """
    found = list(spans(lines))
    whole = [each for each in found if each is not None]
    _quiet()
    session = _Session()
    exporter = OTLPSpanExporter(endpoint, timeout=timeout, session=session)
    try:
        for at in range(0, len(whole), BATCH):
            if not _taken(exporter, whole[at : at + BATCH], timeout):
                problem = session.problem or f"there is no whole answer after {timeout:g} s"
                facts = {"endpoint": _shown(endpoint), "problem": problem, "sent": at, "total": len(whole)}
                raise FlowError(diagnostic("TRACE_NOT_SENT", **facts))
    finally:
        exporter.shutdown()
    return len(whole), len(found) - len(whole)


class _Session(requests.Session):
    """Keeps why the last request failed. Who asked is waiting, so an endpoint that cannot be reached is not tried
    again; one that says it is busy is, by the exporter."""

    problem = ""

    def request(self, *args: Any, **kwargs: Any) -> requests.Response:
        self.problem = ""
        try:
            answer = super().request(*args, **kwargs)
        except (OSError, ValueError) as error:
            self.problem = _reason(error)
            raise RuntimeError(self.problem) from None
        self.problem = _refusal(answer)
        if self.problem and answer.status_code < 400:  # the exporter would take it for sent
            raise RuntimeError(self.problem)
        return answer


def _taken(exporter: SpanExporter, batch: Sequence[ReadableSpan], timeout: float) -> bool:
    """Whether the endpoint took the batch. The timeouts of HTTP hold for each read alone, so an answer that comes
    byte by byte is waited for in a thread, which is left behind."""
    done: list[SpanExportResult] = []
    worker = Thread(target=lambda: done.append(exporter.export(batch)), daemon=True)
    worker.start()
    worker.join(timeout + GRACE)
    return done == [SpanExportResult.SUCCESS]


def _refusal(answer: requests.Response) -> str:
    """What an answer says against the batch; empty when all of it was taken."""
    if not 200 <= answer.status_code < 300:
        return f"it answers {answer.status_code} {answer.reason}".rstrip()
    try:
        partial = ExportTraceServiceResponse.FromString(answer.content).partial_success
    except DecodeError:  # some endpoints answer with another form: the status counts
        return ""
    return f"it rejects {partial.rejected_spans} spans, {partial.error_message}" if partial.rejected_spans else ""


def _reason(error: BaseException) -> str:
    """The innermost cause in the system's words: the outer ones repeat the whole URL."""
    while error.__context__ is not None:
        error = error.__context__
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__


def _shown(endpoint: str) -> str:
    """The endpoint without what may be secret in it: user, password, query."""
    return re.sub(r"//[^/]*@", "//", re.split(r"[?#]", endpoint, maxsplit=1)[0])


def _quiet() -> None:
    """Let the exporter's log go: what it says is in the error."""
    log = logging.getLogger(OTLPSpanExporter.__module__)
    log.addHandler(logging.NullHandler())
    log.propagate = False


# ---- one row -------------------------------------------------------------------------------------------------------


def _span(row: Row) -> ReadableSpan | None:
    trace, own, parent, name = (row.get(each) for each in ("trace_id", "span_id", "parent_span_id", "name"))
    start, end = amount(row.get("start_time_unix_ms")), amount(row.get("end_time_unix_ms"))
    if not (_is_id(trace) and _is_id(own) and (parent is None or _is_id(parent))):
        return None
    if start is None or end is None or not start <= end <= MS_MOST or not isinstance(name, str):
        return None

    def context(id: str) -> SpanContext:
        return _context(trace, id, text(row, names.INVOCATION))

    linked = [each for each in text(row, names.DEPENDS_IDS).split(",") if _is_id(each)]
    return ReadableSpan(
        _clean(name),
        context(own),
        None if parent is None else context(parent),
        _RESOURCE,
        {_clean(key): _value(value) for key, value in attributes(row).items() if value is not None}
        | {names.SPAN_ID: own},
        links=[Link(context(each)) for each in linked],
        status=_status(row),
        start_time=int(start * NS_PER_MS),
        end_time=int(end * NS_PER_MS),
    )


def _context(trace: str, id: str, invocation: str) -> SpanContext:
    """OTLP's ids. The root of a stable trace context has the same id in each invocation of it, all other spans of an
    invocation have their own: so the root gets one too."""
    own = span_id(invocation, id) if id == root_id(trace) else id
    return SpanContext(int(trace, 16), int(own[:OTLP_CHARS], 16), is_remote=False, trace_flags=TraceFlags(1))


def _is_id(id: object) -> TypeGuard[str]:
    """Whether it is an id: OTLP has none that is all zeros."""
    return isinstance(id, str) and _ID.fullmatch(id) is not None and id[:OTLP_CHARS].strip("0") != ""


def _status(row: Row) -> Status:
    said = row.get("status")
    found = cast("dict[str, Any]", said) if isinstance(said, dict) else {}
    code, message = found.get("code"), found.get("message")
    status = _STATUS.get(code, StatusCode.UNSET) if isinstance(code, str) else StatusCode.UNSET
    return Status(status, _clean(message) if status is StatusCode.ERROR and isinstance(message, str) else None)


def _value(value: Any) -> str | bool | int | float:
    """An attribute with its type; what OTLP has no type for is its JSON."""
    if isinstance(value, str):
        return _clean(value)
    if isinstance(value, bool | float) or (isinstance(value, int) and -(2**63) <= value < 2**63):
        return value
    return json.dumps(value)


def _clean(text: str) -> str:
    """A text that is valid UTF-8: a lone surrogate is its escape."""
    return text.encode("utf-8", "backslashreplace").decode()
