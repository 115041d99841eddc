"""Secrets of the known shapes, planted in every slot and in every name: no way out of a run tells them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from play import Played, play
from scenarios import chain, contract, envelope, steps
from slots import PAYLOAD, SLOTS, Slot
from tally import Record, count

SECRETS = {  # what is planted → the part of it that must be seen nowhere
    "sk-Zq81mnbvcxzlkjhgfdsapoiuytre": "Zq81mnbvcxzlkjhgfdsapoiuytre",
    "Authorization: Bearer qwertyuiopasdfghjk1234": "qwertyuiopasdfghjk1234",
    "api key: ebb-tide-1177": "ebb-tide-1177",
    "password=low-tide-4040": "low-tide-4040",
    "ghp_AbCdEf0123456789AbCdEf0123456789AbCd": "AbCdEf0123456789AbCdEf",
    "AKIAIOSFODNN7EXAMPLE": "IOSFODNN7EXAMPLE",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.c2lnbmF0dXJlLW9m": "eyJzdWIiOiIxMjM0NSJ9",
    "pilot.station@example.org": "pilot.station@example",
    "https://crane:cargo-hold-77@example.org/x": "cargo-hold-77",
    "-----BEGIN PRIVATE KEY-----\nMIIEtidewater77\n-----END PRIVATE KEY-----": "MIIEtidewater77",
}
ALL = "Found:\n" + "\n".join(SECRETS)
KEY = next(iter(SECRETS))


def outputs(folder: Path, call: Any, children: list[Any], files: dict[str, str] | None = None) -> dict[str, str]:
    """All that a run tells, as JSON and as text, with a trace and a journal."""
    told: dict[str, str] = {}
    for form in ("json", "text"):
        whole = {**call, "traceFile": "trace.jsonl"}
        played: Played = play(folder, whole, children, files, form=form)
        trace = played.files.get("trace.jsonl", b"").decode()
        parts = {"stdout": played.stdout, "stderr": played.stderr, "journal": played.journal, "trace": trace}
        told |= {f"{name} ({form})": part for name, part in parts.items()}
    return told


def check(told: dict[str, str], record: Record) -> None:
    seen = [(name, part) for name, said in told.items() for part in SECRETS.values() if part in said]
    print(*seen, sep="\n")  # shown where the goal is missed
    count(record, "sensitive exposure", len(seen), len(told) * len(SECRETS))


@pytest.mark.parametrize("slot", SLOTS, ids=lambda slot: slot.name)
def test_a_secret_in_a_slot_is_told_nowhere(slot: Slot, tmp_path: Path, record_property: Record) -> None:
    def filled(given: dict[str, Any]) -> dict[str, Any]:
        return {name: v.replace(PAYLOAD, ALL) if isinstance(v, str) else v for name, v in given.items()}

    told = outputs(tmp_path, slot.call, [filled(each) for each in slot.children], filled(slot.files))
    assert told["journal (json)"] and told["trace (json)"]
    check(told, record_property)


RECON = {"agent": "recon", "task": "Go."}
NODE = {"id": KEY, "agent": "recon", "task": "One."}
FILE = f"{KEY}.txt"
IDENTIFIERS = ("node id", "two node ids", "model")  # what a resume knows its children by stays in the journal
PLANTED: dict[str, tuple[Any, list[Any]]] = {
    "standard error": (RECON, [{"agent": "recon", "reply": "x", "stderr": ALL}]),
    "standard error of a failed child": (RECON, [{"agent": "recon", "reply": ALL, "stderr": ALL, "exit": 3}]),
    "what a child ran": (RECON, [{"agent": "recon", "reply": "x", "runs": f"printf '%s' '{ALL}'; exit 1"}]),
    "task": ({"agent": "recon", "task": ALL}, []),
    "shared task": (steps("recon", "analyst", task=ALL), []),
    "why": ({**RECON, "why": ALL}, []),
    "return requirements": ({**RECON, "returnRequirements": ALL}, []),
    "trace label": ({**RECON, "traceLabel": f"{KEY} password=low-tide-4040"}, []),
    "check command": ({"task": "x", "evaluate": {"checkCommand": f"echo '{ALL}'; exit 1", "maxIterations": 1}}, []),
    "probe": ({"monitor": {"command": f"echo '{ALL}'", "trigger": "failure", "maxChecks": 1}}, []),
    "node id": ({"graph": {"nodes": [NODE]}}, []),
    "two node ids": (
        {"graph": {"nodes": [NODE, {"id": "b", "agent": "analyst", "task": f"{{node.{KEY}}}", "dependsOn": [KEY]}]}},
        [{"agent": "recon", "exit": 1}],
    ),
    "unknown node": ({"graph": {"nodes": [{**NODE, "id": "a", "dependsOn": [KEY]}]}}, []),
    "agent": ({"agent": KEY, "task": "x"}, []),
    "agent of a step": (steps("recon", KEY), []),
    "preset": ({"preset": KEY, "task": "x"}, []),
    "parameter": ({**RECON, KEY: 1}, []),
    "value of a parameter": ({**RECON, "handoffPolicy": KEY, "tier": "password=low-tide-4040"}, []),
    "model": ({**RECON, "model": KEY}, []),
    "tools": ({**RECON, "tools": KEY}, []),
    "working directory": ({**RECON, "cwd": KEY}, []),
    "artifact that is not there": (
        chain(),
        [{"agent": "recon", "envelope": envelope(artifactReferences=[{"path": FILE}])}],
    ),
    "artifact": (
        chain(),
        [{"agent": "recon", "envelope": envelope(artifactReferences=[{"path": FILE}]), "writes": {FILE: "x"}}],
    ),
    "undeclared digest": (
        chain(),
        [
            {
                "agent": "recon",
                "envelope": envelope(digests=[{"artifact": FILE, "algorithm": "sha256", "value": "0" * 64}]),
            }
        ],
    ),
    "every text of a return": (
        chain(),
        [
            {
                "agent": "recon",
                "envelope": envelope(
                    summary=ALL,
                    evidence=[{"claim": ALL, "source": ALL}],
                    changedState=[ALL],
                    unresolvedQuestions=[ALL],
                    retry={"retryable": False, "reason": ALL},
                    data={ALL: ALL, "token": "low-tide-4040", "list": [ALL, {KEY: ALL}]},
                ),
            }
        ],
    ),
    "incomplete return": (
        chain(),
        [{"agent": "recon", "envelope": envelope(status="blocked", unresolvedQuestions=[ALL])}],
    ),
    "identity of a return": (chain(), [{"agent": "recon", "envelope": envelope(contractId=KEY)}]),
    "member of a return": (chain(), [{"agent": "recon", "envelope": {**envelope(), KEY: ALL, "status": ALL}}]),
    "contract": (
        chain({**RECON, "contract": contract(objective=ALL, constraints=[ALL], owner=ALL, acceptanceChecks=[ALL])}),
        [],
    ),
    "contract that is wrong": (chain({**RECON, "contract": contract(sideEffectClass=KEY)}), []),
    "schema of a return": (
        chain({**RECON, "contract": contract(returnSchema={"enum": [KEY, ALL]})}),
        [{"agent": "recon", "envelope": envelope(data="nothing of it")}],
    ),
    "schema that does not compile": (chain({**RECON, "contract": contract(returnSchema={"type": KEY})}), []),
}


@pytest.mark.parametrize("place", PLANTED)
def test_a_secret_anywhere_else_is_told_nowhere(place: str, tmp_path: Path, record_property: Record) -> None:
    call, children = PLANTED[place]
    told = outputs(tmp_path, call, children)
    if place in IDENTIFIERS:
        told = {name: said for name, said in told.items() if not name.startswith("journal")}
    check(told, record_property)


def test_a_home_path_is_told_nowhere(tmp_path: Path, record_property: Record) -> None:
    """But in the journal's opening, where a resume reads it."""
    home = str(tmp_path / "0")
    child = {"agent": "recon", "reply": f"In {home}/notes.", "stderr": f"{home}/x"}
    played = play(tmp_path, {**RECON, "traceFile": "trace.jsonl"}, [child])
    said = [
        played.stdout,
        played.stderr,
        "".join(played.journal.splitlines()[2:]),
        played.files["trace.jsonl"].decode(),
    ]
    assert "~/notes" in said[0]
    count(record_property, "sensitive exposure", sum(home in each for each in said), len(said))


def test_what_is_no_secret_is_told(tmp_path: Path, record_property: Record) -> None:
    """The control: the same ways out tell what they may."""
    told = outputs(tmp_path, RECON, [{"agent": "recon", "reply": "Nine metres."}])
    assert all("Nine metres." in told[f"{name} (json)"] for name in ("stdout", "journal"))
    count(record_property, "benign utility", "Nine metres." in told["stdout (text)"], 1)
