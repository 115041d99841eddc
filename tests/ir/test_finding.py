"""What is proposed for a wrong name, and where the search for it ends."""

from __future__ import annotations

import pytest

from piflows.ir.finding import Finding, first, invalid, nearest, quoted

MANY = [f"name-{number}" for number in range(200)]


@pytest.mark.parametrize(
    ("name", "known", "hint"),
    [
        ("wrte", ["check", "write"], ' (did you mean "write"?)'),
        ("zzz", ["check", "write"], ""),
        ("write", [], ""),
        ("name-19x", MANY, ' (did you mean "name-19"?)'),
        ("name-19x", [*MANY, "one too many"], ""),
        ("x" * 63 + "y", ["x" * 64], f' (did you mean "{"x" * 64}"?)'),
        ("x" * 64 + "y", ["x" * 64], ""),
        ("x" * 64, ["x" * 65], ""),
    ],
)
def test_nearest(name: str, known: list[str], hint: str) -> None:
    assert nearest(name, known) == hint


def test_a_huge_name_is_shortened():
    assert quoted("x" * 256) == '"' + "x" * 256 + '"'
    assert quoted("x" * 257) == '"' + "x" * 255 + '…"'


def test_no_more_findings_are_looked_for_than_a_person_reads():
    findings = (invalid(str(number)) for number in range(10**9))
    assert len(first(findings)) == 100
    assert next(findings) == Finding("IR_INVALID", "", "", {"problem": "100"})
