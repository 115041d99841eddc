"""Where a finding about a placeholder points, and how many findings of one kind there are at most."""

from __future__ import annotations

import json
from typing import Any

import pytest

import piflows.grammar.near
from piflows.compiler import compile_call
from piflows.compiler.catalog import host_context
from piflows.grammar.agent import parse_agent
from piflows.grammar.preset import parse_preset
from piflows.ir.diagnostic import Diagnostic
from piflows.ir.finding import FINDINGS_MOST, NEAR_NAMES


def found(text: str, tmp_path: Any, code: str) -> list[Diagnostic]:
    context = host_context(tmp_path, {"HOME": str(tmp_path)})
    return [each for each in compile_call(text, context, file="c.json").diagnostics if each.code == code]


TASKS = [  # the task as it is written; the column of the placeholder counts from its quote, 0
    ("{node.x}", 1),
    ("see {node.x}", 5),
    ("😀é {node.x}", 4),
    (r"\n\"\\{node.x}", 7),
    (r"\ud83d\ude00 \u00e9{node.x}", 20),
    (r"\u007bnode.x}", 1),
    (r"{{node.x}} {node.x}", 12),
    (r"{node.y} {nodes.y}", 1),
    (r"é {Node.y}", 3),
]


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize(("task", "column"), TASKS)
def test_a_placeholder_has_its_own_place(task: str, column: int, ending: str, tmp_path: Any) -> None:
    line = f'  {{"id": "a", "agent": "recon", "task": "{task}"}}'
    text = ending.join(('{"why": "w",', '"graph": {"nodes": [', line, "]}}"))
    first = found(text, tmp_path, "HANDOFF_UNRESOLVED")[0]
    assert (first.where.line, first.where.column) == (3, line.index('"task": ') + 8 + 1 + column)
    assert first.where.pointer == "/graph/nodes/0/task"


def test_a_placeholder_of_a_preset_has_its_own_place(tmp_path: Any) -> None:
    presets = tmp_path / ".pi" / "agent" / "flow-presets"
    presets.mkdir(parents=True)
    body = '{"graph": {"nodes": [\n{"id": "a", "agent": "recon", "task": "{task}\\t{node.x}"}]}}'
    (presets / "p.md").write_text(f"---\nname: p\ndescription: d\n---\n{body}")
    call = json.dumps({"preset": "p", "why": "w", "task": "a long {task} with braces {node.z}"})
    first, second = found(call, tmp_path, "HANDOFF_UNRESOLVED")
    assert (first.where.line, first.where.column) == (6, 39)  # it comes from the task: the text that takes it
    assert (second.where.line, second.where.column) == (6, 48)


MANY = 20_000


@pytest.fixture
def hints(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The words that near names were looked for."""
    asked: list[str] = []
    nearest = piflows.grammar.near.nearest

    def counted(word: str, known: Any) -> str | None:
        asked.append(word)
        return nearest(word, known)

    monkeypatch.setattr(piflows.grammar.near, "nearest", counted)
    return asked


def told(diagnostics: list[Diagnostic]) -> Diagnostic:
    (last,) = (each for each in diagnostics if each.code == "FINDINGS_CUT")
    assert last.severity == "note" and last.where.line is not None
    return last


def test_of_many_unknown_keys_the_first_have_hints_and_the_rest_is_counted(hints: list[str], tmp_path: Any) -> None:
    call = {"why": "w", "agent": "recon", "task": "t"} | {f"unknown{number}": 1 for number in range(MANY)}
    context = host_context(tmp_path, {"HOME": str(tmp_path)})
    diagnostics = list(compile_call(json.dumps(call), context, file="c.json").diagnostics)
    assert f"there are {MANY - FINDINGS_MOST} more" in told(diagnostics).message
    assert len(diagnostics) == FINDINGS_MOST + 1
    assert len(hints) == FINDINGS_MOST


FRONT = "---\nname: x\ndescription: d\n"
FILES = {
    "keys of a preset": (parse_preset, "".join(f"k{number}: v\n" for number in range(MANY)), FINDINGS_MOST),
    "keys of an agent": (parse_agent, "".join(f"k{number}: v\n" for number in range(MANY)), FINDINGS_MOST),
    "overrides": (parse_preset, f"overrides: {','.join(f'k{number}' for number in range(MANY))}\n", FINDINGS_MOST),
    "items": (parse_preset, "overrides:\n" + "- tasks\n" * MANY, 0),
    "comments": (parse_agent, "tools:\n" + "- a #b\n" * MANY, 1),  # one name, however often
}


@pytest.mark.parametrize("name", FILES)
def test_of_many_warnings_about_a_file_the_rest_is_counted(name: str, hints: list[str]) -> None:
    parse, lines, asked = FILES[name]
    made, diagnostics = parse(f'{FRONT}{lines}---\n{{"agent": "recon", "task": "x"}}\n'.encode(), "f.md")
    assert made is not None
    assert f"there are {MANY - FINDINGS_MOST} more" in told(diagnostics).message
    assert len(diagnostics) == FINDINGS_MOST + 1
    assert len(hints) == asked


def test_of_many_mistyped_tools_the_rest_is_counted_and_among_too_many_none_is_told(hints: list[str]) -> None:
    def read(names: list[str]) -> list[Diagnostic]:
        return parse_agent(f"{FRONT}tools: {','.join(names)}\n---\nx\n".encode(), "f.md")[1]

    spaced = [f"read x{number}" for number in range(NEAR_NAMES)]
    diagnostics = read([*spaced, *spaced])
    assert f"there are {NEAR_NAMES - FINDINGS_MOST} more" in told(diagnostics).message
    assert len(diagnostics) == FINDINGS_MOST + 1
    assert read([*spaced, "raed"]) == [] and hints == []


def test_a_rule_that_is_stopped_says_that_there_are_more(tmp_path: Any) -> None:
    call = {"why": "w", "task": "t", "route": {"candidates": [f"nobody{number}" for number in range(200)]}}
    assert len(found(json.dumps(call), tmp_path, "UNKNOWN_AGENT")) == FINDINGS_MOST
    assert "there are more" in told(found(json.dumps(call), tmp_path, "FINDINGS_CUT")).message
