"""The textual form of the IR, both ways: a diff to review, a lock to commit, a test to write by hand.

The language is in flow.lark, its words in flow_shape.py. Reading what was printed gives an equal Flow (neighbouring
texts become one: `ir.parts.normal`), and so the same digest.
"""

from __future__ import annotations

from typing import Any

from piflows.grammar.flow_print import print_record
from piflows.ir.diagnostic import FlowError, diagnostic
from piflows.ir.flow import IR_VERSION, Flow
from piflows.ir.source import Where

MOST = 10  # findings that are shown of one text


def print_flow(flow: Flow) -> str:
    """The textual form of a Flow."""
    return print_record(flow, flow.version)


def parse_flow(text: str, file: str = "") -> Flow:
    """The Flow of a text. Raises FlowError with IR_INVALID, its line and its column, for each of up to ten findings."""
    return parse_record(Flow, text, file)


def parse_record(cls: type, text: str, file: str) -> Any:
    """A record of the type `cls` whose lines are those of a whole text. Raises as `parse_flow`."""
    from piflows.grammar.flow_build import Builder
    from piflows.grammar.flow_parse import parse_lines
    from piflows.grammar.flow_tree import Misread, Word

    builder = Builder()
    record = None
    try:
        version, lines = parse_lines(text)
        if problem := wrong_version(version.text):
            raise Misread(version.line, version.column, problem)
        record = builder.record(cls, Word("flow", True, version.line, 1), (), lines)
    except Misread as misread:
        builder.findings.append(misread)
    if builder.findings:
        found = sorted(builder.findings, key=lambda misread: (misread.line, misread.column))[:MOST]
        raise FlowError(
            *(diagnostic("IR_INVALID", Where(file, "", m.line, m.column), problem=m.problem) for m in found)
        )
    return record


def wrong_version(version: object) -> str:
    """Why a flow of this IR version cannot be read, or the empty string."""
    if str(version) == str(IR_VERSION):
        return ""
    return f"it has version {version} of the IR, and this piflows reads version {IR_VERSION}"
