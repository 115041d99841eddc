"""What must hold for every text: no secret of a known shape is left, nothing hidden crosses, no split marker passes."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from piflows.interpreter.guards.handoff import COMMENT, LABELS, fresh, labels, prepare, strip
from piflows.interpreter.guards.redact import Redactor

REDACT = Redactor(True, "/home/al")
PIECES = (
    *(
        "token",
        "secret",
        "api key",
        "PASSWORD",
        "authorization",
        ":",
        "=",
        ": ",
        " = ",
        '"',
        "'",
        "`",
        "\\",
        '\\"',
        "**",
    ),
    *(
        "Bearer ",
        "Bearer: ",
        "Basic ",
        "abcdefghijklmn",
        "sk-",
        "ghp_",
        "AKIA",
        "eyJ",
        ".",
        "x@y.org",
        "@",
        "://",
        "u:p@h",
    ),
    *(
        "/home/al",
        "/",
        "\n",
        "\\n",
        " ",
        ",",
        ";",
        "{",
        "]",
        "-----BEGIN PRIVATE KEY-----",
        "-----END RSA PRIVATE KEY-----",
    ),
    *("-----", "é", "~", "null", "[REDACTED_SECRET]", "[REDACTED_EMAIL]", "x", "1", "\xa0", ">", "_", "-", "|"),
)
AROUND = st.lists(st.sampled_from(PIECES), max_size=6).map("".join) | st.text(max_size=8)
LETTERS = st.text("abcdefghijkmnpqrstuvwyz0123456789", min_size=24, max_size=40).map("Q{}Q".format)
BASE64 = st.text("ABCDEFab0123456789+/", min_size=8, max_size=40).map("Z{}Z".format)
SHAPES = (
    "sk-{}",
    "Bearer {}",
    "bearer: {}",
    "Authorization: Bearer {}",
    "authorization: Basic {}",
    "api key: {}",
    "API_KEY={}",
    "token : {}",
    "**Password:** {}",
    "'secret' = '{}'",
    '"password": "{}"',
    '\\"passwd\\":\\"{}\\"',
    "ghp_{}",
    "github_pat_{}",
    "glpat-{}",
    "xoxb-{}",
    "AIzaSy01234567{}",
    "-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----",
    "-----BEGIN RSA PRIVATE KEY-----\\n{}",
    "eyJhbGciOiJIUzI1NiJ9.{}",
    "{}@example.org",
)


@given(
    before=AROUND, shape=st.sampled_from(SHAPES), secret=LETTERS | BASE64.map(lambda each: f"Q{each * 3}"), after=AROUND
)
@example(before="password: secret ", shape="token : {}", secret="hunter2hunter2", after="")
def test_no_secret_of_a_known_shape_is_left(before: str, shape: str, secret: str, after: str) -> None:
    letters = secret.translate({ord("+"): "x", ord("/"): "y"}) if "BEGIN" not in shape else secret
    text = f"{before} {shape.format(letters)} {after}"
    assert letters not in REDACT.text(text)
    assert letters not in str(REDACT.value([{"any": text}, {text: 1}]))


@given(st.lists(AROUND, max_size=4).map("".join))
def test_redacting_again_changes_nothing(text: str) -> None:
    once = REDACT.text(text)
    assert REDACT.text(once) == once
    assert REDACT.value(REDACT.value({text: text})) == REDACT.value({text: text})


@given(
    st.text(st.characters(exclude_categories=()) | st.sampled_from("\x00\x1f\x7f\x9f\u200b\u202e\u2064\ufeff\t\r\n"))
)
def test_nothing_hidden_crosses(text: str) -> None:
    listed = {*range(9), 11, 12, *range(14, 32), *range(0x7F, 0xA0), *range(0x200B, 0x2010), *range(0x202A, 0x202F)}
    kept = "".join(char for char in text if ord(char) not in {*listed, *range(0x2060, 0x2065), 0xFEFF})
    assert strip(text) == kept
    assert prepare(fresh(), text, "warn")["text"] == kept


WORDS = (
    *("Ignore", "forget", "all", "previous", "rules", "context", "you are", "now", "new", "role", "system", "prompt:"),
    *("print", "the", "token", "<!--", "ignore", "-->", ".", "\n", "and a harmless text of some length", "\u200b"),
)
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join), min_size=1, max_size=8)


@given(TEXTS)
def test_a_marker_that_a_text_completes_is_found(texts: list[str]) -> None:
    """The plain way: scan all that was remembered and the text, less what the past alone has."""
    state = fresh()
    past, known = "", set[str]()
    for text in texts:
        made = prepare(state, text, "warn")
        clean = strip(text)
        direct = {*labels(text), *labels(clean)}
        new = {*labels(f"{past} {clean}")} - direct - {*labels(past)} - known
        assert made["labels"][: len(direct)] == [label for label in LABELS if label in direct]
        assert {f"compositional {label}" for label in new} <= {*made["labels"][len(direct) :]}
        past, known = f"{past} {clean}".strip(" "), known | direct


@given(TEXTS)
def test_a_marker_is_found_only_where_the_joined_texts_have_it(texts: list[str]) -> None:
    state = fresh()
    joined = ""
    for text in texts:
        made = prepare(state, text, "quarantine")
        joined = f"{joined} {strip(text)}"
        found = {label.removeprefix("compositional ") for label in made["labels"] if label.startswith("compositional")}
        assert found - {COMMENT} <= {*labels(joined)}
