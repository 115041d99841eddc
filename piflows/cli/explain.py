"""`piflows explain CODE`: cause, fix and samples of a code of the catalogue; without CODE, all codes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from textwrap import indent, shorten
from typing import Any

from piflows.cli.terminal import width
from piflows.compiler.render.reference import UNREPORTED, may_retry, when_known, whose
from piflows.compiler.samples import Pair, Sample, pairs, reserved
from piflows.ir.codes import CODES, GROUPS, Code
from piflows.ir.diagnostic import outline
from piflows.ir.fold import fold, fold_each
from piflows.ir.visible import visible, visible_json

HELP = "explain an error code: what happened, why, what to do, and a sample; without a code, list all codes"

_TITLES = {"error": "Refused", "warning": "Warned of", "note": "Noted"}  # what a sample stands under


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The code, in any letter case, and the form of the answer."""
    parser.add_argument("code", metavar="CODE", nargs="?", help="a code such as GRAPH_CYCLE (default: list them all)")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="form of the answer (default: text)")


def run(args: argparse.Namespace) -> int:
    """Print the entry, or all codes; 0, or 2 with the nearest known code for one that does not exist."""
    if args.code is None:
        print(visible_json(_listed()) if args.format == "json" else _list())
        return 0
    code = CODES.get(args.code.strip().upper())
    if code is None:
        from piflows.grammar.near import hint

        near = hint(args.code.strip().upper(), CODES)
        said = f'piflows explain: there is no code "{visible(args.code)}".{near}'
        print(fold_each(said, width(sys.stderr), 2), file=sys.stderr)
        return 2
    print(visible_json(_object(code)) if args.format == "json" else _text(code))
    return 0


def _listed() -> list[dict[str, Any]]:
    return [
        {"code": code.name, "group": title, "message": outline(code.message), "reported": not reserved(code.name)}
        for title, codes in GROUPS.items()
        for code in codes
    ]


def _list() -> str:
    """One line for each code, in the groups of docs/codes.md; one that nothing reports yet is in brackets."""
    wide = max(map(len, CODES)) + 4
    blocks = ["\n".join((title, *(_row(code, wide) for code in codes))) for title, codes in GROUPS.items()]
    closing = fold(f"`piflows explain CODE` says more. In brackets: {UNREPORTED}", width(sys.stdout), hang=0)
    return "\n\n".join((*blocks, "\n".join(closing)))


def _row(code: Code, wide: int) -> str:
    """The name and as much of the message as the line takes."""
    name = f"[{code.name}]" if reserved(code.name) else f" {code.name}"
    room = max(width(sys.stdout) - wide - 1, 20)
    return f" {name:<{wide}}{shorten(outline(code.message), room, placeholder=' …')}"


def _folded(text: str) -> list[str]:
    return fold(text, width(sys.stdout), hang=2)


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
        "reported": not reserved(code.name),
        "samples": [
            {
                "rule": pair.rule,
                "severity": _severity(code, pair),
                "refused": _sample_object(pair.refused),
                "accepted": _sample_object(pair.accepted),
            }
            for pair in pairs(code.name)
        ],
    }


def _sample_object(sample: Sample) -> dict[str, object]:
    return {"files": sample.files, "env": sample.env, "person": sample.person, "command": sample.command}


def _text(code: Code) -> str:
    facts = (
        f"{code.name}: {code.severity} of {whose(code)}",
        *_folded(f"Message: {outline(code.message)}"),
        *_folded(f"Cause: {outline(code.cause)}"),
        *_folded(f"Fix: {outline(code.fix)}"),
        f"Known: {when_known(code)}",
        f"Retryable unchanged: {may_retry(code)}",
    )
    return "\n".join((*facts, *_samples(code)))


def _severity(code: Code, pair: Pair) -> str:
    """That of the catalogue, unless this case has another."""
    return "error" if not pair.warned else code.severity if code.severity != "error" else "warning"


def _samples(code: Code) -> Iterator[str]:
    if reserved(code.name):
        yield from _folded(f"Samples: none. {UNREPORTED}")
    for pair in pairs(code.name):
        for title, sample in ((_TITLES[_severity(code, pair)], pair.refused), ("Accepted", pair.accepted)):
            yield f"\n{title}:"
            yield from _sample(sample)


def _sample(sample: Sample) -> Iterator[str]:
    """The files that it takes, and the command to type where they lie."""
    for path, text in sample.files.items():
        yield f"  {path}"
        yield indent(visible(text.rstrip("\n"), keep_newlines=True), "    ")
    assigned = "".join(f"{name}={value} " for name, value in sample.env.items())
    yield f"  $ {assigned}{sample.command}"
    if sample.person is not None:
        yield f"  asked on the terminal, a person says {sample.person}"
