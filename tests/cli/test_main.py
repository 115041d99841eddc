"""The command as a whole: its table, wrong usage, interrupts, outputs that end early."""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

import pytest

import piflows
from piflows.cli import COMMANDS, main

PIFLOWS = [sys.executable, "-m", "piflows"]


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(words)
    out, err = capsys.readouterr()
    return status, out, err


# ---- the table ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_its_module_and_helps(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    module = import_module(COMMANDS[name][0])
    assert module.HELP and callable(module.add_arguments) and callable(module.run)
    status, out, err = said(capsys, name, "--help")
    assert (status, err) == (0, "") and out.startswith(f"usage: piflows {name} ")


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = said(capsys, "--help")
    assert status == 0 and all(f"\n  {name} " in out and summary in out for name, (_, summary) in COMMANDS.items())


def test_the_version_is_the_packages(capsys: pytest.CaptureFixture[str]) -> None:
    assert piflows.__version__ == metadata.version("piflows")
    assert said(capsys, "--version") == (0, f"piflows {piflows.__version__}\n", "")


def test_a_program_that_runs_a_command_keeps_its_own_garbage_collection() -> None:
    before = gc.get_threshold()
    gc.set_threshold(701, 11, 12)
    try:
        main(["--version"])
        assert gc.get_threshold() == (701, 11, 12)
    finally:
        gc.set_threshold(*before)


def test_a_command_imports_only_its_own_module() -> None:
    script = (
        "import sys\nfrom piflows.cli import main\nmain(['explain', 'GRAPH_CYCLE'])\n"
        "print(sorted(name for name in sys.modules if name.startswith(('piflows.cli.', 'asyncio', 'lark'))))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert (
        done.stdout.splitlines()[-1]
        == "['piflows.cli.explain', 'piflows.cli.plain', 'piflows.cli.startup', 'piflows.cli.terminal']"
    )


# ---- wrong usage -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "usage: piflows COMMAND"),
        (("rnu", "call.json"), 'there is no command "rnu". Did you mean "run"?'),
        (("\x1b[2J",), 'there is no command "\\x1b[2J".'),
        (("--verison",), 'Did you mean "--version"?'),
        (("run",), "the following arguments are required: CALL"),
        (("run", "c.json", "--fromat", "json"), 'unrecognized arguments: --fromat json. Did you mean "--format"?'),
        (("run", "c.json", "--jornal=x"), 'Did you mean "--journal"?'),
        (("run", "c.json", "--format", "jsn"), 'Did you mean "json"?'),
        (("run", "c.json", "--backend", "scriptd"), 'Did you mean "scripted"?'),
        (("run", "c.json", "--form", "json"), 'Did you mean "--format"?'),
        (("run", "c.json", "--format"), "expected one argument"),
        (("run", "none.json"), 'there is no file "none.json"'),
        (("plan", "none.json", "--task", "x"), 'there is no file "none.json"'),
        (("plan", "--diff", "none.json", "nor.json", "--task", "x"), 'there is no file "none.json"'),
        (("run", "c.json", "extra"), "unrecognized arguments: extra"),
    ],
)
def test_wrong_usage(
    words: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    status, out, err = said(capsys, *words)
    assert (status, out) == (2, "") and says in err and "Traceback" not in err
    assert "\x1b" not in err


@pytest.mark.parametrize(
    "words",
    [
        ("new", "x", "--mode", "workflow"),
        ("show", "a-name-that-is-rather-long-but-not-too-long-for-one-line"),
        ("explain", "A_CODE_THAT_IS_RATHER_LONG_BUT_NOT_TOO_LONG_FOR_A_LINE"),
        ("plan", "--diff"),
    ],
)
def test_wrong_usage_is_as_wide_as_the_terminal_and_means_no_option_that_is_known(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    status, out, err = said(capsys, *words)
    assert (status, out) == (2, "") and max(map(len, err.splitlines())) <= 60
    assert "Did you mean" not in err


def test_a_working_directory_that_is_gone() -> None:
    script = (
        "import os, tempfile, sys\nd = tempfile.mkdtemp(); os.chdir(d); os.rmdir(d)\nfrom piflows.cli import main\n"
    )
    command = [sys.executable, "-c", script + "sys.exit(main(['list']))"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("piflows: the working directory cannot be used")


# ---- outputs -----------------------------------------------------------------------------------------------------


def test_a_reader_that_has_had_enough() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([*PIFLOWS, "schema", "call"], stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")


def test_an_output_that_is_full() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*PIFLOWS, "schema", "call"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "piflows: the output cannot be written: No space left on device\n")


def test_output_is_utf_8_in_every_locale(tmp_path: Path) -> None:
    call = {"agent": "recon", "task": "x", "why": "asked"}
    (tmp_path / "call.json").write_text(json.dumps(call))
    (tmp_path / "script.json").write_text(json.dumps({"children": [{"reply": "é→😀"}]}))
    env = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "latin-1"}
    for form in ("text", "json"):
        command = [*PIFLOWS, "run", "call.json", "--script", "script.json", "--format", form]
        done = subprocess.run(command, capture_output=True, env=env, check=True)
        assert "é→😀" in done.stdout.decode()


@pytest.mark.parametrize("words", [["list"], ["run", "none.json"]])
def test_a_process_without_output(words: list[str]) -> None:
    line = " ".join([*PIFLOWS, *words])
    done = subprocess.run(f"{line} >&- 2>&-", shell=True, check=False)
    assert done.returncode == (2 if "none.json" in words else 0)


# ---- interrupts --------------------------------------------------------------------------------------------------


def running(tmp_path: Path) -> tuple[subprocess.Popen[str], int]:
    """A run whose only child sleeps in a command, and the process id of that command."""
    os.mkfifo(tmp_path / "begun")
    call = {"agent": "operator", "task": "x", "why": "asked"}
    rule = {"runs": "echo $$ > begun; exec sleep 60", "times": "always"}
    (tmp_path / "call.json").write_text(json.dumps(call))
    (tmp_path / "script.json").write_text(json.dumps({"children": [rule]}))
    command = [*PIFLOWS, "run", "call.json", "--script", "script.json", "--format", "json", "--journal", "run.jsonl"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return process, int((tmp_path / "begun").read_text())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_stops_the_children_and_says_what_came_of_it(number: signal.Signals, tmp_path: Path) -> None:
    process, child = running(tmp_path)
    process.send_signal(number)
    out, err = process.communicate()
    details: dict[str, Any] = json.loads(out)
    assert (process.returncode, err) == (130, "")
    assert (details["error"]["code"], details["results"][0]["stopReason"]) == ("CHILD_ABORTED", "aborted")
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)
    kinds = [json.loads(line).get("kind") for line in (tmp_path / "run.jsonl").read_text().splitlines()]
    assert kinds[1:] == ["opened", "childStarted", "cancelled", "childFailed"]


def test_a_run_that_was_killed_goes_on_from_its_journal(tmp_path: Path) -> None:
    process, child = running(tmp_path)
    process.kill()
    process.communicate()
    os.killpg(child, signal.SIGKILL)
    (tmp_path / "script.json").write_text(json.dumps({"children": [{"reply": "whole"}]}))
    command = [*PIFLOWS, "run", "call.json", "--script", "script.json", "--journal", "run.jsonl"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "whole\n"
    events = [json.loads(line) for line in (tmp_path / "run.jsonl").read_text().splitlines()][1:]
    assert [(each["kind"], each["incarnation"]) for each in events] == [
        *[("opened", 0), ("childStarted", 1), ("childStarted", 2)],
        *[("turnEnded", 2), ("childSettled", 2)],
    ]


def test_an_interrupt_while_nothing_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("piflows.cli.explain.run", interrupted)
    assert said(capsys, "explain", "GRAPH_CYCLE") == (130, "", "")
