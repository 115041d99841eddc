"""Whether data fits: like jsonschema, with nothing fetched, in bounded time, and without showing the data."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from piflows.interpreter.guards.schema import misfit
from piflows.ir.contract import defects

Json = dict[str, Any]
SECRET = "sk-aaaaaaaaaaaaaaaa"

MISFITS: list[tuple[Json, Any, str]] = [
    ({"type": ["object", "null"]}, SECRET, "`data` must be of the type object or null"),
    ({"required": ["a", "b"]}, {"a": SECRET}, "`data` lacks `b`"),
    ({"properties": {"a": {"enum": [1, "x"]}}}, {"a": SECRET}, '`data.a` must be one of [1, "x"]'),
    ({"items": {"const": 1}}, [1, SECRET], "`data[1]` must be 1"),
    ({"additionalProperties": False}, {"a": SECRET}, "`data.a` is not one of the members that the schema knows"),
    ({"additionalProperties": {"type": "integer"}}, {"a": SECRET}, "`data.a` must be of the type integer"),
    ({"patternProperties": {"^x": {"type": "integer"}}}, {"xy": SECRET}, "`data.xy` must be of the type integer"),
    ({"properties": {"a": False}}, {"a": SECRET}, "`data` is or holds what may not be there"),
    ({"pattern": "^A$"}, SECRET, '`data` does not fit `pattern`: "^A$"'),
    ({"pattern": "^a$"}, "A", '`data` does not fit `pattern`: "^a$"'),
    ({"uniqueItems": True}, [1, 1.0], "`data` does not fit `uniqueItems`: true"),
    ({"minItems": 2}, [SECRET], "`data` does not fit `minItems`: 2"),
    ({"$ref": "#/$defs/a", "$defs": {"a": {"type": "null"}}}, SECRET, "`data` must be of the type null"),
    ({"anyOf": [{"type": "null"}, {"properties": {"a": {"type": "null"}}}]}, {"a": SECRET}, "null"),
]
FITS: list[tuple[Json, Any]] = [
    ({"additionalProperties": False, "properties": {"a": {}}, "patternProperties": {"^x": {}}}, {"a": 1, "xy": 2}),
    ({"uniqueItems": True}, [1, True, "1", [1], {"a": 1}]),
    ({"uniqueItems": False}, [1, 1]),
    ({"pattern": r"\d"}, "a1"),
    ({"pattern": "a"}, 5),
    ({"format": "date"}, "never"),
    ({"multipleOf": 0.1}, 10**200),
]
EVIL: list[tuple[Json, Any]] = [
    ({"items": {"pattern": "^(a|aa)+$"}}, ["a" * 60 + "!"] * 500),
    ({"items": {"pattern": "^(a|aa)+$"}}, ["a" * 27 + "!"] * 1_000),
    ({"patternProperties": {"^(a|aa)+$": {}}}, {"a" * 60 + "!": 1}),
    ({"patternProperties": {"^(a|aa)+$": {}}, "additionalProperties": False}, {"a" * 60 + "!": 1}),
    ({"uniqueItems": True}, [{"a": [number]} for number in range(5_000)] + [{"a": [0]}]),
    ({"properties": {"a": {"$ref": "#"}}, "required": ["a"]}, json.loads('{"a":' * 90 + "1" + "}" * 90)),
]


@pytest.mark.parametrize(("schema", "data", "said"), MISFITS)
def test_what_does_not_fit_is_told_without_the_data(schema: Json, data: Any, said: str) -> None:
    found = misfit(schema, data)
    assert found is not None and said in found[1] and SECRET not in found[1]


@pytest.mark.parametrize(("schema", "data"), FITS)
def test_what_fits(schema: Json, data: Any) -> None:
    assert misfit(schema, data) is None


@pytest.mark.parametrize(("schema", "data"), EVIL)
def test_no_data_holds_it_up(schema: Json, data: Any) -> None:
    began = time.process_time()
    misfit(schema, data)
    assert time.process_time() - began < 20


def test_a_match_that_is_given_up_does_not_fit() -> None:
    told = misfit({"pattern": "^(a|aa)+$"}, "a" * 60 + "!")
    assert told is not None and "takes too long" in told[1]
    assert misfit({"patternProperties": {"^(a|aa)+$": {}}}, {"a" * 60 + "!": 1}) is not None


@pytest.mark.parametrize("target", ["http://127.0.0.1:9/x.json", "file:///etc/passwd", "other.json", "#/nowhere"])
@pytest.mark.parametrize("keyword", ["$ref", "$dynamicRef"])
def test_nothing_is_fetched(target: str, keyword: str) -> None:
    found = misfit({keyword: target}, 1)
    assert found == ((), "it cannot be checked: a reference leads out of the schema")


SCHEMAS = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["object", "array", "string", "integer"]),
        "properties": st.dictionaries(st.sampled_from("ab"), st.sampled_from([{"type": "string"}, False, {}])),
        "patternProperties": st.dictionaries(st.sampled_from(["^a", "b$"]), st.sampled_from([{"type": "null"}, {}])),
        "additionalProperties": st.sampled_from([True, False, {"type": "integer"}]),
        "required": st.lists(st.sampled_from("abc"), unique=True),
        "uniqueItems": st.booleans(),
        "pattern": st.sampled_from(["^a", "b$", "[0-9]"]),
    },
)
DATA = st.recursive(
    st.sampled_from([None, True, 0, 1, 1.0, "a", "b1"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "ab", "c"]), inner),
)


@given(SCHEMAS, DATA)
def test_it_agrees_with_jsonschema(schema: Json, data: Any) -> None:
    assert (misfit(schema, data) is None) == Draft202012Validator(schema).is_valid(data)


def test_what_cannot_be_bounded_is_no_contract() -> None:
    schema = {"properties": {"a": {"patternProperties": {"x": {}}}}, "unevaluatedProperties": False}
    assert [path for path, clause in defects({"returnSchema": schema}) if "bounded" in clause] == [
        ("returnSchema", "unevaluatedProperties")
    ]


DOUBLING = {f"n{i}": {"allOf": [{"$ref": f"#/$defs/n{i + 1}"}] * 3} for i in range(14)} | {"n14": {}}
DOUBLED = {"$defs": DOUBLING, "$ref": "#/$defs/n0"}
TREE = {"allOf": [{"properties": {"a": {"$ref": "#"}}}] * 2}


@pytest.mark.parametrize(
    ("schema", "deep"), [({"$defs": DOUBLING, "$ref": "#/$defs/n0"}, 0), (TREE, 30)], ids=["schema", "data"]
)
def test_endless_work_is_given_up(schema: dict[str, Any], deep: int) -> None:
    data: dict[str, Any] = {}
    for _ in range(deep):
        data = {"a": data}
    told = misfit(schema, data)
    assert told is not None and "takes too long" in told[1]
