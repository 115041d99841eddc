"""Run a flow in this process, to its end: the embedded default. It puts clock, backend, journal and driver together."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import Callable, Coroutine
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

from piflows.interpreter.backends import Host, Noting, open_backend, virtual_time
from piflows.interpreter.drivers.local import Watch, drive
from piflows.interpreter.hands import shell
from piflows.interpreter.hands.clock import Clock, RealClock, VirtualClock
from piflows.interpreter.hands.journal_file import JournalFile
from piflows.interpreter.machine import Machine
from piflows.interpreter.result import details
from piflows.interpreter.trace.sink import Sink
from piflows.interpreter.trace.tracing import REFUSALS, Tracing, refused, strict, trace_file
from piflows.ir.diagnostic import FlowError, diagnostic
from piflows.ir.digest import digest
from piflows.ir.flow import Flow
from piflows.ir.source import Where

Json = dict[str, Any]


class Interrupted(KeyboardInterrupt):
    """The run was interrupted; everything that lived has been stopped. `details` is what it came to, None when it was
    not left the time to say so."""

    def __init__(self, details: Json | None) -> None:
        super().__init__()
        self.details = details


def run_flow(
    flow: Flow,
    *,
    cwd: str,
    backend: str = "scripted",
    script: tuple[str, str] | None = None,
    journal: str | None = None,
    watch: Watch | None = None,
    note: Callable[[str], None] | None = None,
) -> Json:
    """Run a checked flow; the details object.

    `cwd` is absolute. `script` is (text, file name). `journal` names a file: a new one is written, an existing one is
    taken up where it ends. `watch` is told each new event with its effect, `note` what else is worth a word once
    the run is over.

    Raises FlowError before anything starts for a script, backend or journal that cannot be used, and whenever the
    journal can no longer be written; Interrupted when a signal asked for an end.
    """
    identity = digest(flow)
    with JournalFile(journal, identity, flow.version) if journal is not None else nullcontext() as file:
        history = _history(file, cwd)
        clock = VirtualClock(history[-1]["at"] if history else 0) if virtual_time(backend) else RealClock()
        children = open_backend(backend, Host(cwd, clock, script))
        opened = _opened(flow, cwd, clock)
        machine = Machine(flow)
        trace = _tracing(flow, history[0] if history else opened, resumed=bool(history))
        heard = _Heard(machine, watch)
        told: Any = {"watch": heard, "saw": None if trace is None else trace.saw}
        driven = drive(machine, opened, children, clock, shell.run, journal=file, history=history, **told)
        try:
            asyncio.run(_to_its_end(driven))
        except (KeyboardInterrupt, asyncio.CancelledError):
            raise Interrupted(_told(machine, trace) if machine.done else None) from None
    if note is not None:
        if history and not heard.new:
            note(f"{journal} records a run that is over: this is its replay, nothing was run again")
        for said in children.notes() if isinstance(children, Noting) else ():
            note(said)
    return _told(machine, trace)


def _history(file: JournalFile | None, cwd: str) -> list[Json]:
    """The events of a journal that was begun here. Raises FlowError JOURNAL_INVALID for one from another place."""
    history = file.events if file else []
    if file and history and history[0]["cwd"] != cwd:
        problem = f"its run was begun in {history[0]['cwd']}, this is {cwd}"
        raise FlowError(diagnostic("JOURNAL_INVALID", Where(file.path, line=2), problem=problem))
    return history


class _Heard:
    """Passes each `new` event on to a watch, and counts them."""

    def __init__(self, machine: Machine, watch: Watch | None) -> None:
        self.machine, self.watch, self.new = machine, watch, 0
        self.waiting: dict[str, tuple[Json, Json]] = {}

    def __call__(self, event: Json, sent: Json | None) -> None:
        self.new += 1
        if self.watch is None:
            return
        if event["kind"] == "inspected" and event["effect"] in self.waiting:
            event, sent = self.waiting.pop(event["effect"])
        elif sent is not None and (waits := f"{event['effect']}?files") in self.machine.record["live"]:
            self.waiting[waits] = event, sent  # how it counts is known when its files have been looked at
            return
        self.watch(_counted(self.machine, event, sent), sent)


def refuse_flow(flow: Flow, code: str, *, cwd: str) -> None:
    """Leave the host's refusal of a flow in its trace, when it has one."""
    if code in REFUSALS and trace_file(flow, os.environ):
        clock = RealClock()
        opened = {"at": clock.now(), **_opened(flow, cwd, clock)}
        with suppress(FlowError):  # it is refused already
            refused(flow, code, opened, _sink(opened))


def _opened(flow: Flow, cwd: str, clock: Clock) -> Json:
    """The facts of an opening: what the machine may not make itself."""
    new: Json = {"run": uuid4().hex, "invocation": uuid4().hex, "flow": digest(flow), "ir": flow.version, "cwd": cwd}
    return new | _host(flow, clock)


def _host(flow: Flow, clock: Clock) -> Json:
    """What a machine is told of its host: whose home must not be told on, whether a trace is kept, when time began."""
    home = os.path.expanduser("~").rstrip("/")  # noqa: PTH111
    epoch = 0 if isinstance(clock, RealClock) else time.time_ns() // 1_000_000 - clock.now()
    file = trace_file(flow, os.environ)
    return {"home": home, "traced": bool(file), "epoch": epoch, "traceFile": file, "strict": strict(flow, os.environ)}


def _counted(machine: Machine, event: Json, sent: Json | None) -> Json:
    """A child's end as the run counts it: a budget or a contract may see it otherwise than the child did."""
    if sent is None or event["kind"] not in ("childSettled", "childFailed"):
        return event
    result = machine.record["results"][sent["step"] - 1]
    if result["exitCode"] == -1:
        return event
    error = result["error"]
    return event | ({"kind": "childSettled"} if error is None else {"kind": "childFailed", "code": error["code"]})


def _tracing(flow: Flow, opened: Json, *, resumed: bool) -> Tracing | None:
    """The trace of a run: what its opening said holds, also when it goes on elsewhere.

    Raises FlowError TRACE_INCOMPLETE when a trace is asked for strictly that the run was begun without.
    """
    if not opened.get("traced"):
        if strict(flow, os.environ):
            problem = "the run was begun without a trace"
            raise FlowError(diagnostic("TRACE_INCOMPLETE", problem=problem))
        return None
    return Tracing(flow, opened, _sink(opened), resumed=resumed)


def _sink(opened: Json) -> Sink:
    return Sink(Path(opened["cwd"], opened["traceFile"]))


def _told(machine: Machine, trace: Tracing | None) -> Json:
    found = details(machine)
    return found if trace is None else trace.finished(machine, found)


async def _to_its_end(driven: Coroutine[None, None, None]) -> None:
    """Let a request to terminate, and a terminal that goes away, end the run as an interrupt does."""
    task, loop = asyncio.current_task(), asyncio.get_running_loop()
    if task is not None and threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is signal.SIG_DFL:
                loop.add_signal_handler(number, task.cancel)
    await driven
