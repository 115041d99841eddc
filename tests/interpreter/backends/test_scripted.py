"""The scripted backend: which rule answers whom, what a child does, and what a script must be."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from batteries.backend import BackendBattery, reports_of, spawn
from hypothesis import given
from hypothesis import strategies as st

from piflows.grammar.control import parse_control
from piflows.interpreter.backends import BACKENDS, Backend, Host, open_backend, virtual_time
from piflows.interpreter.backends.script import USAGE, parse_script
from piflows.interpreter.hands.clock import Clock, VirtualClock
from piflows.ir.diagnostic import FlowError

Json = dict[str, Any]


def backend(rules: list[Any], cwd: Path | str = "/", clock: Clock | None = None) -> Backend:
    script = json.dumps({"children": rules}), "script.json"
    return open_backend("scripted", Host(str(cwd), clock or VirtualClock(), script))


class TestScripted(BackendBattery):
    def open(self, child: Json, cwd: Path, clock: Clock) -> Backend:
        return backend([{"times": "always", **child}], cwd, clock)


def settled(made: Backend, *children: Json) -> list[Json]:
    """The last report of each child, begun one after the other."""

    async def main() -> list[Json]:
        return [(await reports_of(made, child, VirtualClock()))[-1] for child in children]

    return asyncio.run(main())


def texts(rules: list[Any], *children: Json) -> list[str]:
    return [last["text"] for last in settled(backend(rules), *children)]


# ---- who answers -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "child", "matches"),
    [
        ({}, {}, True),
        ({"agent": "recon"}, {"agent": "recon"}, True),
        ({"agent": "recon"}, {"agent": "Recon"}, False),
        ({"agent": "rec*"}, {"agent": "recon"}, False),
        ({"unit": "worker-*"}, {"unit": "worker-a"}, True),
        ({"unit": "worker-*"}, {"unit": "Worker-a"}, False),
        ({"unit": "worker-?"}, {"unit": "worker-ab"}, False),
        ({"unit": "round-1.gen-[12]"}, {"unit": "round-1.gen-2"}, True),
        ({"unit": "a"}, {"unit": "ab"}, False),
        ({"role": "spec"}, {"role": "spec"}, True),
        ({"role": "spec"}, {"role": "standards"}, False),
        ({"agent": "recon", "role": "spec", "unit": "t*"}, {"agent": "recon", "role": "spec", "unit": "tasks.1"}, True),
        ({"agent": "recon", "role": "spec", "unit": "t*"}, {"agent": "recon", "role": "spec", "unit": "x"}, False),
    ],
)
def test_matching(rule: Json, child: Json, matches: bool) -> None:
    assert texts([{"reply": "mine", **rule}], spawn(**child)) == ["mine" if matches else "Done."]


def test_the_first_that_matches_and_is_not_used_up_answers() -> None:
    rules = [
        {"agent": "recon", "reply": "1"},
        {"reply": "2", "times": 2},
        {"agent": "recon", "reply": "3", "times": "always"},
    ]
    children = [spawn(agent=agent) for agent in ("recon", "recon", "analyst", "analyst", "recon", "recon")]
    assert texts(rules, *children) == ["1", "2", "2", "Done.", "3", "3"]


def test_the_rule_is_chosen_when_the_child_begins() -> None:
    async def main() -> list[str]:
        made = backend([{"reply": "first"}, {"reply": "second"}])
        begun = [made.begin(spawn("a")), made.begin(spawn("b"))]
        return [[report async for report in reports][-1]["text"] for reports in reversed(begun)]

    assert asyncio.run(main()) == ["second", "first"]


def test_a_recalled_child_has_used_its_rule_up_and_gets_it_again() -> None:
    made = backend([{"reply": "a's"}, {"reply": "b's"}, {"reply": "c's"}])
    made.recall(spawn("a"))
    made.recall(spawn("b"))
    assert [last["text"] for last in settled(made, spawn("b"), spawn("c"), spawn("d"))] == ["b's", "c's", "Done."]


# ---- rehearsal ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("protocol", "candidates", "text", "control"),
    [
        (None, [], "Done.", None),
        ("verdict", [], "VERDICT: PASS", "pass"),
        ("loop", [], "LOOP: DONE", "done"),
        ("route", ["strategist", "recon"], "ROUTE: strategist", "strategist"),
        ("route", [], "ROUTE: none", "none"),
        ("score", [], "SCORE: 50", 50.0),
    ],
)
def test_a_rehearsal_satisfies_every_protocol(protocol: Any, candidates: list[str], text: str, control: Any) -> None:
    made = open_backend("scripted", Host("/", VirtualClock()))
    child = spawn(protocol=protocol, candidates=candidates)
    turn, last = asyncio.run(reports_of(made, child, VirtualClock()))
    assert (turn["usage"], last["text"]) == (USAGE, text)
    assert protocol is None or parse_control(protocol, text, candidates) == control


def test_a_rule_without_a_text_rehearses_unless_it_fails() -> None:
    assert texts([{"stderr": "x"}, {"exit": 1}], spawn(protocol="verdict"), spawn()) == ["VERDICT: PASS", ""]


def test_an_envelope_names_the_contract_that_the_child_was_given() -> None:
    rule = {"times": "always", "envelope": {"contractId": "$contract", "summary": "$contract é"}}
    given_one, given_none = texts([rule], spawn(contract="c-1"), spawn())
    assert json.loads(given_one) == {"contractId": "c-1", "summary": "$contract é"}
    assert json.loads(given_none)["contractId"] == "$contract"


# ---- time --------------------------------------------------------------------------------------------------------


def test_a_delay_passes_on_the_clock() -> None:
    clock = VirtualClock()
    asyncio.run(reports_of(backend([{"delayMs": 1_234.5}], clock=clock), spawn(), clock))
    assert clock.now() == 1_234


def test_a_hanging_child_uses_only_what_its_rule_says() -> None:
    async def main(rule: Json) -> list[Json]:
        clock, got, asleep = VirtualClock(), list[Json](), asyncio.Event()
        clock.attend(asleep.set)

        async def listen() -> None:
            async for report in backend([{"hang": True, **rule}], clock=clock).begin(spawn()):
                got.append(report)

        task = asyncio.create_task(listen())
        await asleep.wait()
        task.cancel()
        await asyncio.wait([task])
        return got

    assert asyncio.run(main({"reply": "late"})) == []
    assert asyncio.run(main({"usage": USAGE})) == [{"kind": "turnEnded", "usage": USAGE, "text": "Done."}]


# ---- files and commands ------------------------------------------------------------------------------------------


def test_a_child_writes_and_runs_in_its_directory(tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    rule = {"writes": {"a.txt": "é\r\n", "new/b.txt": ""}, "runs": "cat a.txt > c.txt; pwd -P > d.txt", "reply": "ok"}
    (last,) = settled(backend([rule], tmp_path), spawn(cwd="app"))
    assert (last["text"], last["stderr"]) == ("ok", "")
    assert (tmp_path / "app/a.txt").read_bytes() == (tmp_path / "app/c.txt").read_bytes() == "é\r\n".encode()
    assert (tmp_path / "app/d.txt").read_text() == f"{tmp_path.resolve()}/app\n"
    assert (tmp_path / "app/new/b.txt").exists()


def test_a_command_that_fails_is_told_on_stderr(tmp_path: Path) -> None:
    (last,) = settled(backend([{"runs": "echo oh; exit 4", "stderr": "a\n", "reply": "ok"}], tmp_path), spawn())
    assert (last["kind"], last["text"]) == ("childSettled", "ok")
    assert last["stderr"] == "a\n`echo oh; exit 4` failed with exit status 4: oh\n\n"


def test_a_command_shares_the_time_of_its_child(tmp_path: Path) -> None:
    (last,) = settled(backend([{"runs": "sleep 60"}], tmp_path), spawn(timeoutMs=50))
    assert (last["code"], last["facts"], last["stopReason"]) == ("CHILD_TIMEOUT", {"ms": 50}, "timeout")


@pytest.mark.parametrize("path", ["out/x.txt", "loop/x.txt", "file", "dangling"])
def test_no_symbolic_link_leads_out(tmp_path: Path, path: str) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    (outside / "file").write_text("kept")
    (inside / "out").symlink_to(outside)
    (inside / "loop").symlink_to("loop")
    (inside / "file").symlink_to(outside / "file")
    (inside / "dangling").symlink_to(outside / "new")
    (last,) = settled(backend([{"writes": {path: "gone"}}], inside), spawn())
    assert (last["kind"], last["code"]) == ("childFailed", "CHILD_PROTOCOL_ERROR")
    assert [each.name for each in outside.iterdir()] == ["file"] and (outside / "file").read_text() == "kept"


def test_a_link_inside_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    settled(backend([{"writes": {"link/x": "1"}}], tmp_path), spawn())
    assert (tmp_path / "real/x").read_text() == "1"


@pytest.mark.parametrize(
    ("rule", "cwd", "says"),
    [
        ({"writes": {"x": ""}}, "none", "does not exist"),
        ({"runs": "true"}, "none", "does not exist"),
        ({"writes": {"dir": ""}}, "", "Is a directory"),
        ({"writes": {"file/x": ""}}, "", "exists"),
    ],
)
def test_what_cannot_be_written_fails_the_child(tmp_path: Path, rule: Json, cwd: str, says: str) -> None:
    (tmp_path / "dir").mkdir()
    (tmp_path / "file").write_text("")
    (last,) = settled(backend([rule], tmp_path), spawn(cwd=cwd))
    assert says in (last["facts"]["problem"] if last["kind"] == "childFailed" else last["stderr"])


# ---- the script --------------------------------------------------------------------------------------------------


def refused(text: str) -> tuple[str, int | None, int | None, str]:
    with pytest.raises(FlowError) as raised:
        parse_script(text, "script.json")
    found = raised.value.first
    assert found.where.file == "script.json" and len(raised.value.diagnostics) == 1
    return found.code, found.where.line, found.where.column, found.message


@pytest.mark.parametrize(
    ("text", "column", "says"),
    [
        ("", 1, ""),
        ("[]", 1, "object"),
        ('{"children": [],}', 16, ""),
        ("{}", 1, "a script needs `children`"),
        ('{"children": {}}', 14, "a script needs `children`"),
        ('{"child": [], "children": []}', 2, 'no member of a script. Did you mean "children"?'),
        ('{"children": [], "children": []}', 18, "children"),
        ('{"children": [{}, 5]}', 19, "children[1] is no object"),
    ],
)
def test_a_script_that_is_none(text: str, column: int, says: str) -> None:
    code, line, found, message = refused(text)
    assert (code, line, found) == ("CALL_INVALID", 1, column) and says in message


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ('{"replay": "x"}', '`replay` is no member of a rule. Did you mean "reply"?'),
        ('{"a/b~c": 1}', "`a/b~c` is no member of a rule. It may hold agent, unit, "),
        ('{"agent": ""}', "`agent` must be a name"),
        ('{"unit": 5}', "`unit` must be a pattern"),
        ('{"role": null}', "`role` must be a name"),
        ('{"times": 0}', "`times` must be"),
        ('{"times": true}', "`times` must be"),
        ('{"times": 1.5}', "`times` must be"),
        ('{"times": "often"}', "`times` must be"),
        ('{"reply": 5}', "`reply` must be a text"),
        ('{"envelope": []}', "`envelope` must be an object"),
        ('{"reply": "", "envelope": {}}', "`reply` and `envelope` exclude each other"),
        ('{"usage": {"input": 1, "output": 1}, "turns": [{"input": 1, "output": 1}]}', "exclude each other"),
        ('{"usage": {"input": 1}}', "a usage needs `output`"),
        ('{"usage": {"input": -1, "output": 1}}', "`input` must be"),
        ('{"usage": {"input": 1.5, "output": 1}}', "`input` must be"),
        ('{"usage": {"input": 1, "output": 1, "costUsd": "0"}}', "`costUsd` must be"),
        ('{"usage": {"input": 1, "output": 1, "cost": 0}}', "`cost` is no member of a usage"),
        ('{"usage": 5}', "`usage` must be an object"),
        ('{"turns": []}', "`turns` must be"),
        ('{"turns": [5]}', "a usage must be an object"),
        ('{"turns": [{"input": 1, "output": 1}, {"output": 1}]}', "a usage needs `input`"),
        ('{"deaf": 1}', "`deaf` must be"),
        ('{"exit": 256}', "`exit` must be"),
        ('{"exit": -1}', "`exit` must be"),
        ('{"exit": true}', "`exit` must be"),
        ('{"stderr": 5}', "`stderr` must be"),
        ('{"delayMs": -1}', "`delayMs` must be"),
        ('{"delayMs": "5"}', "`delayMs` must be"),
        ('{"hang": "true"}', "`hang` must be"),
        ('{"writes": []}', "`writes` must be"),
        ('{"writes": {"a": 5}}', "`a` must be a text"),
        ('{"runs": ""}', "`runs` must be a command"),
        *(
            (json.dumps({"writes": {path: ""}}), "is no path inside the directory of the child")
            for path in ("", "/etc/passwd", "..", "../x", "a/../../x", "a/..", "a/", ".", "a/.", "//x")
        ),
    ],
)
def test_a_rule_that_is_none(rule: str, says: str) -> None:
    code, line, column, message = refused(f'{{"children": [\n  {{"reply": "fine"}},\n  {rule}\n]}}')
    assert (code, line) == ("CALL_INVALID", 3) and column and says in message


def test_a_position_is_that_of_the_fault() -> None:
    text = '{"children": [{"agent": "recon",\n"turns": [{"input": 1, "output": 1},\n {"input": 1, "outputs": 1}]}]}'
    assert refused(text)[1:3] == (3, 15)


SCRIPTS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["children", "reply", "turns", "usage", "writes", "input", "times"]), inner)
    ),
    max_leaves=12,
)


@given(SCRIPTS)
def test_whatever_a_script_holds_it_is_read_or_refused(script: Any) -> None:
    try:
        parse_script(json.dumps(script))
    except FlowError as refusal:
        assert refusal.first.code == "CALL_INVALID" and refusal.first.where.line


# ---- the table ---------------------------------------------------------------------------------------------------


def test_an_unknown_backend() -> None:
    with pytest.raises(FlowError) as raised:
        open_backend("scriptd", Host("/", VirtualClock()))
    assert 'there is no backend "scriptd". Did you mean "scripted"?' in raised.value.first.message


@pytest.mark.parametrize("name", BACKENDS)
def test_every_row_of_the_table_opens(name: str) -> None:
    assert isinstance(virtual_time(name), bool)
    assert open_backend(name, Host("/", VirtualClock())).begin(spawn())
