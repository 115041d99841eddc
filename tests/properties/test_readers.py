"""Whatever a reader is given, it gives a value, or findings with a code, a file and a place: never anything else."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from piflows.cli.source import _value, is_saved
from piflows.compiler import compile_call
from piflows.compiler.catalog import host_context
from piflows.grammar.agent import parse_agent
from piflows.grammar.flow_text import parse_flow
from piflows.grammar.located import read_json
from piflows.grammar.preset import parse_preset
from piflows.grammar.saved import read_saved, write_saved
from piflows.interpreter import journal
from piflows.interpreter.backends.script import parse_script
from piflows.interpreter.hands.journal_file import JournalFile
from piflows.ir.codes import CODES
from piflows.ir.diagnostic import Diagnostic, FlowError
from tests.properties.spoiled import AGENTS, PRESETS, anything, calls

FILE = "odd.file"
SCRIPT = json.dumps({"children": [{"agent": "a", "unit": "x*", "times": 2, "reply": "r", "writes": {"f": "t"}}]})
JOURNAL = journal.header("sha256:1", 1) + "".join(
    journal.line({"seq": seq, "at": seq, "effect": "a#1/b!1", "incarnation": 1, "n": seq, **event})
    for seq, event in enumerate(
        (
            {"kind": "opened", "run": "r", "invocation": "i", "flow": "sha256:1", "ir": 1, "cwd": "/"},
            {"kind": "childStarted"},
            {"kind": "turnEnded", "usage": {"input": 1, "output": 2, "costUsd": None}},
        ),
        1,
    )
)


def saved() -> str:
    context = host_context(Path.cwd(), {"HOME": "/nowhere"})
    flow = compile_call(calls()[3], context).flow
    assert flow is not None
    return write_saved(flow, (("a.json", "sha256:0"),))


def recorded(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / FILE
        path.write_bytes(data)
        try:
            JournalFile(str(path), "sha256:1", 1).close()
        except FlowError as error:
            assert all(each.where.file == str(path) for each in error.diagnostics)
            raise FlowError(*error.diagnostics) from None


def text(read: Callable[[str], Any]) -> Callable[[bytes], Any]:
    return lambda data: read(data.decode("utf-8", "surrogateescape"))


def loaded(parse: Callable[[bytes, str], tuple[Any, list[Diagnostic]]]) -> Callable[[bytes], None]:
    def read(data: bytes) -> None:
        made, found = parse(data, FILE)
        if made is None:
            raise FlowError(*found)
        assert not any(each.severity == "error" for each in found)

    return read


SAVED = saved()
READERS: dict[str, tuple[Callable[[bytes], Any], tuple[str, ...]]] = {
    "call": (text(lambda each: read_json(each, FILE)), calls()),
    "preset": (loaded(parse_preset), PRESETS),
    "agent": (loaded(parse_agent), AGENTS),
    "flow": (text(lambda each: parse_flow(each, FILE)), (SAVED,)),
    "saved": (text(lambda each: read_saved(each, FILE)), (SAVED, '{"piflows-plan": 1, "flow": {"states": []}}')),
    "script": (text(lambda each: parse_script(each, FILE)), (SCRIPT,)),
    "journal": (recorded, (JOURNAL,)),
    "is a saved plan": (text(is_saved), (SAVED,)),
    "--set": (text(_value), ("1", "[1]", "x")),
}
UNPLACED = {"AGENT_FILE_UNREADABLE", "PRESET_FILE_UNREADABLE", "JOURNAL_INVALID"}  # of the file as a whole, or a line


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=40)
@given(data=st.data())
def test_a_reader_gives_a_value_or_placed_findings(name: str, data: st.DataObject) -> None:
    read, good = READERS[name]
    given_bytes = data.draw(anything(*good))
    try:
        read(given_bytes)
    except FlowError as error:
        lines = given_bytes.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        for found in error.diagnostics:
            assert found.code in CODES and found.message and found.fix
            assert found.where.file
            assert found.where.line is not None or found.code in UNPLACED
            assert 1 <= (found.where.line or 1) <= len(lines) + 1
            assert (found.where.column or 1) >= 1
            assert found.where.column is not None or found.code in UNPLACED
