"""`piflows run`: run a call, a preset or a saved plan, and print what came of it."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from piflows import __version__
from piflows.cli.progress import Progress
from piflows.interpreter.backends import BACKENDS
from piflows.ir.diagnostic import Diagnostic, FlowError, diagnostic, error_object, error_text
from piflows.ir.limits import LIMITS
from piflows.ir.source import Where
from piflows.ir.visible import visible, visible_json

if TYPE_CHECKING:
    from piflows.ir.flow import Flow

Json = dict[str, Any]

HELP = "run a call, a preset, or exactly what a saved plan says"
INTERRUPTED = 130


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The call, and who does its work."""
    from piflows.cli.source import add_call_arguments

    add_call_arguments(parser)
    parser.add_argument("--backend", choices=BACKENDS, default="scripted", help="what runs children (default: scripted)")
    parser.add_argument("--script", metavar="FILE", help="what scripted children do; without it they rehearse")
    parser.add_argument("--journal", metavar="FILE", help="record the run there, or go on with the one recorded there")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="form of the result (default: text)")


class Refused(Exception):
    """The run does not begin: its error, and what is known of the call. Findings were printed, unless `silent`."""

    def __init__(self, error: Diagnostic, about: Json, *, printed: bool = False) -> None:
        super().__init__(error.code)
        self.error, self.about, self.printed = error, about, printed


def run(args: argparse.Namespace) -> int:
    """0 when the flow reached what it was asked for, else 1."""
    from piflows.interpreter.drivers.embedded import Interrupted, run_flow

    script = _script(args)
    try:
        flow = _flow(args)
        watch = Progress(sys.stderr) if args.format == "text" else None
        details = run_flow(
            flow, cwd=str(Path.cwd()), backend=args.backend, script=script, journal=args.journal, watch=watch
        )
    except Refused as refused:
        return _refuse(args, refused.error, refused.about, printed=refused.printed)
    except FlowError as refusal:
        return _refuse(args, refusal.first, {"mode": "list"}, printed=False)
    except Interrupted as interrupted:
        if interrupted.details is not None:
            _print(args, interrupted.details)
        return INTERRUPTED
    _print(args, details)
    return 0 if details["outcome"] == "success" else 1
