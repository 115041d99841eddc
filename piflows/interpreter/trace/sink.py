"""The file of a trace: append-only JSONL, shared by any number of processes.                                   (I/O)

Export is best effort: nothing here raises for what the file system does. A row that could not be written is counted,
and `problem` says why the first one was not.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from piflows.interpreter.trace.rows import Row, line
from piflows.ir.limits import LIMITS

PATIENCE, PAUSE = 1.0, 0.005  # seconds that a lock is waited for in all, and between two tries
CHUNK = 65_536


class Sink:
    """A trace file open for appending. `expected` rows were given, `failed` of them could not be written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.expected = self.failed = 0
        self.problem = ""
        self._patience = PATIENCE
        self._start = 0
        self._file = self._open()

    @property
    def observed(self) -> int:
        """Rows that were written."""
        return self.expected - self.failed

    def offset(self) -> int:
        """How long the file was when it was opened: earlier bytes are nobody's of this call."""
        return self._start

    def write(self, row: Row) -> bool:
        """Append a row; whether it was written."""
        self.expected += 1
        if self._file is None:
            self.failed += 1
            return False
        try:
            self._append(self._file, line(row))
        except (OSError, ValueError) as error:
            self.problem = self.problem or _reason(error)
            self.failed += 1
            return False
        return True

    def read_from(self, offset: int) -> Iterator[bytes]:
        """The lines from an offset on, of the file that lies at the path now.

        Raises OSError when that is not the file that was written to, or it cannot be read.
        """
        with os.fdopen(os.open(self.path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            if self._file is None or not os.path.sameopenfile(file.fileno(), self._file):
                raise OSError(errno.ESTALE, "another file lies in its place")
            file.seek(offset)
            yield from lines(file)

    def close(self) -> None:
        """Let go of the file. Nothing is written afterwards."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _open(self) -> int | None:
        """The file, made for its owner alone when there is none; None for what is no regular file or cannot be opened.

        A FIFO is opened without waiting for its reader, and let go.
        """
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | os.O_NOCTTY
        try:
            file = os.open(self.path, flags, 0o600)
        except (OSError, ValueError) as error:
            self.problem = _reason(error)
            return None
        about = os.fstat(file)
        if not stat.S_ISREG(about.st_mode):
            os.close(file)
            self.problem = "it is no regular file"
            return None
        self._start = about.st_size
        return file

    def _append(self, file: int, data: bytes) -> None:
        """One write of one line, under a lock that the writers share. What a crash left of a line is ended first."""
        locked = self._lock(file)
        try:
            size = os.fstat(file).st_size
            if size and os.pread(file, 1, size - 1) != b"\n":
                data = b"\n" + data
            while data:  # a second round only where the system took a part
                data = data[os.write(file, data) :]
        finally:
            if locked:
                fcntl.flock(file, fcntl.LOCK_UN)

    def _lock(self, file: int) -> bool:
        """Take the lock. A process that holds it for too long is not waited for: a single append is whole without."""
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if self._patience <= 0:
                    return False
                time.sleep(PAUSE)
                self._patience -= PAUSE
            except OSError:  # a file system without locks
                return False
            else:
                return True


def lines(file: BinaryIO, most: int = LIMITS.file_bytes) -> Iterator[bytes]:
    """The lines of a file, blank ones left out, in bounded memory.

    One longer than `most` is passed over, and given as an empty line, which no reader takes for a row.
    """
    while data := file.readline(most + 1):
        if len(data) <= most or data.endswith(b"\n"):
            if not data.isspace():
                yield data
            continue
        while (data := file.readline(CHUNK)) and not data.endswith(b"\n"):
            pass
        yield b""


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
