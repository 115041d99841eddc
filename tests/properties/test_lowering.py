"""Every accepted call lowers to a Flow that verifies; lowering is deterministic; check equals run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from calls import calls
from hypothesis import HealthCheck, given, settings

from piflows.compiler import Compiled, compile_call
from piflows.compiler.catalog import host_context
from piflows.grammar.flow_text import parse_flow, print_flow
from piflows.ir.bounds import bounds
from piflows.ir.digest import digest
from piflows.ir.node import dump, load
from piflows.ir.verify import verify
from tests.properties.spoiled import calls as texts
from tests.properties.spoiled import spoiled

SHARED = settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


def compiled(call: dict[str, Any] | str, tmp_path: Path, full: bool = True) -> Compiled:
    text = call if isinstance(call, str) else json.dumps(call)
    return compile_call(text, host_context(tmp_path, {"HOME": str(tmp_path)}), file="call.json", full=full)


@SHARED
@given(calls())
def test_an_accepted_call_lowers_to_a_flow_that_verifies(tmp_path: Path, call: dict[str, Any]) -> None:
    done = compiled(call, tmp_path)
    assert (done.flow is None) == bool(done.errors)
    assert "IR_INVALID" not in [each.code for each in done.errors]  # no call is so wrong that its Flow is malformed
    if done.flow is not None:
        assert verify(done.flow) == []
        proved = bounds(done.flow)
        assert proved.least_runs is not None and proved.least_runs <= proved.most_runs


@SHARED
@given(calls())
def test_lowering_is_deterministic(tmp_path: Path, call: dict[str, Any]) -> None:
    first, second = compiled(call, tmp_path), compiled(call, tmp_path)
    assert (first.flow, first.diagnostics) == (second.flow, second.diagnostics)


@SHARED
@given(calls())
def test_a_check_alone_finds_what_a_run_would(tmp_path: Path, call: dict[str, Any]) -> None:
    assert compiled(call, tmp_path, full=False).diagnostics == compiled(call, tmp_path).diagnostics


@SHARED
@given(spoiled(*texts()))
def test_a_check_alone_finds_what_a_run_would_of_a_spoiled_call(tmp_path: Path, call: str) -> None:
    assert compiled(call, tmp_path, full=False).diagnostics == compiled(call, tmp_path).diagnostics


@SHARED
@given(calls())
def test_a_lowered_flow_survives_both_of_its_forms(tmp_path: Path, call: dict[str, Any]) -> None:
    flow = compiled(call, tmp_path).flow
    if flow is not None:
        assert load(json.dumps(dump(flow))) == flow
        assert digest(parse_flow(print_flow(flow))) == digest(flow)


GOLDEN = Path(__file__).parents[1] / "golden"
EMIT = "import sys\nfrom piflows.cli import main\nfor path in sys.argv[1:]: main(['compile', '--emit', 'ir', path])"


@pytest.mark.parametrize("seed", ["0", "1", "77"])
def test_the_hash_seed_changes_nothing(seed: str, tmp_path: Path) -> None:
    import subprocess
    import sys

    folders = sorted(path.parent for path in GOLDEN.glob("*/*/flow.ir"))
    command = [sys.executable, "-c", EMIT, *(str(folder / "call.json") for folder in folders)]
    env = {"PYTHONHASHSEED": seed, "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=env, check=True)
    assert done.stdout == "".join((folder / "flow.ir").read_text(encoding="utf-8") for folder in folders)
