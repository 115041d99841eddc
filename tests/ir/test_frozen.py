"""`frozen` does what the standard decorator does."""

from __future__ import annotations

import copy
import pickle
from ast import Call, ClassDef, parse, walk
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import pytest

import piflows
from piflows.ir.frozen import frozen


@frozen
class Ours:
    a: int
    b: tuple[int, ...] = ()
    c: list[int] = field(default_factory=list[int])


@dataclass(frozen=True, slots=True)
class Standard:
    a: int
    b: tuple[int, ...] = ()
    c: list[int] = field(default_factory=list[int])


@frozen
class One:
    a: object


@frozen
class Other:
    a: object


@frozen
class More(One):
    b: int = 2


@frozen
class Nothing:
    pass


def test_fields_and_text_are_the_standard_ones() -> None:
    ours, standard = Ours(1, c=[2]), Standard(1, c=[2])
    assert repr(ours) == repr(standard).replace("Standard", "Ours")
    assert [each.name for each in fields(Ours)] == [each.name for each in fields(Standard)]
    assert Ours.__match_args__ == Standard.__match_args__
    assert replace(ours, a=3) == Ours(3, c=[2])
    assert not hasattr(ours, "__dict__")


def test_a_default_factory_is_asked_each_time() -> None:
    assert Ours(1).c is not Ours(1).c


def test_equal_is_what_has_one_class_and_equal_fields() -> None:
    nan = float("nan")
    assert One(1) == One(1.0) and hash(One(1)) == hash(One(1.0)) and Nothing() == Nothing()
    assert One(1) != One(2) and One(1) != Other(1) and One(1) != More(1) and One(1) != (1,)
    assert One(nan) == One(nan)  # as in a tuple: the same object is equal to itself
    assert len({One((1, 2)), One((1, 2)), One((2, 1))}) == 2
    with pytest.raises(TypeError, match="unhashable"):
        hash(Ours(1))


def test_nothing_can_be_changed() -> None:
    one = More(1)
    for name in ("a", "b", "new"):
        with pytest.raises(FrozenInstanceError):
            setattr(one, name, 3)
        with pytest.raises(FrozenInstanceError):
            delattr(one, name)
    assert one == More(1, 2)


@pytest.mark.parametrize("value", [Ours(1, (2,), [3]), One(None), More(One(1), 5), Nothing()], ids=repr)
def test_copies_are_equal_and_of_the_same_class(value: Any) -> None:
    for made in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert made == value and type(made) is type(value)
    deep = Ours(1, c=[1])
    assert copy.deepcopy(deep).c is not deep.c and copy.copy(deep).c is deep.c


def test_wrong_arguments_are_told_with_the_class() -> None:
    with pytest.raises(TypeError, match=r"One\.__init__\(\) missing 1 required positional argument: 'a'"):
        One()  # pyright: ignore[reportCallIssue]


NOT_DONE = {"__post_init__", "__init__", "__repr__", "__eq__", "__hash__", "__reduce__"}


def frozen_classes() -> Iterator[ClassDef]:
    for path in sorted(Path(piflows.__file__).parent.rglob("*.py")):
        for each in walk(parse(path.read_text(encoding="utf-8"))):
            if isinstance(each, ClassDef) and "frozen" in [getattr(by, "id", "") for by in each.decorator_list]:
                yield each


def test_no_class_asks_for_what_is_not_done() -> None:
    classes = list(frozen_classes())
    assert len(classes) > 20
    for each in classes:
        calls = [inner for inner in walk(each) if isinstance(inner, Call) and getattr(inner.func, "id", "") == "field"]
        assert {word.arg for call in calls for word in call.keywords} <= {"default", "default_factory"}, each.name
        assert not NOT_DONE & {getattr(inner, "name", "") for inner in each.body}, each.name
