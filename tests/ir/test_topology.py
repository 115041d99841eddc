"""Graphs with known answers; what holds for every graph is in tests/properties."""

from __future__ import annotations

import pytest

from piflows.ir.topology import antichain, components, cycles, levels, longest, postorder, reach, terminals, unknown

Needs = dict[str, list[str]]

DIAMOND: Needs = {"d": ["b", "c"], "b": ["a"], "c": ["a"], "a": [], "e": []}
DEEP = {f"n{i}": [f"n{i - 1}"] if i else [] for i in range(20_000)}


@pytest.mark.parametrize(
    ("needs", "waves"),
    [
        ({}, []),
        ({"b": [], "a": []}, [["b", "a"]]),
        (DIAMOND, [["a", "e"], ["b", "c"], ["d"]]),
        ({"a": [], "b": ["a", "a"], "c": ["a", "b"]}, [["a"], ["b"], ["c"]]),
        ({"a": ["ghost"], "b": ["a"]}, [["a"], ["b"]]),
        ({"a": [], "b": ["c"], "c": ["b"], "d": ["c"], "e": ["a"]}, [["a"], ["e"]]),
        ({"a": ["a"]}, []),
    ],
)
def test_levels_stand_in_order_of_declaration_and_leave_loops_out(needs: Needs, waves: list[list[str]]) -> None:
    assert levels(needs) == waves


@pytest.mark.parametrize(
    ("needs", "chains"),
    [
        (DIAMOND, []),
        ({"a": ["a"]}, [["a", "a"]]),
        ({"a": ["b"], "b": ["a"]}, [["a", "b", "a"]]),
        ({"b": ["a"], "a": ["b"]}, [["b", "a", "b"]]),
        ({"ok": [], "x": ["ok", "y"], "y": ["z"], "z": ["x"], "after": ["x"]}, [["x", "y", "z", "x"]]),
        ({"c": ["d"], "a": ["b"], "b": ["a"], "d": ["c"]}, [["c", "d", "c"], ["a", "b", "a"]]),
        # one component with two loops: the shortest through its first id
        ({"a": ["b"], "b": ["c", "a"], "c": ["a"]}, [["a", "b", "a"]]),
        # two loops in a row are two components
        ({"a": ["b"], "b": ["a", "c"], "c": ["d"], "d": ["c"]}, [["a", "b", "a"], ["c", "d", "c"]]),
        ({"a": ["ghost", "a"]}, [["a", "a"]]),
    ],
)
def test_every_disjoint_loop_is_a_chain(needs: Needs, chains: list[list[str]]) -> None:
    assert cycles(needs) == chains


def test_unknown_names_who_needs_what_once():
    assert unknown({"a": ["x", "b", "x"], "b": ["y"]}) == [("a", "x"), ("b", "y")]


def test_terminals_are_needed_by_no_other():
    assert terminals(DIAMOND) == ["d", "e"]
    assert terminals({"a": ["a"], "b": ["a"]}) == ["b"]


def test_components_come_after_what_they_need():
    assert components({"a": ["b"], "b": ["c"], "c": ["b"], "d": []}) == [["b", "c"], ["a"], ["d"]]


def test_postorder_ends_with_its_start():
    assert postorder({"a": ["b", "c"], "b": ["d"], "c": ["d", "ghost"], "d": ["a"], "e": []}, "a") == [
        "d",
        "b",
        "c",
        "a",
    ]


def test_reach_answers_for_marked_nodes_alone():
    order = reach(DIAMOND, ["a", "b"])
    assert order.needs("d", "a") and order.needs("d", "b") and order.needs("b", "a")
    assert not order.needs("a", "b") and not order.needs("c", "b") and not order.needs("a", "a")
    assert list(order.bit) == ["a", "b"]


def test_on_a_loop_everything_needs_everything():
    order = reach({"a": ["b"], "b": ["a"], "c": []})
    assert order.needs("a", "a") and order.needs("a", "b") and not order.needs("a", "c")


@pytest.mark.parametrize(
    ("needs", "group", "together"),
    [
        (DIAMOND, ["a", "b", "d"], []),
        (DIAMOND, ["d", "c", "b", "a"], ["c", "b"]),
        (DIAMOND, ["d", "e", "a"], ["e", "a"]),
        ({"a": [], "b": ["a"], "c": ["b"], "d": []}, ["a", "c"], []),
        ({"a": [], "b": [], "c": [], "d": ["a"]}, ["a", "b", "c", "d"], ["a", "b", "c"]),
        ({"a": []}, ["a"], []),
    ],
)
def test_an_antichain_is_a_pair_at_least(needs: Needs, group: list[str], together: list[str]) -> None:
    assert antichain(reach(needs, group), group) == together


def test_longest_weighs_the_heaviest_path_to_each_node():
    weight = {"a": 1, "b": 10, "c": 2, "d": 3, "e": 7}
    assert longest(DIAMOND, weight) == {"a": 1, "b": 11, "c": 3, "d": 14, "e": 7}
    assert longest({"a": ["b"], "b": ["a"], "c": []}, {"a": 1, "b": 1, "c": 1}) == {"c": 1}


def test_a_long_chain_is_an_ordinary_input():
    loop = {**DEEP, "n0": ["n19999"]}
    assert len(levels(DEEP)) == 20_000 and cycles(DEEP) == []
    assert len(cycles(loop)[0]) == 20_001 and components(loop) and len(postorder(loop, "n5")) == 20_000
    assert reach(DEEP, ["n0"]).needs("n19999", "n0")
