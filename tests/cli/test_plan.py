"""`piflows plan`: what is printed, what is saved, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.conftest import Run
from trace_streams import OPENED, folded, spawn
from trace_streams import run as ran

from piflows.cli import main
from piflows.cli.shown import write
from piflows.interpreter.trace.rows import line

WHY = "one context cannot hold both parts"


def node(name: str, *needs: str) -> dict[str, object]:
    task = f"Study {name}." + "".join(f" {{node.{need}}}" for need in needs)
    return {"id": name, "agent": "recon", "task": task, "dependsOn": list(needs)}


GRAPH = {"task": "Chart the harbour.", "why": WHY, "graph": {"nodes": [node("a"), node("b", "a")]}}
CYCLE = {"task": "Chart.", "why": WHY, "graph": {"nodes": [node("a", "b"), node("b", "a"), node("c")]}}


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty project and an empty home."""
    (tmp_path / "home").mkdir()
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path / "project"


def call(value: object, name: str = "call.json") -> str:
    Path(name).write_text(json.dumps(value), encoding="utf-8")
    return name


def test_text_is_the_plan(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", call(GRAPH)]) == 0
    out, err = capfd.readouterr()
    assert out.startswith("PLAN  graph\n")
    assert "  spends      2 child runs in 2 waves, at most 4 at a time\n" in out
    assert err == ""


def test_json_is_pure(capfd: pytest.CaptureFixture[str]) -> None:
    ignored = GRAPH | {"tasks": []}
    assert main(["plan", "--format", "json", call(ignored)]) == 0
    out, err = capfd.readouterr()
    assert json.loads(out)["waves"] == [["a"], ["b"]]
    assert "PARAMETER_IGNORED" in err


def test_json_holds_no_hidden_character(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "--format", "json", call(GRAPH | {"why": "x\u202ey\u001b[2J"})]) == 0
    out, _ = capfd.readouterr()
    assert "\u202e" not in out and "\x1b" not in out


def test_a_call_that_is_refused_has_no_plan(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", call(CYCLE), "--out", "plan.flow"]) == 1
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("call.json:1:") and "error GRAPH_CYCLE" in err
    assert not Path("plan.flow").exists()


def test_a_refusal_is_json_too(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", call(CYCLE), "--format", "json"]) == 1
    said = json.loads(capfd.readouterr().out)
    assert said["waves"] == []
    assert set(said["error"]) == {"code", "message", "cause", "fix", "retryable"}
    assert said["error"]["code"] == "GRAPH_CYCLE"


@pytest.mark.parametrize(("text", "code"), [("{", "CALL_INVALID"), ("[]", "CALL_INVALID"), ("", "CALL_INVALID")])
def test_what_cannot_be_read_is_a_finding(text: str, code: str, capfd: pytest.CaptureFixture[str]) -> None:
    Path("call.json").write_text(text, encoding="utf-8")
    assert main(["plan", "call.json", "--format", "json"]) == 1
    out, err = capfd.readouterr()
    assert json.loads(out)["error"]["code"] == code
    assert f"error {code}" in err


def test_what_a_version_cannot_do_is_not_what_refuses_a_call(capfd: pytest.CaptureFixture[str]) -> None:
    writers = [{"agent": "operator", "task": "Fix it."}] * 2
    clash = {"why": WHY, "tier": "fast", "tasks": writers, "checkpoint": {}}
    assert main(["plan", call(clash), "--format", "json"]) == 1
    out, err = capfd.readouterr()
    assert json.loads(out)["error"]["code"] == "SHARED_WRITE_CWD"
    assert "NOT_AVAILABLE" in err


def test_a_saved_plan_is_the_same_plan(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", call(GRAPH), "--out", "plan.flow"]) == 0
    first, said = capfd.readouterr()
    assert said == "saved to plan.flow\n"
    Path("call.json").unlink()
    assert main(["plan", "plan.flow"]) == 0
    assert capfd.readouterr().out == first
    assert sorted(path.name for path in Path().iterdir()) == ["plan.flow"]


def test_a_saved_plan_is_proved(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", call(GRAPH), "--out", "plan.flow"]) == 0
    text = Path("plan.flow").read_text(encoding="utf-8")
    broken = text.replace("-> done", "-> gone").replace('then "done"', 'then "gone"').replace("then done", "then gone")
    assert broken != text
    Path("plan.flow").write_text(broken, encoding="utf-8")
    capfd.readouterr()
    assert main(["plan", "plan.flow"]) == 1
    out, err = capfd.readouterr()
    assert out == "" and "error IR_INVALID" in err


def test_a_preset_can_be_looked_at_but_not_saved_without_a_task(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "scout"]) == 0
    assert "  preset      scout\n" in capfd.readouterr().out
    assert main(["plan", "scout", "--out", "plan.flow"]) == 1
    assert "PRESET_TASK_REQUIRED" in capfd.readouterr().err
    assert main(["plan", "scout", "--task", "Map it.", "--why", WHY, "--out", "plan.flow"]) == 0


def test_a_plan_that_nothing_could_read_again_is_not_saved(capsys: pytest.CaptureFixture[str]) -> None:
    """The textual form has no half of a surrogate pair, as the name of a file has one for each byte not of UTF-8."""
    Path("\udcff.json").write_text(json.dumps(GRAPH))
    assert main(["plan", "./\udcff.json", "--out", "plan.flow"]) == 1
    assert "not UTF-8" in capsys.readouterr().err and not Path("plan.flow").exists()
    Path("a\x1b\u202e\n.json").write_text(json.dumps(GRAPH))
    assert main(["plan", "./a\x1b\u202e\n.json", "--out", "plan.flow"]) == main(["run", "plan.flow"]) == 0


def test_a_plan_that_cannot_be_saved_is_not_shown(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", call(GRAPH), "--out", "no/such/plan.flow"]) == 1
    out, err = capfd.readouterr()
    assert (out, err) == ("", "piflows plan: no/such/plan.flow cannot be written: No such file or directory\n")


def test_a_word_that_means_nothing_is_wrong_usage(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "nothing.json"]) == 2
    assert 'there is no file "nothing.json"' in capfd.readouterr().err


# ---- writing ----------------------------------------------------------------------------------------------------


def test_a_file_is_replaced_behind_its_symlink() -> None:
    Path("real").write_text("old", encoding="utf-8")
    Path("link").symlink_to("real")
    assert write("link", b"new") is None
    assert Path("link").is_symlink()
    assert Path("real").read_text(encoding="utf-8") == "new"


def test_a_device_is_written_to_and_stays() -> None:
    assert write("/dev/null", b"gone") is None
    assert Path("/dev/null").is_char_device()


def test_a_directory_is_no_file() -> None:
    Path("folder").mkdir()
    assert write("folder", b"x") == "Is a directory"
    assert list(Path().iterdir()) == [Path("folder")]


@pytest.mark.parametrize("name", ["a\0b", "x" * 300, ""])
def test_a_name_that_no_file_can_have(name: str) -> None:
    assert write(name, b"x")
    assert not list(Path().iterdir())


# ---- what changed -------------------------------------------------------------------------------------------------


def test_a_plan_and_itself(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "--diff", call(GRAPH), call(GRAPH, "other.json")]) == 0
    assert capfd.readouterr() == ("no difference\n", "")
    assert main(["plan", call(GRAPH), "--out", "saved.flow"]) == 0
    assert main(["plan", "--diff", "saved.flow", "call.json", "--format", "json"]) == 0


def test_a_difference_in_the_terms_of_the_plan(capfd: pytest.CaptureFixture[str]) -> None:
    nodes = [node("a") | {"tools": "read"}, node("b", "a"), node("c", "b")]
    other = call({**GRAPH, "graph": {"nodes": nodes}, "concurrency": 2}, "other.json")
    assert main(["plan", "--diff", call(GRAPH), other]) == 1
    out, _ = capfd.readouterr()
    assert "    spends\n      - 2 child runs in 2 waves, at most 4 at a time\n      + 3 child runs in 3 waves" in out
    assert "~ UNIT  nodes.a\n    tools       read, grep, find, ls -> read\n" in out
    assert "+ UNIT  nodes.c\n    agent       recon as node\n" in out and "UNIT  nodes.b" not in out
    assert main(["plan", "--diff", "call.json", other, "--lines"]) == 1
    lines = capfd.readouterr().out.removeprefix(out)
    assert lines.startswith("\n--- call.json\n+++ other.json\n@@") and "\n+  tools read\n" in lines
    assert main(["plan", "--diff", "call.json", other, "--format", "json"]) == 1
    told = json.loads(capfd.readouterr().out)
    assert not told["same"] and {"field": "tools", "before": "read, grep, find, ls", "after": "read"} in [
        field for change in told["changes"] for field in change["fields"]
    ]


def test_a_difference_says_values_as_a_call_does(capfd: pytest.CaptureFixture[str]) -> None:
    other = call({**GRAPH, "confirmProjectAgents": False}, "other.json")
    assert main(["plan", "--diff", call(GRAPH), other]) == 1
    assert "      - none\n      + false\n" in capfd.readouterr().out


def test_a_preset_against_itself_with_other_words(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "scout", "--task", "Where?", "--why", WHY, "--out", "saved.flow"]) == 0
    capfd.readouterr()
    assert main(["plan", "--diff", "saved.flow", "scout", "--task", "Where?", "--why", WHY]) == 0
    assert main(["plan", "--diff", "saved.flow", "scout", "--task", "When?", "--why", WHY]) == 1
    assert "    prompt      Where? -> When?" in capfd.readouterr().out


def test_a_difference_of_what_is_refused(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "--diff", call(GRAPH), call(CYCLE, "cycle.json"), "--format", "json"]) == 1
    out, err = capfd.readouterr()
    assert json.loads(out)["error"]["code"] == "GRAPH_CYCLE" and "cycle.json" in err


@pytest.mark.parametrize(
    "words", [("--lines", "a.json"), ("--diff", "-", "-"), ("--diff", "a.json", "a.json", "--out", "x"),
              ("--diff", "a.json", "a.json", "--task", "t")]
)  # fmt: skip
def test_a_difference_is_asked_for_well(words: tuple[str, ...], capfd: pytest.CaptureFixture[str]) -> None:
    call(GRAPH, "a.json")
    assert main(["plan", *words]) == 2
    assert "piflows plan: " in capfd.readouterr().err


def test_a_preset_without_its_task_says_so(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "scout"]) == 0
    out, _ = capfd.readouterr()
    assert "  not given   the task, seen here as {task} (--task); the why (--why)\n" in out
    assert "asks   {task}\n" in out and "to look at" not in out
    assert main(["plan", "scout", "--task", "Where?", "--why", WHY]) == 0
    assert "not given" not in capfd.readouterr().out


def test_a_plan_is_as_wide_as_the_terminal(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    long = {**GRAPH, "why": "word " * 60}
    for columns, most in (("50", 50), ("120", 120), ("7", 40), ("wide", 80), ("0", 80)):
        monkeypatch.setenv("COLUMNS", columns)
        assert main(["plan", call(long)]) == 0
        widest = max(map(len, capfd.readouterr().out.split("\n")))
        assert most - 12 < widest <= most


def test_a_plan_beside_what_earlier_runs_measured(run: Run) -> None:
    stream = [(OPENED, [spawn("scribe", agent="scribe")]), *((each, []) for each in ran("scribe", 10, 70_010))]
    Path("t.jsonl").write_bytes(b"".join(map(line, folded(stream, mode="single"))))
    words = ("plan", "mine", "--set", 'agentScope="project"', "--set", "confirmProjectAgents=false")
    status, out, _ = run(*words, "--history", "t.jsonl", "t.jsonl")
    plan, evidence = out.split("\nEVIDENCE  ")
    assert status == 0 and plan == run(*words)[1]
    assert evidence.startswith("1 earlier run\n  cost      $0.5000, every stage once\n") and "1 min 10 s" in evidence
    shown = json.loads(run(*words, "--history", "t.jsonl", "--format", "json")[1])
    assert shown["evidence"]["stages"][0]["criticalPathMs"] == 70_000
    assert run(*words, "--history", "gone.jsonl")[0] == run(*words, "--diff", "mine", "--history", "t.jsonl")[0] == 2
