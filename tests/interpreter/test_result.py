"""The details of a run: the caps of its texts, and what an error keeps of them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from drive import Run, keyed

from piflows.interpreter.result import details
from piflows.ir.flow import Flow, Settle, Stage
from piflows.ir.limits import LIMITS
from piflows.ir.parts import Parts, text
from piflows.ir.plan import Plan
from piflows.ir.unit import Role, Unit

WORKER = Role("recon", "r" * (LIMITS.line_bytes + 9), "package", tools=("read",))
WORK = Stage(
    "work", text("work"), Plan((Unit("a", "worker", text("a"), text("go")),)), {"then": "end", "failed": "end"}
)
LONG = "é" * LIMITS.text_bytes


def ended(header: Parts = (), body: Parts = (), code: str | None = None) -> Flow:
    facts = {"problem": text("x")} if code else {}
    end = Settle("end", "refused" if code else "success", code, facts, header, body)
    return Flow("hand", "work", (WORK, end), {"worker": WORKER})


@pytest.mark.parametrize("header", ["", "short", "a\nb" * LIMITS.text_bytes], ids=["none", "short", "long"])
@pytest.mark.parametrize("code", [None, "MONITOR_INVALID"])
def test_the_whole_answer_keeps_the_cap_and_its_header_one_line(header: str, code: str | None) -> None:
    found = details(Run(ended(text(header), text(LONG), code), keyed({})).go().machine)
    kept, mark = found["text"].split("\n\n[Output truncated: ")
    line: str = found["header"] or ""
    whole = f"{line}\n\n{kept}" if line else kept
    assert LIMITS.text_bytes - 1 <= len(whole.encode()) <= LIMITS.text_bytes
    told = f"{kept.split('Code: ')[0]}Code: {code}\n\n" if code else ""
    assert kept.startswith(told)
    assert int(mark.split()[0]) == len((told + LONG).encode()) - len(kept.encode())
    assert "\n" not in line and bool(line) is bool(header)
    if header:
        missing = len(header.replace("\n", "\\n").encode()) - LIMITS.line_bytes
        assert line.endswith(f" [… {missing} bytes omitted]") is (header != "short")


def test_a_roles_label_is_cut_where_it_is_listed_and_nowhere_else() -> None:
    run = Run(ended(), keyed({})).go()
    (child,) = details(run.machine)["results"]
    assert child["role"] == "r" * LIMITS.line_bytes + " [… 9 bytes omitted]"
    assert run.spawned[0]["role"] == WORKER.slot


def test_what_a_flow_says_of_its_call_is_told() -> None:
    flow = replace(ended(), about={"preset": "scout", "agentScope": "all"})
    found = details(Run(flow, keyed({})).go().machine)
    assert (found["preset"], found["agentScope"], found["budgetCeilings"]) == ("scout", "all", [])
