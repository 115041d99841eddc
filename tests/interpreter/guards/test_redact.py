"""What the redactor takes out, what it leaves alone, and that what was JSON stays JSON."""

import json
from typing import Any

import pytest

from piflows.interpreter.guards.redact import OMITTED, Redactor, withhold

REDACT = Redactor(True, "/home/al")
KEY = "MIIEtidewater77"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.SflKxwRJSMeKKF2QT4f"

TAKEN = [
    # keywords, in every spelling
    ("api_key: ebb-tide-11", "api_key=[REDACTED_SECRET]"),
    ("PASSWORD=ebb-tide-22; next", "PASSWORD=[REDACTED_SECRET]; next"),
    ("token : ebb-tide-33", "token=[REDACTED_SECRET]"),
    ("the API key: ebb, then", "the API key=[REDACTED_SECRET], then"),
    ("apikey=e api-key=f", "apikey=[REDACTED_SECRET] api-key=[REDACTED_SECRET]"),
    ("DB_PASSWORD=x AWS_SECRET_ACCESS_KEY=y", "DB_PASSWORD=[REDACTED_SECRET] AWS_SECRET_ACCESS_KEY=[REDACTED_SECRET]"),
    ("passwd:x passphrase := y", "passwd=[REDACTED_SECRET] passphrase=[REDACTED_SECRET]"),
    ("secret=low-tide-404 noted", "secret=[REDACTED_SECRET] noted"),
    ("token => abc", "token=[REDACTED_SECRET]"),
    ("secret: password: hunter2", "secret=[REDACTED_SECRET]"),
    ("password: my secret = x", "password=[REDACTED_SECRET] secret=[REDACTED_SECRET]"),
    ('password: secret = "x"y', 'password="[REDACTED_SECRET]"y'),
    ("password: mysecret : x", "password=[REDACTED_SECRET]"),
    ('password: "two words" more', 'password="[REDACTED_SECRET]" more'),
    ('password = "cut in the mid', 'password="[REDACTED_SECRET]'),
    # as people write it in Markdown
    ("**API key:** abc", "**API key:** [REDACTED_SECRET]"),
    ("**Token**: abc", "**Token**: [REDACTED_SECRET]"),
    ("`token`: `abc`", "`token`: `[REDACTED_SECRET]`"),
    # headers
    ("Header was Bearer qwertyuiopasdfghjk1234", "Header was Bearer [REDACTED_SECRET]"),
    ("Authorization: Bearer qwertyuiopas", "Authorization=[REDACTED_SECRET]"),
    ("authorization: Basic dXNlcjpwYXNz", "authorization=[REDACTED_SECRET]"),
    ("-H 'Authorization: token abc'", "-H 'Authorization=[REDACTED_SECRET]'"),
    ('bearer: "qwertyuiopas="', 'Bearer "[REDACTED_SECRET]"'),
    # tokens that tell their kind
    ("Key sk-Zq81mnbvcxzlkjhgfdsapoiuytre in settings", "Key [REDACTED_SECRET] in settings"),
    ("sk-proj-abcdef_123456", "[REDACTED_SECRET]"),
    ("ghp_abcdefghijklmnopqrst1234", "[REDACTED_SECRET]"),
    ("github_pat_11ABCDEFG0abcdefghij_x", "[REDACTED_SECRET]"),
    ("id AKIAIOSFODNN7EXAMPLE.", "id [REDACTED_SECRET]."),
    ("xoxb-1234567890-abc", "[REDACTED_SECRET]"),
    (f"AIza{'Sy3' * 12}", "[REDACTED_SECRET]"),
    ("sk_live_abcdefghijklmnop", "[REDACTED_SECRET]"),
    (f"jwt {JWT} ends", "jwt [REDACTED_SECRET] ends"),
    (f"a.{JWT}", "a.[REDACTED_SECRET]"),
    # private keys
    (f"-----BEGIN RSA PRIVATE KEY-----\n{KEY}\n-----END RSA PRIVATE KEY-----\nafter", "[REDACTED_PRIVATE_KEY]\nafter"),
    (f"-----BEGIN PRIVATE KEY-----\\n{KEY}\\n-----END PRIVATE KEY-----", "[REDACTED_PRIVATE_KEY]"),
    (f"x -----BEGIN OPENSSH PRIVATE KEY-----\n{KEY}", "x [REDACTED_PRIVATE_KEY]"),
    (f"-----BEGIN PGP PRIVATE KEY BLOCK-----\n{KEY}\n-----END PGP PRIVATE KEY BLOCK-----.", "[REDACTED_PRIVATE_KEY]."),
    (f'"-----BEGIN EC PRIVATE KEY-----" + "{KEY}-----END EC PRIVATE KEY-----"', '"[REDACTED_PRIVATE_KEY]"'),
    # addresses and paths
    ("Ask pilot.station@example.org about it", "Ask [REDACTED_EMAIL] about it"),
    ("<a+b@x.co.uk>, c@münchen.de.", "<[REDACTED_EMAIL]>, [REDACTED_EMAIL]."),
    ("postgres://app:pw@localhost/db", "postgres://[REDACTED_SECRET]@localhost/db"),
    ("/home/al/x, /home/al: file:///home/al.", "~/x, ~: file://~."),
    # JSON stays JSON
    ('{"password": "a \\" b", "n": 1}', '{"password": "[REDACTED_SECRET]", "n": 1}'),
    ('{"apiKey":12345}', '{"apiKey":"[REDACTED_SECRET]"}'),
    (r"{\"token\": \"a b\", \"n\": 1}", r"{\"token\": \"[REDACTED_SECRET]\", \"n\": 1}"),
    ('{"ask": "Your password: ", "token": "x"}', '{"ask": "Your password: ", "token": "[REDACTED_SECRET]"}'),
    (r'{"run": "curl -d \"token=abc\""}', r'{"run": "curl -d \"token=[REDACTED_SECRET]\""}'),
]

LEFT = [
    "",
    "Bearer tokens are forbidden in this log",
    "The token is rotated every night; a secret has no name here.",
    "maxTokens: 5, tokens: 7, token_count: 9, passwords: none",
    "Token::new(x) and secrets::load()",
    'token="" password=\'\' {"token": null, "secret": true, "password": {"min": 8}}',
    "task-decomposition-lecture, risk-assessment-matrix, sk-short",
    "react@18.2.0, a@b, @decorator, 5 @ 3",
    "look for `-----BEGIN PRIVATE KEY-----` in the file, then go on",
    "-----BEGIN CERTIFICATE-----\nMIIC\n-----END CERTIFICATE-----",
    "/home/alan /home/al-b /home/al.bak ~/x",
    "eyJhbGciOiJIUzI1NiJ9 alone, AKIA, ghp_, xoxo-1",
    "http://localhost:8080/a?b=c user:group",
]


@pytest.mark.parametrize(("text", "redacted"), TAKEN)
def test_secrets_go(text: str, redacted: str) -> None:
    assert REDACT.text(text) == redacted
    assert REDACT.text(redacted) == redacted
    assert REDACT.changed(text)
    assert not REDACT.changed(redacted)


@pytest.mark.parametrize("text", LEFT)
def test_ordinary_text_stays(text: str) -> None:
    assert REDACT.text(text) == text


@pytest.mark.parametrize(("text", "_"), TAKEN)
def test_nothing_goes_when_it_is_off(text: str, _: str) -> None:
    off = Redactor(False, "/home/al")
    assert off.text(text) == text
    assert off.value({"password": text}) == {"password": text}


def test_without_a_home_no_path_is_shortened() -> None:
    assert Redactor(True, "").text("/home/al") == "/home/al"


def test_a_value_is_redacted_everywhere() -> None:
    value = {
        "a@x.org": 1,
        "b@x.org": ["sk-abcdefghijkl", {"n": None, "deep": ("token=x", True, 1.5)}],
        "password": "hunter2",
        "apiKey": 1234,
        "secret": None,
        "token": {"text": "kept"},
        "authorization": "",
    }
    before = json.dumps(value)
    assert REDACT.value(value) == {
        "[REDACTED_EMAIL]": 1,
        "[REDACTED_EMAIL] (2)": ["[REDACTED_SECRET]", {"n": None, "deep": ["token=[REDACTED_SECRET]", True, 1.5]}],
        "password": "[REDACTED_SECRET]",
        "apiKey": "[REDACTED_SECRET]",
        "secret": None,
        "token": {"text": "kept"},
        "authorization": "",
    }
    assert json.dumps(value) == before


def test_a_key_that_was_there_keeps_its_name() -> None:
    assert REDACT.value({"a@x.org": 1, "[REDACTED_EMAIL]": 2}) == {"[REDACTED_EMAIL] (2)": 1, "[REDACTED_EMAIL]": 2}


@pytest.mark.parametrize(
    "value",
    ["token=x", 5, None, True, [], {}, [["token=x"]]],
    ids=["text", "int", "null", "bool", "list", "map", "deep"],
)
def test_a_value_of_any_shape(value: Any) -> None:
    assert json.dumps(REDACT.value(value)) == json.dumps(value).replace("=x", "=[REDACTED_SECRET]")


def test_any_depth() -> None:
    deep: Any = "token=x"
    for _ in range(50_000):
        deep = [{"in": deep}]
    for made, leaf in ((REDACT.value(deep), "token=[REDACTED_SECRET]"), (withhold(deep), OMITTED)):
        for _ in range(50_000):
            made = made[0]["in"]
        assert made == leaf


def test_withholding_keeps_the_structure_alone() -> None:
    value = {"status": "completed", "n": 3, "list": ["a", "", None, {"text": "b"}], "none": None}
    assert withhold(value) == {
        "status": OMITTED,
        "n": 3,
        "list": [OMITTED, OMITTED, None, {"text": OMITTED}],
        "none": None,
    }
    assert withhold("a") == OMITTED
    assert value["list"] == ["a", "", None, {"text": "b"}]
