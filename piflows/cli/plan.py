"""`piflows plan`: what a call would run, seen before anything is spent; or saved, to be run exactly as it is."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from piflows.cli.shown import Shown, load_flow, write
from piflows.cli.source import add_call_arguments, is_there, names_preset
from piflows.cli.terminal import width
from piflows.ir.limits import LIMITS
from piflows.ir.visible import visible, visible_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piflows.ir.flow import Flow
    from piflows.ir.measured import History

HELP = "show what a call would run, before anything is spent: waves, roles, bounds, ceilings"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The call, where to save the plan, and the form in which it is shown."""
    add_call_arguments(parser)
    parser.add_argument("--out", metavar="FILE", help="save the plan, so that `piflows run FILE` runs exactly this")
    parser.add_argument(
        "--diff",
        metavar="BEFORE",
        help="show what changed from BEFORE, another CALL, to CALL: 0 when nothing did, 1 when something did",
    )
    parser.add_argument("--lines", action="store_true", help="with --diff: the changed lines of the textual forms too")
    parser.add_argument(
        "--history",
        metavar="TRACE",
        nargs="+",
        action="extend",
        default=[],
        help="show what the runs in these trace files measured: critical path, slack, cost, what the gates are worth",
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="form of the plan (default: text)")


def run(args: argparse.Namespace) -> int:
    """Print the plan; 1 when the call is refused: then nothing is saved.

    A preset may be looked at without a task and a why, but not saved so. With --diff, as `diff` does: 0 when the plans
    are the same, 1 when they differ or one is refused, 2 for wrong usage.
    """
    if args.diff is not None:
        return _diff(args)
    history = _history(args)
    if args.lines:
        args.usage("--lines says more of a --diff")
    shown = load_flow(args, general=args.out is None)
    if shown.flow is None:
        if args.format == "json":
            print(visible_json(_refused(shown)))
        return 1
    if args.out is not None and not _save(shown.flow, shown, args.out):
        return 1
    sys.stdout.write(_printed(shown.flow, shown.assumed, args.format, history))
    return 0


def _history(args: argparse.Namespace) -> History | None:
    """What earlier runs measured; None when no trace is named. Ends with 2 for a file that cannot be read."""
    if not args.history:
        return None
    from piflows.cli.report import opened
    from piflows.interpreter.trace.evidence import history
    from piflows.interpreter.trace.sink import lines

    def all_lines() -> Iterator[bytes]:
        for word in args.history:
            with opened(word, args) as file:
                yield from lines(file)

    return history(all_lines())


def _diff(args: argparse.Namespace) -> int:
    """What changed from one call to the other. What completes a preset completes each of them that is one."""
    if args.history:
        args.usage("a difference is not measured: --history belongs to one plan")
    if args.out is not None:
        args.usage("a difference is not a plan: nothing of it can be saved")
    if args.diff == args.call == "-":
        args.usage("standard input can be read once")
    words = (args.diff, args.call)
    completed = args.task is not None or args.why is not None or args.set
    if completed and not any(map(names_preset, words)) and all(map(is_there, words)):
        args.usage("task, why and parameters complete a preset; a call says all of it by itself")
    before, after = (load_flow(_side(args, word), general=True) for word in words)
    if before.flow is None or after.flow is None:
        if args.format == "json":
            print(visible_json(_refused(after if before.flow else before)))
        return 1
    sys.stdout.write(_compared(before.flow, after.flow, args))
    from piflows.ir.digest import digest

    return int(digest(before.flow) != digest(after.flow))


def _side(args: argparse.Namespace, word: str) -> argparse.Namespace:
    alone: dict[str, object] = {} if names_preset(word) else {"task": None, "why": None, "set": []}
    return argparse.Namespace(**{**vars(args), "call": word, **alone})


def _compared(before: Flow, after: Flow, args: argparse.Namespace) -> str:
    from piflows.compiler.render.diff import diff_json, diff_text, lines_diff

    if args.format == "json":
        return visible_json(diff_json(before, after)) + "\n"
    text = diff_text(before, after, width(sys.stdout)) or "no difference\n"
    if args.lines:
        from piflows.grammar.flow_text import print_flow

        text += "\n" + lines_diff(print_flow(before), print_flow(after), (args.diff, args.call))
    return text


def _printed(flow: Flow, assumed: tuple[str, ...], form: str, history: History | None) -> str:
    """The plan, and after it what was measured."""
    if form == "json":
        from piflows.compiler.render.plan_json import plan_json

        plan = plan_json(flow)
        if history is not None:
            from piflows.compiler.render.evidence import evidence_json

            plan["evidence"] = evidence_json(flow, history)
        return visible_json(plan) + "\n"
    from piflows.compiler.render.plan import plan_text

    text = plan_text(flow, width(sys.stdout), assumed)
    if history is None:
        return text
    from piflows.compiler.render.evidence import evidence_text

    return f"{text}\n{evidence_text(flow, history, width(sys.stdout))}"


def _refused(shown: Shown) -> dict[str, object]:
    from piflows.ir.diagnostic import error_object

    return {"error": error_object(shown.refusal) if shown.refusal else None, "waves": []}


def _save(flow: Flow, shown: Shown, path: str) -> bool:
    from piflows.grammar.saved import write_saved

    data = write_saved(flow, shown.inputs).encode()
    unnamed = next((file for file, _ in shown.inputs if file.encode(errors="replace").decode() != file), None)
    if len(data) > LIMITS.saved_bytes:
        problem = f"the plan has more than {LIMITS.saved_bytes} bytes, so nothing would read it again"
    elif unnamed is not None:
        problem = f"its input {unnamed} has a name that is not UTF-8, so nothing would read it again"
    else:
        problem = write(path, data)
    if problem:
        print(f"piflows plan: {visible(path)} cannot be written: {visible(problem)}", file=sys.stderr)
        return False
    print(f"saved to {visible(path)}", file=sys.stderr)
    return True
