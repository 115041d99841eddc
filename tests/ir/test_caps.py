"""Texts cut at a cap."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from piflows.ir.caps import cut, cut_line


@given(st.text(), st.integers(0, 40))
def test_a_cut_text_keeps_its_head_and_says_what_is_missing(text: str, cap: int) -> None:
    size = len(text.encode())
    for out, mark in (
        (cut(text, cap, "Handoff"), "\n\n[Handoff truncated: "),
        (cut_line(text, cap), " [… "),
    ):
        if size <= cap:
            assert out == text
        else:
            kept, said = out.rsplit(mark, 1)
            assert text.startswith(kept) and cap - 3 <= len(kept.encode()) <= cap
            assert int(said.split()[0]) == size - len(kept.encode())


@given(st.text(), st.integers(0, 40), st.integers(0, 40))
def test_a_text_that_is_cut_twice_is_one_cut_text(text: str, first: int, second: int) -> None:
    once = cut(text, first, "Output")
    assert cut(once, first, "Output") == once
    kept, _, said = cut(once, second, "Output").partition("\n\n[Output truncated: ")
    assert text.startswith(kept) and int(said.split()[0] if said else 0) == len(text.encode()) - len(kept.encode())
