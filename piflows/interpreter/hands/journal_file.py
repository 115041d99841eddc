"""The journal on disk: one process owns it, and each event is handed to the system before it is used."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import Any

from piflows.interpreter import journal
from piflows.ir.diagnostic import FlowError, diagnostic
from piflows.ir.source import Where


class JournalFile:
    """An open journal. `events` is what it held when it was opened; `append` adds one.

    Raises FlowError JOURNAL_INVALID when the file cannot be used, is no journal of this flow, or has an owner already.
    An append survives the end of the process, not the loss of the machine's power.
    """

    def __init__(self, path: str, flow: str, ir: int) -> None:
        self.path = path
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK, 0o600)
        except (OSError, ValueError) as error:
            raise _unusable(path, error) from None
        self._file = os.fdopen(handle, "r+b", buffering=0)
        try:
            self._own()
            self.events = self._read(flow, ir)
        except BaseException:
            self._file.close()
            raise

    def append(self, event: dict[str, Any]) -> None:
        """Write one event's line, whole."""
        self._write(journal.line(event))

    def close(self) -> None:
        """Give the journal up. May be called twice."""
        self._file.close()

    def __enter__(self) -> JournalFile:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _own(self) -> None:
        if not Path(self.path).is_file():
            raise _invalid(self.path, "it is no regular file")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise _invalid(self.path, "another process is using it") from None
        except OSError as error:
            raise _unusable(self.path, error) from None

    def _read(self, flow: str, ir: int) -> list[dict[str, Any]]:
        """What the file holds; a torn last line is cut off, a new file gets its header."""
        try:
            events, end = journal.parse(self._file.readall(), flow, ir, self.path)
            self._file.truncate(end)
            self._file.seek(end)
            if not end:
                self._write(journal.header(flow, ir))
        except OSError as error:
            raise _unusable(self.path, error) from None
        return events

    def _write(self, text: str) -> None:
        data = memoryview(text.encode())
        try:
            while data:
                data = data[self._file.write(data) :]
        except OSError as error:
            raise _unusable(self.path, error) from None


def _unusable(path: str, error: OSError | ValueError) -> FlowError:
    reason = (isinstance(error, OSError) and error.strerror) or str(error)
    return _invalid(path, f"it cannot be used: {reason}")


def _invalid(path: str, problem: str) -> FlowError:
    return FlowError(diagnostic("JOURNAL_INVALID", Where(path), problem=problem))
