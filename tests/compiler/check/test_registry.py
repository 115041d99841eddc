"""The registry names every rule once, and every rule has the anatomy that it is read by."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from piflows.compiler.check import in_order, registry, rules, speaking
from piflows.compiler.check.registry import RULES
from piflows.compiler.check.rules import well_formed
from piflows.ir.codes import CODES
from piflows.ir.diagnostic import diagnostic

FILES = {path.stem for path in Path(rules.__path__[0]).glob("*.py")} - {"__init__"}


def name(rule: Any) -> str:
    return rule.__name__.rsplit(".", 1)[1]


def test_every_rule_is_registered_once() -> None:
    assert sorted(map(name, RULES)) == sorted(FILES)


@pytest.mark.parametrize("rule", RULES, ids=name)
def test_anatomy(rule: Any) -> None:
    assert rule.SUBJECT in ("call", "flow", "host")
    assert set(rule.CODES) <= set(CODES)
    reports = re.search(r"^Reports (.+)\.$", rule.__doc__, re.MULTILINE)
    assert reports is not None
    assert re.findall(r"[A-Z]+_[A-Z_]+", reports[1]) == list(rule.CODES)
    assert re.search(r"^(Refused|Warned of): ", rule.__doc__, re.MULTILINE)
    assert re.search(r"^Accepted: ", rule.__doc__, re.MULTILINE)
    assert rule.SUBJECT == "flow" or not hasattr(rule, "silent")


def test_a_rule_that_does_not_say_when_it_is_silent_gets_a_flow(monkeypatch: pytest.MonkeyPatch) -> None:
    call: Any = SimpleNamespace(writers_may_meet=False)
    assert speaking(call) == []
    monkeypatch.delattr(well_formed, "silent")
    assert [name(rule) for _, rule in speaking(call)] == ["well_formed"]


def test_the_order_is_the_references() -> None:
    """spec/parameters.md, section 2 and 4; DECISIONS 23."""
    order = [name(rule) for rule in RULES]
    stated = """
        renamed_params unknown_params preset_overrides preset_expansion one_mode why concurrency counts mode_inputs
        voters sizing graph_edges graph_cycle contracts shared_write known_agents call_shape chain_size flow_depth
        project_preset strict_trace project_agents checkpoint not_available
    """
    for before, after in pairwise(stated.split()):
        assert order.index(before) < order.index(after)


def test_warnings_stand_behind_the_errors() -> None:
    lowered = {"nested_cwd", "near_placeholders"}  # warn with the code of an error
    kinds = [all(CODES[code].severity != "error" for code in rule.CODES) for rule in RULES if name(rule) not in lowered]
    assert kinds == sorted(kinds)


def test_repeats_are_dropped_and_the_order_is_kept() -> None:
    first, second = diagnostic("WHY_REQUIRED"), diagnostic("IR_INVALID", problem="x")
    assert in_order([(7, second), (1, first), (7, second)]) == (first, second)


def test_the_registry_is_a_page_to_read() -> None:
    text = Path(registry.__file__).read_text(encoding="utf-8")
    assert "importlib" not in text and "glob" not in text
