"""Each property catches its own deliberate fault (`tests/mutants.py`)."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from mutants import MUTANTS, Mutant

# Finding the fault is what counts; making the example small would take most of the time.
FIND = settings(
    settings.get_profile("same"),
    phases=[Phase.explicit, Phase.generate],
    max_examples=400,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much],
)
PROPERTIES = sorted(
    f"{path.stem}:{line.split('(')[0].removeprefix('def ')}"
    for path in Path(__file__).parent.glob("test_*.py")
    if path.stem != "test_mutants"
    for line in path.read_text(encoding="utf-8").splitlines()
    if line.startswith("def test_")
)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: f"{mutant.of}-{mutant.make.__name__}")
def test_a_property_catches_its_fault(mutant: Mutant, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    module, name = mutant.of.split(":")
    test = loaded(module, monkeypatch)
    checked: Any = getattr(test, name)
    monkeypatch.setattr(checked, "_hypothesis_internal_use_settings", FIND, raising=False)
    break_it(mutant, test, monkeypatch)
    arguments = {"tmp_path": tmp_path} if module == "test_lowering" else {}
    with pytest.raises(Exception):  # noqa: B017  (an assertion, or what a broken machine runs into)
        checked(**arguments)


def loaded(module: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A property's module by its file: other folders have modules of the same name."""
    spec = importlib.util.spec_from_file_location(f"mutated_{module}", Path(__file__).parent / f"{module}.py")
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, made.__name__, made)  # dataclasses look their module up
    spec.loader.exec_module(made)
    return made


def break_it(mutant: Mutant, test: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    place, key = mutant.place.removesuffix("]").split("[") if "[" in mutant.place else (mutant.place, "")
    *path, name = place.split(".")
    owner: Any = importlib.import_module(path[0])
    for part in path[1:]:
        owner = getattr(owner, part, None) or importlib.import_module(f"{owner.__name__}.{part}")
    if key:
        table = getattr(owner, name)
        monkeypatch.setitem(table, key, mutant.make(table[key]))
        return
    original = getattr(owner, name)
    fault = mutant.make(original)
    monkeypatch.setattr(owner, name, fault)
    if getattr(test, name, None) is original:
        monkeypatch.setattr(test, name, fault)


def test_every_mutant_names_a_property() -> None:
    assert {mutant.of for mutant in MUTANTS} <= set(PROPERTIES)
