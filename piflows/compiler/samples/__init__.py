"""Samples: for each code that this version reports, something that is refused with it and something that is not.

In     a code of the catalogue
Out    its pairs of samples, each with the files to lay in an empty directory and the command that was tried on them
Rules  a code without a file here is one that nothing in this version reports; a test runs every sample
       samples are read when `explain` or the docs ask for them, never by a check
Add    a sample: an entry in `<CODE>.json`, a list of `{"rule": …, "refused": {…}, "accepted": {…}}`;
       `warned` where the severity is not the catalogue's
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import field
from importlib.resources import files
from typing import Any, cast

from piflows.ir.codes import CODES
from piflows.ir.frozen import frozen

CHECK = "piflows compile --check call.json"
NARROW = 76  # columns of a sample's JSON, also in a terminal of 80 that shows it indented


@frozen
class Sample:
    """`files`: path → text, laid in an empty directory. `person`: what somebody on the terminal answers, if asked."""

    files: Mapping[str, str]
    command: str = CHECK
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    person: str | None = None


@frozen
class Pair:
    """`rule` is the rule of the checker that refuses the first and passes the second; None where none is asked.

    `warned`: the first is not refused, there is a warning or a note about it.
    """

    rule: str | None
    warned: bool
    refused: Sample
    accepted: Sample


def pairs(code: str) -> tuple[Pair, ...]:
    """The samples of a code of the catalogue; none for one that this version never reports."""
    file = files(__name__).joinpath(f"{code}.json")
    listed: list[dict[str, Any]] = json.loads(file.read_text("utf-8")) if file.is_file() else []
    usual = CODES[code].severity != "error"
    return tuple(
        Pair(each.get("rule"), each.get("warned", usual), _sample(each["refused"]), _sample(each["accepted"]))
        for each in listed
    )


def reserved(code: str) -> bool:
    """Whether a code of the catalogue is one that nothing in this version reports."""
    return not files(__name__).joinpath(f"{code}.json").is_file()


def _sample(said: Mapping[str, Any]) -> Sample:
    """`call` and `script` are JSON, or the text itself where that is no JSON; the other files are texts."""
    laid = dict(cast("dict[str, str]", said.get("files", {})))
    for key in ("call", "script"):
        if key in said:
            value = said[key]
            laid[f"{key}.json"] = (value if isinstance(value, str) else layout(value)) + "\n"
    return Sample(laid, said.get("command", CHECK), said.get("env", {}), said.get("person"))


def layout(value: Any, indent: int = 0, before: int = 0) -> str:
    """JSON in which whatever fits into one line stands in one; `before` are the columns taken by its key."""
    flat = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)) or not value or (indent and indent + before + len(flat) <= NARROW):
        return flat
    inner = indent + 2
    if isinstance(value, dict):
        keyed = [(f"{json.dumps(key)}: ", each) for key, each in cast("dict[str, Any]", value).items()]
        rows = [f"{key}{layout(each, inner, len(key))}" for key, each in keyed]
    else:
        rows = [layout(each, inner) for each in cast("list[Any]", value)]
    body = ",\n".join(" " * inner + row for row in rows)
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}\n{body}\n{' ' * indent}{closing}"
