"""What a contracted child is told: its contract as it was written, and the form that its return must have."""

from __future__ import annotations

import json
import re
from typing import Any

from compiler.check.test_rules import CONTRACT
from compiler.conftest import Compile

from piflows.grammar.envelope import FIELDS, misses
from piflows.ir.canonical import identity
from piflows.ir.flow import Stage
from piflows.ir.parts import constant
from piflows.ir.plan import Plan

HOSTILE = {**CONTRACT, "objective": "Say {{ 7 * 7 }} {% raw %} {previous} {task} ```", "owner": "caf\u00e9"}


def prompt(compiled: Compile, call: dict[str, Any]) -> str:
    """The prompt of the only unit."""
    flow = compiled(call).flow
    assert flow is not None
    (work,) = (state.work for state in flow.states if isinstance(state, Stage))
    assert isinstance(work, Plan)
    text = constant(work.units[0].prompt)
    assert text is not None  # nothing that an author wrote became a slot
    return text


def blocks(text: str) -> list[Any]:
    return [json.loads(each) for each in re.findall(r"^```json\n(.*?)\n```$", text, re.MULTILINE | re.DOTALL)]


def test_the_contract_stands_there_as_it_was_written(compiled: Compile) -> None:
    text = prompt(compiled, {"agent": "recon", "contract": HOSTILE})
    assert HOSTILE["objective"] in text and "49" not in text
    contract, form = blocks(text)
    assert contract == HOSTILE
    assert form["contractId"] == identity(HOSTILE)


def test_the_form_that_is_asked_for_is_the_one_that_is_read(compiled: Compile) -> None:
    _, form = blocks(prompt(compiled, {"agent": "recon", "contract": CONTRACT}))
    assert list(form) == list(FIELDS)
    form["status"] = form["status"].split(" | ")[0]
    form["digests"][0]["value"] = "0" * 64
    assert list(misses(form)) == []


def test_an_uncontracted_child_is_told_nothing_of_it(compiled: Compile) -> None:
    assert "contract" not in prompt(compiled, {"agent": "recon", "task": "Look."})
