"""`piflows run`: what is printed where, exit statuses, refusals, saved plans, journals."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from piflows.cli import main
from piflows.interpreter.result import FOUND
from piflows.ir.limits import LIMITS

Json = dict[str, Any]
SINGLE: Json = {"agent": "recon", "task": "Look.", "why": "asked for"}
EVALUATE: Json = {"task": "Write.", "why": "asked for", "evaluate": {"maxIterations": 2}}
STEP: Json = {"agent": "recon", "task": "Look."}
CHAIN: Json = {"chain": [STEP, {**STEP, "task": "See {previous}"}], "why": "asked for"}
UNCAPPED = "uncapped: no cost or token ceiling"
SPY = "---\nname: spy\ndescription: Looks.\ntools: read\n---\nLook.\n"
SPYING: Json = {"agent": "spy", "task": "Look.", "why": "asked for", "agentScope": "project"}
WITHOUT_COMPILER = "import sys; sys.modules['piflows.compiler'] = None\nfrom piflows.cli import main\nsys.exit(main())"


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("PI_FLOWS_DEPTH", "PI_FLOWS_TRACE_STRICT"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")


class Said:
    """What one run printed."""

    def __init__(self, capsys: pytest.CaptureFixture[str], *words: str) -> None:
        self.status = main(["run", *words])
        self.out, self.err = capsys.readouterr()

    @property
    def details(self) -> Json:
        return json.loads(self.out)

    @property
    def code(self) -> str | None:
        error = self.details["error"]
        return error and error["code"]


def lay(name: str, value: Any) -> str:
    """A file with a text, or with an object as JSON."""
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return name


def scripted(*rules: Json) -> tuple[str, str]:
    return "--script", lay("script.json", {"children": rules})


# ---- what is printed where ---------------------------------------------------------------------------------------


def test_text(capsys: pytest.CaptureFixture[str]) -> None:
    rules = [
        {"agent": "operator", "delayMs": 1_250, "reply": "DRAFT", "usage": {"input": 9, "output": 1, "costUsd": None}},
        {"agent": "redteam", "reply": "VERDICT: PASS"},
    ]
    said = Said(capsys, lay("call.json", EVALUATE), *scripted(*rules))
    assert (said.status, said.out) == (0, "Flow evaluate: PASS after 1 iteration via redteam.\n\nDRAFT\n")
    assert said.err.splitlines() == [
        UNCAPPED,
        "iteration-1.generator (operator): ok, 1.2 s, 10 tokens, cost unknown",
        "iteration-1.critic-1 (redteam): ok, 0 ms, 150 tokens, $0.0010",
        "total: 2 child runs, 160 tokens, cost unknown",
    ]


def test_json_is_pure(capsys: pytest.CaptureFixture[str]) -> None:
    said = Said(capsys, lay("call.json", EVALUATE), "--format", "json")
    assert (said.status, said.err) == (0, "")
    details = said.details
    assert (details["mode"], details["outcome"], details["error"]) == ("evaluate", "success", None)
    assert [each["agent"] for each in details["results"]] == ["operator", "redteam"]
    assert details["header"].startswith("Flow evaluate: PASS") and details["version"]
    assert "Write." in details["results"][0]["prompt"]


def test_a_warning_is_on_standard_error_in_both_forms(capsys: pytest.CaptureFixture[str]) -> None:
    call = lay("call.json", {"list": True, "task": "Look."})
    for form in ("text", "json"):
        said = Said(capsys, call, "--format", form)
        assert said.status == 0 and "PARAMETER_IGNORED" in said.err and "PARAMETER_IGNORED" not in said.out


def test_what_a_child_wrote_cannot_drive_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    hostile = "a\x1b[2J\x1b]0;owned\x07b\rFlow single: ok\u202e\nnext"
    script = scripted({"times": "always", "reply": hostile, "stderr": hostile})
    call = lay("call.json", SINGLE)
    text = Said(capsys, call, *script)
    assert text.out == "a\\x1b[2J\\x1b]0;owned\\x07b\\rFlow single: ok\\u202e\nnext\n"
    assert not {"\x1b", "\x07", "\r", "\u202e"} & set(text.err)
    form = Said(capsys, call, *script, "--format", "json")
    assert not {"\x1b", "\x07", "\r", "\u202e"} & set(form.out)
    assert form.details["results"][0]["text"] == hostile


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, [UNCAPPED]),
        ({"maxCostUsd": 0}, ["flow ceiling: at most $0.00; no child can start under it"]),
        (
            {"maxCostUsd": 2.5, "maxTokens": 9_000, "maxGeneratedTokens": 10},
            [
                "flow ceiling: at most $2.50",
                "flow ceiling: at most 9,000 tokens (input and output)",
                "flow ceiling: at most 10 generated tokens (output alone)",
            ],
        ),
    ],
)
def test_the_ceilings_are_told_before_the_first_child(
    given: Json, told: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    call = lay("call.json", {**SINGLE, **given})
    for words in ((call,), (saved(capsys, {**SINGLE, **given}),)):
        lines = Said(capsys, *words, *scripted({"reply": "x"})).err.splitlines()
        began = next(at for at, line in enumerate(lines) if line.startswith(("single (recon)", "warning: rule 1 ")))
        assert [line for line in lines if "ceiling: " in line or line == UNCAPPED] == told
        assert lines[began - len(told) : began] == told
    listed = Said(capsys, call, "--format", "json").details["budgetCeilings"]
    assert {each["ceiling"]: each["limit"] for each in listed} == given
    assert {each["authority"] for each in listed} <= {"flow"}


def test_what_has_no_children_tells_no_ceilings(capsys: pytest.CaptureFixture[str]) -> None:
    assert Said(capsys, lay("call.json", {"list": True})).err == ""


def test_texts_keep_their_caps_and_say_what_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    long = "é" * LIMITS.text_bytes
    call = lay("call.json", {**EVALUATE, "evaluate": {"maxIterations": 1}})
    rules = scripted({"agent": "operator", "reply": long, "stderr": long}, {"reply": "VERDICT: PASS"})
    details = Said(capsys, call, *rules, "--format", "json").details
    whole = f"{details['header']}\n\n{details['text']}"
    kept, mark = whole.split("\n\n[Output truncated: ")
    assert LIMITS.text_bytes - 1 <= len(kept.encode()) <= LIMITS.text_bytes
    assert int(mark.split()[0]) == 2 * len(long) - len(details["text"].split("\n\n[")[0].encode())
    child = details["results"][0]
    for name, label in (("text", "Output"), ("stderr", "Standard error")):
        missing = 2 * len(long) - LIMITS.text_bytes
        assert child[name] == long[: LIMITS.text_bytes // 2] + f"\n\n[{label} truncated: {missing} bytes omitted.]"


# ---- exit statuses -----------------------------------------------------------------------------------------------


def test_a_failed_child_is_status_1_without_an_error_of_the_flow(capsys: pytest.CaptureFixture[str]) -> None:
    rule = {"exit": 3, "stderr": "no key", "times": "always"}
    said = Said(capsys, lay("call.json", SINGLE), *scripted(rule), "--format", "json")
    assert (said.status, said.code) == (1, None)
    assert said.details["results"][0]["error"]["code"] == "CHILD_EXIT_NONZERO"
    text = Said(capsys, "call.json", *scripted(rule))
    assert text.status == 1 and "no key" in text.out
    assert text.err.splitlines() == [
        UNCAPPED,
        "single (recon): failed, CHILD_EXIT_NONZERO, 0 ms, 150 tokens, $0.0010",
        "total: 1 child run, 150 tokens, $0.0010",
    ]


def test_an_answer_without_a_word_fails(capsys: pytest.CaptureFixture[str]) -> None:
    said = Said(capsys, lay("call.json", SINGLE), *scripted({"reply": " \n"}), "--format", "json")
    assert said.status == 1
    assert said.details["results"][0]["error"]["code"] == "CHILD_PROTOCOL_ERROR"


def test_a_hanging_child_times_out_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    said = Said(capsys, lay("call.json", SINGLE), *scripted({"hang": True}))
    assert said.status == 1
    assert said.err.splitlines() == [
        UNCAPPED,
        "single (recon): failed, CHILD_TIMEOUT, 10 h 0 min, tokens unknown, cost unknown",
        "total: 1 child run, tokens unknown, cost unknown",
    ]


def test_commands_are_told_too(capsys: pytest.CaptureFixture[str]) -> None:
    call: Json = {**EVALUATE, "evaluate": {"checkCommand": "exit 4", "maxIterations": 1}}
    said = Said(capsys, lay("call.json", call))
    assert said.status == 1 and said.err.splitlines()[4] == "`exit 4`: exit 4"
    call["evaluate"]["checkCommand"] = "no-such-program-4417"
    said = Said(capsys, lay("call.json", call))
    assert said.status == 1 and "`no-such-program-4417`: did not start, /bin/sh: " in said.err
    assert said.out.endswith("Code: CHECK_COMMAND_FAILED\n")


def test_a_run_that_is_refused_without_a_child_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    monitor = {"command": "exit 3", "intervalMs": 60_000, "maxChecks": 3}
    said = Said(capsys, lay("call.json", {"task": "Look.", "why": "asked for", "monitor": monitor}))
    assert said.status == 1 and said.err.splitlines()[3:] == ["`exit 3`: exit 3"] * 3 + ["total: 0 child runs"]
    assert "Code: MONITOR_NOT_TRIGGERED" in said.out


@pytest.mark.parametrize("call", [SINGLE, EVALUATE, CHAIN], ids=["single", "evaluate", "chain"])
def test_a_rehearsal_says_that_it_is_one_and_closes_with_a_total(
    call: Json, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = Said(capsys, lay("call.json", call)).err.splitlines()
    assert lines[0].startswith("rehearsal: no model is asked")
    runs = sum(": ok" in line for line in lines)
    cost = f"{150 * runs} tokens, ${runs / 1000:.4f}"
    assert runs and lines[-1] == f"total: {runs} child run{'s' * (runs > 1)}, {cost}"


def test_a_rule_that_answered_no_child_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    rules = [{"agent": "recom", "reply": "x"}, {"agent": "recon", "times": 3}, {"unit": "step-*", "role": "step"}]
    for form in ("text", "json"):
        said = Said(capsys, lay("call.json", SINGLE), *scripted(*rules), "--format", form)
        assert said.status == 0
        assert [line for line in said.err.splitlines() if "warning" in line] == [
            "warning: rule 1 of the script answered no child (agent recom)",
            "warning: rule 3 of the script answered no child (unit step-*, role step)",
        ]


def test_a_replay_says_that_it_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    words = (lay("call.json", SINGLE), *scripted({"exit": 3}), "--journal", "run.journal")
    first, again = Said(capsys, *words), Said(capsys, *words)
    assert (first.status, again.status) == (1, 1) and first.out == again.out
    assert "replay" not in first.err
    assert "run.journal records a run that is over: this is its replay, nothing was run again" in " ".join(
        again.err.split()
    )


# ---- refusals ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "code", "mode"),
    [
        ({"agent": "recon", "task": "Look."}, "WHY_REQUIRED", "single"),
        ({"why": "asked for"}, "INVALID_MODE", "list"),
        ("{", "CALL_INVALID", "list"),
        ("", "CALL_INVALID", "list"),
        ("[]", "CALL_INVALID", "list"),
        ({**EVALUATE, "search": {}}, "INVALID_MODE", "list"),
        ({"preset": "nope", "why": "asked for"}, "UNKNOWN_PRESET", "list"),
        ({**SINGLE, "agent": "recom"}, "UNKNOWN_AGENT", "single"),
    ],
)
def test_a_refused_call(call: Any, code: str, mode: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = lay("call.json", call)
    said = Said(capsys, path, "--format", "json")
    assert (said.status, said.code) == (1, code)
    details = said.details
    assert (details["mode"], details["results"], details["header"]) == (mode, [], None)
    assert set(details["error"]) == {"code", "message", "cause", "fix", "retryable"}
    assert details["text"].startswith(details["error"]["message"]) and details["text"].endswith(f"Code: {code}")
    text = Said(capsys, path)
    assert (text.status, text.out) == (1, "") and code in text.err and "Traceback" not in text.err


def test_the_host_refuses_before_a_child_starts(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PI_FLOWS_DEPTH", "2")
    said = Said(capsys, lay("call.json", SINGLE), "--format", "json")
    assert (said.status, said.code, said.details["results"]) == (1, "FLOW_DEPTH_EXCEEDED", [])
    text = Said(capsys, "call.json")
    assert text.out == "" and "FLOW_DEPTH_EXCEEDED" in text.err


@pytest.mark.parametrize(("answer", "code"), [(None, "REQUIRED"), (False, "DENIED"), (True, None)])
def test_project_agents_need_a_persons_consent(
    answer: bool | None, code: str | None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lay(".pi/flow-agents/spy.md", SPY)
    call, asked = lay("call.json", SPYING), list[str]()

    def ask(question: str) -> bool | None:
        asked.append(question)
        return answer

    monkeypatch.setattr("piflows.interpreter.hands.people.person", lambda: None if answer is None else ask)
    said = Said(capsys, call, "--format", "json")
    assert said.code == (code and f"PROJECT_AGENT_APPROVAL_{code}")
    assert len(asked) == (answer is not None) and all("spy" in question for question in asked)
    assert len(said.details["results"]) == (answer is True)


def test_a_piped_yes_is_no_consent() -> None:
    lay(".pi/flow-agents/spy.md", SPY)
    command = [sys.executable, "-m", "piflows", "run", "--format", "json", lay("call.json", SPYING)]
    done = subprocess.run(command, input="y\nyes\n" * 1_000, capture_output=True, text=True, check=False)
    assert (done.returncode, json.loads(done.stdout)["error"]["code"]) == (1, "PROJECT_AGENT_APPROVAL_REQUIRED")


# ---- scripts -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ('{"children": [\n {"replay": ""}]}', '`replay` is no member of a rule. Did you mean "reply"?'),
        (b'{"children": []}\xff', "script.json is not UTF-8: byte 0xff at offset 16"),
        (b"{" * 2_000_000, ""),
        (None, "script.json is no regular file"),
    ],
)
def test_a_script_that_is_wrong(script: str | bytes | None, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = Path("script.json")
    path.mkdir() if script is None else path.write_bytes(script.encode() if isinstance(script, str) else script)
    said = Said(capsys, lay("call.json", SINGLE), "--script", "script.json", "--format", "json")
    assert (said.status, said.code, said.details["results"]) == (1, "CALL_INVALID", [])
    assert says in said.details["error"]["message"]
    assert "script.json" in said.err


def test_a_script_that_is_not_there_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    said = Said(capsys, lay("call.json", SINGLE), "--script", "none.json")
    assert (said.status, said.out) == (2, "") and 'there is no file "none.json"' in said.err


# ---- what CALL can be --------------------------------------------------------------------------------------------


def test_standard_input() -> None:
    command = [sys.executable, "-m", "piflows", "run", "-"]
    done = subprocess.run(command, input=json.dumps(SINGLE), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "Done.\n")


def test_a_preset_by_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    said = Said(capsys, "scout", "--task", "Where is the parser?", "--why", "asked for", "--format", "json")
    assert (said.status, said.details["preset"]) == (0, "scout")
    assert "Where is the parser?" in said.details["results"][0]["prompt"]


# ---- saved plans -------------------------------------------------------------------------------------------------


def saved(capsys: pytest.CaptureFixture[str], call: Any, path: str = "plan.flow") -> str:
    assert main(["plan", lay("call.json", call), "--out", path]) == 0
    capsys.readouterr()
    return path


def test_a_saved_plan_runs_as_its_call_does(capsys: pytest.CaptureFixture[str]) -> None:
    plan = saved(capsys, EVALUATE)
    rules = scripted({"agent": "operator", "reply": "DRAFT"}, {"agent": "redteam", "reply": "VERDICT: REVISE"})
    from_call = Said(capsys, "call.json", *rules, "--format", "json")
    unseen = dict.fromkeys(FOUND)  # nobody looks for the sake of a saved plan
    assert Said(capsys, plan, *rules, "--format", "json").details == from_call.details | unseen
    assert all(from_call.details[name] is not None for name in FOUND)


def test_a_saved_plan_runs_without_the_compiler(capsys: pytest.CaptureFixture[str]) -> None:
    plan = saved(capsys, EVALUATE)
    command = [sys.executable, "-c", WITHOUT_COMPILER, "run", plan]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "Flow evaluate: PASS after 1 iteration via redteam.")


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_call_file_of_either_line_ending_is_not_stale(ending: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("call.json").write_bytes(json.dumps(SINGLE, indent=1).replace("\n", ending).encode())
    assert main(["plan", "call.json", "--out", "plan.flow"]) == 0
    capsys.readouterr()
    assert Said(capsys, "plan.flow").status == 0


def test_a_plan_whose_inputs_changed_is_stale(capsys: pytest.CaptureFixture[str]) -> None:
    lay(".pi/flow-agents/spy.md", SPY)
    plan = saved(capsys, {**SPYING, "confirmProjectAgents": False})
    assert Said(capsys, plan).status == 0
    lay(".pi/flow-agents/spy.md", SPY + "Write too.\n")
    Path("call.json").unlink()
    said = Said(capsys, plan, "--format", "json")
    assert (said.status, said.code, said.details["results"]) == (1, "PLAN_STALE", [])
    message = said.details["error"]["message"]
    assert "call.json cannot be read any more" in message and "flow-agents/spy.md has changed" in message


def test_the_host_has_its_say_in_a_saved_plan(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lay(".pi/flow-agents/spy.md", SPY)
    plan = saved(capsys, SPYING)
    assert Said(capsys, plan, "--format", "json").code == "PROJECT_AGENT_APPROVAL_REQUIRED"
    plan = saved(capsys, SINGLE)
    monkeypatch.setenv("PI_FLOWS_DEPTH", "2")
    said = Said(capsys, plan, "--format", "json")
    assert (said.code, said.details["mode"]) == ("FLOW_DEPTH_EXCEEDED", "single")


def test_a_saved_plan_takes_no_parameters(capsys: pytest.CaptureFixture[str]) -> None:
    said = Said(capsys, saved(capsys, SINGLE), "--task", "Other.")
    assert (said.status, said.out) == (2, "")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (("piflows flow 1", "piflows flow 9"), "IR_INVALID"),
        (("entry run", "entry nowhere"), "IR_INVALID"),
        (("concurrency 4", "concurrency four"), "IR_INVALID"),
    ],
)
def test_a_saved_plan_that_is_none(change: tuple[str, str], code: str, capsys: pytest.CaptureFixture[str]) -> None:
    plan = Path(saved(capsys, SINGLE))
    assert change[0] in plan.read_text()
    plan.write_text(plan.read_text().replace(*change))
    said = Said(capsys, str(plan), "--format", "json")
    assert (said.status, said.code, said.details["results"]) == (1, code, [])
    assert str(plan) in said.err


# ---- journals ----------------------------------------------------------------------------------------------------


def test_a_finished_run_is_only_told_again(capsys: pytest.CaptureFixture[str]) -> None:
    call = lay("call.json", EVALUATE)
    first = Said(capsys, call, "--journal", "run.jsonl", "--format", "json")
    recorded = Path("run.jsonl").read_text()
    second = Said(capsys, call, "--journal", "run.jsonl", *scripted({"reply": "other"}), "--format", "json")
    assert second.details == first.details
    assert Path("run.jsonl").read_text() == recorded


def test_a_run_goes_on_from_every_line_of_its_journal(capsys: pytest.CaptureFixture[str]) -> None:
    call = lay("call.json", EVALUATE)
    rules = scripted(
        *({"agent": "operator", "reply": f"DRAFT-{n}", "delayMs": 5} for n in (1, 2)),
        *({"agent": "redteam", "reply": reply} for reply in ("VERDICT: REVISE\nMore.", "VERDICT: PASS")),
    )
    whole = Said(capsys, call, "--journal", "whole.jsonl", *rules, "--format", "json")
    assert "DRAFT-2" in whole.details["text"]
    assert [each["durationMs"] for each in whole.details["results"]] == [5, 0, 5, 0]
    lines = Path("whole.jsonl").read_text().splitlines(keepends=True)
    for kept in range(len(lines)):
        lay("part.jsonl", "".join(lines[:kept]) + lines[kept][:7])
        again = Said(capsys, call, "--journal", "part.jsonl", *rules, "--format", "json").details
        assert again["text"] == whole.details["text"], kept
        assert [each["durationMs"] for each in again["results"]] == [5, 0, 5, 0], kept


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda text: text.replace('"ir":1', '"ir":2', 1), "version 2"),
        (lambda text: text.replace("sha256:", "sha256:0", 1), "another flow"),
        (lambda text: text.replace('"cwd":"/', '"cwd":"/other/', 1), "was begun in /other/"),
        (lambda text: text.replace('"kind":"childStarted"', '"kind":"commandExited"', 1), "commandExited"),
        (lambda text: text.replace("run#1/", "nun#1/", 1), "the flow cannot have had event 2"),
        (lambda _: "shopping list\n", "no journal"),
    ],
)
def test_a_journal_that_does_not_fit(spoil: Any, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    call = lay("call.json", SINGLE)
    assert Said(capsys, call, "--journal", "run.jsonl").status == 0
    spoilt = lay("run.jsonl", spoil(Path("run.jsonl").read_text()))
    before = Path(spoilt).read_text()
    said = Said(capsys, call, "--journal", spoilt, "--format", "json")
    assert (said.status, said.code) == (1, "JOURNAL_INVALID") and says in said.details["error"]["message"]
    assert Path(spoilt).read_text() == before


def test_a_journal_that_cannot_be_written(capsys: pytest.CaptureFixture[str]) -> None:
    said = Said(capsys, lay("call.json", SINGLE), "--journal", "none/run.jsonl", "--format", "json")
    assert (said.status, said.code) == (1, "JOURNAL_INVALID")


def test_an_edited_journal_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = tmp_path / "call.json"
    call.write_text('{"agent": "recon", "task": "t", "why": "w"}', encoding="utf-8")
    journal = tmp_path / "run.jsonl"
    assert main(["run", str(call), "--journal", str(journal)]) == 0
    text = journal.read_text(encoding="utf-8")
    edited = text.replace('"incarnation":1,"n":1,"kind":"childStarted"', '"incarnation":2,"n":1,"kind":"childStarted"')
    assert edited != text
    journal.write_text(edited, encoding="utf-8")
    capsys.readouterr()
    assert main(["run", str(call), "--journal", str(journal)]) == 1
    assert "JOURNAL_INVALID" in "".join(capsys.readouterr())
