"""The pictures: what they show, that any text survives, and that the real Graphviz draws them."""

from __future__ import annotations

import re
import shutil
import subprocess
from html import unescape
from xml.etree import ElementTree

import pytest
from compiler.render.flows import ALL, beam, dag, loop, named, nested, probe
from compiler.render.goldens import compare
from hypothesis import example, given, settings
from hypothesis import strategies as st

from piflows.compiler.render import mermaid as mermaid_module
from piflows.compiler.render.dot import dot, escape
from piflows.compiler.render.edges import Edge
from piflows.compiler.render.mermaid import mermaid
from piflows.compiler.render.picture import START, Group, Node, Picture, picture
from piflows.ir.flow import Flow, Gate, Settle, Stage
from piflows.ir.gates import AllPass
from piflows.ir.parts import text
from piflows.ir.plan import Plan
from piflows.ir.unit import Handoff, Ref, Role, Unit

HOSTILE = 'Say "hi" \\N \\l <b> {x|y}\nnew & &amp; </b> \\\\ --> ]] %% #35; `c` \u202e\x1b[2J\ufffe end'
WORDS = st.one_of(st.text(min_size=1, max_size=40), st.text('"\\<>&{}|[]\n\t;#%`-$NGLl=. ', min_size=1, max_size=40))
needs_dot = pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")


def draw(source: str, form: str) -> str:
    run = subprocess.run(["dot", f"-T{form}"], input=source, capture_output=True, encoding="utf-8", timeout=60)
    assert (run.returncode, run.stderr) == (0, "")
    return run.stdout


def shown(svg: str) -> list[str]:
    """Every line of text of an SVG, top to bottom within each element."""
    svg = svg.replace("\xa0", " ")
    return ["".join(each.itertext()) for each in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def nodes(drawn: Picture) -> dict[str, Node]:
    flat = [
        node
        for item in drawn.items
        for node in ([node for _, rank in item.ranks for node in rank] if isinstance(item, Group) else [item])
    ]
    return {node.id: node for node in flat}


def said(drawn: Picture) -> set[tuple[str, str, str, str]]:
    """Edges by the titles of their ends: source, target, kind, label."""
    titles = {node.id: node.title for node in nodes(drawn).values()}
    titles |= {item.id: item.title for item in drawn.items if isinstance(item, Group)}
    return {(titles[edge.source], titles[edge.target], edge.kind, edge.label) for edge in drawn.edges}


# ---- what is shown ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ALL)
def test_dot_as_accepted(name: str, request: pytest.FixtureRequest) -> None:
    compare(request, f"{name}.dot", dot(picture(ALL[name]())))


@pytest.mark.parametrize("name", ALL)
def test_mermaid_as_accepted(name: str, request: pytest.FixtureRequest) -> None:
    compare(request, f"{name}.mmd", mermaid(picture(ALL[name]())))


def test_waves_are_ranks() -> None:
    group = picture(dag()).items[1]
    assert isinstance(group, Group)
    assert [(label, [node.title for node in rank]) for label, rank in group.ranks] == [
        ("wave 1", ["inventory", "schema"]),
        ("wave 2", ["design"]),
        ("wave 3", ["patch", "docs"]),
    ]
    source = dot(picture(dag()))
    assert re.findall(r"rank=same; (.*) }", source) == [
        "g1_1; n1; n2;",
        "g1_2; n3;",
        "g1_3; n4; n5;",
        "n6;",
    ]


def test_only_writers_are_marked() -> None:
    drawn = picture(dag())
    assert [node.title for node in nodes(drawn).values() if node.tone == "writes"] == ["patch"]
    assert dot(drawn).count("✎ writes") == 1
    assert mermaid(drawn).count('"✎ patch<br/>') == 1


def test_needs_carry_the_slots_they_fill() -> None:
    edges = said(picture(nested()))
    assert {edge for edge in edges if edge[2] == "needs"} == {
        ("a", "b", "needs", "a"),
        ("b", "d", "needs", "b"),
        ("c", "d", "needs", ""),
    }
    assert {edge for edge in edges if edge[2] == "handoff"} == {("outer", "d", "handoff", "hint?")}


def test_handoffs_come_from_the_value_they_read() -> None:
    assert {edge[:2] + edge[3:] for edge in said(picture(loop())) if edge[2] == "handoff"} == {
        ("iteration-1.generator", "iteration-1.generator", "previous?"),
        ("round", "iteration-1.generator", "critique?"),
        ("iteration-1.generator", "panel: iteration-1", "artifact"),
    }
    assert {edge[:2] + edge[3:] for edge in said(picture(beam())) if edge[2] == "handoff"} == {
        ("beam", "generate: round-1.generate", "beam?"),
        ("generate: round-1.generate", "round-1.score-1..3", "each candidate"),
        ("beam", "debrief", "beam"),
    }


def test_rounds_go_back_with_their_bound() -> None:
    def back(flow: Flow) -> set[tuple[str, str, str, str]]:
        return {edge for edge in said(picture(flow)) if edge[2] in ("back", "again")}

    assert back(loop()) == {("round", "author: iteration-1", "back", "↺ again, at most 2 times")}
    assert back(nested()) == {
        ("inner", "attempt: try-1", "back", "↺ again, at most 3 times"),
        ("outer", "draft", "back", "↺ again, at most 1 time"),
    }
    assert back(probe()) == {
        ("round", "pause", "again", "↺ again, at most 5 times"),
        ("pause", "probe", "back", ""),
    }


@pytest.mark.parametrize("name", ALL)
def test_what_goes_back_does_not_rank(name: str) -> None:
    drawn = picture(ALL[name]())
    lines = [line for line in dot(drawn).splitlines() if " -> " in line and "style=invis" not in line]
    assert len(lines) == len(drawn.edges)
    for edge, line in zip(drawn.edges, lines, strict=True):
        assert ("constraint=false" in line) == (edge.kind in ("back", "handoff"))


def test_every_settle_goes_on_to_the_epilogue() -> None:
    assert {edge[:2] for edge in said(picture(nested())) if edge[3] == "epilogue"} == {
        ("done", "verdict"),
        ("end", "verdict"),
    }


def test_outcomes_have_their_tone() -> None:
    tones = {node.title: node.tone for node in nodes(picture(loop())).values() if node.kind == "settle"}
    assert tones == {
        "done": "success",
        "capped": "stopped",
        "no-check": "refused",
        "author-failed": "stopped",
        "critic-failed": "stopped",
    }
    assert nodes(picture(nested()))["s10"].lines == ("what was proposed stands",)


def test_what_a_parent_gets_is_written_in_its_settle() -> None:
    drawn = picture(loop())
    capped = next(node for node in nodes(drawn).values() if node.title == "capped")
    assert capped.lines == ("stopped", "answer ← author.generator", "critique ← round")
    assert not [edge for edge in drawn.edges if edge.target == capped.id and edge.kind == "handoff"]


def test_exits_that_lead_to_one_state_are_one_edge() -> None:
    edges = said(picture(probe()))
    assert ("fired", "round", "then", "quiet, unstartable") in edges
    assert ("fired", "react: reactor", "then", "fired") in edges


def test_a_gate_may_read_and_a_stage_may_read_itself() -> None:
    own = Handoff("all", Ref("s"), absent="omit")
    units = tuple(Unit(name, "r", text(name), text(name), (), (own,)) for name in "ab")
    flow = Flow(
        "m",
        "s",
        (
            Stage("s", text("s"), Plan(units), {"then": "g", "failed": "end"}),
            Gate("g", AllPass("s"), {"pass": "done", "revise": "end"}, {}, (Handoff("v", Ref("s"), "report"),)),
            Settle("done", "success"),
            Settle("end", "stopped"),
        ),
        {"r": Role("recon", "", "package")},
    )
    drawn = picture(flow)
    assert {edge for edge in said(drawn) if edge[2] == "handoff"} == {
        ("a", "a", "handoff", "all?"),
        ("b", "b", "handoff", "all?"),
        ("s", "g", "handoff", "v"),
    }


# ---- any text survives ------------------------------------------------------------------------------------------


@given(WORDS)
@example(HOSTILE)
def test_dot_holds_nothing_but_our_ids_outside_of_labels(word: str) -> None:
    source = re.sub(r"<(?:[^<>]|<[^<>]*>)*>|\"[^\"]*\"", "L", dot(picture(named(word))))
    for line in source.splitlines():
        assert re.fullmatch(r"[ \w\[\]{},;=#.L-]*(-> [\w; ]+(\[[\w ,=.L]*\];)?)?", line), line


@given(WORDS)
@example(HOSTILE)
def test_mermaid_holds_nothing_but_our_ids_outside_of_labels(word: str) -> None:
    head, *lines = mermaid(picture(named(word))).split("\n---\n")[1].splitlines()
    assert head == "flowchart TB"
    for line in lines:
        outside, inside = re.sub(r'"[^"]*"', '""', line), "".join(re.findall(r'"([^"]*)"', line))
        assert re.fullmatch(r"[ \w\[\](){}/|\"=>.,:#-]*", outside), line
        assert re.fullmatch(r"(?:#\d+;|<br/>|[A-Za-z0-9 ,./?()-]|[^\x00-\x7f])*", inside), line
    assert sum(line.strip().startswith("subgraph ") for line in lines) == sum(line.strip() == "end" for line in lines)


@given(st.text())
def test_escapes_lose_nothing(word: str) -> None:
    numbers = re.sub(r"#(\d+);", lambda match: chr(int(match[1])), mermaid_module.escape(word))
    assert numbers == word
    assert unescape(escape(word).replace("\\\\", "\\")) == word.replace("\ufffe", r"\ufffe").replace(
        "\uffff", r"\uffff"
    )


@needs_dot
@settings(max_examples=25)
@given(WORDS)
@example(HOSTILE)
@example("end")
@example("\\")
@example("]")
@example(" ")
def test_the_real_dot_takes_any_text(word: str) -> None:
    draw(dot(picture(named(word))), "svg")


@needs_dot
def test_labels_show_the_text_as_written() -> None:
    task = 'Say "hi" \\N <b> {x|y}\nnew line &amp; \\\\'
    units = (
        Unit('a"b', "r", text('a"b'), text(task)),
        Unit("node", "r", text("node"), text("end"), ('a"b',)),
    )
    done = Settle("done", "success")
    flow = Flow(
        "graph",
        "nodes",
        (Stage("nodes", text("nodes"), Plan(units), {"then": "done", "failed": "done"}), done),
        {"r": Role("recon", "", "package", tools=("\\G",), model="<i>")},
    )
    lines = shown(draw(dot(picture(flow)), "svg"))
    for line in ('a"b', 'Say "hi" \\N <b> {x|y}', "new line &amp; \\\\", "node", "end", "tools \\G", "<i>"):
        assert line in lines


@needs_dot
@pytest.mark.parametrize("name", ALL)
def test_the_real_dot_puts_waves_on_lines_and_later_ones_below(name: str) -> None:
    drawn = picture(ALL[name]())
    plain = draw(dot(drawn), "plain")
    height = {row[1]: float(row[3]) for row in map(str.split, plain.splitlines()) if row[0] == "node"}
    for group in (item for item in drawn.items if isinstance(item, Group)):
        lines = [{height[node.id] for node in rank} for _, rank in group.ranks]
        assert all(len(line) == 1 for line in lines)
        tops = [max(line) for line in lines]
        assert tops == sorted(tops, reverse=True) and len(set(tops)) == len(tops)
    by_id = {item.id: item for item in drawn.items}
    for edge in drawn.edges:
        if edge.kind in ("then", "end", "again"):
            assert _top(by_id[edge.source], height) > _top(by_id[edge.target], height), edge


def _top(item: Node | Group, height: dict[str, float]) -> float:
    return (
        height[item.id] if isinstance(item, Node) else max(height[node.id] for _, rank in item.ranks for node in rank)
    )


def test_the_start_leads_to_the_entry() -> None:
    assert picture(probe()).edges[0] == Edge(START, "s1", "then")
