"""Strategies of bad input: any bytes, any JSON, and good files with a few things spoiled."""

from __future__ import annotations

import json
import re
from typing import Any

from hypothesis import strategies as st

from piflows.compiler.catalog.discover import BUNDLED
from tests.properties.strategies import json_values

ODD = (
    *"{}[],:\"'\\/#-|>&*!%@`",
    *("\r\n", "\r", "\n", "\t", "\0", "\x1b[2J", "\x07", "\u202e", "\ufeff", "\u2028", "é", "😀", "\ud800"),
    *("```json\n", "```", "---\n", ": ", "//", "/*", "null", "[]", "{}", '""', "{task}", "{node.x}", "{nodes.a}"),
    *("-0", "1e999", "9" * 400, "9" * 10_000, "NaN", "-Infinity", "01", "1.5", "-1", "[" * 200, '{"a":' * 120),
)
_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|\w+|\s+|.', re.DOTALL)
CALLS = (
    {"why": "w", "agent": "recon", "task": "t", "timeoutMs": 60_000, "contract": {"type": "object"}},
    {"why": "w", "tasks": [{"agent": "recon", "task": "a"}, {"agent": "nobody", "task": "b", "cwd": "x"}]},
    {"why": "w", "chain": [{"agent": "recon", "task": "a"}, {"agent": "recon", "task": "{previous}"}]},
    {
        "why": "w",
        "graph": {
            "nodes": [
                {"id": "a", "agent": "recon", "task": "x"},
                {"id": "b", "agent": "recon", "task": "{node.a}", "dependsOn": ["a"]},
            ]
        },
    },
    {"why": "w", "task": "t", "route": {"candidates": ["recon", "strategist"], "fallback": "recon"}},
    {"why": "w", "task": "t", "evaluate": {"redteam": [{"agent": "redteam"}], "maxIterations": 2}},
    {"why": "w", "preset": "scout", "task": "t"},
)
PRESETS = tuple(path.read_text("utf-8") for path in sorted(BUNDLED.glob("*.md")))
AGENTS = tuple(path.read_text("utf-8") for path in sorted((BUNDLED / "agents").glob("*.md")))


def jsons() -> st.SearchStrategy[str]:
    """Any JSON value as text, often with what a call or a script has at its top."""
    keys = ("children", "graph", "tasks", "agent", "task", "why", "states", "flow", "piflows-plan", "contract")
    objects = st.dictionaries(st.sampled_from(keys), json_values(), max_size=4)
    return (objects | json_values()).map(lambda value: json.dumps(value, ensure_ascii=False))


def anything(*good: str) -> st.SearchStrategy[bytes]:
    """Any bytes: raw ones, any JSON, spoiled good texts, any of them with a byte in it that is no UTF-8."""
    texts = jsons() | st.text(max_size=30)
    data = (texts | spoiled(*good) if good else texts).map(encoded)
    broken = st.builds(lambda whole, at: whole[:at] + b"\xff" + whole[at:], data, st.integers(0, 200))
    return st.binary(max_size=40) | data | broken


def encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


@st.composite
def spoiled(draw: st.DrawFn, *good: str) -> str:
    """A good text with one to three tokens deleted, doubled, swapped, replaced, or the text cut off."""
    text = draw(st.sampled_from(good))
    for _ in range(draw(st.integers(1, 3))):
        tokens = _TOKEN.findall(text) or [""]
        at, other = draw(st.integers(0, len(tokens) - 1)), draw(st.integers(0, len(tokens) - 1))
        match draw(st.sampled_from(("delete", "double", "swap", "put", "replace", "cut", "crlf", "member"))):
            case "delete":
                del tokens[at]
            case "double":
                tokens.insert(at, tokens[at])
            case "swap":
                tokens[at], tokens[other] = tokens[other], tokens[at]
            case "put":
                tokens.insert(at, draw(st.sampled_from(ODD)))
            case "replace":
                tokens[at] = draw(st.sampled_from(ODD))
            case "cut":
                del tokens[at:]
            case "crlf":
                tokens = ["\ufeff", "".join(tokens).replace("\n", "\r\n")]
            case _:
                tokens[at] = draw(jsons()) if tokens[at][:1] in ('"', "{") else tokens[at]
        text = "".join(tokens)
    return text


def calls() -> tuple[str, ...]:
    return tuple(json.dumps(call, indent=1) for call in CALLS)


def names_of(value: Any, name: str) -> Any:
    """A call in which every text, and each key of a contract, ends with `name`."""
    match value:
        case str():
            return value + name
        case list():
            return [names_of(each, name) for each in value]
        case dict():
            return {key: names_of(each, name) for key, each in value.items()} | {"odd" + name: 1}
        case _:
            return value
