"""`piflows compile`: check presets, agents and calls, or print what one of them is lowered to."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from os.path import lexists
from pathlib import Path
from typing import TYPE_CHECKING

from piflows.cli.source import STDIN, here, is_saved, read_bytes, read_text
from piflows.cli.surroundings import Surroundings
from piflows.cli.targets import Target, is_folder, kind_of, walk
from piflows.cli.terminal import width
from piflows.ir.diagnostic import Diagnostic, FlowError
from piflows.ir.frozen import frozen
from piflows.ir.visible import visible

if TYPE_CHECKING:
    from piflows.grammar.preset import Preset
    from piflows.ir.flow import Flow

HELP = "check presets, agents, calls and folders of them; or print what a call is lowered to"
EMIT = ("ir", "json", "plan", "dot", "mermaid")
FORMATS = ("text", "json", "sarif", "github")


@frozen
class Result:
    """What came of one file. `assumed` names the parameters of a preset that only a caller can give."""

    diagnostics: tuple[Diagnostic, ...]
    flow: Flow | None = None
    assumed: tuple[str, ...] = ()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to look at, and what to print of it."""
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a preset, a call, a folder, a preset's name, or -")
    parser.add_argument("--check", action="store_true", help="print the findings alone")
    parser.add_argument("--emit", choices=EMIT, help="print this form of one call (default: ir)")
    parser.add_argument("--format", choices=FORMATS, default="text", help="form of the findings (default: text)")
    parser.add_argument("--strict", action="store_true", help="let a warning count as a finding")
    parser.set_defaults(usage=parser.error)


def run(args: argparse.Namespace) -> int:
    """0, or 1 when there is an error (with --strict: or a warning)."""
    alone = len(args.paths) == 1 and not is_folder(args.paths[0])
    emit = args.emit or ("ir" if alone and not args.check and args.format == "text" else None)
    if args.emit and (args.check or not alone):
        args.usage("an emitted form is that of one call: leave out the check, or the other paths")
    around = Surroundings()
    results = [result for path in args.paths for result in _results(path, args, around, full=emit is not None)]
    found = tuple(dict.fromkeys(each for result in results for each in result.diagnostics))
    worst = ("error", "warning") if args.strict else ("error",)
    refused = any(each.severity in worst for each in found)
    _report(found, len(results), args, sys.stderr if emit else sys.stdout)
    if emit and not refused:
        flow = results[0].flow
        if flow is None:
            args.usage("an agent is lowered to nothing: it can only be checked")
        else:
            sys.stdout.write(_emitted(flow, emit, results[0].assumed))
    return 1 if refused else 0


def _results(path: str, args: argparse.Namespace, around: Surroundings, full: bool) -> Iterator[Result]:
    if is_folder(path):
        for each in walk(path):
            yield _result(each, args, around, full) if isinstance(each, Target) else Result((each,))
    elif path == "-" or "/" in path or "." in path or lexists(path):
        yield _result(Target(path, kind_of(path)), args, around, full)
    else:
        yield _named(path, full)


def _result(target: Target, args: argparse.Namespace, around: Surroundings, full: bool) -> Result:
    """One file. What cannot be read at all is a finding too."""
    try:
        if target.kind == "preset":
            return _preset(target, args, around, full)
        return _agent(target, args) if target.kind == "agent" else _call(target.path, args, full)
    except FlowError as refusal:
        return Result(refusal.diagnostics)


def _data(target: Target, args: argparse.Namespace) -> bytes:
    return read_bytes(target.path, args) if target.data is None else target.data


def _preset(target: Target, args: argparse.Namespace, around: Surroundings, full: bool) -> Result:
    from piflows.compiler import compile_preset
    from piflows.grammar.preset import parse_preset

    preset, found = parse_preset(_data(target, args), target.path)
    if preset is None:
        return Result((*found[:-1], replace(found[-1], severity="error")))
    scope, source, base = around.of(target.path)
    compiled = compile_preset(replace(preset, source=source), around.context(base), scope, full=full)
    found = (*compiled.diagnostics, *found, *around.namesake(preset))
    return Result(found, compiled.flow, _assumed(preset) if full else ())


def _named(name: str, full: bool) -> Result:
    """A preset by its name, in the widest scope that has it."""
    from piflows.compiler import compile_call, compile_preset

    context = here()
    preset = context.catalog("all").presets.get(name)
    if preset is None:
        import json

        return Result(
            compile_call(json.dumps({"preset": name, "why": "-", "agentScope": "all"}), context, made=True).diagnostics
        )
    scope = "project" if preset.source == "project" else "user"
    compiled = compile_preset(preset, context, scope, full=full)
    return Result(compiled.diagnostics, compiled.flow, _assumed(preset))


def _assumed(preset: Preset) -> tuple[str, ...]:
    from piflows.compiler.expand import general_call

    return tuple(general_call(preset, {}))


def _agent(target: Target, args: argparse.Namespace) -> Result:
    from piflows.grammar.agent import parse_agent

    agent, found = parse_agent(_data(target, args), target.path)
    return Result(tuple(found) if agent else (*found[:-1], replace(found[-1], severity="error")))


def _call(path: str, args: argparse.Namespace, full: bool) -> Result:
    from piflows.compiler import compile_call

    text, file = read_text(path, args), STDIN if path == "-" else path
    if is_saved(text):
        return _plan(text, file)
    compiled = compile_call(text, here(), file=file, full=full)
    return Result(compiled.diagnostics, compiled.flow)


def _plan(text: str, file: str) -> Result:
    """A saved plan, proved like any other Flow."""
    from piflows.grammar.saved import read_saved
    from piflows.ir.diagnostic import diagnostic
    from piflows.ir.source import Where
    from piflows.ir.verify import verify

    flow = read_saved(text, file).flow
    found = verify(flow, here().real)
    return Result(tuple(diagnostic(each.code, Where(file, each.state), **each.facts) for each in found), flow)


def _emitted(flow: Flow, emit: str, assumed: tuple[str, ...]) -> str:
    match emit:
        case "ir":
            from piflows.grammar.flow_text import print_flow

            return print_flow(flow)
        case "json":
            from piflows.ir.node import dump
            from piflows.ir.visible import visible_json

            return visible_json(dump(flow)) + "\n"
        case "plan":
            from piflows.compiler.render.plan import plan_text

            return plan_text(flow, width(sys.stdout), assumed)
        case _:
            from piflows.compiler.render.dot import dot
            from piflows.compiler.render.mermaid import mermaid
            from piflows.compiler.render.picture import picture

            return (dot if emit == "dot" else mermaid)(picture(flow))


def _report(found: tuple[Diagnostic, ...], files: int, args: argparse.Namespace, stream: object) -> None:
    """The findings; in text, and when they are all there is, with a closing line."""
    if found or args.format != "text":
        print(_rendered(found, args), end="", file=stream)  # pyright: ignore
    if args.format == "text" and stream is sys.stdout:
        counts = [(kind, sum(each.severity == kind for each in found)) for kind in ("error", "warning", "note")]
        said = ", ".join(f"{n} {kind}{'s' * (n != 1)}" for kind, n in counts if n)
        said = said or ("nothing found" if files else "no preset, agent or call is there")
        print(visible(f"{files} file{'s' * (files != 1)} checked: {said}"))


def _rendered(found: tuple[Diagnostic, ...], args: argparse.Namespace) -> str:
    from piflows.cli.shown import reader
    from piflows.compiler.render.diagnostics import render
    from piflows.ir.diagnostic import tidy

    if args.format != "json":  # a program reads the order of the checks, in which the first error is the run's
        found = tidy(found)
    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    return render(found, args.format, root=str(Path.cwd()), source=reader(None), colour=colour, width=width(sys.stdout))
