"""`piflows explain CODE`: cause and fix of a code of the catalogue."""

from __future__ import annotations

import argparse
import sys

from piflows.cli.terminal import width
from piflows.compiler.render.reference import may_retry, when_known, whose
from piflows.ir.codes import CODES, Code
from piflows.ir.diagnostic import outline
from piflows.ir.fold import fold
from piflows.ir.visible import visible, visible_json

HELP = "explain an error code: what happened, why, and what to do"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The code, in any letter case, and the form of the answer."""
    parser.add_argument("code", metavar="CODE", help="a code such as GRAPH_CYCLE")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="form of the answer (default: text)")


def run(args: argparse.Namespace) -> int:
    """Print the entry; 0, or 2 with the nearest known code for one that does not exist."""
    code = CODES.get(args.code.strip().upper())
    if code is None:
        from piflows.grammar.near import hint

        near = hint(args.code.strip().upper(), CODES)
        print(f'piflows explain: there is no code "{visible(args.code)}".{near}', file=sys.stderr)
        return 2
    print(visible_json(_object(code)) if args.format == "json" else _text(code))
    return 0


def _object(code: Code) -> dict[str, object]:
    return {
        "code": code.name,
        "severity": code.severity,
        "level": code.level,
        "stage": code.stage,
        "also": code.also,
        "retryable": code.retryable,
        "message": outline(code.message),
        "cause": outline(code.cause),
        "fix": outline(code.fix),
    }


def _text(code: Code) -> str:
    rows = (
        f"{code.name}: {code.severity} of {whose(code)}",
        f"Message: {outline(code.message)}",
        f"Cause: {outline(code.cause)}",
        f"Fix: {outline(code.fix)}",
        f"Known: {when_known(code)}",
        f"Retryable unchanged: {may_retry(code)}",
    )
    return "\n".join(line for row in rows for line in fold(row, width(sys.stdout), hang=2))
