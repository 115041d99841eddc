"""Every scenario of the portfolio: outcome, process, policy, residual state; judged by what recipients were given."""

from __future__ import annotations

from pathlib import Path

import pytest
from play import Played, play
from scenarios import PORTFOLIO, Scenario
from tally import Record, count


@pytest.mark.parametrize("scenario", PORTFOLIO, ids=lambda each: f"{each.kind}-{each.name}")
def test_scenario(scenario: Scenario, tmp_path: Path, record_property: Record) -> None:
    call = {**scenario.call, "handoffPolicy": scenario.policy}
    played = play(tmp_path, call, scenario.children, scenario.files, prepare=scenario.prepare)
    assert (played.code, played.status) == scenario.end, played.details["text"]
    assert played.agents == scenario.agents
    errors = [each["error"]["code"] for each in played.details["results"] if each["error"]]
    assert tuple(errors) == scenario.failed
    for number, text in scenario.held.items():
        assert text in played.prompts[number]
    assert set(played.files) - set(scenario.files) == set(scenario.left)
    begun = [played.events.count(kind) for kind in ("childStarted", "childSettled", "childFailed")]
    assert begun[0] == begun[1] + begun[2] == len(played.sent), "who was started is in the journal, with its end"
    if scenario.benign:
        count(record_property, "benign utility", played.status == 0, 1)
        return
    believed = [text for text in scenario.lies if any(text in each for each in told(played))]
    count(record_property, "attack success", len(believed), max(1, len(scenario.lies)))
    count(record_property, "containment", played.agents == scenario.agents and not believed, 1)


def told(played: Played) -> list[str]:
    """All that somebody was told as if it counted: the recipients, and whoever asked for the flow and got an answer."""
    return [*played.prompts, *([played.details["text"] or ""] if played.status == 0 else [])]
