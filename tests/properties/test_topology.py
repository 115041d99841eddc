"""Graph theory against naive answers, and against the standard library's sorter."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter
from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st
from strategies import dags

from piflows.ir.topology import antichain, components, cycles, levels, longest, postorder, reach, terminals, unknown

Needs = dict[str, list[str]]
IDS = [f"n{number}" for number in range(8)]


@st.composite
def graphs(draw: st.DrawFn) -> Needs:
    """Any graph: loops, repeated needs, needs that do not exist."""
    ids = draw(st.lists(st.sampled_from(IDS), unique=True))
    needs = st.lists(st.sampled_from([*IDS, "ghost"]), max_size=3)
    return {name: draw(needs) for name in ids}


def known(needs: Needs) -> Needs:
    return {name: [need for need in wanted if need in needs] for name, wanted in needs.items()}


def closure(needs: Needs) -> set[tuple[str, str]]:
    """Each (node, need) with a path of one step or more: squared until nothing is new."""
    pairs = {(name, need) for name, wanted in known(needs).items() for need in wanted}
    while True:
        more = {(a, d) for a, b in pairs for c, d in pairs if b == c} - pairs
        if not more:
            return pairs
        pairs |= more


@given(graphs())
def test_a_wave_is_the_longest_path_below_a_node(needs: Needs) -> None:
    pairs = closure(needs)
    free = [name for name in needs if not any((name, on) in pairs and (on, on) in pairs for on in needs)]
    free = [name for name in free if (name, name) not in pairs]

    def depth(name: str) -> int:
        return 1 + max((depth(need) for need in known(needs)[name]), default=-1)

    most = max(map(depth, free), default=-1)
    assert levels(needs) == [[name for name in free if depth(name) == wave] for wave in range(most + 1)]


@given(dags())
def test_waves_of_a_dag_are_those_of_the_standard_library(needs: Needs) -> None:
    sorter = TopologicalSorter(needs)
    sorter.prepare()
    waves: list[list[str]] = []
    while sorter.is_active():
        ready = sorter.get_ready()
        waves.append([name for name in needs if name in ready])
        sorter.done(*ready)
    assert levels(needs) == waves
    assert cycles(needs) == []


@given(graphs())
def test_cycles_name_each_component_with_a_loop_once_and_are_loops(needs: Needs) -> None:
    pairs, chains = closure(needs), cycles(needs)
    for chain in chains:
        assert chain[0] == chain[-1] and len(set(chain)) == len(chain) - 1
        assert all(need in needs[name] for name, need in pairwise(chain))
    named = {name for chain in chains for name in needs if (name, chain[0]) in pairs and (chain[0], name) in pairs}
    assert named == {name for name in needs if (name, name) in pairs}
    assert not any((a[0], b[0]) in pairs and (b[0], a[0]) in pairs for a, b in combinations(chains, 2))
    assert [chain[0] for chain in chains] == [name for name in needs if name in {chain[0] for chain in chains}]
    try:
        tuple(TopologicalSorter(known(needs)).static_order())
    except CycleError:
        assert chains
    else:
        assert not chains


@given(graphs(), st.sets(st.sampled_from(IDS)))
def test_reach_is_the_closure(needs: Needs, marked: set[str]) -> None:
    pairs, marked = closure(needs), marked & needs.keys()
    order = reach(needs, marked)
    assert {(a, b) for a in needs for b in marked if order.needs(a, b)} == {(a, b) for a, b in pairs if b in marked}


@given(dags(), st.data())
def test_an_antichain_is_found_when_there_is_one(needs: Needs, data: st.DataObject) -> None:
    group = data.draw(st.lists(st.sampled_from(list(needs)), unique=True)) if needs else []
    pairs, found = closure(needs), antichain(reach(needs, group), group)
    assert not any((a, b) in pairs or (b, a) in pairs for a, b in combinations(found, 2))
    assert found == [name for name in group if name in found]
    free = [(a, b) for a, b in combinations(group, 2) if (a, b) not in pairs and (b, a) not in pairs]
    assert len(found) >= 2 if free else found == []
    for other in set(group) - set(found) if found else ():
        assert any((other, name) in pairs or (name, other) in pairs for name in found), "it takes in whatever fits"


@given(graphs())
def test_components_are_classes_of_mutual_reach_in_order(needs: Needs) -> None:
    pairs, parts = closure(needs), components(needs)
    place = {name: number for number, part in enumerate(parts) for name in part}
    assert sorted(place) == sorted(needs) and sum(map(len, parts)) == len(needs)
    for a, b in combinations(needs, 2):
        assert (place[a] == place[b]) == ((a, b) in pairs and (b, a) in pairs)
    assert all(place[b] <= place[a] for a, b in pairs)


@given(graphs(), st.sampled_from(IDS))
def test_postorder_is_what_can_be_reached(needs: Needs, start: str) -> None:
    if start in needs:
        order = postorder(needs, start)
        assert set(order) == {start} | {b for a, b in closure(needs) if a == start}
        assert len(order) == len(set(order)) and order[-1] == start


@given(dags())
def test_postorder_of_a_dag_is_topological(needs: Needs) -> None:
    for start in needs:
        place = {name: number for number, name in enumerate(postorder(needs, start))}
        assert all(place[need] < place[name] for name in place for need in needs[name])


@given(dags(), st.integers(0, 2**32))
def test_longest_is_the_heaviest_of_all_paths(needs: Needs, seed: int) -> None:
    weight = {name: seed >> (4 * number) & 15 for number, name in enumerate(needs)}

    def heaviest(name: str) -> int:
        return weight[name] + max((heaviest(need) for need in needs[name]), default=0)

    assert longest(needs, weight) == {name: heaviest(name) for name in needs}


@given(graphs())
def test_unknown_and_terminals(needs: Needs) -> None:
    assert set(unknown(needs)) == {
        (name, need) for name, wanted in needs.items() for need in wanted if need not in needs
    }
    assert terminals(needs) == [a for a in needs if not any(a in needs[b] for b in needs if b != a)]
