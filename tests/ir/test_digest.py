"""Canonical JSON, and digests of Flows and files."""

from __future__ import annotations

import json
from hashlib import sha256

import pytest
from hypothesis import given
from strategies import flows, json_values

from piflows.ir.actions import Wait
from piflows.ir.digest import canonical, digest, text_digest
from piflows.ir.flow import Action, Ceiling, Flow
from piflows.ir.node import dump, load


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ({"b": [1, None, True], "a": {}}, '{"a":{},"b":[1,null,true]}'),
        ({"ä": "\u2028\n"}, '{"ä":"\u2028\\n"}'),
        ([1.0, -0.0, 1e15, 2.5, 1e300], "[1,0,1000000000000000,2.5,1e+300]"),
        ((1, "a"), '[1,"a"]'),
        ({"A": 1, "a": 2, "B": 3}, '{"A":1,"B":3,"a":2}'),
    ],
)
def test_canonical(value: object, written: str) -> None:
    assert canonical(value) == written


@pytest.mark.parametrize("value", [float("nan"), [float("inf")]])
def test_what_json_does_not_have_has_no_canonical_form(value: object) -> None:
    with pytest.raises(ValueError, match="JSON"):
        canonical(value)


@given(json_values())
def test_canonical_is_the_same_json_value(value: object) -> None:
    assert json.loads(canonical(value)) == value
    assert canonical(json.loads(canonical(value))) == canonical(value)


def test_a_digest_names_its_algorithm() -> None:
    assert text_digest(b"abc") == f"sha256:{sha256(b'abc').hexdigest()}"


def test_the_spelling_of_a_number_and_the_order_of_keys_decide_nothing() -> None:
    whole = Flow("m", "s", (Action("a", Wait(5), {"x": "1", "y": "2"}),), ceilings=(Ceiling("c", "maxTokens", 5),))
    other = Flow("m", "s", (Action("a", Wait(5.0), {"y": "2", "x": "1"}),), ceilings=(Ceiling("c", "maxTokens", 5.0),))
    assert digest(whole) == digest(other) != digest(Flow("m", "s", ()))


@given(flows())
def test_a_digest_survives_the_json_form(flow: Flow) -> None:
    again = load(json.dumps(dump(flow)))
    assert again == flow
    assert digest(again) == digest(flow) == text_digest(canonical(dump(flow)).encode())
