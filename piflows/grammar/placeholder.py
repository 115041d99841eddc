"""Placeholders in the text of a task: `{task}`, `{previous}`, `{node.<id>}`, `{phase.<id>}`.

Which kinds a text may hold is its mode's matter; every other brace is text, and so is a placeholder whose braces are
doubled on both sides: `{{task}}` stays as it is. An id is whatever stands before the closing brace on the same line, as
ids have no rule for their characters; one with a brace or a line break cannot be named.

Seed: Workflow presets; Graph mode (static DAG); Workflow mode.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from typing import Literal, NamedTuple

from piflows.grammar.near import nearest

Kind = Literal["task", "previous", "node", "phase"]
CHAIN_KINDS: tuple[Kind, ...] = ("task", "previous")  # those of a chain's steps
GRAPH_KINDS: tuple[Kind, ...] = ("task", "node")  # those of a graph's nodes
PHASE_KINDS: tuple[Kind, ...] = (*CHAIN_KINDS, "phase")  # those of a workflow's phases

_ALONE: dict[str, Kind] = {"task": "task", "previous": "previous"}
_NAMED: dict[str, Kind] = {"node": "node", "phase": "phase"}
_INSIDE = rf"(?:{'|'.join(_ALONE)}|(?:{'|'.join(_NAMED)})\.[^{{}}\r\n]++)"
_KINDS = _ALONE | _NAMED
_PLACEHOLDER = re.compile(rf"\{{(?:\{{{_INSIDE}\}}\}}|({_INSIDE})\}})")  # a fixed beginning: quickly searched for
_WORD = re.compile(r"\{\{? *([^\W\d_]++)((?:[ .:_-][\w .:-]{0,63})?)\}\}?")


class Placeholder(NamedTuple):
    """One placeholder: `name` is the id behind the dot ("" without one), `raw` its text, `start` its offset."""

    kind: Kind
    name: str
    raw: str
    start: int


def split(text: str, kinds: Collection[str]) -> list[str | Placeholder]:
    """`text` as its pieces in order, none of them empty: literal text, and the placeholders of `kinds`."""
    pieces: list[str | Placeholder] = []
    done = 0
    for found in placeholders(text, kinds):
        if found.start > done:
            pieces.append(text[done : found.start])
        pieces.append(found)
        done = found.start + len(found.raw)
    return [*pieces, text[done:]] if done < len(text) else pieces


def placeholders(text: str, kinds: Collection[str]) -> list[Placeholder]:
    """The placeholders of `kinds` in a text, in order."""
    return [found for found in _found(text) if found.kind in kinds] if "{" in text else []


def distinct(text: str, kind: Kind) -> list[Placeholder]:
    """The placeholders of one kind in a text, one for each of their spellings."""
    return list({found.raw: found for found in placeholders(text, (kind,))}.values())


@lru_cache(maxsize=64)  # several rules and the lowering ask about the tasks of one call
def _found(text: str) -> list[Placeholder]:
    found: list[Placeholder] = []
    for match in _PLACEHOLDER.finditer(text):
        if match[1]:
            kind, _, name = match[1].partition(".")
            found.append(Placeholder(_KINDS[kind], name, match[0], match.start()))
    return found


def find(text: str, raw: str) -> int:
    """The offset of a placeholder that `split` or `near_misses` has found, by its text; -1 when it is not there."""
    exact = (match.start() for match in _PLACEHOLDER.finditer(text) if match[0] == raw)
    return next(exact, text.find(raw))


def near_misses(text: str, kinds: Collection[str]) -> list[tuple[str, str]]:
    """Words in braces that stay text but look like a placeholder of `kinds`, each with what was probably meant.

    In the order of their first occurrence: `{Task}`, `{ task }`, `{tasks}`, `{{task}}`, `{nodes.a}`, `{node: a}`.
    """
    found: dict[str, str] = {}
    if text.count("{") == len(_found(text)):
        return []  # as in most texts, each brace opens a placeholder
    for match in _WORD.finditer(text):
        raw = match[0]
        if raw.startswith("{{") == raw.endswith("}}") and not _is_placeholder(raw):
            meant = _meant(match[1], match[2].strip(" .:_-"), kinds)
            if meant is not None:
                found.setdefault(raw, meant)
    return list(found.items())


def _is_placeholder(raw: str) -> bool:
    match = _PLACEHOLDER.fullmatch(raw)
    return match is not None and match[1] is not None


def _meant(head: str, rest: str, kinds: Collection[str]) -> str | None:
    """A slip keeps the first letter: `{mode}` and `{mask}` are words of their own, not `{node.x}` and `{task}`."""
    known = _NAMED if rest else _ALONE
    kind = nearest(head, [each for each in known if each in kinds and each[0] == head[0].lower()])
    if kind is not None:
        return f"{{{kind}.{rest}}}" if rest else f"{{{kind}}}"
    bare = head.lower().removesuffix("s")
    return f"{{{bare}.<id>}}" if not rest and bare in _NAMED and bare in kinds else None
