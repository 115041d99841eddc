"""Did you mean: the known name nearest to a word that is not known. Pure, deterministic, blind to case and `_`, `-`."""

from __future__ import annotations

from collections.abc import Iterable

LONGEST = 64  # a longer word is compared for equality alone: nobody mistypes a novel, and the cost is quadratic


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The nearest of `known`, or None when none is close.

    Close is at most one slip (a letter too many, missing, wrong, or two swapped) in three letters, or a known name that
    begins with the word. Of two that are equally near the one that sorts first.
    """
    wanted = folded(word)
    found = [(distance, name) for name in known if (distance := _apart(wanted, folded(name))) is not None]
    return min(found)[1] if wanted and found else None


def hint(word: str, known: Iterable[str]) -> str:
    """The clause that an error message ends with: empty, or ` Did you mean "x"?`."""
    name = nearest(word, known)
    return "" if name is None else f' Did you mean "{name}"?'


def meant(word: str, known: Iterable[str]) -> str:
    """The same inside a sentence: empty, or `, did you mean "x"`."""
    name = nearest(word, known)
    return "" if name is None else f', did you mean "{name}"'


def folded(word: str) -> str:
    """The word without what nobody tells names apart by: case, `_`, `-`, spaces."""
    return word.casefold().replace("_", "").replace("-", "").replace(" ", "")


def _apart(word: str, name: str) -> int | None:
    """How far `name` is from `word`, or None when it is too far to be meant."""
    if word == name:
        return 0
    most = len(word) // 3
    if max(len(word), len(name)) > LONGEST:
        return None
    slips = _slips(word, name) if abs(len(word) - len(name)) <= most else most + 1
    if slips <= most:
        return slips
    return LONGEST if len(word) > 2 and name.startswith(word) else None


def _slips(a: str, b: str) -> int:
    """The optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        before, last, row = row, before, [i]
        for j, right in enumerate(b, 1):
            cost = min(row[j - 1] + 1, before[j] + 1, before[j - 1] + (left != right))
            if i > 1 and j > 1 and left == b[j - 2] and a[i - 2] == right:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
    return row[-1]
