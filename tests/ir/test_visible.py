"""Nothing that is printed may drive a terminal, hide, or reorder what is around it."""

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from piflows.ir.visible import visible, visible_json

HOSTILE = st.text(
    st.one_of(st.characters(), st.sampled_from("\x00\x07\x1b\x7f\x85\x9b\r\n\t\u202e\u2066\u200b\ufeff\ud800"))
)


def hides(char: str) -> bool:
    """Control, surrogate or format characters, and separators of lines: an oracle by Unicode category."""
    return unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") or char in BIDI_AND_ZERO_WIDTH


BIDI_AND_ZERO_WIDTH = "".join(
    map(chr, (*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x206A), 0xFEFF))
)


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("plain, with ümlaut, 日本 and \\x1b", "plain, with ümlaut, 日本 and \\x1b"),
        ("\x1b[2J", "\\x1b[2J"),
        ("\x1b]8;;http://x.invalid\x1b\\link", "\\x1b]8;;http://x.invalid\\x1b\\link"),
        ("\x9b31m\x7f\x00\x08", "\\x9b31m\\x7f\\x00\\x08"),
        ("evil\u202egnp.exe", "evil\\u202egnp.exe"),
        ("a\u200bb\u2060c\ufeffd", "a\\u200bb\\u2060c\\ufeffd"),
        ("\u2066x\u2069\u2028\u2029", "\\u2066x\\u2069\\u2028\\u2029"),
        ("lone \ud800 \udfff", "lone \\ud800 \\udfff"),
        ("a\nb\tc\rd", "a\\nb\\tc\\rd"),
        ("", ""),
    ],
)
def test_hidden_characters_become_escapes(raw: str, shown: str):
    assert visible(raw) == shown


def test_lines_and_tabs_can_be_kept_but_no_carriage_return():
    assert visible("a\n\tb\r\x1b", keep_newlines=True) == "a\n\tb\\r\\x1b"


@given(HOSTILE)
def test_nothing_hidden_is_left_and_the_rest_is_untouched(text: str):
    line = visible(text)
    assert not any(hides(char) for char in line)
    kept = visible(text, keep_newlines=True)
    assert not any(hides(char) for char in kept if char not in "\n\t")
    assert visible(line) == line
    assert visible(kept, keep_newlines=True) == kept
    assert len(line) >= len(text)
    line.encode()
    if not any(hides(char) for char in text):
        assert line == text


@given(st.recursive(HOSTILE, lambda inner: st.lists(inner) | st.dictionaries(HOSTILE, inner), max_leaves=8))
def test_json_loses_nothing_and_shows_no_hidden_character(value: object):
    text = visible_json(value)
    assert json.loads(text) == value
    assert not any(hides(char) for char in text if char != "\n")


def test_json_keeps_what_people_can_read():
    assert visible_json({"name": "日本\x7f"}, indent=None) == '{"name": "日本\\u007f"}'
