"""IR → textual form. Total: every Flow that Python can hold is printed. Equal digests, equal texts.

One field is one line, so that one changed field is one changed line; of a text, its changed lines. A field that has
its default is left out, but for the few that a reader of a plan looks for (flow_shape.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, assert_never

from piflows.grammar.flow_shape import Field, Json, Kinds, Lines, Record, Scalar, kind_of, shape
from piflows.grammar.flow_words import DEFAULT, NONE, duration, escape, keep_spaces, name, number, quoted
from piflows.ir.flow import Flow
from piflows.ir.node import compact
from piflows.ir.parts import Count, Counter, Each, Index, Noun, Part, Section, Slot, Text

_INDENT = "  "
_APART = frozenset({"role", "stage", "gate", "action", "settle"})  # a blank line stands before each of these


def print_flow(flow: Flow) -> str:
    """The textual form of a Flow, with its header."""
    return print_record(flow, flow.version)
