"""One profile for every property: the same examples in every run, no clock."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

os.environ.pop("COLUMNS", None)  # texts are 80 wide, whoever runs the tests
settings.register_profile(
    "same",
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    max_examples=60,
)
settings.register_profile("long", settings.get_profile("same"), derandomize=False, max_examples=2_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--accept", action="store_true", help="rewrite the goldens with what comes out now; read the diff")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What the portfolio of faults came to, apart from what passed."""
    from tally import table

    lines = table(each for when in ("passed", "failed") for each in terminalreporter.stats.get(when, ()))
    if lines:
        terminalreporter.section("portfolio of faults")
        terminalreporter.write("\n".join(lines) + "\n")
