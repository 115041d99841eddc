"""Run a shell command with a timeout and a cap on its output. Seed: Evaluate mode (check command), Monitor mode.

The command runs under a real shell in a process group of its own, with an empty standard input; standard output and
error arrive merged. On a timeout, or when the caller is cancelled, the group gets SIGTERM, after a grace SIGKILL. What
a command leaves behind in its group is ended with it, and a stray process that holds the pipe cannot keep the run.
"""

from __future__ import annotations

import asyncio
import codecs
import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import Any

from piflows.ir.caps import marker

SHELL = "/bin/sh"
GRACE_MS = 1_000  # between SIGTERM and SIGKILL
DRAIN_MS = 200  # for the rest of the output once the shell is gone
_TAIL_BYTES = 1_024  # of the end of the output: where the shell says why it could not start something


async def run(command: str, cwd: str, timeout_ms: float, cap: int, grace_ms: float = GRACE_MS) -> dict[str, Any]:
    """Run `command` in `cwd`; the report `commandExited`. At most `cap` bytes of its output are kept, from the start.

    `exit` is None when the command did not exit by itself. `started` is False, with a `reason`, when the shell could
    not be started, or said that it cannot find or start the command (exit 126 or 127 with its own message).
    """
    read_end, write_end = os.pipe()
    output = _Output(read_end, cap)
    try:
        try:
            process = await asyncio.create_subprocess_exec(
                *(SHELL, "-c", command),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=write_end,
                stderr=write_end,
                cwd=cwd,
                start_new_session=True,
            )
        finally:
            os.close(write_end)
        timed_out = await _finish(process, output, timeout_ms, grace_ms)
    except (OSError, ValueError) as error:  # nothing after the start raises these
        return _report(reason=_spawn_error(error, cwd))
    finally:
        output.close()
    return _outcome(process.returncode, output, timed_out, timeout_ms)


async def _finish(process: asyncio.subprocess.Process, output: _Output, timeout_ms: float, grace_ms: float) -> bool:
    """Wait for the shell, then for its output; whether the timeout has ended it."""
    timed_out = False
    try:
        try:
            async with asyncio.timeout(timeout_ms / 1000):
                await process.wait()
            await output.drained(DRAIN_MS)
        except TimeoutError:
            timed_out = True
        finally:
            if process.returncode is None:
                _signal(process.pid, signal.SIGTERM)
                with suppress(TimeoutError):
                    async with asyncio.timeout(grace_ms / 1000):
                        await process.wait()
    finally:
        _signal(process.pid, signal.SIGKILL)  # what is left of the group
    await process.wait()
    await output.drained(DRAIN_MS)
    return timed_out


def _signal(group: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):  # gone, or only its unreaped remains are left
        os.killpg(group, number)


class _Output:
    """The reading end of a pipe: keeps the first `cap` bytes and the last few, and reads on so that nobody blocks."""

    def __init__(self, end: int, cap: int) -> None:
        self._end, self._cap = end, cap
        self._kept = bytearray()
        self._tail = b""
        self.omitted = 0
        self._loop = asyncio.get_running_loop()
        self._closed: asyncio.Future[None] = self._loop.create_future()
        os.set_blocking(end, False)
        self._loop.add_reader(end, self._read)

    async def drained(self, ms: float) -> None:
        """Wait until the pipe has closed, at most `ms` milliseconds."""
        await asyncio.wait([self._closed], timeout=ms / 1000)

    def close(self) -> None:
        """Stop reading. May be called twice."""
        if not self._closed.done():
            self._loop.remove_reader(self._end)
            os.close(self._end)
            self._closed.set_result(None)

    def text(self) -> str:
        """What was kept; bytes that are no UTF-8 are replacement marks, a character that the cap cuts is left out."""
        return codecs.getincrementaldecoder("utf-8")("replace").decode(bytes(self._kept), not self.omitted)

    def complaint(self) -> str:
        """The shell's own message, when that is what the output ends with; also where no line break precedes it."""
        _, found, message = self._tail.decode("utf-8", "replace").rstrip().rpartition(f"{SHELL}: ")
        return found + message if found and "\n" not in message else ""

    def _read(self) -> None:
        try:
            data = os.read(self._end, 65_536)
        except BlockingIOError:
            return
        if not data:
            self.close()
            return
        room = self._cap - len(self._kept)
        self._kept += data[:room]
        self.omitted += max(0, len(data) - room)
        self._tail = (self._tail + data[-_TAIL_BYTES:])[-_TAIL_BYTES:]


def _outcome(status: int | None, output: _Output, timed_out: bool, timeout_ms: float) -> dict[str, Any]:
    text, notes = output.text(), list[str]()
    if output.omitted:
        notes.append(marker("Output", output.omitted))
    if timed_out:
        notes.append(f"[Command timed out after {timeout_ms:g} ms.]")
    elif status is not None and status < 0:
        notes.append(f"[Command ended by {_signal_name(-status)}.]")
    if notes:
        text = "\n".join([*filter(None, [text.removesuffix("\n")]), *notes])
    if timed_out or status is None:
        return _report(text=text, timed_out=timed_out, started=True)
    if status < 0:  # as a shell tells of it: `exit` None means the time limit alone
        return _report(exit_=128 - status, text=text, started=True)
    if status in (126, 127) and (complaint := output.complaint()):
        return _report(exit_=status, text=text, reason=complaint)
    return _report(exit_=status, text=text, started=True)


def _report(
    *, exit_: int | None = None, text: str = "", timed_out: bool = False, started: bool = False, reason: str = ""
) -> dict[str, Any]:
    return {
        "kind": "commandExited",
        "exit": exit_,
        "text": text,
        "timedOut": timed_out,
        "started": started,
        "reason": reason,
    }


def _spawn_error(error: OSError | ValueError, cwd: str) -> str:
    if isinstance(error, OSError):
        if not Path(cwd).is_dir():
            return f"the directory {cwd} does not exist"
        return error.strerror or str(error)
    return str(error)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
