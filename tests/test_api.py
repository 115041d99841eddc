"""What Python callers use."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import piflows
from piflows.ir.diagnostic import FlowError
from piflows.ir.flow import Flow

CALL = {"agent": "recon", "task": "Look.", "why": "asked for"}
WRONG = {"agent": "recom", "task": "Look.", "why": "asked for"}


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("PI_FLOWS_DEPTH", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("call", [CALL, json.dumps(CALL)])
def test_a_call_is_text_or_an_object(call: Any) -> None:
    flow = piflows.compile(call)
    assert isinstance(flow, Flow) and flow.mode == "single"
    assert piflows.check(call) == ()
    assert piflows.plan(call)["waves"] == piflows.plan(flow)["waves"] == [["single"]]
    assert piflows.run(call)["text"] == piflows.run(flow)["text"] == "Done."


def test_a_wrong_call() -> None:
    assert [each.code for each in piflows.check(WRONG)] == ["UNKNOWN_AGENT"]
    for function in (piflows.compile, piflows.plan, piflows.run):
        with pytest.raises(FlowError, match="UNKNOWN_AGENT"):
            function(WRONG)


def test_a_wrong_flow() -> None:
    flow = Flow("m", "nowhere", ())
    for function in (piflows.plan, piflows.run):
        with pytest.raises(FlowError, match="IR_INVALID"):
            function(flow)


def test_a_run_with_a_script_and_a_journal(tmp_path: Path) -> None:
    journal, script = str(tmp_path / "run.jsonl"), {"children": [{"reply": "once"}]}
    assert piflows.run(CALL, script=script, journal=journal)["text"] == "once"
    assert piflows.run(CALL, journal=journal)["text"] == "once"


def test_the_host_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    flow = piflows.compile(CALL)
    monkeypatch.setenv("PI_FLOWS_DEPTH", "2")
    for call in (CALL, flow):
        with pytest.raises(FlowError, match="FLOW_DEPTH_EXCEEDED"):
            piflows.run(call)


def test_a_directory_is_where_agents_are_looked_for(tmp_path: Path) -> None:
    agents = tmp_path / "other/.pi/flow-agents"
    agents.mkdir(parents=True)
    (agents / "spy.md").write_text("---\nname: spy\ndescription: Looks.\ntools: read\n---\nLook.\n")
    call = {**CALL, "agent": "spy", "agentScope": "project", "confirmProjectAgents": False}
    assert piflows.run(call, cwd="other")["outcome"] == "success"
    with pytest.raises(FlowError, match="UNKNOWN_AGENT"):
        piflows.run(call)


def test_an_unknown_backend() -> None:
    with pytest.raises(FlowError, match="there is no backend"):
        piflows.run(CALL, backend="scriptd")


def test_importing_it_imports_little() -> None:
    script = "import sys, piflows; print(sorted(name for name in sys.modules if name.startswith('piflows')))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "['piflows']\n"
    with pytest.raises(AttributeError, match="has no attribute 'rnu'"):
        piflows.rnu  # noqa: B018


def test_every_public_name_is_there() -> None:
    assert all(getattr(piflows, name) for name in piflows.__all__)
