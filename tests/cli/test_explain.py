"""`piflows explain CODE`."""

import argparse
import json

import pytest

from piflows.cli import explain
from piflows.ir.codes import CODES


def run(*args: str) -> int:
    parser = argparse.ArgumentParser()
    explain.add_arguments(parser)
    return explain.run(parser.parse_args(args))


@pytest.mark.parametrize("code", ["SHARED_WRITE_CWD", "shared_write_cwd", " SHARED_WRITE_CWD "])
def test_a_code_is_explained(code: str, capsys: pytest.CaptureFixture[str]):
    assert run(code) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert max(map(len, out.split("\n"))) <= 80
    assert out.replace("\n  ", " ").split("\n")[:3] == [
        "SHARED_WRITE_CWD: error of the flow",
        "Message: Agents that can write may run at the same time in <cwd>: <agents>.",
        f"Cause: {CODES['SHARED_WRITE_CWD'].cause}",
    ]
    assert out.endswith("Known: compile, also run\nRetryable unchanged: no\n")


@pytest.mark.parametrize(
    ("code", "answer"),
    [("CHILD_TIMEOUT", "yes"), ("CHILD_PROVIDER_ERROR", "depends on the case"), ("WHY_REQUIRED", "no")],
)
def test_it_says_whether_a_retry_can_help(code: str, answer: str, capsys: pytest.CaptureFixture[str]):
    assert run(code) == 0
    assert capsys.readouterr().out.endswith(f"Retryable unchanged: {answer}\n")


def test_json(capsys: pytest.CaptureFixture[str]):
    assert run("UNKNOWN_AGENT", "--format", "json") == 0
    assert json.loads(capsys.readouterr().out) == {
        "code": "UNKNOWN_AGENT",
        "severity": "error",
        "level": "run",
        "stage": "compile",
        "also": "run",
        "retryable": False,
        "message": 'There is no agent named "<agent>" in scope <scope>.',
        "cause": "Agent names match exactly, and only the directories of the scope <scope> were read.",
        "fix": CODES["UNKNOWN_AGENT"].fix,
    }


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("GRAPH_CYCEL", 'piflows explain: there is no code "GRAPH_CYCEL". Did you mean "GRAPH_CYCLE"?\n'),
        ("graph_cycel", 'piflows explain: there is no code "graph_cycel". Did you mean "GRAPH_CYCLE"?\n'),
        ("\x1b[2J", 'piflows explain: there is no code "\\x1b[2J".\n'),
    ],
)
def test_an_unknown_code_is_wrong_usage(wrong: str, message: str, capsys: pytest.CaptureFixture[str]):
    assert run(wrong) == 2
    assert capsys.readouterr() == ("", message)


def test_every_code_can_be_explained_in_both_forms(capsys: pytest.CaptureFixture[str]):
    for code in CODES:
        for form in ("text", "json"):
            assert run(code, "--format", form) == 0
            assert code in capsys.readouterr().out
