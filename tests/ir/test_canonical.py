"""Canonical JSON is what JavaScript writes: the table holds what `JSON.stringify` gives, keys sorted at every level."""

import json
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from piflows.ir.canonical import canonical, identity

WRITTEN = [  # JSON as it is read, and as JavaScript writes it
    ("-0", "0"),
    ("0", "0"),
    ("1", "1"),
    ("1.0", "1"),
    ("-1.50", "-1.5"),
    ("100000000000000000000", "100000000000000000000"),
    ("999999999999999900000", "999999999999999900000"),
    ("1e21", "1e+21"),
    ("123456789012345680000", "123456789012345680000"),
    ("1.5e300", "1.5e+300"),
    ("1e-6", "0.000001"),
    ("0.0000015", "0.0000015"),
    ("1e-7", "1e-7"),
    ("1.25e-9", "1.25e-9"),
    ("5e-324", "5e-324"),
    ("1.7976931348623157e308", "1.7976931348623157e+308"),
    ("0.1", "0.1"),
    ("0.30000000000000004", "0.30000000000000004"),
    ("9007199254740991", "9007199254740991"),
    ("9007199254740992", "9007199254740992"),
    ("9007199254740993", "9007199254740992"),
    ("-9007199254740995", "-9007199254740996"),
    ("12345678901234567890", "12345678901234567000"),
    ("1e5", "100000"),
    ("1E+2", "100"),
    ("4.35", "4.35"),
    ('"a\\"b\\\\c\\/"', '"a\\"b\\\\c/"'),
    ('"\\u0000\\u001f\\b\\t\\n\\f\\r\\u007f"', '"\\u0000\\u001f\\b\\t\\n\\f\\r\x7f"'),
    ('"\xe9\u20ac\U0001f600\\u2028\\u2029"', '"\xe9\u20ac\U0001f600\u2028\u2029"'),
    ('"\\ud800x\\udfff"', '"\\ud800x\\udfff"'),
    ('"\\ud83d\\ude00"', '"\U0001f600"'),
    ("true", "true"),
    ("null", "null"),
    ("[]", "[]"),
    ("{}", "{}"),
    ('[1,[2,{"b":[],"a":{}}]]', '[1,[2,{"a":{},"b":[]}]]'),
    ('{"b":1,"a":2}', '{"a":2,"b":1}'),
    ('{"\\uffff":1,"\U0001f600":2,"a":3,"":4}', '{"":4,"a":3,"\U0001f600":2,"\uffff":1}'),
    ('{"10":1,"9":2,"a":{"z":[{"y":1,"x":null}],"Z":true}}', '{"10":1,"9":2,"a":{"Z":true,"z":[{"x":null,"y":1}]}}'),
    ('{"\\ud800":1,"\\ue000":2}', '{"\\ud800":1,"\ue000":2}'),
]

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


@pytest.mark.parametrize(("given", "written"), WRITTEN)
def test_values_are_written_as_javascript_does(given: str, written: str) -> None:
    assert canonical(json.loads(given)) == written


def test_an_identity_is_the_digest_of_the_canonical_text() -> None:
    contract = {"owner": "caf\u00e9", "budget": {"maxCostUsd": 1.0, "timeoutMs": 1e21}}
    text = '{"budget":{"maxCostUsd":1,"timeoutMs":1e+21},"owner":"caf\u00e9"}'
    assert identity(contract) == f"sha256:{sha256(text.encode()).hexdigest()}"


@given(JSON)
def test_writing_is_stable_and_loses_nothing_but_the_spelling(value: Any) -> None:
    text = canonical(value)
    text.encode()
    assert canonical(json.loads(text)) == text


@given(st.dictionaries(st.text(), JSON, min_size=2), st.randoms(use_true_random=False))
def test_the_order_of_members_decides_nothing(value: dict[str, Any], random: Any) -> None:
    names = list(value)
    random.shuffle(names)
    assert identity({name: value[name] for name in names}) == identity(value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_keeps_its_value(number: float) -> None:
    assert float(canonical(number)) == number
