"""What a CALL argument names: a call, a preset by name or by file, or a saved plan; and how files are read for it."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from io import StringIO
from os.path import lexists, realpath
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from piflows.ir.diagnostic import Diagnostic, FlowError, diagnostic
from piflows.ir.frozen import frozen
from piflows.ir.limits import LIMITS
from piflows.ir.source import Where

if TYPE_CHECKING:
    from piflows.compiler import Compiled
    from piflows.compiler.context import Context
    from piflows.grammar.agent import Source
    from piflows.grammar.preset import Preset

CALL = "a .json file, a saved plan, -, a preset's name, or a preset file"
STDIN = ""  # the file name that diagnostics of standard input have
_NAME = re.compile(r"[^\s./\\]+")


@frozen
class CallSource:
    """What was named. `saved`: the text is a saved plan, in whichever form, not a call.

    `file` is the name in diagnostics; `made`: the call was put together from options, and `assumed` names the
    parameters in it that nobody gave: without them a preset could not be looked at.
    """

    text: str
    file: str
    context: Context
    saved: bool = False
    made: bool = False
    assumed: tuple[str, ...] = ()

    def compile(self, *, full: bool = True) -> Compiled:
        """The call, compiled. Not for a saved plan."""
        from piflows.compiler import compile_call

        return compile_call(self.text, self.context, file=self.file, full=full, made=self.made)


def add_call_arguments(parser: argparse.ArgumentParser, word: str = "CALL", means: str = CALL) -> None:
    """CALL, and what completes a preset."""
    parser.add_argument("call", metavar=word, help=means)
    parser.add_argument("--task", metavar="TEXT", help="the task of a preset")
    parser.add_argument("--why", metavar="TEXT", help="why a preset is worth its children")
    parser.add_argument(
        "--set",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="a parameter beside a preset, as JSON or as plain text; repeatable",
    )
    parser.set_defaults(usage=parser.error)


def load_call(args: argparse.Namespace, *, general: bool = False) -> CallSource:
    """Read what CALL names. With `general` a preset without a task and a why is completed so that it can be looked at.

    Raises FlowError for a text that cannot be read, SystemExit (2) for wrong usage.
    """
    from piflows.compiler.check.rule import scope_of

    word: str = args.call
    given = _given(args)
    if word.endswith(".md"):
        preset, context, scope = load_preset(word, args)
        return _preset_call(preset, context, given, general, scope)
    context = here()
    if _NAME.fullmatch(word) and word != "-":
        preset = context.catalog(scope_of(given)).presets.get(word)
        if preset is not None or not lexists(word):  # what lies here under a preset's name is `./name`
            return _preset_call(preset or word, context, given, general)
    if given and is_there(word):
        args.usage("task, why and parameters complete a preset; a call says all of it by itself")
    text = read_text(word, args)
    return CallSource(text, STDIN if word == "-" else word, context, is_saved(text))


def names_preset(word: str) -> bool:
    """Whether a CALL argument means a preset, as far as the word and what lies here tell."""
    return word.endswith(".md") or (_NAME.fullmatch(word) is not None and word != "-" and not lexists(word))


def is_there(word: str) -> bool:
    """Whether there is something to read under this word. What is not there is told by who reads it."""
    return word == "-" or lexists(word)


def here(base: Path | None = None, *, presets: bool = True) -> Context:
    """The context of this process. `base` is where the project is looked for, if not here.

    Without `presets` it holds those of the package alone: enough to check one whose file is known.
    """
    from piflows.compiler.catalog import host_context

    return host_context(Path.cwd(), os.environ, base, presets=presets)


def load_preset(path: str, args: argparse.Namespace) -> tuple[Preset, Context, str]:
    """A preset file with a context that holds it, and the scope that it lies in.

    Raises FlowError for one that discovery would skip, SystemExit (2) when it is not there.
    """
    from piflows.compiler.expand import template_faults
    from piflows.grammar.preset import parse_preset

    preset, found = parse_preset(read_bytes(path, args), path)
    faults = template_faults(preset) if preset else found[-1:]
    if preset is None or faults:
        raise FlowError(*(replace(fault, severity="error") for fault in faults))
    scope, source, base = lies_in(path)
    preset = replace(preset, source=source)
    return preset, here(base).holding(preset, found), scope


def lies_in(path: str) -> tuple[str, Source, Path | None]:
    """The scope that a preset file lies in, its source, and where its project begins.

    One that lies in no place of discovery is looked at with all agents in reach. What counts is the file itself: a link
    to a project's preset is a project's preset.
    """
    from piflows.compiler.catalog import home_of
    from piflows.compiler.catalog.discover import BUNDLED, PRESETS

    folder = Path(realpath(path)).parent
    if folder == Path(realpath(BUNDLED)):
        return "user", "package", None
    if folder == Path(realpath(home_of(os.environ) / ".pi" / "agent" / PRESETS)):
        return "user", "user", None
    if folder.name == PRESETS and folder.parent.name == ".pi":
        return "project", "project", folder.parent.parent
    return "all", "user", None


def read_text(word: str, args: argparse.Namespace) -> str:
    """The text of a file, or of standard input for `-`. Raises FlowError (CALL_INVALID), or SystemExit (2)."""
    data = read_bytes(word, args)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        start = data.rfind(b"\n", 0, error.start) + 1
        where = Where(
            STDIN if word == "-" else word,
            line=data.count(b"\n", 0, start) + 1,
            column=len(data[start : error.start].decode()) + 1,
        )
        problem = f"it is not UTF-8: byte 0x{data[error.start]:02x}"
        raise FlowError(diagnostic("CALL_INVALID", where, problem=problem)) from None


def read_bytes(word: str, args: argparse.Namespace) -> bytes:
    """The bytes of a file, or of standard input for `-`. Raises FlowError (CALL_INVALID), or SystemExit (2)."""
    from piflows.compiler.catalog.files import Unreadable, read_regular

    if word == "-":
        stream = sys.stdin
        if stream is None:  # pyright: ignore[reportUnnecessaryComparison]  (Python's word for a closed one)
            args.usage("standard input is closed")
            return b""
        return stream.buffer.read(LIMITS.saved_bytes + 1)  # a longer one is refused for its length
    if not lexists(word):
        args.usage(f'there is no file "{word}"')
    try:
        return read_regular(word, LIMITS.saved_bytes)
    except Unreadable as refusal:
        raise FlowError(unreadable(word, str(refusal))) from None


def unreadable(path: str, problem: str) -> Diagnostic:
    """The finding about a file that was named and cannot be read."""
    from piflows.cli.targets import kind_of

    codes = {"preset": "PRESET_FILE_UNREADABLE", "agent": "AGENT_FILE_UNREADABLE", "call": "CALL_INVALID"}
    kind = kind_of(path)
    code, clause = codes[kind], f"{path} cannot be read, {problem}" if kind == "call" else problem
    return replace(diagnostic(code, Where(path), file=path, problem=clause), severity="error")


def is_saved(text: str) -> bool:
    """Whether a text is a saved plan: the textual form of a Flow, or JSON with what only a plan has."""
    text = text.removeprefix("\ufeff")
    lines = (line for line in StringIO(text, newline=None) if line.strip() and not line.startswith("#"))
    if next(lines, "").startswith("piflows "):
        return True
    if '"piflows-plan"' not in text and '"states"' not in text:
        return False
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False  # the reader of calls says why
    return isinstance(value, dict) and not {"piflows-plan", "states"}.isdisjoint(cast("dict[str, Any]", value))


def _given(args: argparse.Namespace) -> dict[str, Any]:
    """The parameters from the options."""
    given: dict[str, Any] = {}
    for pair in args.set:
        key, sign, value = pair.partition("=")
        if not sign or not key:
            args.usage(f'a parameter is given as KEY=VALUE, not as "{pair}"')
        _put(given, key, _value(value), args)
    for key in ("task", "why"):
        if (value := getattr(args, key)) is not None:
            _put(given, key, value, args)
    return given


def _put(given: dict[str, Any], key: str, value: Any, args: argparse.Namespace) -> None:
    if key in given or key == "preset":
        args.usage(f'"{key}" is given twice')
    given[key] = value


def _value(text: str) -> Any:
    """JSON, else the text itself."""
    from piflows.grammar.located import strict_json

    try:
        return strict_json(text)
    except ValueError:
        return text


def _preset_call(
    preset: Preset | str, context: Context, given: Mapping[str, Any], general: bool, scope: str | None = None
) -> CallSource:
    """The call of a preset, or of a name that no preset has: the compiler says so. `scope`: where a file lies."""
    from piflows.compiler.expand import general_call

    said = given if scope is None else {"agentScope": scope, **given}
    if isinstance(preset, str):
        call = {"preset": preset, **said}
    else:
        call = general_call(preset, said) if general else {"preset": preset.name, **said}
    assumed = tuple(name for name in call if name != "preset" and name not in given)
    return CallSource(json.dumps(call, ensure_ascii=False), STDIN, context, made=True, assumed=assumed)
