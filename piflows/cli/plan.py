"""`piflows plan`: what a call would run, seen before anything is spent; or saved, to be run exactly as it is."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from piflows.cli.shown import Shown, load_flow, write
from piflows.cli.source import add_call_arguments
from piflows.ir.limits import LIMITS
from piflows.ir.visible import visible, visible_json

if TYPE_CHECKING:
    from piflows.ir.flow import Flow

HELP = "show what a call would run, before anything is spent: waves, roles, bounds, ceilings"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The call, where to save the plan, and the form in which it is shown."""
    add_call_arguments(parser)
    parser.add_argument("--out", metavar="FILE", help="save the plan, so that `piflows run FILE` runs exactly this")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="form of the plan (default: text)")


def run(args: argparse.Namespace) -> int:
    """Print the plan; 1 when the call is refused: then nothing is saved.

    A preset may be looked at without a task and a why, but not saved so.
    """
    shown = load_flow(args, general=args.out is None)
    if shown.flow is None:
        if args.format == "json":
            print(visible_json(_refused(shown)))
        return 1
    if args.out is not None and not _save(shown.flow, shown, args.out):
        return 1
    sys.stdout.write(_printed(shown.flow, args.format))
    return 0


def _printed(flow: Flow, form: str) -> str:
    if form == "json":
        from piflows.compiler.render.plan_json import plan_json

        return visible_json(plan_json(flow)) + "\n"
    from piflows.compiler.render.plan import plan_text

    return plan_text(flow)


def _refused(shown: Shown) -> dict[str, object]:
    from piflows.ir.diagnostic import error_object

    return {"error": error_object(shown.refusal) if shown.refusal else None, "waves": []}


def _save(flow: Flow, shown: Shown, path: str) -> bool:
    from piflows.grammar.saved import write_saved

    data = write_saved(flow, shown.inputs).encode()
    large = f"the plan has more than {LIMITS.saved_bytes} bytes, so nothing would read it again"
    problem = large if len(data) > LIMITS.saved_bytes else write(path, data)
    if problem:
        print(f"piflows plan: {visible(path)} cannot be written: {visible(problem)}", file=sys.stderr)
        return False
    print(f"saved to {visible(path)}", file=sys.stderr)
    return True
