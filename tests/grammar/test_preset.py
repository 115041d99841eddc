import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from piflows.grammar.preset import parse_preset
from piflows.ir.diagnostic import Diagnostic
from piflows.ir.digest import text_digest

FILE = ".pi/flow-presets/odd.md"
HEAD = "---\nname: odd\ndescription: An odd file.\noverrides: cwd\n---\n"
BODY = '{"agent":"recon","task":"{task}"}\n'


def parse(text: str | bytes) -> tuple[Any, list[Diagnostic]]:
    return parse_preset(text if isinstance(text, bytes) else text.encode(), FILE)


def test_a_whole_file() -> None:
    text = (
        "---\nname: code-review\ndescription: Two passes: map first\noverrides: cwd,tier\nresult: code-review-v1\n---\n"
    )
    preset, found = parse(text + BODY)
    assert found == []
    assert (preset.name, preset.description) == ("code-review", "Two passes: map first")
    assert (preset.overrides, preset.result) == (("cwd", "tier"), "code-review-v1")
    assert preset.template == {"agent": "recon", "task": "{task}"}
    assert (preset.file, preset.source, preset.digest) == (FILE, "package", text_digest((text + BODY).encode()))
    where = preset.body.where("/task")
    assert (where.file, where.line, where.column) == (FILE, 7, 25)


def test_crlf_and_byte_order_mark_change_nothing_but_the_digest() -> None:
    text = HEAD + '{\n  "agent": "recon",\n  "task": "{task}"\n}\n'
    ours, _ = parse(text)
    theirs, found = parse(("\ufeff" + text.replace("\n", "\r\n")).encode())
    assert found == []
    assert (theirs.template, theirs.overrides, theirs.description) == (ours.template, ours.overrides, ours.description)
    assert theirs.body.where("/task") == ours.body.where("/task")
    assert theirs.body.where("/task").line == 8


OVERRIDES = [
    ("", ()),
    ("overrides:\n", ()),
    ("overrides: cwd, timeoutMs ,,cwd\n", ("cwd", "timeoutMs")),
    ("overrides: [cwd, maxTokens]\n", ("cwd", "maxTokens")),
    ("overrides:\n  - cwd\n  - maxCostUsd\n", ("cwd", "maxCostUsd")),
]


@pytest.mark.parametrize(("line", "overrides"), OVERRIDES)
def test_overrides(line: str, overrides: tuple[str, ...]) -> None:
    preset, found = parse(f"---\nname: x\ndescription: d\n{line}---\n{BODY}")
    assert (preset.overrides, found) == (overrides, [])


WARNED = [
    ("overrides: cwd, tmeoutMs\n", "UNKNOWN_PARAMETER", '"tmeoutMs" is not a parameter', '"timeoutMs"?', 17),
    ("overrides: cwd, colour\n", "UNKNOWN_PARAMETER", '"colour" is not a parameter of a call', "", 17),
    ("overrides: cwd, tasks\n", "PARAMETER_IGNORED", '"tasks" has no effect', "shape", 17),
    ("override: cwd\n", "UNKNOWN_PARAMETER", '"override" is not', 'Did you mean "overrides"?', 1),
    ("args: cwd\n", "UNKNOWN_PARAMETER", '"args" is not', 'Did you mean "overrides"?', 1),
    ("result: code-review\n", "PARAMETER_IGNORED", '"result" has no effect', '"code-review-v1"?', 9),
]


@pytest.mark.parametrize(("line", "code", "part", "other", "column"), WARNED)
def test_what_has_no_effect_is_a_warning(line: str, code: str, part: str, other: str, column: int) -> None:
    preset, found = parse(f"---\nname: x\ndescription: d\n{line}---\n{BODY}")
    assert preset.overrides == (("cwd",) if line.startswith("overrides") else ())
    assert preset.result is None
    assert [(each.code, each.severity) for each in found] == [(code, "warning")]
    assert part in found[0].message and other in found[0].message
    assert (found[0].where.line, found[0].where.column) == (4, column)


FENCED = [
    "```json\n{}\n```\n".replace("{}", BODY.strip()),
    "\n```\n" + BODY + "```",
    "```JSON\n" + BODY + "\n  ```\n\n",
]


@pytest.mark.parametrize("body", FENCED)
def test_a_code_fence_around_the_body_is_taken_off_with_a_warning(body: str) -> None:
    preset, found = parse(HEAD + body)
    assert preset.template == {"agent": "recon", "task": "{task}"}
    at = preset.body.where("/task").line
    assert (HEAD + body).split("\n")[at - 1].startswith('{"agent"')
    assert [(each.code, each.severity) for each in found] == [("PARAMETER_IGNORED", "warning")]
    assert (HEAD + body).split("\n")[(found[0].where.line or 0) - 1].startswith("```")


REFUSED = [
    ("", "PRESET_FRONTMATTER_INVALID", "there is no frontmatter", 1, 1),
    (BODY, "PRESET_FRONTMATTER_INVALID", "there is no frontmatter", 1, 1),
    ("---\nname: odd\ndescription: d\n" + BODY, "PRESET_FRONTMATTER_INVALID", "is not closed by a second line", 1, 1),
    ("---\ndescription: d\n---\n" + BODY, "PRESET_FRONTMATTER_INVALID", "`name` is missing", 1, 1),
    ("---\nname: odd\n---\n" + BODY, "PRESET_FRONTMATTER_INVALID", "`description` is missing", 1, 1),
    ("---\nname: odd\ndescription: ''\n---\n" + BODY, "PRESET_FRONTMATTER_INVALID", "`description` is empty", 3, 14),
    (
        "---\nname: Odd\ndescription: d\n---\n" + BODY,
        "PRESET_FRONTMATTER_INVALID",
        '"Odd" is not lowercase kebab',
        2,
        7,
    ),
    (
        "---\nname: a--b\ndescription: d\n---\n" + BODY,
        "PRESET_FRONTMATTER_INVALID",
        "is not lowercase kebab-case",
        2,
        7,
    ),
    ("---\nname: 'a\ndescription: d\n---\n" + BODY, "PRESET_FRONTMATTER_INVALID", "is not closed on this line", 2, 7),
    (HEAD.replace("overrides", "name") + BODY, "PRESET_FRONTMATTER_INVALID", "`name` is given twice", 4, 1),
    (HEAD.replace("\noverrides", "\n overrides") + BODY, "PRESET_FRONTMATTER_INVALID", "this line is indented", 4, 1),
    (HEAD.replace("\noverrides", "\n\toverrides") + BODY, "PRESET_FRONTMATTER_INVALID", "a tab indents", 4, 1),
    (HEAD, "PRESET_TEMPLATE_INVALID", "nothing follows after the frontmatter", 5, 1),
    (HEAD[:-1], "PRESET_TEMPLATE_INVALID", "nothing follows after the frontmatter", 5, 1),
    (HEAD + "\n\n \n", "PRESET_TEMPLATE_INVALID", "nothing follows after the frontmatter", 5, 1),
    (HEAD + "```json\n```\n", "PRESET_TEMPLATE_INVALID", "the text is empty", 6, 1),
    (HEAD + '{\n "agent":"recon",\n "task":"{task}",,\n "x":1\n}\n', "PRESET_TEMPLATE_INVALID", "a comma with", 8, 18),
    (HEAD + '{"agent":"recon","task":"{task}",}\n', "PRESET_TEMPLATE_INVALID", "a trailing comma before `}`", 6, 33),
    (HEAD + '{\n // which\n "agent":"recon"}\n', "PRESET_TEMPLATE_INVALID", "comments are not JSON", 7, 2),
    (HEAD + '\n{"agent":"recon",\n "agent":"analyst"}\n', "PRESET_TEMPLATE_INVALID", "first in line 7", 8, 2),
    (HEAD + "{'agent':'recon'}\n", "PRESET_TEMPLATE_INVALID", "strings take double quotes", 6, 2),
    (HEAD + '{"agent":"recon"\n', "PRESET_TEMPLATE_INVALID", "the object that opens at line 6 is not closed", 6, 17),
    (HEAD + "[]\n", "PRESET_TEMPLATE_INVALID", "one JSON object is expected, and this is none", 6, 1),
    (HEAD + "Look:\n" + BODY, "PRESET_TEMPLATE_INVALID", "one JSON object is expected, and this is none", 6, 1),
    (HEAD + BODY + BODY, "PRESET_TEMPLATE_INVALID", "only one JSON object is expected", 7, 1),
    (HEAD + "```json\n" + BODY, "PRESET_TEMPLATE_INVALID", "a code fence is not JSON", 6, 1),
    ((HEAD + BODY).encode("utf-16"), "PRESET_FILE_UNREADABLE", "it is not UTF-8: byte 0xff at offset 0", 1, None),
    ((HEAD + BODY).encode() + b"\0", "PRESET_FILE_UNREADABLE", "it holds a NUL character", 7, None),
]


@pytest.mark.parametrize(("text", "code", "problem", "line", "column"), REFUSED)
def test_a_file_is_refused_with_its_reason_and_place(
    text: str | bytes, code: str, problem: str, line: int, column: int | None
) -> None:
    preset, found = parse(text)
    assert preset is None
    refusal = found[-1]
    assert (refusal.code, refusal.where.file) == (code, FILE)
    assert problem in refusal.message and FILE in refusal.message
    assert (refusal.where.line, refusal.where.column) == (line, column)


@pytest.mark.parametrize("text", [text for text, *_ in REFUSED if isinstance(text, str)])
def test_line_endings_change_no_finding(text: str) -> None:
    assert parse(text.replace("\n", "\r\n")) == parse(text)


SHREDS = (
    b'---\n~\n~name: x\n~description: y\n~overrides:~ - cwd\n~"~#~: ~\t~{~}~\xef\xbb\xbf~\xff~\0~```json\n~```'
    b"~,~\\ud800~[~result: z\n~"
)
pieces = st.sampled_from([*SHREDS.split(b"~"), BODY.encode()])
bodies = st.lists(pieces, max_size=8).map(b"".join) | st.binary(max_size=30)


@given(st.lists(pieces, max_size=14).map(b"".join) | bodies.map(lambda body: HEAD.encode() + body))
def test_any_bytes_give_a_preset_or_a_reason(data: bytes) -> None:
    preset, found = parse_preset(data, "f.md")
    if preset is None:
        assert found[-1].code.startswith("PRESET_") and found[-1].severity == "warning"
        assert found[-1].where.line is not None
    else:
        assert preset.name and preset.description and isinstance(preset.template, dict)
        assert preset.body.where("").line is not None
    assert all(each.where.file == "f.md" for each in found)


def test_a_clean_preset_is_read_without_lark_and_yaml() -> None:
    code = (
        "import sys\n"
        "from piflows.grammar.preset import parse_preset\n"
        f"preset, found = parse_preset({(HEAD + BODY)!r}.encode(), 'f.md')\n"
        "assert preset and not found\n"
        "assert not {'lark', 'yaml', 'jinja2', 'asyncio'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
