import pytest
from hypothesis import given
from hypothesis import strategies as st

from piflows.grammar.placeholder import Placeholder, near_misses, split

ALL = ("task", "previous", "node", "phase")


def shown(text: str, kinds: tuple[str, ...] = ALL) -> list[str]:
    return [f"<{p.kind}:{p.name}@{p.start}>" if isinstance(p, Placeholder) else p for p in split(text, kinds)]


SPLITS = [
    ("", []),
    ("plain", ["plain"]),
    ("{task}", ["<task:@0>"]),
    ("Do {task}, then {task}.", ["Do ", "<task:@3>", ", then ", "<task:@16>", "."]),
    ("{node.low}+{node.high}", ["<node:low@0>", "+", "<node:high@11>"]),
    ("{node.a.b c-é}", ["<node:a.b c-é@0>"]),
    ("{phase.plan}{previous}", ["<phase:plan@0>", "<previous:@12>"]),
    ('{"name": "x"} {} {unknown} {0} {a, b}', ['{"name": "x"} {} {unknown} {0} {a, b}']),
    ("{{task}} and {{node.a}}", ["{{task}} and {{node.a}}"]),
    ("{{{task}}}", ["{{{task}}}"]),
    ('{"goal": {task}}', ['{"goal": ', "<task:@9>", "}"]),
    ("{{task}", ["{", "<task:@1>"]),
    ("{Task} { task } {tasks} {task.x} {node.} {node} {node.a\nb}",) * 2,
    ("${task}", ["$", "<task:@1>"]),
    ("{node.{task}}", ["{node.", "<task:@6>", "}"]),
]


@pytest.mark.parametrize(("text", "expected"), SPLITS)
def test_a_text_is_split_at_its_placeholders(text: str, expected: list[str] | str) -> None:
    assert shown(text) == (expected if isinstance(expected, list) else [expected])


def test_only_the_given_kinds_are_placeholders() -> None:
    assert shown("{task} {previous} {node.a}", ("task", "node")) == ["<task:@0>", " {previous} ", "<node:a@18>"]
    assert shown("{task}", ()) == ["{task}"]


NEAR = [
    ("{Task} {TASK}", [("{Task}", "{task}"), ("{TASK}", "{task}")]),
    ("{ task }", [("{ task }", "{task}")]),
    ("{tasks} and {tasks}", [("{tasks}", "{task}")]),
    ("{{task}}", [("{{task}}", "{task}")]),
    ("{prev} {previuos}", [("{prev}", "{previous}"), ("{previuos}", "{previous}")]),
    ("{nodes.a}", [("{nodes.a}", "{node.a}")]),
    ("{node: a}", [("{node: a}", "{node.a}")]),
    ("{node_a-b}", [("{node_a-b}", "{node.a-b}")]),
    ("{noed.a}", [("{noed.a}", "{node.a}")]),
    ("{node}", [("{node}", "{node.<id>}")]),
    ("{phases}", [("{phases}", "{phase.<id>}")]),
]
NOT_NEAR = [
    "{task}",
    "{node.a}",
    "{mask} {ask} {mode} {code.length} {text}",
    '{"task": 1}',
    "{}",
    "{0}",
    "task",
    "{task_list}",
    "{{task} {task}}",
]


@pytest.mark.parametrize(("text", "expected"), NEAR)
def test_a_near_miss_is_named_once_with_what_was_meant(text: str, expected: list[tuple[str, str]]) -> None:
    assert near_misses(text, ALL) == expected


@pytest.mark.parametrize("text", NOT_NEAR)
def test_other_braces_are_no_near_miss(text: str) -> None:
    assert near_misses(text, ALL) == []


def test_a_kind_that_the_mode_does_not_have_is_not_suggested() -> None:
    assert near_misses("{Previous} {nodes.a} {node}", ("task",)) == []


texts = st.lists(st.sampled_from(["{", "}", "{{", "task", "node.", "a", ".", " ", "\n", "previous", "phase."])).map(
    "".join
)


@given(texts | st.text(), st.sets(st.sampled_from(ALL)))
def test_the_pieces_are_the_text(text: str, kinds: set[str]) -> None:
    pieces = split(text, kinds)
    assert "".join(piece.raw if isinstance(piece, Placeholder) else piece for piece in pieces) == text
    assert "" not in pieces
    for piece in pieces:
        if isinstance(piece, Placeholder):
            assert text[piece.start :].startswith(piece.raw) and piece.kind in kinds
            assert piece.raw == (f"{{{piece.kind}.{piece.name}}}" if piece.name else f"{{{piece.kind}}}")


@given(texts, st.sets(st.sampled_from(ALL)))
def test_a_near_miss_stays_text_and_its_suggestion_does_not(text: str, kinds: set[str]) -> None:
    for raw, meant in near_misses(text, kinds):
        assert raw in text and shown(raw, tuple(kinds)) == [raw]
        if "<id>" not in meant:
            assert isinstance(split(meant, kinds)[0], Placeholder)
