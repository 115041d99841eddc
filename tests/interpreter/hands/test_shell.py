"""Commands under a real shell: exit, output, timeout, what cannot start, and nothing that is left behind."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from piflows.interpreter.hands import shell

Json = dict[str, Any]
RAN: Json = {"kind": "commandExited", "exit": 0, "text": "", "timedOut": False, "started": True, "reason": ""}


def run(command: str, cwd: Path | str = "/", timeout_ms: float = 10_000, cap: int = 1_000) -> Json:
    return asyncio.run(shell.run(command, str(cwd), timeout_ms, cap, grace_ms=50))


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("true", {}),
        ("exit 3", {"exit": 3}),
        ("echo a; echo b >&2; echo c", {"text": "a\nb\nc\n"}),
        ("cat", {}),
        (r"printf 'a\377b\n'", {"text": "a\ufffdb\n"}),
        ("kill -9 $$", {"exit": 137, "text": "[Command ended by SIGKILL.]"}),
        ("printf x; kill -15 $$", {"exit": 143, "text": "x\n[Command ended by SIGTERM.]"}),
        ("exit 127", {"exit": 127}),
        ("exit 126", {"exit": 126}),
        ("echo '/bin/sh: 1: x: not found'; exit 1", {"exit": 1, "text": "/bin/sh: 1: x: not found\n"}),
        ("no-such-program-4417 || exit 5", {"exit": 5}),
    ],
)
def test_a_command_that_starts_gives_its_verdict(command: str, expected: Json) -> None:
    done = run(command)
    if "no-such" in command:
        done["text"] = ""
    assert done == RAN | expected


@pytest.mark.parametrize("command", ["no-such-program-4417 --run", "/", "echo a && no-such-program-4417"])
def test_a_command_that_the_shell_cannot_start(command: str) -> None:
    done = run(command)
    assert done["started"] is False
    assert done["exit"] in (126, 127)
    assert done["reason"].startswith("/bin/sh: ") and done["text"].endswith(f"{done['reason']}\n")


@pytest.mark.parametrize(
    ("command", "cwd", "reason"),
    [
        ("true", "/no/such/directory", "the directory /no/such/directory does not exist"),
        ("echo a\0b", "/", "embedded null byte"),
        (f": {'x' * 3_000_000}", "/", "Argument list too long"),
    ],
)
def test_a_shell_that_cannot_be_started(command: str, cwd: str, reason: str) -> None:
    assert run(command, cwd) == RAN | {"exit": None, "started": False, "reason": reason}


def test_it_runs_in_its_directory(tmp_path: Path) -> None:
    assert run("pwd -P", tmp_path)["text"] == f"{tmp_path.resolve()}\n"


@pytest.mark.parametrize(
    ("cap", "text"),
    [
        (6, "12345\n"),
        (5, "12345\n[Output truncated: 1 bytes omitted.]"),
        (1, "1\n[Output truncated: 5 bytes omitted.]"),
        (0, "[Output truncated: 6 bytes omitted.]"),
    ],
)
def test_the_output_is_capped_from_its_start(cap: int, text: str) -> None:
    assert run("echo 12345", cap=cap)["text"] == text


def test_the_cap_cuts_no_character() -> None:
    assert run("printf 'aéé'", cap=4)["text"] == "aé\n[Output truncated: 1 bytes omitted.]"


def test_what_is_beyond_the_cap_is_read_and_counted() -> None:
    done = run("head -c 3000000 /dev/zero; exit 4", cap=10)
    assert done["exit"] == 4
    assert done["text"] == "\0" * 10 + "\n[Output truncated: 2999990 bytes omitted.]"


def test_a_message_of_the_shell_is_found_behind_a_long_output() -> None:
    done = run("head -c 3000 /dev/zero; no-such-program-4417", cap=10)
    assert (done["started"], done["exit"]) == (False, 127)
    assert "no-such-program-4417" in done["reason"]


@pytest.mark.parametrize("command", ["echo begun; sleep 60", "trap '' TERM; echo begun; sleep 60; sleep 60"])
def test_a_timeout_ends_the_whole_group(command: str, tmp_path: Path) -> None:
    done = run(f"echo $$ > pid; {command}", tmp_path, timeout_ms=100)
    assert done == RAN | {"exit": None, "text": "begun\n[Command timed out after 100 ms.]", "timedOut": True}
    assert not _lives(int((tmp_path / "pid").read_text()))


def test_what_a_command_leaves_in_its_group_is_ended(tmp_path: Path) -> None:
    done = run("sleep 60 & echo $! > pid; echo over", tmp_path)
    assert done == RAN | {"text": "over\n"}
    assert not _lives(int((tmp_path / "pid").read_text()))


def test_a_stray_process_that_holds_the_pipe_does_not_keep_the_run(tmp_path: Path) -> None:
    done = run("setsid sleep 60 & echo $! > pid; echo over", tmp_path)
    assert done == RAN | {"text": "over\n"}
    os.kill(int((tmp_path / "pid").read_text()), 9)


def test_a_cancelled_command_is_gone(tmp_path: Path) -> None:
    async def main() -> int:
        fifo = tmp_path / "begun"
        os.mkfifo(fifo)
        running = asyncio.create_task(shell.run(f"echo $$ > {fifo}; sleep 60", "/", 60_000, 100, grace_ms=50))
        pid = int(await asyncio.to_thread(fifo.read_text))
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        return pid

    assert not _lives(asyncio.run(main()))


def test_no_file_descriptor_is_left() -> None:
    run("true")
    before = sum(1 for _ in Path("/proc/self/fd").iterdir())
    for command, cwd in (("true", "/"), ("sleep 60 &", "/"), ("true", "/no/such"), ("no-such-program-4417", "/")):
        run(command, cwd)
    assert sum(1 for _ in Path("/proc/self/fd").iterdir()) == before


def _lives(pid: int) -> bool:
    """Whether a process still runs after it was given every chance to die. A zombie of init's counts as gone."""
    for _ in range(100_000):
        try:
            status = Path(f"/proc/{pid}/stat").read_text()
        except (FileNotFoundError, ProcessLookupError):
            return False
        if status.rsplit(")", 1)[1].split()[0] in ("Z", "X"):
            return False
        os.sched_yield()
    return True
