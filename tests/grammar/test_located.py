import json
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from piflows.grammar.located import Located, read_json, strict_json
from piflows.ir.diagnostic import Diagnostic, FlowError
from piflows.ir.limits import LIMITS

DEEP = LIMITS.nesting

# text, part of the message, line, column, pointer
REFUSED = [
    ("", "the text is empty", 1, 1, ""),
    (" \n\n", "the text is empty", 1, 1, ""),
    ("[]", "one JSON object is expected, and this is none", 1, 1, ""),
    ('  "a"', "one JSON object is expected, and this is none", 1, 3, ""),
    ("Use it well.", "one JSON object is expected, and this is none", 1, 1, ""),
    ('{"a": 1,}', "a trailing comma before `}`", 1, 8, ""),
    ('{"a": [1,\n]}', "a trailing comma before `]`", 1, 9, ""),
    ('{\n "agent":"recon",\n "task":"{task}",,\n "timeoutMs":60000\n}', "a comma with nothing before it", 3, 18, ""),
    ('{,"a": 1}', "a comma with nothing before it", 1, 2, ""),
    ('{"a": 1 "b": 2}', "a comma is missing before this", 1, 9, ""),
    ('{"a": [1 2]}', "a comma is missing before this", 1, 10, ""),
    ('{"a": {"b": "x"} "c": 1}', "a comma is missing before this", 1, 18, ""),
    ('{"a" 1}', "a colon is missing between a key and its value", 1, 6, ""),
    ('{"a"}', "this key has no value", 1, 2, ""),
    ('{"a":}', "this key has no value", 1, 5, ""),
    ('{"a":,"b":1}', "this key has no value", 1, 5, ""),
    ("{a: 1}", "a key is a text in double quotes", 1, 2, ""),
    ('{"b": 1, a: 1}', "a key is a text in double quotes", 1, 10, ""),
    ("{1: 1}", "a key is a text in double quotes", 1, 2, ""),
    ("{: 1}", "a key is missing before this", 1, 2, ""),
    ('{"a": ["b": 1]}', "a list holds no `key: value`; an object `{…}` does", 1, 11, ""),
    ('{"a": 1]', "the object that opens at line 1 is not closed before this `]`", 1, 8, ""),
    ('{"a": [}', "the list that opens at line 1 is not closed before this `}`", 1, 8, ""),
    ('{"a": 1 // one\n}', "comments are not JSON", 1, 9, ""),
    ('/* all */ {"a": 1}', "comments are not JSON", 1, 1, ""),
    ('{"a": 1} # one', "comments are not JSON", 1, 10, ""),
    ("{'a': 1}", "strings take double quotes", 1, 2, ""),
    ('{"a": “b”}', "strings take double quotes", 1, 7, ""),
    ('```json\n{"a": 1}\n```', "a code fence is not JSON", 1, 1, ""),
    ('{"a": True}', "`True` is not JSON: the words are true, false and null", 1, 7, ""),
    ('{"a": NaN}', "`NaN` is not a JSON number", 1, 7, ""),
    ('{"a": -Infinity}', "`-Infinity` is not a JSON number", 1, 7, ""),
    ('{"a": 01}', "`01` is not a JSON number", 1, 7, ""),
    ('{"a": +1}', "`+1` is not a JSON number", 1, 7, ""),
    ('{"a": 1.}', "`1.` is not a JSON number", 1, 7, ""),
    ('{"a": .5}', "`.5` is not a JSON number", 1, 7, ""),
    ('{"a": 0x1F}', "`0x1F` is not a JSON number", 1, 7, ""),
    ('{"a": recon}', "`recon` is not JSON: a text takes double quotes", 1, 7, ""),
    ('{"a": 1; "b": 2}', "the character `;` (U+003B) is not JSON", 1, 8, ""),
    ('{"a":\u00a01}', "(U+00A0) is not JSON", 1, 6, ""),
    ('{"a": \0}', "(U+0000) is not JSON", 1, 7, ""),
    ('{"a": "b\nc"}', "the string that opens here is not closed on its line", 1, 7, ""),
    ('{"a": "b', "the string that opens here is not closed on its line", 1, 7, ""),
    ('{"a": "b\tc"}', "a control character in a string is written as an escape", 1, 9, ""),
    ('{"a": "b\0c"}', "a control character in a string is written as an escape", 1, 9, ""),
    ('{"a": "C:\\new\\q"}', "this backslash begins no escape of JSON", 1, 14, ""),
    ('{"a": "\\u12"}', "this backslash begins no escape of JSON", 1, 8, ""),
    ('{\n "a": {\n  "b": [1, 2\n', "the list that opens at line 3 is not closed", 3, 13, ""),
    ('{\n "a": {"b": 1', "the object that opens at line 2 is not closed", 2, 14, ""),
    ('{"a": [1],\n "b": [{}', "the list that opens at line 2 is not closed", 2, 10, ""),
    ('{"a": [1],\n "b": 2', "the object that opens at line 1 is not closed", 2, 8, ""),
    ('{"a": 1,', "the object that opens at line 1 is not closed", 1, 9, ""),
    ('{"a": [\n1}', "the list that opens at line 1 is not closed before this `}`", 2, 2, ""),
    ('{"a": {"b": 1]}', "the object that opens at line 1 is not closed before this `]`", 1, 14, ""),
    ('{"a": 1} x', "only one JSON object is expected, and more text follows it", 1, 10, ""),
    ("{}\n{}", "only one JSON object is expected, and more text follows it", 2, 1, ""),
    ('{"a": 1,\n "b": 2,\n "a": 3}', 'the key "a" is given twice, first in line 1', 3, 2, "/a"),
    ('{"x": [0, {"~/": 1, "\\u007e/": 2}]}', "is given twice, first in line 1", 1, 21, "/x/1/~0~1"),
    ('{"x": {"a": 1, "a": 2}, "x": 3}', 'the key "a" is given twice', 1, 16, "/x/a"),
    ('{"a": 1e999}', "the number is too large", 1, 7, "/a"),
    ('{"a": ' + "9" * 301 + "}", "the number is too large", 1, 7, "/a"),
    ('{"a": [1, ' + "9" * 5_000 + "]}", "the number is too large", 1, 11, "/a/1"),
    ('{"a": "\\ud83d"}', "half of a surrogate pair", 1, 7, "/a"),
    ('{"a": {"\\udc00": 1}}', "half of a surrogate pair", 1, 8, "/a/\udc00"),
    ('{"a": "\ud83d"}', "the text holds half of a surrogate pair", 1, 8, ""),
    ('{"a": "x\\u0000"}', "neither `\\u0000` nor", 1, 7, "/a"),
    ('{"a": ' + "[" * DEEP, f"nested more than {DEEP} deep", 1, 6 + DEEP, ""),
    ('{"a": ' * 100_000, f"nested more than {DEEP} deep", 1, 6 * DEEP + 1, ""),
    ('{"a": "' + "b" * LIMITS.file_bytes + '"}', f"more than {LIMITS.file_bytes} bytes", 1, 1, ""),
    ('{"a": "' + "é" * (LIMITS.file_bytes // 2) + '"}', f"more than {LIMITS.file_bytes} bytes", 1, 1, ""),
]

ACCEPTED = [
    ("{}", {}),
    ('\ufeff {"a": 1} \n', {"a": 1}),
    ('{"a": 3.0, "b": -0, "c": 1e2, "d": 0.5E-3}', {"a": 3.0, "b": 0, "c": 100.0, "d": 0.0005}),
    ('{"a": "\\ud83d\\ude00 \\u00e9 \\/"}', {"a": "😀 é /"}),
    ('{"a": "\\\\u0000 \\\\ud800"}', {"a": "\\u0000 \\ud800"}),
    ('{"a": "// no comment, \'no quote\' [[[{{{"}', {"a": "// no comment, 'no quote' [[[{{{"}),
    ('{"a": "' + "[" * 1_000 + '\\"' + "{" * 1_000 + '"}', {"a": "[" * 1_000 + '"' + "{" * 1_000}),
    ('{"a": ' + "[" * (DEEP - 1) + "]" * (DEEP - 1) + "}", None),
    ('{"a": [' + "{}, " * 1_000 + "{}]}", {"a": [{}] * 1_001}),
    ('{"a": ' + "9" * 300 + "}", {"a": int("9" * 300)}),
]


def refusal(text: str, line_offset: int = 0) -> Diagnostic:
    with pytest.raises(FlowError) as caught:
        read_json(text, "call.json", line_offset)
    assert len(caught.value.diagnostics) == 1
    return caught.value.first


def short(value: object) -> str:
    return repr(value)[:40]


@pytest.mark.parametrize(("text", "message", "line", "column", "pointer"), REFUSED, ids=short)
def test_a_text_is_refused_with_a_reason_at_its_place(
    text: str, message: str, line: int, column: int, pointer: str
) -> None:
    found = refusal(text)
    assert found.code == "CALL_INVALID"
    assert message in found.message
    assert (found.where.file, found.where.line, found.where.column) == ("call.json", line, column)
    assert found.where.pointer == pointer


@pytest.mark.parametrize(("text", "value"), ACCEPTED, ids=short)
def test_a_strict_object_is_read(text: str, value: dict[str, Any] | None) -> None:
    found = read_json(text).value
    assert value is None or found == value


@pytest.mark.parametrize("text", [text for text, _, line, *_ in REFUSED if line > 1 and "\r" not in text])
@pytest.mark.parametrize("ending", ["\r\n", "\r"])
def test_line_endings_change_no_place(text: str, ending: str) -> None:
    assert refusal(text.replace("\n", ending)) == refusal(text)


def test_a_body_counts_the_lines_of_its_file() -> None:
    found = refusal('{\n "a": [1, 2\n', line_offset=5)
    assert "opens at line 7" in found.message
    assert found.where.line == 7
    found = refusal('{"a": 1,\n"a": 2}', line_offset=5)
    assert "first in line 6" in found.message
    assert found.where.line == 7
    assert read_json('{\n"a": 1}', "f", 5).where("/a").line == 7


TEXT = '\ufeff{"a": 1,\r\n\t"é 😀": {"c": [true, {"d~/": "x"}], "": null}}'
PLACES = [  # pointer, what it reaches, place of the value, of the key
    ("", "", (1, 1), (1, 1)),
    ("/a", "/a", (1, 7), (1, 2)),
    ("/é 😀", "/é 😀", (2, 9), (2, 2)),
    ("/é 😀/c", "/é 😀/c", (2, 15), (2, 10)),
    ("/é 😀/c/0", "/é 😀/c/0", (2, 16), (2, 16)),
    ("/é 😀/c/1/d~0~1", "/é 😀/c/1/d~0~1", (2, 30), (2, 23)),
    ("/é 😀/", "/é 😀/", (2, 41), (2, 37)),
    ("/b", "", (1, 1), (1, 1)),
    ("/a/b/c", "/a", (1, 7), (1, 2)),
    ("/é 😀/c/2", "/é 😀/c", (2, 15), (2, 10)),
    ("/é 😀/c/00", "/é 😀/c", (2, 15), (2, 10)),
    ("/é 😀/c/-", "/é 😀/c", (2, 15), (2, 10)),
]


@pytest.mark.parametrize(("pointer", "reached", "value", "key"), PLACES)
def test_a_pointer_has_a_place(pointer: str, reached: str, value: tuple[int, int], key: tuple[int, int]) -> None:
    located = read_json(TEXT, "call.json")
    at, key_at = located.where(pointer), located.where(pointer, key=True)
    assert (at.file, at.pointer, at.line, at.column) == ("call.json", reached, *value)
    assert (key_at.file, key_at.pointer, key_at.line, key_at.column) == ("call.json", reached, *key)


CLEAN = re.compile("[\0\ud800-\udfff]")
strings = st.text(max_size=5).filter(lambda text: not CLEAN.search(text)) | st.sampled_from(["", "~", "/", "~1", "0"])
leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | strings
values = st.recursive(leaves, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(strings, inner, max_size=4))
objects = st.dictionaries(strings, values, max_size=4)


def pointers(value: Any, at: str = "") -> Iterator[tuple[str, Any]]:
    yield at, value
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, inner in inside:
        yield from pointers(inner, f"{at}/{str(name).replace('~', '~0').replace('/', '~1')}")


def behind(located: Located, line: int | None, column: int | None) -> str:
    assert line is not None and column is not None
    return "\n".join(located.text.split("\n")[line - 1 :])[column - 1 :]


@given(objects, st.sampled_from([None, 1, "\t"]), st.booleans())
def test_every_pointer_leads_to_its_value(value: dict[str, Any], indent: int | str | None, escaped: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=escaped)
    located = read_json(text)
    assert located.value == value
    for pointer, inner in pointers(value):
        at = located.where(pointer)
        assert at.pointer == pointer
        found, _ = json.JSONDecoder().raw_decode(behind(located, at.line, at.column))
        assert found == inner and type(found) is type(inner)
        if pointer:
            key = located.where(pointer, key=True)
            name, _ = json.JSONDecoder().raw_decode(behind(located, key.line, key.column))
            last = pointer.rpartition("/")[2].replace("~1", "/").replace("~0", "~")
            assert name == (inner if key == at else last)


SHREDS = (
    '{ } [ ] , : "a" "b" "\\ud83d\\ude00" "\\ud83d" "\\u0000" 1 -0 1.5e3 1e999 01 NaN true null '
    "None ' // # x \n \t ``` \""
)
pieces = st.sampled_from(SHREDS.split(" ")) | st.text(max_size=3)
near_json = st.lists(pieces, max_size=14).map("".join) | st.lists(pieces, max_size=10).map(
    lambda parts: '{"a": [' + "".join(parts) + "]}"
)


@given(near_json | st.text())
def test_any_text_is_read_or_refused_with_one_diagnostic_inside_it(text: str) -> None:
    try:
        located = read_json(text)
    except FlowError as error:
        (found,) = error.diagnostics
        lines = re.split("\r\n|\r|\n", text.removeprefix("\ufeff"))
        assert found.where.line is not None and found.where.column is not None
        assert 1 <= found.where.column <= len(lines[found.where.line - 1]) + 1
        assert "is not expected here" not in found.message
    else:
        assert located.value == json.loads(text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"))
        assert located.where("").column is not None  # the second reader takes what the first took


@given(st.dictionaries(st.text(max_size=3), st.integers() | st.text(max_size=3), max_size=3), st.data())
def test_one_wrong_character_in_a_good_text_is_never_a_crash(value: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(value)
    at = data.draw(st.integers(0, len(text)))
    wrong = text[:at] + data.draw(st.sampled_from(list("{}[],:\"'\\/#x1.-\0\n\ufeff\ud800"))) + text[at + 1 :]
    try:
        read_json(wrong)
    except FlowError as error:
        assert error.first.code == "CALL_INVALID"


@pytest.mark.parametrize(
    "text", ['{"a":1,"a":1}', "NaN", "1e999", "[" * 101 + "]" * 101, "9" * 5_000, "", "{", "\ufeff{}"]
)
def test_the_strict_reader_refuses(text: str) -> None:
    with pytest.raises(ValueError):
        strict_json(text)


def test_a_good_text_needs_neither_lark_nor_the_second_reader() -> None:
    code = (
        "import sys\n"
        "from piflows.grammar.located import read_json\n"
        'read_json(\'{"a": [1, {"b": "c"}]}\')\n'
        "assert not {'lark', 'yaml', 'piflows.grammar.json_places'} & set(sys.modules), sys.modules.keys()\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
