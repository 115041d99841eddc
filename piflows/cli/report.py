"""`piflows report`: what a trace says of the runs in it, and whether its evidence is complete."""

from __future__ import annotations

import argparse
import os
import stat
import sys
from typing import BinaryIO

from piflows.cli.terminal import width
from piflows.ir.visible import visible_json

HELP = "say what a trace file holds: runs, verified outcomes, spend, times, and whether the evidence is complete"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The file, the gate, and the form of the answer."""
    parser.add_argument("trace", metavar="TRACE", help="a trace file (JSONL), or - for standard input")
    parser.add_argument("--strict", action="store_true", help="1 when the evidence is incomplete")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="form of the report (default: text)")
    parser.set_defaults(usage=parser.error)


def run(args: argparse.Namespace) -> int:
    """Print the report. 0; 1 under --strict when there is no run, one is incomplete, or a line is no row; 2 for a file
    that cannot be read."""
    from piflows.interpreter.trace.report import report
    from piflows.interpreter.trace.sink import lines
    from piflows.interpreter.trace.told import report_json, report_text

    with opened(args.trace, args) as file:
        try:
            found = report("standard input" if args.trace == "-" else args.trace, lines(file))
        except OSError as error:
            args.usage(f"{args.trace} cannot be read: {error.strerror}")
            raise
    if args.format == "json":
        print(visible_json(report_json(found)))
    else:
        sys.stdout.write(report_text(found, width(sys.stdout)))
    return int(args.strict and not found.complete)


def opened(word: str, args: argparse.Namespace) -> BinaryIO:
    """A trace to be read. Ends with 2 for what is no regular file: a FIFO that nobody writes to is not waited for."""
    if word == "-":
        stream = sys.stdin
        if stream is None:  # pyright: ignore[reportUnnecessaryComparison]  (Python's word for a closed one)
            args.usage("standard input is closed")
            raise AssertionError
        return stream.buffer
    try:
        file = os.open(word, os.O_RDONLY | os.O_NONBLOCK)
    except (OSError, ValueError) as error:
        args.usage(f"{word} cannot be read: {error.strerror if isinstance(error, OSError) else error}")
        raise
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        args.usage(f"{word} is no regular file; what comes through a pipe is given as -")
    return os.fdopen(file, "rb")
