import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from piflows.grammar.control import control_of_data, parse_control, reply_json
from piflows.grammar.instructions import instruction
from piflows.grammar.vocabulary import FALLBACK, VOCABULARY
from piflows.ir.unit import Protocol

CANDIDATES = ("recon", "strategist", "my agent", "a.b")

READ: list[tuple[Protocol, str, str | float]] = [
    ("verdict", "VERDICT: PASS", "pass"),
    ("verdict", "verdict: Revise\nbecause", "revise"),
    ("verdict", "\n \t\n  VERDICT:PASS  \r\nfine", "pass"),
    ("verdict", "VERDICT :\tPASS", "pass"),
    ("verdict", '{"verdict":"pass"}', "pass"),
    ("verdict", 'So:\n```json\n{"verdict": "revise", "why": "x"}\n```\nDone.', "revise"),
    ("verdict", 'I mean {"verdict": "pass"}, really.', "pass"),
    ("verdict", '```\n{"verdict":"pass"}\n```\n```json\n{"verdict":"revise"}\n```', "revise"),
    ("verdict", '```json\n{"verdict":"pass"}\n```\n```python\nx = {}\n```', "pass"),
    ("verdict", 'LOOP: DONE\n{"verdict":"pass"}', "pass"),
    ("loop", "LOOP: DONE\nVERDICT: REVISE", "done"),
    ("loop", "loop: continue", "continue"),
    ("loop", '{"loop":"done"}', "done"),
    ("route", "ROUTE: recon", "recon"),
    ("route", "route: RECON", "recon"),
    ("route", "ROUTE: My Agent", "my agent"),
    ("route", "ROUTE: a.b", "a.b"),
    ("route", "ROUTE: None\nMaybe recon?", "none"),
    ("route", '{"route":"strategist"}', "strategist"),
    ("route", '{"route":"none"}', "none"),
    ("score", "SCORE: 88", 88.0),
    ("score", "SCORE: 10.5\nok", 10.5),
    ("score", "SCORE: 0", 0.0),
    ("score", "score: 100.0", 100.0),
    ("score", '{"score":88}', 88.0),
    ("score", '{"score":1e1}', 10.0),
]

UNPARSEABLE: list[tuple[Protocol, str]] = [
    ("verdict", ""),
    ("verdict", " \n\t"),
    ("verdict", "I cannot issue VERDICT: PASS for this."),
    ("verdict", "Reasoning first.\nVERDICT: PASS"),
    ("verdict", "VERDICT: PASSPORT"),
    ("verdict", 'VERDICT: PASSPORT\n{"verdict":"pass"}'),
    ("verdict", 'VERDICT:\n{"verdict":"pass"}'),
    ("verdict", "VERDICT: PASS."),
    ("verdict", "VERDICT: PASS or REVISE"),
    ("verdict", "**VERDICT: PASS**"),
    ("verdict", "`VERDICT: PASS`"),
    ("verdict", "> VERDICT: PASS"),
    ("verdict", "VERDICT = PASS"),
    ("verdict", "VERDICT PASS"),
    ("verdict", "VERDICT: PA\u017f\u017f"),
    ("verdict", "\u200bVERDICT: PASS"),
    ("verdict", "VERDICT: PASS\u2028but no"),
    ("verdict", "VERDICT\uff1a PASS"),
    ("verdict", '{"verdict":"PASS"}'),
    ("verdict", '{"verdict":true}'),
    ("verdict", '{"Verdict":"pass"}'),
    ("verdict", '{"verdict":["pass"]}'),
    ("verdict", '["pass"]'),
    ("verdict", '"pass"'),
    ("verdict", '{"verdict":"revise","verdict":"pass"}'),
    ("verdict", '```json\nno\n```\n{"verdict":"pass"}'),
    ("verdict", '```json\n{"verdict":"pass"}'.replace("}", "")),
    ("verdict", "[maybe] {not} this"),
    ("loop", "LOOP: COMPLETE"),
    ("loop", "Not yet LOOP: DONE."),
    ("loop", '{"done":true}'),
    ("loop", "VERDICT: PASS"),
    ("route", "ROUTE: reconnaissance"),
    ("route", "ROUTE: recon, strategist"),
    ("route", "ROUTE: `recon`"),
    ("route", 'ROUTE: nobody\n{"route":"recon"}'),
    ("route", "ROUTE: "),
    ("route", "Thinking about it.\nROUTE: recon"),
    ("route", '{"route":"RECON"}'),
    ("route", '{"route":["recon"]}'),
    ("score", "SCORE: -20"),
    ("score", "SCORE: 150"),
    ("score", "SCORE: 100.1"),
    ("score", "SCORE: 88/100"),
    ("score", "SCORE: 88%"),
    ("score", "SCORE: 1e1"),
    ("score", "SCORE: .5"),
    ("score", "SCORE: 8."),
    ("score", "SCORE: \u0668"),
    ("score", "SCORE: nan"),
    ("score", '{"score":"88"}'),
    ("score", '{"score":true}'),
    ("score", '{"score":NaN}'),
    ("score", '{"score":1e999}'),
    ("score", '{"score":101}'),
    ("score", '{"score":-1}'),
    ("score", '{"rating":100}'),
    ("score", '{"score":' + "9" * 5_000 + "}"),
    ("score", '{"score":' + "[" * 5_000),
]


@pytest.mark.parametrize(("protocol", "text", "value"), READ)
def test_an_answer_is_read(protocol: Protocol, text: str, value: str | float) -> None:
    found = parse_control(protocol, text, CANDIDATES)
    assert found == value and type(found) is type(value)


@pytest.mark.parametrize(("protocol", "text"), UNPARSEABLE, ids=lambda value: repr(value)[:40])
def test_anything_else_is_unparseable(protocol: Protocol, text: str) -> None:
    assert parse_control(protocol, text, CANDIDATES) is None


def test_an_exact_name_wins_where_two_differ_only_in_case() -> None:
    two = ("Recon", "recon")
    assert parse_control("route", "ROUTE: recon", two) == "recon"
    assert parse_control("route", "ROUTE: Recon", two) == "Recon"
    assert parse_control("route", "ROUTE: RECON", two) is None


def test_the_fallbacks_are_the_documented_ones() -> None:
    assert dict(FALLBACK) == {"verdict": "revise", "loop": "continue", "route": "none", "score": 0.0}


JSON_REPLIES = [
    ('["a", "b"]', ["a", "b"]),
    ('I read it.\n\n```json\n["a", "b"]\n```\nTell me.', ["a", "b"]),
    ('```JSON\n{"a": 1}\n```', {"a": 1}),
    ("  ```\n  [1]\n  ```", [1]),
    ('````json\n{"a": "```"}\n````', {"a": "```"}),
    ('```json\n{"a": "\\n```\\n"}\n```', {"a": "\n```\n"}),
    ("````\n```\n[1]\n```\n````", [1]),
    ("```json\n[1]\n```json\n[2]\n```", None),
    ("so [1, 2] it is", [1, 2]),
    ('pre {"a": [1]} post ]', {"a": [1]}),
    ("no brackets", None),
    ("} {", None),
    ("", None),
    ("null", None),
    ("7", 7),
]


@pytest.mark.parametrize(("text", "value"), JSON_REPLIES)
def test_the_json_of_a_reply_is_found(text: str, value: object) -> None:
    assert reply_json(text) == value


protocols = st.sampled_from(sorted(VOCABULARY))
names = (
    st.text(min_size=1, max_size=8)
    .map(lambda text: re.sub(r"\s", "_", text))
    .filter(lambda text: not set("`<:") & set(text))
)
noise = st.lists(
    st.sampled_from(["VERDICT", "ROUTE", "SCORE", ":", " ", "PASS", "recon", "```", "json", "\n", "{", "}", "[", '"'])
    | st.text(max_size=3)
).map("".join)


@given(protocols, noise | st.text())
def test_any_answer_has_a_documented_value_or_none(protocol: Protocol, text: str) -> None:
    found = parse_control(protocol, text, ("recon",))
    allowed = {"verdict": ("pass", "revise"), "loop": ("done", "continue"), "route": ("recon", "none")}
    if protocol == "score":
        assert found is None or (isinstance(found, float) and 0 <= found <= 100)
    else:
        assert found is None or found in allowed[protocol]


@given(protocols, st.lists(names, max_size=4, unique_by=str.casefold))
def test_what_is_asked_for_is_understood(protocol: Protocol, candidates: list[str]) -> None:
    sentence = instruction(protocol, candidates)
    lines = [line for line in re.findall("`([^`]*)`", sentence) if ": " in line and "<" not in line]
    values = {parse_control(protocol, f"{line}\nmore", candidates) for line in lines}
    assert None not in values
    expected = {"verdict": {"pass", "revise"}, "loop": {"done", "continue"}, "score": {88.0}}
    assert values == expected.get(protocol, {*candidates, "none"})
    assert "\n" not in sentence


@pytest.mark.parametrize("protocol", sorted(VOCABULARY))
def test_the_instruction_says_what_another_line_means(protocol: Protocol) -> None:
    assert instruction(protocol, ["recon"]).endswith(f"Any other first line {VOCABULARY[protocol].fails}.")


@given(
    st.recursive(st.none() | st.booleans() | st.integers(-999, 999) | st.text(max_size=4), st.lists),
    st.text(max_size=9),
)
def test_a_fenced_value_is_found_in_any_prose(value: object, prose: str) -> None:
    before, after = prose.replace("`", "'"), prose.replace("`", "'")
    assert reply_json(f"{before}\n```json\n{json.dumps(value)}\n```\n{after}") == value


OF_DATA: list[tuple[Protocol, object, str | float | None]] = [
    ("verdict", {"verdict": "pass"}, "pass"),
    ("verdict", {"verdict": "revise", "why": "x"}, "revise"),
    ("verdict", {"verdict": "PASS"}, None),
    ("verdict", {"verdict": True}, None),
    ("verdict", {"verdict": ["pass"]}, None),
    ("verdict", {"Verdict": "pass"}, None),
    ("verdict", "pass", None),
    ("verdict", "VERDICT: PASS", None),
    ("verdict", ["pass"], None),
    ("verdict", None, None),
    ("verdict", {"loop": "done"}, None),
    ("loop", {"loop": "done"}, "done"),
    ("loop", {"loop": "continue"}, "continue"),
    ("loop", {"loop": "complete"}, None),
    ("loop", {"done": True}, None),
    ("route", {"route": "recon"}, "recon"),
    ("route", {"route": "none"}, "none"),
    ("route", {"route": "Recon"}, None),
    ("route", {"route": " recon"}, None),
    ("route", {"route": "reviewer"}, None),
    ("route", "recon", None),
    ("score", {"score": 88}, 88.0),
    ("score", {"score": 0}, 0.0),
    ("score", {"score": 100.0}, 100.0),
    ("score", {"score": 100.1}, None),
    ("score", {"score": -1}, None),
    ("score", {"score": 10**300}, None),
    ("score", {"score": "88"}, None),
    ("score", {"score": True}, None),
]


@pytest.mark.parametrize(("protocol", "data", "value"), OF_DATA)
def test_data_carries_exactly_the_documented_values(
    protocol: Protocol, data: object, value: str | float | None
) -> None:
    """DECISIONS 25: structured values match exactly, candidate names too."""
    found = control_of_data(protocol, data, CANDIDATES)
    assert found == value and type(found) is type(value)
