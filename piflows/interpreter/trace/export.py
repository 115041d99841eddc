"""One call's trace, from its first event to its verdict: the fold's rows into the sink, and what details say of it.

Export never fails a flow; only a strict one has a verdict, and that is the caller's to act on.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from piflows.interpreter.trace.fold import Fold
from piflows.interpreter.trace.readback import judge, own
from piflows.interpreter.trace.rows import ID_BYTES, Attributes, Row, cut, line
from piflows.interpreter.trace.sink import Sink

Json = dict[str, Any]


class Export:
    """Feeds a `Fold` and writes what it gives. `strict`: the rows are read back before there is a verdict."""

    def __init__(self, fold: Fold, sink: Sink, strict: bool = False) -> None:
        self.fold, self.sink, self.strict = fold, sink, strict
        self._there: set[str] = set()
        self._marks: dict[str, int] = {}  # of each row that a strict run has written, to know it again
        self._start = sink.offset()

    def take_up(self) -> None:
        """Go on after a crash: rows that this run has written before are not written again."""
        self._start = 0
        with suppress(OSError):
            rows, _ = own(self.sink.read_from(0), self.fold.head.trace, self.fold.head.invocation)
            self._there = {row["span_id"] for row in rows}

    def opened(self, event: Json) -> None:
        """The call begins."""
        self.fold.opened(event)

    def saw(self, event: Json, effects: Sequence[Json]) -> None:
        """An event, and the machine's effects."""
        self._write(self.fold.saw(event, effects))

    def finished(self, at: int, error: str | None, outcome: Attributes, shown: str) -> tuple[Json, str | None]:
        """Write what is left. `details.trace` (`shown` is the file's path for people), and the problem of a strict
        run: None when its evidence is complete, or it is not strict."""
        self._write(self.fold.finished(at))
        root = self.fold.root(error, outcome, self.sink.failed)
        there = self._append(root)
        issue = self._verdict(root) if self.strict else None
        if self.strict:
            self._write([self.fold.certified(issue)])
            if issue is None and self.sink.failed:
                issue = "the certification could not be written"
        return self._details(there, issue, shown), issue

    def _verdict(self, root: Row) -> str | None:
        """What the rows say when they are read back: a failed verdict is final."""
        if self.sink.failed:
            return f"{self.sink.failed} rows could not be written, {self.sink.problem}"
        head = self.fold.head
        try:
            rows, spoiled = own(self.sink.read_from(self._start), head.trace, head.invocation)
        except OSError as error:
            return f"the file cannot be read back, {error.strerror}"
        attempted = self.fold.attempted
        problem = judge(rows, spoiled, root["span_id"], attempted, attempted + 1)
        if problem is None and (altered := sum(self._altered(row) for row in rows)):
            return f"{altered} rows are not as they were written"
        return problem

    def _altered(self, row: Row) -> bool:
        return row["span_id"] in self._marks and self._marks[row["span_id"]] != hash(line(row))

    def _append(self, row: Row) -> bool:
        if self.strict:
            self._marks[row["span_id"]] = hash(line(row))
        return self.sink.write(row)

    def _details(self, there: bool, issue: str | None, shown: str) -> Json:
        sink, head = self.sink, self.fold.head
        out: Json = {
            "health": "missing" if not there else "degraded" if sink.failed else "recorded",
            "traceFile": self._safe(shown),
            "traceId": head.trace,
            "rootSpanId": head.root,
            "invocationId": head.invocation,
        }
        if head.context is not None:
            context = head.context.items()
            out["context"] = {name: self._safe(each) if isinstance(each, str) else each for name, each in context}
        out["spans"] = {
            "expectedSpans": sink.expected,
            "observedSpans": sink.observed,
            "droppedSpans": sink.failed,
            "redactedSpans": self.fold.redacted,
            "failedExports": sink.failed,
        }
        if sink.problem:
            out["error"] = self._safe(sink.problem)
        if self.strict:
            out["structure"] = {"valid": issue is None} | ({} if issue is None else {"issue": issue})
        return out

    def _write(self, rows: Sequence[Row]) -> None:
        for row in rows:
            if row["span_id"] in self._there:  # an earlier process of this run wrote it
                self.sink.expected += 1
            else:
                self._append(row)

    def _safe(self, text: str) -> str:
        return cut(self.fold.head.redact.text(text), ID_BYTES)
