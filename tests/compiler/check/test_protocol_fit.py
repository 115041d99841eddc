"""A warning where a decision can never be returned, and none where it may be."""

from __future__ import annotations

from typing import Any

import pytest
from compiler.check.test_rules import CONTRACT
from compiler.conftest import Compile
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from piflows.compiler.check.rules.protocol_fit import CONTROLS, _Carried
from piflows.grammar.control import control_of_data

Json = dict[str, Any]
CRITIC = ("evaluate", {"redteam": {"agent": "redteam"}}, "redteam")
SCORER = ("search", {"scorer": {"agent": "redteam", "tools": "none"}}, "scorer")
ROUTER = ("route", {"candidates": ["recon"], "controller": {"agent": "controller"}}, "controller")
BODY = ("loop", {"body": {"agent": "operator"}}, "body")
JUDGED = ("loop", {"body": {"agent": "operator"}, "judge": {"agent": "overwatch"}}, "body")
JUDGE = ("loop", {"body": {"agent": "operator"}, "judge": {"agent": "overwatch"}}, "judge")
GENERATOR = ("search", {"generator": {"agent": "strategist"}}, "generator")


def closed(**properties: Any) -> Json:
    return {"type": "object", "properties": properties, "additionalProperties": False}


def under(role: tuple[str, Json, str], schema: Json) -> Json:
    mode, spec, name = role
    holder = {**spec[name], "contract": {**CONTRACT, "returnSchema": schema}}
    return {"task": "Repair it.", mode: {**spec, name: holder}}


NEVER: list[tuple[tuple[str, Json, str], Json]] = [
    (CRITIC, closed()),
    (CRITIC, closed(passed={"type": "boolean"})),
    (CRITIC, closed(verdict={"type": "boolean"})),
    (CRITIC, closed(verdict={"enum": ["PASS", "REVISE"]})),
    (CRITIC, {"properties": {"verdict": {"const": "approved"}}}),
    (CRITIC, {"properties": {"verdict": False}}),
    (CRITIC, {"type": "array"}),
    (CRITIC, {"type": ["string", "null"]}),
    (CRITIC, {"const": {"verdict": "PASS"}}),
    (CRITIC, {"enum": ["pass", "revise"]}),
    (CRITIC, {"allOf": [{}, closed(a={})]}),
    (CRITIC, {"anyOf": [{"type": "string"}, closed(a={})]}),
    (CRITIC, {"$ref": "#/$defs/a", "$defs": {"a": {"type": "string"}}}),
    (CRITIC, {"properties": {"verdict": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"type": "integer"}}}),
    (CRITIC, {"properties": {"verdict": {"oneOf": [{"type": "null"}, {"const": 1}]}}}),
    (JUDGE, closed(loop={})),
    (BODY, closed(loop={"enum": ["finished"]})),
    (BODY, closed(verdict={})),
    (ROUTER, closed(route={"enum": ["analyst"]})),
    (SCORER, closed(score={"type": "string"})),
    (SCORER, closed(score={"minimum": 101})),
    (SCORER, closed(score={"exclusiveMaximum": 0})),
    (SCORER, closed(score={"enum": [101, "50", True]})),
]
PERHAPS: list[tuple[tuple[str, Json, str], Json]] = [
    (CRITIC, {}),
    (CRITIC, {"type": "object"}),
    (CRITIC, closed(verdict={})),
    (CRITIC, closed(verdict={"type": ["null", "string"]})),
    (CRITIC, {**closed(), "patternProperties": {"^v": {}}}),
    (CRITIC, {"additionalProperties": {"type": "string"}}),
    (CRITIC, {"anyOf": [closed(a={}), closed(verdict={})]}),
    (CRITIC, {"const": {"verdict": "pass"}}),
    (CRITIC, {"$ref": "#"}),
    (CRITIC, {"$id": "http://x/a", "$ref": "http://x/a"}),
    (CRITIC, {"not": {"required": ["verdict"]}}),
    (JUDGED, closed()),
    (BODY, closed(loop={"enum": ["finished", "done"]})),
    (ROUTER, closed(route={"enum": ["analyst", "recon"]})),
    (ROUTER, closed(route={"const": "none"})),
    (SCORER, closed(score={"type": "integer", "minimum": 100})),
    (GENERATOR, closed()),
]


@pytest.mark.parametrize(("role", "schema"), NEVER)
def test_what_can_never_decide_is_warned_of(role: tuple[str, Json, str], schema: Json, compiled: Compile) -> None:
    found = compiled(under(role, schema)).diagnostics
    assert [(each.code, each.where.pointer) for each in found] == [
        ("CONTRACT_UNFIT", f"/{role[0]}/{role[2]}/contract/returnSchema")
    ]


@pytest.mark.parametrize(("role", "schema"), PERHAPS)
def test_what_may_decide_is_not(role: tuple[str, Json, str], schema: Json, compiled: Compile) -> None:
    assert compiled(under(role, schema)).diagnostics == ()


PARTS = st.recursive(
    st.sampled_from(
        [{}, True, False, {"type": "string"}, {"type": "object"}, {"const": "pass"}, {"enum": [1, "done"]}]
    ),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "properties": st.fixed_dictionaries({"verdict": inner}),
            "additionalProperties": st.booleans(),
            "allOf": st.lists(inner, min_size=1, max_size=2),
            "anyOf": st.lists(inner, min_size=1, max_size=2),
            "type": st.sampled_from(["object", "string", ["object", "null"]]),
        },
    ),
    max_leaves=6,
)


@given(PARTS)
def test_a_warning_is_certain(schema: Any) -> None:
    """Whatever is said never to carry a verdict refuses every value that does."""
    carried = _Carried(schema, "verdict", lambda value: control_of_data("verdict", {"verdict": value}) is not None)
    if carried.by(schema):
        fits = Draft202012Validator(schema).is_valid
        assert not any(fits({"verdict": value}) for value in ("pass", "revise"))


@pytest.mark.parametrize("role", [CRITIC, SCORER, ROUTER, BODY, JUDGE])
def test_the_table_is_what_the_modes_do(role: tuple[str, Json, str], compiled: Compile) -> None:
    mode, spec, name = role
    made = compiled({"task": "Repair it.", mode: spec})
    assert made.flow is not None
    agent = spec[name]["agent"]
    protocols = {each.protocol for each in made.flow.roles.values() if each.agent == agent}
    assert protocols == {CONTROLS[mode, name]}
