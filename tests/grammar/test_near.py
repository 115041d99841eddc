import pytest
from hypothesis import given
from hypothesis import strategies as st

from piflows.grammar.near import hint, nearest

AGENTS = ("recon", "analyst", "strategist", "operator", "redteam", "overwatch")
KEYS = ("maxIterations", "timeoutMs", "agentScope", "cwd", "id", "tools", "tier", "description")

CLOSE = [
    ("recom", AGENTS, "recon"),
    ("reocn", AGENTS, "recon"),
    ("RECON", AGENTS, "recon"),
    ("recons", AGENTS, "recon"),
    ("red-team", AGENTS, "redteam"),
    ("over watch", AGENTS, "overwatch"),
    ("max_iterations", KEYS, "maxIterations"),
    ("iterations", KEYS, "maxIterations"),
    ("timeout", KEYS, "timeoutMs"),
    ("tool", KEYS, "tools"),
    ("desc", KEYS, "description"),
    ("cdw", KEYS, "cwd"),
]
FAR = [
    ("nobody", AGENTS),
    ("favouriteColour", KEYS),
    ("ix", KEYS),
    ("", KEYS),
    ("de", KEYS),
    ("recon", ()),
    ("r" * 1_000, ("r" * 999,)),
]


@pytest.mark.parametrize(("word", "known", "expected"), CLOSE)
def test_a_slip_finds_the_name(word: str, known: tuple[str, ...], expected: str) -> None:
    assert nearest(word, known) == expected
    assert hint(word, known) == f' Did you mean "{expected}"?'


@pytest.mark.parametrize(("word", "known"), FAR)
def test_what_is_not_close_suggests_nothing(word: str, known: tuple[str, ...]) -> None:
    assert nearest(word, known) is None
    assert hint(word, known) == ""


def test_a_slip_goes_before_a_beginning() -> None:
    assert nearest("tiers", ("tiersOfModels", "tier")) == "tier"


@given(st.text(max_size=12), st.permutations(["node", "mode", "code", "nodes"]))
def test_the_order_of_the_known_names_decides_nothing(word: str, known: list[str]) -> None:
    assert nearest(word, known) == nearest(word, sorted(known))


@given(st.text(alphabet="abc", min_size=1, max_size=6), st.text(alphabet="abc", min_size=1, max_size=6))
def test_the_distance_is_that_of_a_plain_search(word: str, name: str) -> None:
    slips = edits(word, name)
    expected = slips <= len(word) // 3 or (len(word) > 2 and name.startswith(word))
    assert (nearest(word, [name]) == name) == expected


def edits(a: str, b: str) -> int:
    """Insert, delete, replace, swap neighbours, by its definition."""
    if not a or not b:
        return len(a) + len(b)
    best = min(edits(a[1:], b) + 1, edits(a, b[1:]) + 1, edits(a[1:], b[1:]) + (a[0] != b[0]))
    if len(a) > 1 and len(b) > 1 and a[0] == b[1] and a[1] == b[0]:
        best = min(best, edits(a[2:], b[2:]) + 1)
    return best
