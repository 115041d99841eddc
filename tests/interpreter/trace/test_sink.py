"""The trace's file: shared, append-only, and never a reason for a flow to fail."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from trace_streams import OPENED, Hider, chain, settled, spawn

from piflows.interpreter.trace.export import Export
from piflows.interpreter.trace.fold import Fold, Setup
from piflows.interpreter.trace.readback import parsed
from piflows.interpreter.trace.report import report
from piflows.interpreter.trace.sink import Sink, lines


def exported(path: Path, strict: bool = True, **setup: Any) -> tuple[Export, dict[str, Any], str | None]:
    said = {"mode": "graph", "trace": "t" * 32, "invocation": "inv-1", "base": 0, "owed": [], **setup}
    export = Export(Fold(Setup(strict=strict, **said), Hider(), {}.get), Sink(path), strict)
    export.opened(OPENED)
    for each, effects in chain():
        export.saw(each, effects)
    return export, *export.finished(400, None, {}, "~/hunter2.jsonl")


def within(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from lines(file)


def test_a_strict_run_reads_its_own_rows_back_among_those_of_others(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(b"{not json}\n{torn")
    _, _, first = exported(path)
    _, details, second = exported(path)
    assert (first, second) == (None, None)
    assert details["structure"] == {"valid": True} and details["health"] == "recorded"
    assert details["spans"]["expectedSpans"] == details["spans"]["observedSpans"] == 9
    assert details["traceFile"] == "~/[REDACTED].jsonl"
    assert [parsed(line) is None for line in within(path)].count(True) == 2


def test_without_strict_nothing_is_verified(tmp_path: Path) -> None:
    _, details, problem = exported(tmp_path / "t.jsonl", strict=False)
    assert problem is None and "structure" not in details and details["health"] == "recorded"
    assert report("t", within(tmp_path / "t.jsonl")).complete


def test_a_new_file_is_its_owners_alone(tmp_path: Path) -> None:
    Sink(tmp_path / "t.jsonl").close()
    assert (tmp_path / "t.jsonl").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("place", ["no folder", "a folder", "a fifo", "below a file", "no name"])
def test_what_cannot_be_written_to_is_a_failed_export(place: str, tmp_path: Path) -> None:
    (tmp_path / "plain").touch()
    os.mkfifo(tmp_path / "fifo")
    paths = {"no folder": "no/t", "a folder": ".", "a fifo": "fifo", "below a file": "plain/t", "no name": "a\0b"}
    export, details, problem = exported(tmp_path / paths[place])
    assert details["health"] == "missing" and details["error"] == export.sink.problem != ""
    assert details["spans"]["observedSpans"] == 0 and "could not be written" in (problem or "")


def test_a_file_that_somebody_cuts_or_takes_away_is_no_evidence(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"

    def copied() -> None:
        rows = path.read_bytes()
        path.unlink()
        path.write_bytes(rows)

    for spoil in (copied, path.unlink, lambda: path.write_bytes(b""), lambda: (path.unlink(), os.mkfifo(path))):
        fold = Fold(Setup("graph", "t" * 32, "i", 0, strict=True), Hider(), {}.get)
        export = Export(fold, Sink(path), strict=True)
        export.opened(OPENED)
        export.saw(OPENED, [spawn("a")])
        export.saw(settled("a", 7), [])
        spoil()
        _, problem = export.finished(9, None, {}, "t")
        assert problem is not None


def test_a_full_disk_is_a_degraded_export(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sink, write = Sink(tmp_path / "t.jsonl"), os.write

    def full(file: int, data: bytes) -> int:
        if b"second" in data:
            return write(file, data[:8])
        if data.startswith(b"cond"):
            raise OSError(28, "No space left on device")
        return write(file, data)

    monkeypatch.setattr(os, "write", full)
    assert [sink.write({"n": name}) for name in ("first", "second", "third")] == [True, False, True]
    assert (sink.expected, sink.observed, sink.problem) == (3, 2, "No space left on device")
    found = [parsed(line) for line in within(tmp_path / "t.jsonl")]
    assert found == [{"n": "first"}, None, {"n": "third"}]


def test_a_lock_that_is_never_given_back_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)
    sink = Sink(tmp_path / "t.jsonl")
    with (tmp_path / "t.jsonl").open("ab") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        assert sink.write({"a": 1}) and sink.write({"a": 2})
    assert (tmp_path / "t.jsonl").read_bytes() == b'{"a":1}\n{"a":2}\n'


WRITER = """
import sys
from pathlib import Path
from piflows.interpreter.trace.sink import Sink
sink = Sink(Path(sys.argv[1]))
for number in range(60):
    sink.write({"who": sys.argv[2], "n": number, "text": sys.argv[2] * 40_000})
sys.exit(sink.failed)
"""


def test_lines_of_several_processes_never_mix(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(path), who]) for who in "abc"]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    rows = [json.loads(line) for line in within(path)]
    for who in "abc":
        assert [row["n"] for row in rows if row["who"] == who and set(row["text"]) == {who}] == list(range(60))


def test_lines_are_read_in_bounded_memory() -> None:
    class Endless(BytesIO):
        asked = 0

        def readline(self, size: int | None = -1, /) -> bytes:
            assert size is not None and 0 < size <= 65_537
            self.asked += 1
            return super().readline(size)

    file = Endless(b"a\n\n  \n" + b"x" * 1_000_000 + b"\nbb\n" + b"c" * 100 + b"\nlast")
    assert list(lines(file, 100)) == [b"a\n", b"", b"bb\n", b"c" * 100 + b"\n", b"last"]
