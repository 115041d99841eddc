"""Verification as a whole: which proofs are made, in which order, and that size is no fault."""

from __future__ import annotations

from dataclasses import replace

from whole import at, both, of, plan, whole

from piflows.ir.flow import Flow, Gate, Settle, Stage
from piflows.ir.gates import AtLeast, Round
from piflows.ir.parts import Slot, text
from piflows.ir.plan import Plan
from piflows.ir.unit import Handoff, Ref, Role, Unit
from piflows.ir.verify import Finding, verify

WRITERS = of(roles={**whole().roles, "critic": replace(whole().roles["critic"], tools=None)})
WON, LOST = Settle("won", "success"), Settle("lost", "stopped")


def codes(found: list[Finding]) -> list[str]:
    return [each.code for each in found]


def test_the_whole_flow_verifies():
    assert verify(whole()) == []


def test_structure_comes_first_and_then_alone():
    at_once = both(WRITERS, plan("panel", 1, needs=()))
    assert codes(verify(at_once(whole()))) == ["HANDOFF_UNRESOLVED", "HANDOFF_UNRESOLVED", "SHARED_WRITE_CWD"]
    broken = both(at_once, at("some", test=AtLeast("x", 1)), of(concurrency=0))
    assert codes(verify(broken(whole()))) == ["IR_INVALID", "IR_INVALID"]


def test_a_clash_names_the_real_directory_and_who_writes_with_what():
    roles = {"a": Role("operator", "a", "package"), "b": Role("analyst", "b", "package", tools=("read", "Edit"))}
    roles = {name: replace(role, cwd=text(f"./{name}")) for name, role in roles.items()}
    units = (Unit("x", "a", (), ()), Unit("y", "b", (), ()))
    flow = Flow("m", "s", (Stage("s", (), Plan(units), {"then": "won", "failed": "lost"}), WON, LOST), roles)
    assert verify(flow) == []
    facts: dict[str, object] = {"cwd": "/real", "agents": "operator as x (pi defaults), analyst as y (Edit)"}
    assert verify(flow, lambda _: "/real") == [Finding("SHARED_WRITE_CWD", "s", "x", facts)]


def test_a_worst_case_that_nobody_means_is_a_fault():
    unit = Unit("u", "r", (), ())
    inner, outer = Gate("inner", Round(40_000), {"again": "s", "spent": "outer"}), Round(40_000, ("inner",))
    stage = Stage("s", (), Plan((unit,)), {"then": "inner"}, failure="drain")
    states = (stage, inner, Gate("outer", outer, {"again": "s", "spent": "won"}), WON)
    found = verify(Flow("m", "s", states, {"r": Role("recon", "r", "package")}))
    assert [each.facts["problem"] for each in found] == ["its worst case is more than 1000000000 child runs"]


def test_ten_thousand_units_in_a_chain_are_an_ordinary_flow():
    units = tuple(
        Unit(
            f"u{number}",
            "r",
            (),
            (Slot("far"),),
            (f"u{number - 1}",),
            (Handoff("far", Ref("s", "unit", f"u{number // 2}")),),
        )
        for number in range(1, 10_000)
    )
    for schedule in ("wave", "ready"):
        stage = Stage("s", (), Plan((Unit("u0", "r", (), ()), *units)), {"then": "won", "failed": "lost"}, schedule)
        flow = Flow("m", "s", (stage, WON, LOST), {"r": Role("recon", "r", "package")})
        assert verify(flow) == []
        loop = Plan((Unit("u0", "r", (), (), ("u9999",)), *units))
        assert codes(verify(replace(flow, states=(replace(stage, work=loop), WON, LOST)))) == ["GRAPH_CYCLE"]


def test_a_loop_of_gates_that_would_spin_is_a_fault() -> None:
    unit = Unit("a", "r", (), ())
    states = (
        Stage("s", (), Plan((unit,)), {"then": "g", "failed": "lost"}),
        Gate("g", AtLeast("s", 1), {"enough": "won", "short": "r1"}),
        Gate("r1", Round(1_000_000), {"again": "g", "spent": "r2"}),
        Gate("r2", Round(1_000_000, ("r1",)), {"again": "g", "spent": "lost"}),
        WON,
        LOST,
    )
    found = verify(Flow("m", "s", states, {"r": Role("recon", "r", "package", tools=())}))
    assert [each.code for each in found] == ["IR_INVALID"] and "go back" in str(found[0].facts)
