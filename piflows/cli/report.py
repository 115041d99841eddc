"""`piflows report`: what a trace says of the runs in it, and whether its evidence is complete."""

from __future__ import annotations

import argparse
import os
import stat
import sys
from collections.abc import Callable, Iterable
from typing import BinaryIO
from urllib.parse import urlsplit

from piflows.cli.terminal import width
from piflows.ir.fold import fold_each
from piflows.ir.visible import visible_json

HELP = "say what a trace file holds: runs, verified outcomes, spend, times, and whether the evidence is complete"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The file, the gate, and the form of the answer."""
    parser.add_argument("trace", metavar="TRACE", help="a trace file (JSONL), or - for standard input")
    parser.add_argument("--strict", action="store_true", help="1 when the evidence is incomplete")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="form of the report (default: text)")
    parser.add_argument(
        "--otlp",
        metavar="URL",
        type=endpoint,
        help="send the spans there over OTLP/HTTP, as http://localhost:4318/v1/traces",
    )
    parser.set_defaults(usage=parser.error)


def run(args: argparse.Namespace) -> int:
    """Print the report, then send the spans if asked to. 0; 1 under --strict when there is no run, one is incomplete,
    or a line is no row; 2 for a file that cannot be read. Raises FlowError TRACE_NOT_SENT."""
    from piflows.interpreter.trace.report import report
    from piflows.interpreter.trace.sink import lines
    from piflows.interpreter.trace.told import report_json, report_text

    send = sender(args) if args.otlp else None
    with opened(args.trace, args) as file:
        try:
            read = lines(file) if send is None else list(lines(file))
            found = report("standard input" if args.trace == "-" else args.trace, read)
        except OSError as error:
            args.usage(f"{args.trace} cannot be read: {error.strerror}")
            raise
    if args.format == "json":
        print(visible_json(report_json(found)))
    else:
        sys.stdout.write(report_text(found, width(sys.stdout)))
    if send is not None:
        sys.stdout.flush()  # before what follows on the other stream
        sent, skipped = send(read, args.otlp)
        rest = f"; lines skipped that are no rows: {skipped}" if skipped else ""
        sys.stderr.write(fold_each(f"spans sent: {sent}{rest}", width(sys.stderr), 2) + "\n")
    return int(args.strict and not found.complete)


def endpoint(word: str) -> str:
    """The URL of an OTLP/HTTP endpoint."""
    try:
        parts = urlsplit(word)
        fine = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        fine = False
    if not fine:
        raise argparse.ArgumentTypeError("the endpoint is a whole URL, as http://localhost:4318/v1/traces")
    return word


def sender(args: argparse.Namespace) -> Callable[[Iterable[bytes], str], tuple[int, int]]:
    """What sends lines to an endpoint. Ends with 2 where the extra is not installed."""
    try:
        from piflows.interpreter.trace.otlp import send
    except ModuleNotFoundError as missing:
        if (missing.name or "").startswith("piflows"):
            raise
        args.usage("--otlp needs an extra that is not installed: pip install 'piflows[otlp]'")
        raise
    return send


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
