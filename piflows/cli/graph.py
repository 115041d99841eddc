"""`piflows graph`: a picture of what a call would run, by Graphviz or as Mermaid. What is refused is not drawn."""

from __future__ import annotations

import argparse
import sys
from pathlib import PurePath
from typing import TYPE_CHECKING

from piflows.cli.shown import load_flow, write
from piflows.cli.source import add_call_arguments
from piflows.ir.visible import visible

if TYPE_CHECKING:
    from piflows.ir.flow import Flow

HELP = "draw what a call would run: Graphviz DOT, SVG, PNG or PDF, or Mermaid"
FORMATS = ("dot", "svg", "png", "pdf", "mermaid")
SUFFIXES = {".dot": "dot", ".gv": "dot", ".svg": "svg", ".png": "png", ".pdf": "pdf", ".mmd": "mermaid"}
OTHERS = "--format dot or mermaid"
DRAW_SECONDS = 120  # a picture that takes longer is none that a person can read


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The call, the file, and the form."""
    add_call_arguments(parser)
    parser.add_argument("-o", "--output", metavar="FILE", help="write a file, in the form that its name ends with")
    parser.add_argument("--format", choices=FORMATS, help="form of the picture (default: by FILE's name, else dot)")


def _suffixes() -> str:
    return ", ".join(SUFFIXES)


def run(args: argparse.Namespace) -> int:
    """Draw it; 1 when the call is refused or the picture cannot be made."""
    form = args.format or _form(args)
    if form in ("png", "pdf") and args.output is None and sys.stdout.isatty():
        args.usage(f"a terminal shows no {form}: use -o FILE")
    shown = load_flow(args, general=True)
    if shown.flow is None:
        return 1
    data = _drawn(shown.flow, form)
    if data is None:
        return 1
    if args.output is None:
        sys.stdout.buffer.write(data)
        return 0
    problem = write(args.output, data)
    if problem:
        print(f"piflows graph: {visible(args.output)} cannot be written: {visible(problem)}", file=sys.stderr)
    return 1 if problem else 0


def _form(args: argparse.Namespace) -> str:
    if args.output is None:
        return "dot"
    suffix = PurePath(args.output).suffix.lower()
    if suffix not in SUFFIXES:
        args.usage(f"the name of the file says no form: let it end in {_suffixes()}, or give the form as well")
    return SUFFIXES[suffix]


def _drawn(flow: Flow, form: str) -> bytes | None:
    """The picture; None when Graphviz did not make it, which is said by then."""
    from piflows.compiler.render.dot import dot
    from piflows.compiler.render.mermaid import mermaid
    from piflows.compiler.render.picture import picture

    if form == "mermaid":
        return mermaid(picture(flow)).encode()
    source = dot(picture(flow)).encode()
    return source if form == "dot" else _graphviz(source, form)


def _graphviz(source: bytes, form: str) -> bytes | None:
    """What the real `dot` draws."""
    import subprocess

    try:
        made = subprocess.run(["dot", f"-T{form}"], input=source, capture_output=True, timeout=DRAW_SECONDS)
    except FileNotFoundError:
        return _unavailable(f"{form} without Graphviz: install it so that `dot` is on the PATH, or use {OTHERS}")
    except subprocess.TimeoutExpired:
        return _unavailable(f"{form}, as Graphviz had not drawn it after {DRAW_SECONDS} seconds: use {OTHERS}")
    except OSError as error:
        return _unavailable(f"{form}, as the `dot` of Graphviz cannot be started ({error.strerror}): use {OTHERS}")
    if made.returncode == 0:
        return made.stdout
    said = made.stderr.decode(errors="replace").strip().split("\n")[0]
    return _unavailable(f"{form}, as the `dot` of Graphviz ended with status {made.returncode} ({said}): use {OTHERS}")


def _unavailable(what: str) -> None:
    from piflows.compiler.render.diagnostics import render
    from piflows.ir.diagnostic import diagnostic

    sys.stderr.write(render([diagnostic("NOT_AVAILABLE", what=what)], "text"))
