import re
import subprocess
import sys

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from piflows.grammar.frontmatter import FileFault, Front, decode, read_front
from piflows.ir.limits import LIMITS


def front(*lines: str, body: str = "") -> Front:
    return read_front("\n".join(("---", *lines, "---", body)), "f.md")


def plain(*lines: str) -> dict[str, object]:
    return {
        key: [item.text for item in entry.items] or entry.value.text for key, entry in front(*lines).entries.items()
    }


READ = [
    (["name: a"], {"name": "a"}),
    (["name:   a \t"], {"name": "a"}),
    (["name:\ta"], {"name": "a"}),
    (["name : a"], {"name": "a"}),
    (["name:"], {"name": ""}),
    (
        ["description: Two passes: map first, then check: twice"],
        {"description": "Two passes: map first, then check: twice"},
    ),
    (["d: http://x.example/#part a:b"], {"d": "http://x.example/#part a:b"}),
    (["d: - no list, *bold*, [WIP] {x}, 5, true, null, @me, `code`, !tag &a"], None),
    (["", "# remark", "  # indented: remark", "name: a # remark", "d: b#c"], {"name": "a", "d": "b#c"}),
    (["d: # remark"], {"d": ""}),
    (['d: "a: b # c"'], {"d": "a: b # c"}),
    (["d: 'it''s # fine' # remark"], {"d": "it's # fine"}),
    ([r'd: "tab\tquote\" \x41 \u00e9 \\"'], {"d": 'tab\tquote" A é \\'}),
    (['d: ""', "e: ''"], {"d": "", "e": ""}),
    (['d: "|"'], {"d": "|"}),
    (["o:", "- a", "- b: c", "- 'd' # remark"], {"o": ["a", "b: c", "d"]}),
    (["o: # which", "", "  - a", "  # remark", "  - b", "name: x"], {"o": ["a", "b"], "name": "x"}),
    (["tools: [read, grep]"], {"tools": "[read, grep]"}),
    (["my key/x-1: a"], {"my key/x-1": "a"}),
]


@pytest.mark.parametrize(("lines", "expected"), READ)
def test_lines_are_read(lines: list[str], expected: dict[str, object] | None) -> None:
    assert plain(*lines) == (expected or {"d": lines[0][3:]})


REFUSED = [
    (["name: a", "name: b"], "the key `name` is given twice, first in line 2", 3, 1),
    (["name:a"], "a space is missing after the colon", 2, 5),
    (["just words"], "this line is not `key: value`", 2, 1),
    (['{"name": "a"}'], "this line is not `key: value`", 2, 1),
    (['"name": a'], "this line is not `key: value`", 2, 1),
    ([": a"], "this line is not `key: value`", 2, 1),
    (["name: a", "  more of it"], "this line is indented", 3, 1),
    (["name: a", "\tmore of it"], "a tab indents this line", 3, 1),
    (["o:", "\t- a"], "a tab indents this line", 3, 1),
    (["meta:", "  name: a"], "this line is indented", 3, 1),
    (["d: >", "  long"], "block texts (`>`) are not read here", 2, 4),
    (["d: |-", "  long"], "block texts (`|-`) are not read here", 2, 4),
    (["- a"], "stands below no key without a value", 2, 1),
    (["name: a", "- b"], "stands below no key without a value", 3, 1),
    (["o:", "  - a", " - b"], "must stand one under the other", 4, 2),
    (['d: "open'], "the quote that opens here is not closed on this line", 2, 4),
    (["d: 'it's'"], "text follows after the closing quote", 2, 8),
    (['d: "a" b'], "text follows after the closing quote", 2, 7),
    (['d: "a"# b'], "text follows after the closing quote", 2, 7),
    (['d: "\\q"'], "an escape in this quoted text is not one of YAML", 2, 4),
    (['d: "\\ud800"'], "an escape in this quoted text is not one of YAML", 2, 4),
    (['d: "\\0"'], "a text may not hold a NUL character", 2, 4),
]


@pytest.mark.parametrize(("lines", "problem", "line", "column"), REFUSED)
def test_what_is_no_frontmatter_is_refused_at_its_place(lines: list[str], problem: str, line: int, column: int) -> None:
    with pytest.raises(FileFault) as caught:
        front(*lines)
    assert problem in caught.value.problem
    assert (caught.value.kind, caught.value.line, caught.value.column) == ("frontmatter", line, column)


FENCES = [
    ("", "there is no frontmatter"),
    ("name: a\n", "there is no frontmatter"),
    ("\n---\nname: a\n---\n", "there is no frontmatter"),
    ("--- yaml\nname: a\n---\n", "there is no frontmatter"),
    ("----\nname: a\n---\n", "there is no frontmatter"),
    ("---", "is not closed by a second line `---`"),
    ("---\nname: a\n", "is not closed by a second line `---`"),
    ("---\nname: a\n ---\n", "is not closed by a second line `---`"),
]


@pytest.mark.parametrize(("text", "problem"), FENCES)
def test_the_fences_must_be_there(text: str, problem: str) -> None:
    with pytest.raises(FileFault, match=problem) as caught:
        read_front(text, "f.md")
    assert (caught.value.line, caught.value.column) == (1, 1)


BODIES = [
    ("---\na: b\n---", "", 3),
    ("---\na: b\n---\n", "", 3),
    ("--- \na: b\n---\t\n\nbody\n---\n", "\nbody\n---\n", 3),
    ("---\n---\nbody", "body", 2),
]


@pytest.mark.parametrize(("text", "body", "offset"), BODIES)
def test_the_body_follows_the_second_fence(text: str, body: str, offset: int) -> None:
    found = read_front(text, "f.md")
    assert (found.body, found.body_offset) == (body, offset)
    assert text.split("\n")[offset:] == (body.split("\n") if "\n" in text[-len(body) - 1 :] else [])


DECODED = [
    (b"\xef\xbb\xbf---\r\na: b\r\n---\rc", "---\na: b\n---\nc"),
    ("é".encode(), "é"),
]
UNREADABLE = [
    (b"---\nname: \xff\n", "it is not UTF-8: byte 0xff at offset 10", 2),
    ("---".encode("utf-16"), "it is not UTF-8", 1),
    (b"a\n\nb\0", "it holds a NUL character", 3),
    (b"a" * (LIMITS.file_bytes + 1), f"it has more than {LIMITS.file_bytes} bytes", None),
]


@pytest.mark.parametrize(("data", "text"), DECODED)
def test_bytes_become_lines(data: bytes, text: str) -> None:
    assert decode(data) == text


@pytest.mark.parametrize(("data", "problem", "line"), UNREADABLE)
def test_what_is_no_text_is_unreadable(data: bytes, problem: str, line: int | None) -> None:
    with pytest.raises(FileFault, match=problem) as caught:
        decode(data)
    assert (caught.value.kind, caught.value.line) == ("unreadable", line)


NAMES = [
    (["o: cwd, tier ,,timeoutMs,"], [("cwd", 2, 4), ("tier", 2, 9), ("timeoutMs", 2, 16)]),
    (["o: [cwd, 'tier']"], [("cwd", 2, 5), ("tier", 2, 10)]),
    (['o: "cwd, tier"'], [("cwd", 2, 5), ("tier", 2, 10)]),
    (["o:", "  - cwd", "  -", "  - tier, model"], [("cwd", 3, 5), ("tier", 5, 5), ("model", 5, 11)]),
    (["o: []"], []),
    (["o:"], []),
    (["p: x"], []),
]


@pytest.mark.parametrize(("lines", "expected"), NAMES)
def test_a_list_of_names_has_places(lines: list[str], expected: list[tuple[str, int, int]]) -> None:
    assert [name[:3] for name in front(*lines).names("o")] == expected


def test_a_hash_that_is_probably_meant_as_text_is_reported() -> None:
    found = front("d: Fixes #12 and #13", "e: none # remark")
    assert found.text("d") == "Fixes"
    (warning,) = found.warnings
    assert (warning.code, warning.severity) == ("PARAMETER_IGNORED", "warning")
    assert "#12 and #13" in warning.message and "quote the value" in warning.message
    assert (warning.where.line, warning.where.column) == (2, 10)


# What YAML and we both can say: keys, and values that are plain, quoted or lists, with comments anywhere.
words = st.text("abc é:#'\"-,.[]{}", max_size=8)
plains = words.map(lambda text: "x" + re.sub(":[ ]+", ":", text).rstrip(" :"))
doubles = words.map(lambda text: '"' + text.replace('"', '\\"') + '"')
singles = words.map(lambda text: "'" + text.replace("'", "''") + "'")
scalars = st.tuples(plains | doubles | singles, st.sampled_from(["", " ", " # remark: 'x"])).map("".join)
lists = st.tuples(st.sampled_from(["", "  "]), st.lists(scalars, min_size=1, max_size=3)).map(
    lambda made: "".join(f"\n{made[0]}- {item}" for item in made[1])
)
entries = st.dictionaries(st.from_regex("[a-z][a-zA-Z0-9_-]{0,5}", fullmatch=True), scalars | lists, max_size=4)


@given(entries, st.sampled_from(["", "# remark\n", "\n"]))
def test_what_yaml_reads_is_read_as_yaml_reads_it(made: dict[str, str], between: str) -> None:
    text = between.join(f"{key}: {value}\n" if value[0] != "\n" else f"{key}:{value}\n" for key, value in made.items())
    found = read_front(f"---\n{text}---\n", "f.md")
    ours = {key: [item.text for item in entry.items] or entry.value.text for key, entry in found.entries.items()}
    assert ours == (yaml.load(text, Loader=yaml.BaseLoader) or {})


def test_plain_frontmatter_does_not_import_yaml() -> None:
    code = (
        "import sys\n"
        "from piflows.grammar.frontmatter import read_front\n"
        "read_front('---\\na: b\\nc: \"d\"\\ne:\\n - f # g\\n---\\n', 'f')\n"
        "assert 'yaml' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
