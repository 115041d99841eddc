"""`piflows explain CODE`."""

import argparse
import json

import pytest

from piflows.cli import explain
from piflows.ir.codes import CODES, GROUPS


@pytest.fixture(autouse=True)
def _width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def run(*args: str) -> int:
    parser = argparse.ArgumentParser()
    explain.add_arguments(parser)
    return explain.run(parser.parse_args(args))


@pytest.mark.parametrize("code", ["SHARED_WRITE_CWD", "shared_write_cwd", " SHARED_WRITE_CWD "])
def test_a_code_is_explained(code: str, capsys: pytest.CaptureFixture[str]):
    assert run(code) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert (
        out.split("\n\n")[0]
        == """\
SHARED_WRITE_CWD: error of the flow
Message: Agents that can write may run at the same time in <cwd>: <agents>.
Cause: Each has a tool that can change files, and what one writes the other may
  overwrite or half read.
Fix: Let one wait for the other, set `concurrency: 1`, give them `tools` without
  bash, edit and write (bash-ro is fine), or a `cwd` each; `allowSharedWriteCwd:
  true` only if their files cannot overlap.
Known: compile, also run
Retryable unchanged: no"""
    )


def test_samples_can_be_laid_as_they_are_shown(capsys: pytest.CaptureFixture[str]):
    assert run("PROJECT_AGENT_APPROVAL_DENIED") == 0
    refused, accepted = capsys.readouterr().out.split("\n\n")[1:]
    assert (
        refused
        == """\
Refused:
  .pi/flow-agents/scribe.md
    ---
    name: scribe
    description: Writes short texts.
    tools: read
    ---
    You write short texts.
  call.json
    {
      "agent": "scribe",
      "task": "Sum up the log.",
      "agentScope": "project",
      "why": "a second look was asked for"
    }
  $ piflows run call.json
  asked on the terminal, a person says no"""
    )
    assert accepted == refused.replace("Refused", "Accepted").replace("says no", "says yes") + "\n"


def test_a_warning_is_called_one_and_an_environment_is_shown(capsys: pytest.CaptureFixture[str]):
    assert run("UNUSED_DEPENDENCY") == run("FLOW_DEPTH_EXCEEDED") == 0
    warned, refused = capsys.readouterr().out.split("FLOW_DEPTH_EXCEEDED: error")
    assert "\nWarned of:\n" in warned and "\nRefused:\n" not in warned
    assert "\n  $ PI_FLOWS_DEPTH=2 piflows run call.json\n" in refused


def test_a_code_that_nothing_reports_says_so(capsys: pytest.CaptureFixture[str]):
    assert run("MODEL_SCOPE_UNSATISFIABLE") == 0
    assert capsys.readouterr().out.endswith("\nSamples: none. Nothing in this version reports this code yet.\n")


def test_without_a_code_all_are_listed(capsys: pytest.CaptureFixture[str]):
    assert run() == 0
    out = capsys.readouterr().out
    blocks = [block.split("\n") for block in out.split("\n\n")[:-1]]
    assert [block[0] for block in blocks] == list(GROUPS)
    names = [[row.split()[0].strip("[]") for row in block[1:]] for block in blocks]
    assert names == [[code.name for code in group] for group in GROUPS.values()]
    assert max(map(len, out.split("\n"))) <= 80
    assert "\n [MODEL_SCOPE_UNSATISFIABLE] " in out and "\n  GRAPH_CYCLE " in out
    assert run("--format", "json") == 0
    listed = json.loads(capsys.readouterr().out)
    assert [each["code"] for each in listed] == list(CODES)
    assert {each["code"] for each in listed if not each["reported"]} >= {"MODEL_SCOPE_UNSATISFIABLE"}


@pytest.mark.parametrize("columns", ["1", "60", "100"])
def test_text_fills_the_terminal(columns: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setenv("COLUMNS", columns)
    assert run("SHARED_WRITE_CWD") == 0
    longest = max(map(len, capsys.readouterr().out.split("\n\n")[0].split("\n")))
    wanted = max(int(columns), 40)
    assert wanted - 15 < longest <= wanted


@pytest.mark.parametrize(
    ("code", "answer"),
    [("CHILD_TIMEOUT", "yes"), ("CHILD_PROVIDER_ERROR", "depends on the case"), ("WHY_REQUIRED", "no")],
)
def test_it_says_whether_a_retry_can_help(code: str, answer: str, capsys: pytest.CaptureFixture[str]):
    assert run(code) == 0
    assert f"\nRetryable unchanged: {answer}\n" in capsys.readouterr().out


def test_json(capsys: pytest.CaptureFixture[str]):
    assert run("UNKNOWN_AGENT", "--format", "json") == 0
    found = json.loads(capsys.readouterr().out)
    (sample,) = found.pop("samples")
    assert sample.keys() == {"rule", "severity", "refused", "accepted"}
    assert (sample["rule"], sample["severity"]) == ("known_agents", "error")
    assert sample["refused"].keys() == {"files", "env", "person", "command"}
    assert json.loads(sample["refused"]["files"]["call.json"])["agent"] == "recom"
    assert found == {
        "code": "UNKNOWN_AGENT",
        "severity": "error",
        "level": "run",
        "stage": "compile",
        "also": "run",
        "retryable": False,
        "message": 'There is no agent named "<agent>" in scope <scope>.',
        "cause": "Agent names match exactly, and only the directories of the scope <scope> were read.",
        "fix": CODES["UNKNOWN_AGENT"].fix,
        "reported": True,
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
