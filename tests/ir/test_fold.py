"""Lines that fit, and lose nothing but the spaces at which they were broken."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from piflows.ir.fold import WIDTH_LEAST, cells, fold, padded
from piflows.ir.visible import visible

TEXTS = st.text().map(lambda text: visible(text, keep_newlines=True))


@given(TEXTS, st.integers(WIDTH_LEAST, 200), st.integers(0, 30))
def test_no_line_is_wider_and_no_letter_is_lost(text: str, width: int, hang: int) -> None:
    lines = fold(text, width, "  name  ", hang)
    assert all(cells(line) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == ("name" + text).replace("\t", "").replace("\n", "").replace(" ", "")


@pytest.mark.parametrize(
    ("text", "width", "lead", "hang", "lines"),
    [
        ("one two three", 8, "", None, ["one two", "three"]),
        ("one two three", 10, "- ", None, ["- one two", "  three"]),
        ("a  b", 80, "", None, ["a  b"]),
        ("see /a/long/path/that/fits", 24, "", 2, ["see", "  /a/long/path/that/fits"]),
        ("abcdefghij", 6, "", 2, ["abcdef", "  ghij"]),
        ("first\nsecond", 80, "x: ", 2, ["x: first", "  second"]),
        ("漢字漢字", 4, "", 0, ["漢字", "漢字"]),
        ("", 80, "name  ", None, ["name"]),
    ],
)
def test_fold(text: str, width: int, lead: str, hang: int | None, lines: list[str]) -> None:
    assert fold(text, width, lead, hang) == lines


def test_a_column_counts_cells() -> None:
    assert padded("漢", 4) == "漢  " and padded("long", 2) == "long"
