"""The two renderers: what a filling becomes, what a template may ask for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from jinja2 import TemplateNotFound, UndefinedError

from piflows.compiler import prompts
from piflows.compiler.lower import MODES, make
from piflows.compiler.prompts import Filling, Hole, full, slots_only
from piflows.compiler.prompts.templates import environment
from piflows.ir.parts import ITEM, Counter, Each, Index, Parts, Section, Slot, Text

ROUND = Counter("round")
FILLINGS: dict[str, Filling] = {"word": "a {{ b }}", "n": 3, "round": ROUND, "hole": Hole("hole"), "many": Hole("many")}


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{{ word }}", (Text("a {{ b }}"),)),
        ("{{ n }} of {{ round }}", (Text("3"), Text(" of "), ROUND)),
        ("{{ hole }}{{ hole.score }}", (Slot("hole"), Slot("hole", "score"))),
        (
            "{% call section(hole, 'exit', 'none') %}x{{ hole.exit }}{% endcall %}",
            (Section("hole", (Text("x"), Slot("hole", "exit")), "exit", (Text("none"),)),),
        ),
        (
            "{% call(item) each(many) %}{{ index }}: {{ item }}{% endcall %}",
            (Each("many", (Index(), Text(": "), Slot(ITEM))),),
        ),
        ("{% if word %}yes{% endif %}\n!", (Text("yes"), Text("!"))),
        ("{{ '1' }}{{ '[2]' }}", (Text("1[2]"),)),
        ("", ()),
    ],
)
def test_a_template_yields_parts(template: str, expected: Parts) -> None:
    found: Any = environment().from_string(template)
    assert found.render(FILLINGS) == expected


@pytest.mark.parametrize("template", ["{{ nothing }}", "{% if nothing %}x{% endif %}"])
def test_a_name_that_is_not_given_is_a_mistake(template: str) -> None:
    with pytest.raises(UndefinedError, match="nothing"):
        environment().from_string(template).render(FILLINGS)


def test_there_are_only_our_own_templates() -> None:
    with pytest.raises(TemplateNotFound):
        full("../lower/make", {})


def test_slots_only_gives_what_can_be_checked() -> None:
    fillings: dict[str, Filling] = {**FILLINGS, "parts": (Text("x"), Slot("node.a"))}
    assert slots_only("no-such-template", fillings) == (ROUND, Slot("hole"), Slot("many"), Slot("node.a"))


def test_every_template_is_the_prompt_of_a_mode_or_stands_below_that_of_any() -> None:
    names = [path.stem for path in Path(prompts.__file__).parent.glob("*.j2")]
    modules = {name: Path(__import__(module, fromlist=["x"]).__file__ or "") for name, module in MODES.items()}
    modules["delegation"] = Path(make.__file__)
    assert names and all(f'"{name}"' in modules[name.split("-")[0]].read_text("utf-8") for name in names)
