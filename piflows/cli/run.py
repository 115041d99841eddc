"""`piflows run`: run a call, a preset or a saved plan, and print what came of it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from os.path import lexists
from pathlib import Path
from typing import TYPE_CHECKING, Any

from piflows.cli import INTERRUPTED
from piflows.cli.plain import hidden, plainly
from piflows.cli.progress import Progress, total
from piflows.cli.saved import admitted, proved, saved_text
from piflows.cli.shown import report
from piflows.cli.source import CallSource, add_call_arguments, here, load_call
from piflows.cli.terminal import width
from piflows.interpreter.backends import BACKENDS
from piflows.ir.diagnostic import Diagnostic, FlowError, diagnostic
from piflows.ir.fold import fold, fold_each
from piflows.ir.limits import LIMITS
from piflows.ir.source import Where
from piflows.ir.visible import visible, visible_json

if TYPE_CHECKING:
    from piflows.compiler.context import Context
    from piflows.ir.flow import Flow

Json = dict[str, Any]

HELP = "run a call, a preset, or exactly what a saved plan says"
REHEARSAL = "rehearsal: no model is asked, each child gives the shortest answer that fits; commands run for real"


class Refused(Exception):
    """The run does not begin; what was found is on standard error by then.

    `about` is what is known of the call, `context` where it was looked at; None when nobody looked.
    """

    def __init__(self, error: Diagnostic, about: Json, context: Context | None) -> None:
        super().__init__(error.code)
        self.error, self.about, self.context = error, about, context


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The call, and who does its work."""
    add_call_arguments(parser)
    parser.add_argument("--backend", choices=tuple(BACKENDS), default="scripted", help="what runs children")
    parser.add_argument("--script", metavar="FILE", help="what scripted children do; without it they rehearse")
    parser.add_argument("--journal", metavar="FILE", help="record the run there, or go on with the one recorded there")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="form of the result (default: text)")


def run(args: argparse.Namespace) -> int:
    """0 when the flow reached what it was asked for, else 1."""
    from piflows.interpreter.result import refusal

    try:
        script = None if args.script is None else _script(args.script, args)
        flow, context = _flow(args)
        return _run(flow, context, script, args)
    except Refused as refused:
        if args.format == "json":
            _print(refusal(refused.about, refused.error), args.format, refused.context)
        return 1


def _run(flow: Flow, context: Context | None, script: tuple[str, str] | None, args: argparse.Namespace) -> int:
    """Run the Flow and print what came of it; the exit status. Raises Refused."""
    from piflows.interpreter.drivers.embedded import Interrupted, run_flow
    from piflows.interpreter.result import described

    text = args.format == "text"
    aloud = text and bool(flow.roles)  # a flow without children spends nothing
    if aloud:
        _disclose(flow, rehearsal=args.backend == "scripted" and script is None)
    try:
        details = run_flow(
            flow,
            cwd=str(Path.cwd()),
            backend=args.backend,
            script=script,
            journal=args.journal,
            watch=Progress(sys.stderr, hidden if flow.redact_secrets else str) if text else None,
            note=_say,
        )
    except FlowError as refusal:
        raise _plain(refusal.diagnostics, described(flow), context) from None
    except Interrupted as interrupted:
        if interrupted.details is not None:
            _print(interrupted.details, args.format, context)
        return INTERRUPTED
    if aloud:
        _say(total(details["results"]))
    _print(details, args.format, context)
    return 0 if details["outcome"] == "success" else 1


def _disclose(flow: Flow, *, rehearsal: bool) -> None:
    """What a person must know before the first child starts: whether a model is asked, and every ceiling that holds."""
    from piflows.ir.ceilings import lines

    for line in (*([REHEARSAL] if rehearsal else ()), *lines(flow)):
        _say(line)


def _say(said: str) -> None:
    """A word about the run, beside its result."""
    print("\n".join(fold(visible(said), width(sys.stderr), hang=2)), file=sys.stderr, flush=True)


def _flow(args: argparse.Namespace) -> tuple[Flow, Context | None]:
    """The Flow that may be run, and where its call was looked at; None for a saved plan, for which nobody looks.

    Raises Refused, or SystemExit (2) for wrong usage.
    """
    from piflows.interpreter.result import known

    completed = args.task is not None or args.why is not None or args.set
    text = None if completed else saved_text(args.call)
    if text is not None:
        return _saved(text, args.call), None
    try:
        source = load_call(args)
    except FlowError as refusal:
        report(refusal.diagnostics, None)
        raise Refused(refusal.first, known(), here()) from None
    return (_saved(source.text, source.file), None) if source.saved else (_compiled(source), source.context)


def _saved(text: str, file: str) -> Flow:
    """A saved plan is run without the compiler."""
    from piflows.interpreter.drivers.embedded import refuse_flow
    from piflows.interpreter.result import described, known

    try:
        flow = proved(text, file)
    except FlowError as refusal:
        raise _plain(refusal.diagnostics, known()) from None
    if (refused := admitted(flow)) is not None:
        refuse_flow(flow, refused.code, cwd=str(Path.cwd()))
        raise _plain((refused,), described(flow))
    return flow


def _compiled(source: CallSource) -> Flow:
    from piflows.compiler import admit
    from piflows.interpreter.drivers.embedded import refuse_flow
    from piflows.interpreter.hands.people import person
    from piflows.interpreter.result import NO_MODE, described, known

    compiled = source.compile()
    report(compiled.diagnostics, source)
    refused = admit(compiled, source.context, person())
    if refused is not None and refused not in compiled.diagnostics:
        report((refused,), source)
    if refused is not None or compiled.flow is None:
        error = refused or compiled.errors[0]
        preset = compiled.preset.name if compiled.preset else None
        if compiled.flow is not None:
            refuse_flow(compiled.flow, error.code, cwd=str(Path.cwd()))
        about = known(compiled.mode or NO_MODE, preset, compiled.scope)
        raise Refused(error, about if compiled.flow is None else described(compiled.flow), source.context)
    return compiled.flow


def _script(path: str, args: argparse.Namespace) -> tuple[str, str]:
    """The text of a script, and its name. Raises Refused, or SystemExit (2) when it is not there."""
    from piflows.interpreter.result import known

    if not lexists(path):
        args.usage(f'there is no file "{path}"')
    problem = f"{path} is no regular file"
    try:
        if Path(path).is_file():
            with Path(path).open("rb") as file:
                return file.read(LIMITS.file_bytes + 1).decode(), path  # a longer one is refused for its length
    except UnicodeDecodeError as error:
        problem = f"{path} is not UTF-8: byte 0x{error.object[error.start]:02x} at offset {error.start}"
    except OSError as error:
        problem = f"{path} cannot be read: {error.strerror}"
    raise _plain((diagnostic("CALL_INVALID", Where(path), problem=problem),), known())


def _plain(found: Sequence[Diagnostic], about: Json, context: Context | None = None) -> Refused:
    """A refusal whose findings are printed here."""
    for each in found:
        print(plainly(each, width(sys.stderr)), file=sys.stderr)
    return Refused(found[0], about, context)


def _print(details: Json, form: str, context: Context | None) -> None:
    """The result on standard output; as JSON with what was found where the call was looked at."""
    if form == "json":
        if context is not None:
            from piflows.compiler.discovered import joined

            details = joined(details, context)
        print(visible_json(details))
    else:
        most, told = width(sys.stdout), details["error"] is not None or not details["results"]
        header, text = (visible(details[name] or "", keep_newlines=True) for name in ("header", "text"))
        shown = fold_each(text, most, 2) if told else text  # an answer is the child's own
        print("\n\n".join(filter(None, (fold_each(header, most, 2), shown))))
