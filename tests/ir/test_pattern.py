r"""What JavaScript's `new RegExp(pattern, "i")` matches; the rows were compared with one."""

from __future__ import annotations

import warnings

import pytest

from piflows.ir.pattern import compile_pattern


@pytest.mark.parametrize(
    ("pattern", "subject", "found"),
    [
        ("degraded", "state: DEGRADED", "DEGRADED"),
        ("ÄRGER", "kein ärger", "ärger"),
        ("^ok$", "ok\n", None),
        ("^ok$", "ok", "ok"),
        ("a.b", "a\u2028b", None),
        ("a.b", "a\tb", "a\tb"),
        (r"\d+", "٣4", "4"),
        (r"\bn", "än", "n"),
        (r"\B", "", ""),
        (r"\s", "\ufeff", "\ufeff"),
        (r"\w+", "é_a", "_a"),
        (r"[\W]", "a-", "-"),
        (r"[^\D3]+", "a345", "45"),
        (r"[^\D\S]", "4 a", None),
        (r"[\w-z]+", "-", "-"),
        (r"[a-\d]+", "-9b", "-9"),
        (r"[\]\[[&~|-]+", "a][&~|-", "][&~|-"),
        ("[]", "a", None),
        ("[^]", "\n", "\n"),
        (r"(?<year>\d{4})-\k<year>", "2026-2026", "2026-2026"),
        (r"(?<$n>a)\k<$n>", "aa", "aa"),
        (r"(a)|b\1", "b", "b"),
        (r"(?<=a)b|(?<!a)c(?!d)", "ab", "b"),
        ("a{,2}", "a{,2}", "a{,2}"),
        ("{2x}", "{2x}", "{2x}"),
        ("a{2,}?", "aaa", "aa"),
        ("a+?b+?c", "aabbc", "aabbc"),
        ("[a-ce]+", "cde", "c"),
        ("[a-ce]+", "ec-", "ec"),
        (r"\x41\u0042\cJ\0", "ab\n\x00", "ab\n\x00"),
        (r"\e\A\Z\/", "eAZ/", "eAZ/"),
        ("a#b c", "a#b c", "a#b c"),
        ("", "x", ""),
    ],
)
def test_a_pattern_means_what_javascript_means(pattern: str, subject: str, found: str | None) -> None:
    match = compile_pattern(pattern).search(subject)
    assert (match[0] if match else None) == found


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("(", "missing ), unterminated subpattern"),
        (")", "unbalanced parenthesis"),
        ("*", "nothing to repeat at position 1"),
        ("a**", "nothing to repeat at position 3"),
        ("a*+", "nothing to repeat at position 3"),
        ("x{2}{3}", "nothing to repeat at position 5"),
        ("^*", "nothing to repeat at position 2"),
        ("(?:*)", "nothing to repeat at position 4"),
        ("(?P<n>a)", "invalid group at position 1"),
        ("a(?i)", "invalid group at position 2"),
        ("[a", "a character class is not closed"),
        ("[z-a]", "bad character range z-a"),
        ("[\\", "a backslash at the end of the pattern"),
        ("a\\", "a backslash at the end of the pattern"),
        (r"[\1]", "a back reference in a character class"),
        (r"\p{L}", r"\p{…} is not supported"),
        ("(?<=a*)b", "look-behind requires fixed-width pattern"),
        ("a{99999999999}", "a repetition count is too large"),
        ("(" * 5_000, "it is nested too deeply"),
        (r"\k<n>", "unknown group name 'n'"),
    ],
)
def test_what_is_no_pattern_is_refused_with_a_sentence(pattern: str, problem: str) -> None:
    with pytest.raises(ValueError) as refused:
        compile_pattern(pattern)
    assert str(refused.value) == problem


def test_no_pattern_makes_python_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compile_pattern("[[a]--&&~~||b] ab--c")
