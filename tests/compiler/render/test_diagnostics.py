"""The four forms of diagnostics: whole goldens, hostile content, and what an upload or an editor relies on."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from piflows.compiler.render.diagnostics import FORMS, Form, relative, render
from piflows.ir.diagnostic import Diagnostic, diagnostic
from piflows.ir.fold import cells
from piflows.ir.source import Where
from piflows.ir.visible import visible

CALL = '{\n\t"nodes": [\n    {"id": "日本", "agent": "nobody\u202e"}\n  ]\n}\n'
SOURCES = {"flows/my call.json": CALL, "long.json": '{"a": "' + "x" * 500 + '", "b": 1, "c": "' + "y" * 500 + '"}'}
UNKNOWN = diagnostic(
    "UNKNOWN_AGENT",
    Where("flows/my call.json", "/nodes/0/agent", 3, 28),
    agent="nobody\u202e",
    scope="user",
    hint=' Did you mean "none"?',
)
FAILED = diagnostic("CHILD_EXIT_NONZERO", exit=3, stderr="one\n\x1b[31mtwo\n")
IGNORED = diagnostic("PARAMETER_IGNORED", Where("a.json", "/task"), key="task", reason="list answers first")


def shown(
    *diagnostics: Diagnostic, form: Form = "text", root: str = "", colour: bool = False, width: int = 1000
) -> str:
    return render(diagnostics, form, root=root, source=SOURCES.get, colour=colour, width=width)


def test_text_is_as_wide_as_the_terminal_and_the_caret_still_points():
    text = shown(UNKNOWN, FAILED, IGNORED, width=44)
    assert max(map(cells, text.split("\n"))) <= 44
    assert text.startswith(
        "flows/my call.json:3:28: error UNKNOWN_AGENT\n"
        '    There is no agent named "nobody\\u202e"\n'
        '    in scope user. Did you mean "none"?\n'
    )
    line, caret = text.split("\n")[3:5]
    assert line.startswith("    3 | …") and '"日本"' in line
    assert line[caret.index("^") - 2 :].startswith("nobody")  # two characters of the line are two cells wide


def test_text_shows_the_line_with_a_caret_then_cause_and_fix():
    assert shown(UNKNOWN, FAILED, IGNORED) == (
        'flows/my call.json:3:28: error UNKNOWN_AGENT There is no agent named "nobody\\u202e" in scope user.'
        ' Did you mean "none"?\n'
        '    3 |     {"id": "日本", "agent": "nobody\\u202e"}\n'
        "      |                              ^\n"
        "  cause: Agent names match exactly, and only the directories of the scope user were read.\n"
        "  fix: Run `piflows list` and use a name that it shows, or name the scope that holds the agent: "
        '`"agentScope": "project"` in a call, `--set agentScope=project` on the command line.\n'
        "\n"
        "error CHILD_EXIT_NONZERO The child failed with exit status 3.\n"
        "  cause: On its standard error: one\n"
        "    \\x1b[31mtwo\n"
        "  fix: Check that the agent command is installed, authenticated, and has its model and directory.\n"
        "\n"
        'a.json: warning PARAMETER_IGNORED "task" has no effect: list answers first.\n'
        "  at: /task\n"
        "  cause: It was read and understood, and nothing acts on it here.\n"
        '  fix: Do not rely on "task": leave it out, or make the call one that uses it.\n'
    )


@pytest.mark.parametrize(
    ("text", "line", "column", "snippet"),
    [
        ("abc", 1, 1, ["    1 | abc", "      | ^"]),
        ("abc\n", 1, 4, ["    1 | abc", "      |    ^"]),
        ("abc\n", 2, 1, ["    2 |", "      | ^"]),
        ("abc", 1, 99, ["    1 | abc", "      |    ^"]),
        ("\tab", 1, 2, ["    1 |     ab", "      |     ^"]),
        ("a\tb", 1, 3, ["    1 | a    b", "      |      ^"]),
        ("日本x", 1, 3, ["    1 | 日本x", "      |     ^"]),
        ("e\u0301x", 1, 3, ["    1 | e\u0301x", "      |  ^"]),
        ("\x1bx", 1, 2, ["    1 | \\x1bx", "      |     ^"]),
        ("\ufeffabc", 1, 2, ["    1 | abc", "      |  ^"]),
        ("a\r\nb\r\n", 2, 1, ["    2 | b", "      | ^"]),
        ("a\fb\u2028c\nd", 2, 1, ["    2 | d", "      | ^"]),
        ("abc", 1, None, ["    1 | abc"]),
        ("abc", 7, 1, []),
        ("abc", None, None, []),
    ],
)
def test_the_caret_stands_under_its_column(text: str, line: int | None, column: int | None, snippet: list[str]):
    made = diagnostic("WHY_REQUIRED", Where("f", "", line, column))
    assert render([made], "text", source={"f": text}.get, width=1000).split("\n")[1:-3] == snippet


def test_a_long_line_is_cut_around_the_caret():
    column = SOURCES["long.json"].index('"b"') + 1
    _head, line, caret, *_ = shown(diagnostic("WHY_REQUIRED", Where("long.json", "/b", 1, column)), width=80).split(
        "\n"
    )
    assert len(line) <= 80
    assert line.startswith("    1 | …x")
    assert line.endswith("y…")
    assert line[caret.index("^") :].startswith('"b": 1')


def test_colour_only_when_asked():
    assert "\x1b" not in shown(UNKNOWN, FAILED)
    assert "\x1b[1;31merror\x1b[0m UNKNOWN_AGENT" in shown(UNKNOWN, colour=True)
    assert not any("\x1b" in shown(UNKNOWN, FAILED, form=form, colour=True) for form in ("json", "sarif", "github"))


def test_json_is_an_array_of_all_members():
    assert json.loads(shown(UNKNOWN, IGNORED, form="json")) == [
        {
            "code": "UNKNOWN_AGENT",
            "severity": "error",
            "message": UNKNOWN.message,
            "cause": UNKNOWN.cause,
            "fix": UNKNOWN.fix,
            "retryable": False,
            "file": "flows/my call.json",
            "line": 3,
            "column": 28,
            "pointer": "/nodes/0/agent",
        },
        {
            "code": "PARAMETER_IGNORED",
            "severity": "warning",
            "message": IGNORED.message,
            "cause": IGNORED.cause,
            "fix": IGNORED.fix,
            "retryable": False,
            "file": "a.json",
            "line": None,
            "column": None,
            "pointer": "/task",
        },
    ]


def test_no_findings():
    assert shown() == ""
    assert shown(form="github") == ""
    assert json.loads(shown(form="json")) == []
    (run,) = json.loads(shown(form="sarif"))["runs"]
    assert run["results"] == []
    assert run["tool"]["driver"]["rules"] == []


def test_github_annotations_are_escaped():
    strange = diagnostic("GRAPH_INVALID", Where("a,b:c 100%\n.json", "", 8, 2), problem="50% of a, b: c")
    assert shown(strange, IGNORED, FAILED, form="github").split("\n") == [
        "::error file=a%2Cb%3Ac 100%25\\n.json,line=8,col=2,title=GRAPH_INVALID::"
        f"The graph is invalid: 50%25 of a, b: c.%0ACause: {strange.cause}%0AFix: {strange.fix}",
        f"::warning file=a.json,title=PARAMETER_IGNORED::"
        f"{IGNORED.message}%0ACause: {IGNORED.cause}%0AFix: {IGNORED.fix}",
        "::error title=CHILD_EXIT_NONZERO::The child failed with exit status 3.%0ACause: On its standard error: one%0A"
        f"\\x1b[31mtwo%0AFix: {FAILED.fix}",
        "",
    ]


def sarif(*diagnostics: Diagnostic, root: str = "/home/me/project") -> dict:
    log = json.loads(shown(*diagnostics, form="sarif", root=root))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    return run


def test_sarif_places_a_finding_in_characters_from_1_relative_to_the_root():
    (result,) = sarif(UNKNOWN)["results"]
    assert result["ruleId"] == "UNKNOWN_AGENT"
    assert result["level"] == "error"
    assert result["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "flows/my%20call.json", "uriBaseId": "SRCROOT"},
                "region": {"startLine": 3, "startColumn": 28},
            },
            "logicalLocations": [{"fullyQualifiedName": "/nodes/0/agent"}],
        }
    ]
    run = sarif(UNKNOWN)
    assert run["columnKind"] == "unicodeCodePoints"
    assert "SRCROOT" in run["originalUriBaseIds"]
    assert "/home/me" not in json.dumps(run)


def test_sarif_describes_each_code_that_occurs_once_with_a_help_address():
    run = sarif(UNKNOWN, IGNORED, UNKNOWN, FAILED)
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["UNKNOWN_AGENT", "PARAMETER_IGNORED", "CHILD_EXIT_NONZERO"]
    assert [result["ruleIndex"] for result in run["results"]] == [0, 1, 0, 2]
    assert rules[0]["shortDescription"]["text"] == 'There is no agent named "<agent>" in scope <scope>.'
    assert rules[0]["helpUri"].startswith("https://")
    assert rules[0]["helpUri"].endswith("#unknown_agent")
    assert [rule["defaultConfiguration"]["level"] for rule in rules] == ["error", "warning", "error"]


def test_sarif_without_a_position_still_has_a_first_line():
    ignored, failed = sarif(IGNORED, FAILED)["results"]
    assert ignored["locations"][0]["physicalLocation"]["region"] == {"startLine": 1, "startColumn": 1}
    assert failed["locations"] == []


@pytest.mark.parametrize(
    ("file", "uri", "base"),
    [
        ("/home/me/project/a.json", "a.json", "SRCROOT"),
        ("./x/../a.json", "a.json", "SRCROOT"),
        ("../a.json", "../a.json", "SRCROOT"),
        ("a#b?c:d.json", "a%23b%3Fc%3Ad.json", "SRCROOT"),
        ("ü/a\\b.json", "%C3%BC/a%5Cb.json", "SRCROOT"),
        ("/home/me/project2/a.json", "file:///home/me/project2/a.json", None),
    ],
)
def test_sarif_uris(file: str, uri: str, base: str | None):
    (result,) = sarif(diagnostic("WHY_REQUIRED", Where(file, "", 1, 1)))["results"]
    artifact = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert (artifact["uri"], artifact.get("uriBaseId")) == (uri, base)


def prints(text: str, *diagnostics: Diagnostic) -> list[str]:
    log = json.loads(render(diagnostics, "sarif", source={"f": text}.get, width=1000))
    return [result["partialFingerprints"]["primaryLocationLineHash"] for result in log["runs"][0]["results"]]


def found(line: int, pointer: str, problem: str = "x") -> Diagnostic:
    return diagnostic("GRAPH_INVALID", Where("f", pointer, line, 1), problem=problem)


def test_a_fingerprint_survives_a_line_added_above_and_differs_between_findings():
    before = prints("one\ntwo\n", found(1, "/a"), found(2, "/b"), found(2, "/b", "y"), found(2, ""))
    after = prints("zero\none\n  two\n", found(2, "/a"), found(3, "/b"), found(3, "/b", "y"), found(3, ""))
    assert before == after
    assert len(set(before)) == 4


@pytest.mark.parametrize(
    ("file", "root", "expected"),
    [
        ("", "/r", ""),
        ("-", "/r", ""),
        ("/r/a", "/r/", "a"),
        ("/r/a", "/", "r/a"),
        (".//a/./b", "", "a/b"),
        ("/ra", "/r", "/ra"),
        ("/a/../b", "/r", "/b"),
        ("../../a", "/r", "../../a"),
    ],
)
def test_relative(file: str, root: str, expected: str):
    assert relative(file, root) == expected


TEXT = st.text(st.one_of(st.characters(), st.sampled_from("\x1b\n\r\u202e\ud800%:,\x7f\x85\u2028日")), max_size=40)
HOSTILE = st.builds(
    lambda text, file, pointer, line, column: diagnostic(
        "CHILD_EXIT_NONZERO", Where(file, pointer, line, column), exit=text, stderr=text
    ),
    TEXT,
    TEXT,
    TEXT,
    st.none() | st.integers(1, 5),
    st.none() | st.integers(1, 50),
)


@given(st.lists(HOSTILE, max_size=3), TEXT, st.sampled_from(FORMS))
def test_no_form_lets_hidden_characters_through_or_breaks(diagnostics: list[Diagnostic], source: str, form: Form):
    text = render(diagnostics, form, root="/r", source=lambda _file: source)
    assert visible(text, keep_newlines=True) == text
    text.encode()
    if form in ("json", "sarif"):
        assert "runs" in json.loads(text) or form == "json"
    elif form == "github":
        assert len(text.splitlines()) == len(diagnostics)
        assert all(re.match(r"::error [^:]*::", line) for line in text.splitlines())
    else:
        heads = [line for line in text.split("\n") if line and not line.startswith("  ")]
        assert len(heads) == len(diagnostics)
