"""The textual form: what its lines mean, read and printed, and what is said about malformed ones."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any, Literal

import pytest
from drive import Json, Run, fail, ok

from piflows.grammar.flow_mistakes import FLOW_MISTAKES, FLOW_PLACES
from piflows.grammar.flow_print import print_record
from piflows.grammar.flow_text import parse_flow, parse_record, print_flow
from piflows.ir.actions import Command, Wait
from piflows.ir.diagnostic import FlowError
from piflows.ir.flow import Action, Ceiling, Flow, Gate, Settle, Stage
from piflows.ir.gates import AllPass, Round, Trigger
from piflows.ir.node import node
from piflows.ir.parts import Count, Counter, Each, Index, Noun, Parts, Section, Slot, Text, text
from piflows.ir.plan import Over, Plan
from piflows.ir.unit import Handoff, Ref, Role, Unit
from piflows.ir.verify import verify

HANDWRITTEN = Path(__file__).parents[1] / "golden" / "handwritten"
HEADER = "piflows flow 1\n"

# ---- what lines mean: one table, printed and read ---------------------------------------------------------------

PARTS: list[tuple[Parts, str]] = [
    ((), "|"),
    (text("plain"), "| plain"),
    (text("two\nlines\n"), "| two\n| lines\n|"),
    (text(" kept  "), "|  kept \\s"),
    (text('{"a": "b"}'), '| \\{"a": "b"}'),
    (text("C:\\dir"), "| C:\\\\dir"),
    (text("\r\t\u0085\u2028\u202e\ufeff"), "| \\r\\t\\u0085\\u2028\\u202e\\ufeff"),
    (text("# no comment"), "| # no comment"),
    (text("| a bar"), "| | a bar"),
    ((Slot("task"),), "| {task}"),
    ((Slot("node.a"), Text(" "), Slot("item", "agent")), "| {node.a} {agent of item}"),
    ((Slot("end"), Slot("a b"), Slot(""), Slot("x", "of")), '| {"end"}{"a b"}{""}{"of" of x}'),
    ((Counter("round"), Counter("of", Noun("try", "tries"))), '| {round round}{round "of" try|tries}'),
    ((Count("s"), Count("s", "failed", Noun("a b", "c"))), '| {count s}{count failed of s "a b"|c}'),
    ((Index(),), "| {index}"),
    ((Section("end", text("then")),), "| {if end}then{end}"),
    ((Slot("x", "index"), Slot("index", "x")), '| {"index" of x}{x of index}'),
    ((Section("s", text("a\nb"), "agent", text("c")),), "| {if agent of s}a\n| b{else}c{end}"),
    ((Each("s", (Slot("item"),)), Each("s", (), ", ")), '| {each s}{item}{end}{each s between ", "}{end}'),
    ((Section("a", (Each("b", (Section("c", ()),), "\n"),)),), '| {if a}{each b between "\\n"}{if c}{end}{end}{end}'),
]


@pytest.mark.parametrize(("parts", "lines"), PARTS, ids=[lines for _, lines in PARTS])
def test_parts(parts: Parts, lines: str) -> None:
    flow = Flow("m", "s", (Settle("s", "success", body=parts or text("x")),))
    printed = print_flow(flow)
    assert (parts, printed) == ((), printed) or printed.endswith("  body\n    " + lines.replace("\n", "\n    ") + "\n")
    again = HEADER + "mode m\nentry s\nsettle s\n  outcome success\n  body\n    " + lines.replace("\n", "\n    ")
    assert parse_flow(again) == Flow("m", "s", (Settle("s", "success", body=parts),))


def _flow(*states: Any, **others: Any) -> Flow:
    return Flow("m", "s", states, **others)


UNIT = Unit("u", "r", text("l"), text("p"))
WHOLE: list[tuple[Flow, str]] = [
    (
        _flow(
            concurrency=2,
            timeout_ms=1500,
            ceilings=(Ceiling("flow", "maxTokens", 5), Ceiling("a b", "maxCostUsd", 0.5)),
            allow_shared_write=True,
            epilogue="after",
            about={"why": 'so "much"', "list": [1, None, {"a": True}]},
        ),
        """
        concurrency 2
        timeout 1500 ms
        allow_shared_write true
        epilogue after
        about list [1, null, {"a": true}]
        about why "so \\"much\\""
        ceiling flow maxTokens 5
        ceiling "a b" maxCostUsd 0.5
        """,
    ),
    (
        _flow(
            roles={
                "b": Role("a", "s", "user"),
                "none": Role("a", "s", "user", tools=("none",), model="default"),
                "a": Role("a", "s", "package", "be\nkind", (), "p/m", protocol="score"),
            }
        ),
        """
        concurrency 4
        timeout 10 h

        role a
          agent a
          slot s
          source package
          tools none
          model p/m
          protocol score
          prompt
            | be
            | kind

        role b
          agent a
          slot s
          source user
          tools default

        role "none"
          agent a
          slot s
          source user
          tools "none"
          model "default"
        """,
    ),
    (
        _flow(Stage("s", text("a\nb"), Plan((UNIT,), 3), {"failed": "f", "then": "d", "a b": "1"}, failure="drain")),
        """
        concurrency 4
        timeout 10 h

        stage s
          label | a
                | b
          schedule wave
          failure drain
          revision 3
          unit u
            role r
            label | l
            prompt
              | p
          then -> d
          "a b" -> 1
          failed -> f
        """,
    ),
    (
        _flow(Stage("s", (), Over(Ref("x", "ok"), UNIT, 8, 1), {}, "ready")),
        """
        concurrency 4
        timeout 10 h

        stage s
          label |
          schedule ready
          failure stop
          over x ok
            cap 8
            least 1
            unit u
              role r
              label | l
              prompt
                | p
        """,
    ),
    (
        _flow(
            Gate("g", AllPass("p"), {"pass": "d"}, {"revise": text("no")}, (Handoff("a", Ref("x")),)),
            Gate("r", Round(2, ("q", "r")), {"again": "s"}),
            Gate("t", Trigger("a", "match", "^x y"), {}),
        ),
        """
        concurrency 4
        timeout 10 h

        gate g
          test all_pass
            of p
          reads a from x
          says revise
            | no
          pass -> d

        gate r
          test round
            times 2
            resets q, r
          again -> s

        gate t
          test trigger
            of a
            on match
            pattern "^x y"
        """,
    ),
    (
        _flow(
            Action("a", Command((Text("ls "), Slot("x")), text("d"), 300_000, 9), {"then": "w"}),
            Action(
                "w",
                Wait(90_000.0),
                {},
                (Handoff("x", Ref("s", "unit", "a b"), "envelope", "text", "-\n-", 1, "fail"),),
            ),
        ),
        """
        concurrency 4
        timeout 10 h

        action a
          do command
            command | ls {x}
            cwd | d
            timeout 5 min
            cap 9
          then -> w

        action w
          do wait
            for 90 s
          reads x from s unit "a b"
            form envelope
            absent text
            instead | -
                    | -
            cap 1
            policy fail
        """,
    ),
    (
        _flow(
            Settle(
                "s", "refused", "NO", {"b": text("1"), "a": ()}, text("h"), text("t"), data={"x": 1.0}, exits={"a": "b"}
            )
        ),
        """
        concurrency 4
        timeout 10 h

        settle s
          outcome refused
          code NO
          fact a |
          fact b | 1
          header | h
          data x 1
          body
            | t
          a -> b
        """,
    ),
]


@pytest.mark.parametrize(("flow", "lines"), WHOLE, ids=range(len(WHOLE)))
def test_flows(flow: Flow, lines: str) -> None:
    assert print_flow(flow) == f"{HEADER}mode m\nentry s\n{dedent(lines).lstrip()}"
    assert parse_flow(print_flow(flow)) == flow


def test_what_a_person_may_leave_out_or_write_otherwise() -> None:
    written = dedent(
        """\
        # a comment

        piflows flow 1  # another
        mode m
        entry s

        role r
              agent "a"
              slot | s
              # within
              source user
              prompt | one

            # between
              |two
              tools read
        stage s
          label | \\u006c
          then -> d
          unit u
            role r
            label | l
            prompt | p
        action a
          do wait
            for 1.5 min"""
    )
    stage = Stage("s", text("l"), Plan((UNIT,)), {"then": "d"})
    role = Role("a", "s", "user", "one\ntwo", ("read",))
    read = parse_flow("\ufeff" + written.replace("\n", "\r\n"))
    assert read == parse_flow(written) == _flow(stage, Action("a", Wait(90_000.0), {}), roles={"r": role})


@node
class Quiet:
    """A condition that the language has never seen."""

    since_ms: int
    among: tuple[str, ...] = ()
    ratio: float | None = None
    kind: Literal["quiet"] = "quiet"


@node
class Watch:
    """A record over it."""

    test: Quiet
    exits: dict[str, str]


def test_a_new_condition_needs_no_change_of_the_language() -> None:
    watch = Watch(Quiet(2_000, ("a", "b c"), 0.5), {"still": "on"})
    lines = 'test quiet\n  since 2 s\n  among a, "b c"\n  ratio 0.5\nstill -> on\n'
    assert print_record(watch, 1) == HEADER + lines
    with pytest.raises(FlowError) as refused:
        parse_record(Watch, HEADER + lines.replace("quiet", "quite"), "")
    assert '`quite` is no kind of `test`; these are: `quiet`. Did you mean "quiet"?' in refused.value.first.message


# ---- malformed texts --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mistake", [*FLOW_MISTAKES, *FLOW_PLACES], ids=lambda mistake: mistake.sentence[:40])
def test_a_syntax_error_is_told_by_its_sentence(mistake: Any) -> None:
    for sample in mistake.samples:
        with pytest.raises(FlowError) as refused:
            parse_flow(sample)
        assert mistake.sentence in refused.value.first.message, sample


MALFORMED: list[tuple[str, int, int, str]] = [  # lines after the header, then where and what
    ("x -> y\n  z\n", 3, 3, "this line is indented, but nothing above it takes lines below it"),
    ("x\n\ty\n", 3, 1, "indentation is made of spaces"),
    ("x\n    y\n  z\n", 4, 3, "this line is indented less than the one above"),
    ("x | {a}\n   | {$}\n", 3, 7, "a tag opens here"),
    ("x | a\u2028b\n", 2, 6, "a hidden character is written as an escape, `\\u2028`"),
    ('x "a\\qb"\n', 2, 5, "this is no escape of a quoted string"),
    ('x "\\ud800"\n', 2, 4, "half of a surrogate pair"),
    ("x | {end}\n", 2, 6, "no tag is open that this `end` belongs to"),
    ("x | {count many of s}\n", 2, 12, "a count is of all, ok, failed, stranded, not of `many`"),
    ('x {"a": 1, "a": 2}\n', 2, 12, "the key `a` stands twice"),
    ("x [maybe]\n", 2, 4, "`maybe` is no number: a text takes double quotes here"),
    ("x | " + "{if a}" * 101 + "{end}" * 101 + "\n", 2, 5, "sections nest deeper than 100"),
    ("x " + "[" * 101 + "]" * 101 + "\n", 2, 3, "values nest deeper than 100"),
]


@pytest.mark.parametrize(("lines", "line", "column", "problem"), MALFORMED, ids=[each[3] for each in MALFORMED])
def test_malformed_lines(lines: str, line: int, column: int, problem: str) -> None:
    with pytest.raises(FlowError) as refused:
        parse_flow(HEADER + lines, "a.flow")
    found = refused.value.first
    assert (found.code, found.where.file, found.where.line, found.where.column) == (
        "IR_INVALID",
        "a.flow",
        line,
        column,
    )
    assert problem in found.message


MEANINGLESS: list[tuple[str, str]] = [  # a line in place of line 1 of the text below, and what is said about it
    ("concurency 4", '1:1 `concurency` is no line of `flow`. Did you mean "concurrency"?'),
    ("concurrency four", "1:13 `concurrency` takes a whole number, not `four`"),
    ("concurrency 1.5", "1:13 `concurrency` takes a whole number, not `1.5`"),
    ("concurrency [4]", "1:13 `concurrency` takes a whole number here"),
    ("concurrency 4 4", "1:15 `concurrency` takes one value"),
    ("concurrency", "1:1 `concurrency` takes one value"),
    ("concurrency 4, 5", "1:16 `concurrency` is no list: a comma has no place here"),
    ("timeout soon", "1:9 `timeout` takes a duration: a number and one of h, min, s, ms"),
    ("timeout 4 weeks", "1:9 `timeout` takes a duration: a number and one of h, min, s, ms"),
    ("timeout 0.5 ms", "1:9 `timeout` takes whole milliseconds"),
    ("timeout 9e999 h", "1:9 `timeout` takes a duration: a number and one of h, min, s, ms"),
    ("allow_shared_write yes", "1:20 `allow_shared_write` takes `true` or `false`, not `yes`"),
    ("ceiling flow maxToken 5", "1:14 `what` takes `maxCostUsd`, `maxTokens` or `maxGeneratedTokens`, not `maxToken`"),
    ("ceiling flow maxTokens 5 6", "1:26 expected the end of the line here"),
    ("ceiling flow maxTokens", "1:1 `ceiling flow` lacks its `limit`"),
    ("ceiling flow maxTokens 5\n  x", "2:3 nothing belongs below `ceiling`"),
    ("about why so", "1:11 `so` is no number: a text takes double quotes here"),
    ("about", "1:1 `about` lacks its name"),
    ("about why", "1:1 `about` takes one JSON value"),
    ('about why "a"\nabout why "b"', "2:7 `why` stands twice"),
    ("entry s", "3:1 `entry` stands twice in one `flow`"),
    ("then -> s", "1:1 `flow` has no exits: they belong to a state"),
    ("epilogue | {x}", "1:10 `epilogue` holds plain text, without a slot: a brace is written `\\{`"),
    ("role r\n  agent a\n  slot s\n  source home", "4:10 `source` takes `package`, `user` or `project`, not `home`"),
    ("role r\n  agent a\n  slot s\n  source user\n  tools a b", "5:11 `tools` is a list: a comma belongs before this"),
    (
        "role r\n  agent a\n  slot s\n  source user\n  tools",
        "5:3 `tools` lacks its members; the empty list is `tools none`",
    ),
    ("role r\n  agent a\n  slot s\n  source user\n  prompt a", "5:10 a text begins with a bar: `prompt | …`"),
    ("role r\n  agent a\n  slot s\n  source user\n  cwd", "5:3 `cwd` lacks its text: `cwd | …`"),
    ("role r | x", "1:8 `role` takes no text"),
    ("stage a\n  label | l\n  failur stop", '3:3 `failur` is no line of `stage`. Did you mean "failure"?'),
    ("stage a\n  unit u", "1:1 `stage a` lacks its `label`"),
    ("stage a\n  label | l\n    x", "3:5 nothing belongs below `label`"),
    ("stage a\n  label | l\n  over b\n    cap 1\n  unit u", "5:3 `stage` lists units and has a line that makes them"),
    ("action a\n  do", "2:3 `do` lacks its kind: one of `command` or `wait`"),
    ("action a\n  do wait\n    for 1 s\n  reads a of s", "4:11 expected `from` here"),
    ("action a\n  do wait\n    for 1 s\n  reads a", "4:3 `reads a` lacks its `value`"),
    ("gate g\n  test al_pass\n    of s", "2:8 `al_pass` is no kind of `test`; these are: `all_pass`"),
    ("gate g\n  test all_pass", "2:8 `all_pass` lacks its `of`"),
    ("gate g\n  test round\n    times 1\n  again -> a\n  again -> b", "5:3 `again` stands twice"),
]


@pytest.mark.parametrize(("line", "said"), MEANINGLESS, ids=[said for _, said in MEANINGLESS])
def test_lines_without_a_meaning(line: str, said: str) -> None:
    with pytest.raises(FlowError) as refused:
        parse_flow(f"{HEADER}{line}\nmode m\nentry s\n")
    found = [f"{(d.where.line or 0) - 1}:{d.where.column} {d.message}" for d in refused.value.diagnostics]
    assert any(said in each.replace("The flow is not well-formed: ", "") for each in found), found


def test_all_findings_of_a_text_are_told_up_to_ten() -> None:
    with pytest.raises(FlowError) as refused:
        parse_flow(HEADER + "".join(f"wrong{n} 1\n" for n in range(20)))
    assert [d.where.line for d in refused.value.diagnostics] == [1, 1, *range(2, 10)]


def test_a_line_with_a_typo_is_not_missing_too() -> None:
    with pytest.raises(FlowError) as refused:
        parse_flow(HEADER + "mode m\nentri s\n")
    assert [d.message for d in refused.value.diagnostics] == [
        'The flow is not well-formed: `entri` is no line of `flow`. Did you mean "entry"?'
    ]


def test_another_version_is_refused_by_both_names() -> None:
    with pytest.raises(FlowError, match="version 2 of the IR, and this piflows reads version 1"):
        parse_flow("piflows flow 2\nanything else\n")


def test_printing_needs_no_parser() -> None:
    script = (
        "import sys\n"
        "sys.modules['lark'] = sys.modules['piflows.grammar.flow_parse'] = None\n"
        "from piflows.grammar.flow_text import print_flow\n"
        "from piflows.ir.flow import Flow\n"
        "print(print_flow(Flow('m', 's', ())))\n"
    )
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout


# ---- a flow that a person wrote ---------------------------------------------------------------------------------


def test_a_handwritten_flow_verifies_and_survives_printing() -> None:
    flow = parse_flow((HANDWRITTEN / "two-loops.flow").read_text("utf-8"))
    assert verify(flow) == []
    assert parse_flow(print_flow(flow)) == flow


@pytest.mark.parametrize(
    ("angles", "verdicts", "header", "runs"),
    [
        (3, "P", "published after 1 draft of attempt 1", 6),
        (2, "RRP", "published after 3 drafts of attempt 1", 12),
        (3, "RRRRP", "published after 2 drafts of attempt 2", 21),
        (3, "RRRRRR", "given up after 2 attempts", 24),
        (1, "", "1 of 3 angles found: too few", 3),
    ],
)
def test_a_handwritten_flow_runs(angles: int, verdicts: str, header: str, runs: int) -> None:
    """Its inner loop starts anew when the outer one goes back."""
    judged = iter(verdicts)
    now = ""

    def reply(effect: Json) -> Json:
        nonlocal now
        if effect["protocol"] == "verdict":
            if effect["unit"].endswith("critic-1"):
                now = "PASS" if next(judged) == "P" else "REVISE"
            return ok(f"VERDICT: {now}")
        angle = effect["unit"].rpartition("angle-")[2]
        return fail("no") if angle.isdigit() and int(angle) > angles else ok()

    run = Run(parse_flow((HANDWRITTEN / "two-loops.flow").read_text("utf-8")), reply).go()
    assert (run.outcome["proposal"]["header"], len(run.results)) == (header, runs)
