"""`piflows new`: a preset or an agent to start from, one starter for each mode."""

from __future__ import annotations

import argparse
import json
import re
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from piflows.cli.place import Occupied, put
from piflows.compiler.catalog.discover import AGENTS, BUNDLED, PRESETS
from piflows.compiler.lower import MODES
from piflows.compiler.params import ANSWERS
from piflows.grammar.preset import NAME
from piflows.ir.diagnostic import FlowError, diagnostic
from piflows.ir.source import Where
from piflows.ir.visible import visible

HELP = "write a preset to start from into .pi/flow-presets, or with --agent an agent into .pi/flow-agents"
STARTERS = BUNDLED / "starters"  # a preset for each mode, under the mode's name, and `agent.md`
USUAL = "single"
LONGEST = 100  # characters of a name: with its ending it is one name of a file everywhere
_FILE = re.compile(r"(?![-\s])[^./\\:*?\"<>|]+(?<![.\s])")  # a file's name on every system


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The name, what kind of start, and where it is put."""
    modes = tuple(mode for mode in MODES if mode not in ANSWERS)
    parser.add_argument("name", metavar="NAME", help="its name, lowercase kebab-case as in map-codebase")
    parser.add_argument("--agent", action="store_true", help="an agent instead of a preset")
    parser.add_argument("--mode", choices=modes, help=f"the mode of the preset (default: {USUAL})")
    parser.add_argument(
        "--dir", metavar="DIR", default=".", help="the project, in which .pi lies or is made (default: .)"
    )
    parser.add_argument("--description", metavar="TEXT", help="what it is for, one line")
    parser.add_argument(
        "--force", action="store_true", help="replace a file, or a bundled preset or agent of that name"
    )
    parser.set_defaults(usage=parser.error)


def run(args: argparse.Namespace) -> int:
    """Write it and print where it is and what to type next; 1 when it cannot be written."""
    kind, folder = ("agent", AGENTS) if args.agent else ("preset", PRESETS)
    if args.agent and args.mode:
        args.usage("an agent has no mode: a call puts it into one")
    name = _name(args.name, args)
    shown = str(Path(args.dir) / ".pi" / folder / f"{name}.md")
    data = _text(name, args).encode()
    if not args.force:
        _unshadowed(kind, name, shown)
    try:
        put(Path(args.dir), (".pi", folder, f"{name}.md"), data, force=args.force)
    except Occupied as refusal:
        raise FlowError(diagnostic("FILE_NOT_WRITTEN", Where(shown), file=shown, problem=str(refusal))) from None
    print(visible(shown), flush=True)  # before what follows on the other stream
    print(f"next: {visible(_next(kind, shown))}", file=sys.stderr)
    return 0


def _name(name: str, args: argparse.Namespace) -> str:
    """The name, if a file and its frontmatter can have it. SystemExit (2) otherwise."""
    if len(name) > LONGEST:
        return _refused(args, f"the name has {len(name)} characters: at most {LONGEST} are taken")
    if args.agent:
        if visible(name) != name or not _FILE.fullmatch(name):
            return _refused(args, f'an agent and its file cannot be named "{name}"')
    elif not NAME.fullmatch(name):
        kebab = "-".join(re.findall(r"[a-z0-9]+", name.lower()))
        meant = f'. Did you mean "{kebab}"?' if kebab else ""
        return _refused(args, f'the name "{name}" is not lowercase kebab-case, as in map-codebase{meant}')
    return name


def _refused(args: argparse.Namespace, problem: str) -> NoReturn:
    args.usage(problem)
    raise AssertionError(problem)  # wrong usage has ended the command


def _text(name: str, args: argparse.Namespace) -> str:
    """The starter under its name and description. SystemExit (2) for a description that is no line of text."""
    starter = STARTERS / f"{'agent' if args.agent else args.mode or USUAL}.md"
    text = _with(starter.read_text("utf-8"), "name", name)
    said: str | None = args.description
    if said is not None:
        if not said.strip() or visible(said) != said:
            args.usage("the description is one line of text that is not blank, without control characters")
        text = _with(text, "description", said.strip())
    return text


def _with(text: str, key: str, value: str) -> str:
    """The frontmatter with a value put in: as it is where it is plain, else as a string of JSON, which YAML reads."""
    plain = re.fullmatch(r"[^\W_][\w ,.;()/-]*", value)
    line = f"{key}: {value if plain else json.dumps(value, ensure_ascii=False)}"
    return re.sub(f"^{key}: .*$", lambda _: line, text, count=1, flags=re.MULTILINE)


def _unshadowed(kind: str, name: str, shown: str) -> None:
    """Raises FlowError where something bundled has the name: a beginner rarely means to replace it."""
    bundled = f"{'agents/' if kind == 'agent' else ''}{name}.md"
    if (BUNDLED / bundled).is_file():
        code = f"{kind.upper()}_NAME_SHADOWED"
        found = diagnostic(code, Where(shown), name=name, file=shown, other=f"package:{bundled}")
        raise FlowError(replace(found, severity="error", fix=f"{found.fix} Then add `--force`."))


def _next(kind: str, shown: str) -> str:
    path = shlex.quote(shown)
    if kind == "agent":
        return f"piflows compile --check {path}"
    return f'piflows plan {path} --task "what you want to know"'
