"""Calls as models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from piflows.grammar.call import Call, read_call


def model(call: Mapping[str, Any]) -> Call:
    """The model of a call that the models take."""
    read, refused, _ = read_call(call, 9)
    assert read is not None, refused
    return read
