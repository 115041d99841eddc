"""The command: words in, texts and an exit status out.

In     the words of the command line, the working directory, the environment, standard input
Out    results on standard output (JSON alone when asked for), everything else on standard error; the status
       0 fine · 1 findings, or a flow that did not reach what it was asked for · 2 wrong usage · 130 interrupted
Rules  a command's module is imported when the command is used. Whatever a child, a file or a person wrote is printed
       with its control characters made visible. Bad input is a diagnostic, never a traceback.
Add    a command: a module here with `HELP`, `add_arguments(parser)` and `run(args) -> int`, and a row in `COMMANDS`.
"""

from __future__ import annotations

import argparse
import errno
import io
import os
import re
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import NoReturn, Protocol, cast

from piflows import __version__
from piflows.cli.plain import plainly
from piflows.cli.startup import quicken
from piflows.cli.terminal import width
from piflows.grammar.near import hint
from piflows.ir.diagnostic import FlowError
from piflows.ir.fold import fold_each
from piflows.ir.visible import visible

COMMANDS = {
    "new": ("piflows.cli.new", "write a preset or an agent to start from"),
    "compile": ("piflows.cli.compile", "check presets and calls, or print what they are lowered to"),
    "plan": ("piflows.cli.plan", "show what a call would run, before anything is spent"),
    "graph": ("piflows.cli.graph", "draw a call's plan"),
    "run": ("piflows.cli.run", "run a call or a saved plan"),
    "list": ("piflows.cli.list", "list the presets and agents that are found"),
    "show": ("piflows.cli.show", "show one preset or agent"),
    "report": ("piflows.cli.report", "say what a trace file holds, and whether its evidence is complete"),
    "explain": ("piflows.cli.explain", "say what a code means and what to do about it"),
    "schema": ("piflows.cli.schema", "print the JSON Schema of calls, plans, agents or presets"),
}
INTERRUPTED, PIPE_CLOSED = 130, 141  # 128 + the number of the signal, as shells report it

# `list` and `compile` are submodules here once they are imported, and no longer the built-in names.
_CHOICE = r"(?s)invalid choice: '(.*)' \(choose from (.*)\)$"


class Command(Protocol):
    """What a module of `COMMANDS` has."""

    HELP: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...
    def run(self, args: argparse.Namespace) -> int: ...


class Parser(argparse.ArgumentParser):
    """An argument parser that knows what was meant, and how wide the terminal is."""

    def _get_formatter(self) -> argparse.HelpFormatter:
        formatter = cast("type[argparse.HelpFormatter]", self.formatter_class)
        return formatter(prog=self.prog, width=width(sys.stdout) - 2)

    def error(self, message: str) -> NoReturn:
        meant = self._meant(message)
        said = f"{self.prog}: {visible(message)}{'.' if meant else ''}{meant}"
        usage = f"usage: {self._brief()}   (`{self.prog} --help` says more)"
        self.exit(2, fold_each(f"{said}\n{usage}", width(sys.stderr), 2) + "\n")

    def _brief(self) -> str:
        """The usage in one line: what has to be given, and that there are options."""
        if self.usage is not None:
            return self.usage
        shapes: dict[object, str] = {"?": "[{}]", "+": "{}…"}
        places = self._get_positional_actions()
        words = [shapes.get(place.nargs, "{}").format(place.metavar or place.dest) for place in places]
        return " ".join((self.prog, *words, "[OPTIONS]"))

    def _meant(self, message: str) -> str:
        if choice := re.search(_CHOICE, message):
            return hint(choice[1], [each.strip("' ") for each in choice[2].split(",")])
        words = [word.split("=")[0] for word in message.split() if word.startswith("--")]
        unknown = [word for word in words if word.rstrip(":") not in self._option_string_actions]
        return hint(unknown[0], self._option_string_actions) if unknown else ""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; its exit status. Without `argv` it is the one that this process was started for."""
    if argv is None:
        quicken()  # a program that calls this goes on afterwards, with its own garbage and plugins
    _prepare_streams()
    try:
        status = _dispatch(sys.argv[1:] if argv is None else argv)
        sys.stdout.flush()
    except SystemExit as leaving:  # argparse has said what there was to say
        return leaving.code if isinstance(leaving.code, int) else 0
    except FlowError as refusal:
        for found in refusal.diagnostics:
            print(plainly(found, width(sys.stderr)), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        return _unwritable(error)
    return status


def _prepare_streams() -> None:
    """UTF-8 in every locale; and somewhere to write to, also for a process that was started without it."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
        elif stream is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115  (for as long as it runs)


def _dispatch(words: Sequence[str]) -> int:
    try:
        Path.cwd()
    except OSError as error:
        print(f"piflows: the working directory cannot be used: {error.strerror}", file=sys.stderr)
        return 1
    if not words or words[0].startswith("-"):
        return _about(words)
    if words[0] not in COMMANDS:
        _overview().error(f'there is no command "{words[0]}".{hint(words[0], COMMANDS)}')
    module, summary = COMMANDS[words[0]]
    command = cast("Command", import_module(module))
    parser = Parser(prog=f"piflows {words[0]}", description=command.HELP or summary, allow_abbrev=False)
    command.add_arguments(parser)
    return command.run(parser.parse_args(words[1:]))


def _about(words: Sequence[str]) -> int:
    """What can be asked without a command: help and the version."""
    overview = _overview()
    overview.parse_args(words)
    overview.print_help(sys.stderr)
    return 2


def _overview() -> Parser:
    rows = [f"  {name:<10}{summary}" for name, (_, summary) in COMMANDS.items()]
    parser = Parser(
        prog="piflows",
        usage="piflows COMMAND …",
        description="Compile declarative agent workflows, prove them before spend, and run them as proved.",
        epilog="\n".join(["commands:", *rows, "", "`piflows COMMAND --help` says more."]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"piflows {__version__}")
    return parser


def _unwritable(error: OSError) -> int:
    """An output that cannot take what is written. Any other error of the system is the command's own to report."""
    if isinstance(error, BrokenPipeError):  # the reader has had enough: say nothing, now and when Python ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EIO) or error.filename is not None:
        raise error
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    print(f"piflows: the output cannot be written: {error.strerror}", file=sys.stderr)
    return 1
