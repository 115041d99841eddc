"""Every sample is tried: what is refused gives its code, what is accepted does not, and no code lacks a pair."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from samples import tried
from texts import constants, sources

from piflows.compiler.check.registry import RULES
from piflows.compiler.samples import Sample, pairs, reserved
from piflows.ir.codes import CODES

SAMPLES = [
    pytest.param(code, sample, expected, pair.warned, id=f"{code}-{number}-{'refused' if expected else 'accepted'}")
    for code in CODES
    for number, pair in enumerate(pairs(code), 1)
    for sample, expected in ((pair.refused, True), (pair.accepted, False))
]
UNSHOWN = {"chain_size"}  # rules whose smallest mistake is larger than what anybody reads


@pytest.mark.parametrize(("code", "sample", "expected", "warned"), SAMPLES)
def test_a_sample(
    code: str,
    sample: Sample,
    expected: bool,
    warned: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    status, said = tried(sample, tmp_path, monkeypatch, capfd)
    assert (re.search(rf"\b{code}\b", said) is not None) == expected, said
    assert "Traceback" not in said
    if not expected and status and set(re.findall(r" error (\w+) ", said)) == {"NOT_AVAILABLE"}:
        return  # of a mode that cannot run yet, right parameters are accepted and the mode is not
    if sample.command != "piflows list":  # which lists what it finds, and fails for nothing
        assert (status != 0) == (expected and not warned), said


def test_every_code_that_this_version_reports_has_samples_and_no_other() -> None:
    reported = {text for path in sources() for text in constants(path) if text in CODES}
    assert {code for code in CODES if not reserved(code)} == reported


def test_every_rule_has_a_sample_of_a_code_that_it_reports() -> None:
    shown = {(pair.rule, code) for code in CODES for pair in pairs(code) if pair.rule}
    rules = {rule.__name__.rsplit(".", 1)[1]: rule.CODES for rule in RULES}  # pyright: ignore
    assert {rule for rule, _ in shown} == set(rules) - UNSHOWN
    assert all(code in rules[rule] for rule, code in shown)
