"""Route as states, and as runs on the machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from drive import Run, fail, keyed, ok

from piflows.compiler.lower.make import Lowered
from piflows.ir import shared_write
from piflows.ir.flow import Flow, Settle
from piflows.ir.gates import Choice
from piflows.ir.parts import Parts
from piflows.ir.unit import Role
from piflows.ir.verify import verify

Lower = Callable[..., Lowered]
Show = Callable[[Parts], str]

TWO = ["recon", "analyst"]


def route(lowered: Lower, call: dict[str, Any] | None = None, **spec: Any) -> Flow:
    return lowered("route", {"task": "Mend it.", "route": spec, **(call or {})}).flow


def states(flow: Flow) -> dict[str, Any]:
    return {state.name: state for state in flow.states}


@pytest.mark.parametrize(
    ("spec", "choice", "agents"),
    [
        (
            {"candidates": TWO},
            {"recon": "specialist-1", "analyst": "specialist-2", "none": "unresolved"},
            TWO,
        ),
        (
            {"candidates": ["recon", " ", "analyst", "recon"], "fallback": "analyst"},
            {"recon": "specialist-1", "analyst": "specialist-2", "none": "specialist-2"},
            TWO,
        ),
        (
            {"candidates": ["recon"], "fallback": "strategist"},
            {"recon": "specialist-1", "none": "specialist-2"},
            ["recon", "strategist"],
        ),
        ({"candidates": ["recon"], "fallback": " "}, {"recon": "specialist-1", "none": "unresolved"}, ["recon"]),
    ],
)
def test_states_and_exits(
    spec: dict[str, Any], choice: dict[str, str], agents: list[str], lowered: Lower, show: Show
) -> None:
    flow = route(lowered, **spec)
    found = states(flow)
    stages = [f"specialist-{number}" for number in range(1, len(agents) + 1)]
    assert {name: state.exits for name, state in found.items() if state.exits} == {
        "router": {"then": "choice", "failed": "router-failed"},
        "choice": choice,
        **{stage: {"then": "done", "failed": "specialist-failed"} for stage in stages},
    }
    assert ("unresolved" in found) == (choice["none"] == "unresolved")
    names = tuple(name for name in choice if name != "none")
    assert found["choice"].test == Choice("router", names)
    assert flow.roles[found["router"].work.units[0].role].candidates == names
    units = [found[stage].work.units[0] for stage in stages]
    assert [flow.roles[unit.role].agent for unit in units] == agents
    assert {show(unit.label) for unit in units} == {"specialist"} and show(found["router"].label) == "router"


def test_a_specialist_is_a_bare_name_with_what_holds_for_the_whole_flow(lowered: Lower, show: Show) -> None:
    call = {"tier": "deep", "thinking": "high", "model": None, "returnRequirements": "In verse."}
    flow = route(lowered, call, candidates=TWO, controller={"agent": "analyst", "tools": "none", "tier": "fast"})
    found = states(flow)
    roles = {name: flow.roles[found[name].work.units[0].role] for name in ("router", "specialist-1")}
    assert (roles["router"].agent, roles["router"].tier, roles["router"].tools) == ("analyst", "fast", ())
    role = roles["specialist-1"]
    assert (role.agent, role.slot, role.tier, role.thinking) == ("recon", "specialist", "deep", "high")
    assert (role.tools, role.cwd, role.protocol, role.candidates) == (("read",), (), None, ())
    prompt = show(found["specialist-1"].work.units[0].prompt)
    assert prompt == "Mend it.\n\n## Return requirements\n\n- In verse."
    assert "In verse." not in show(found["router"].work.units[0].prompt)


def test_what_the_router_is_told(lowered: Lower, show: Show) -> None:
    prompt = show(states(route(lowered, candidates=["recon", "stranger"]))["router"].work.units[0].prompt)
    assert "## Task\n\nMend it.\n" in prompt and "- recon: The recon\n- stranger\n" in prompt
    assert "`ROUTE: recon`, `ROUTE: stranger` or `ROUTE: none`" in prompt


def test_headers(lowered: Lower, show: Show) -> None:
    ends = [state for state in route(lowered, candidates=TWO).states if isinstance(state, Settle)]
    assert {end.name: show(end.header) for end in ends} == {
        "done": "Flow route: controller → {choice}.",
        "specialist-failed": 'Flow route: controller → {choice}, but "{choice}" failed.',
        "router-failed": 'Flow route: router "controller" failed.',
        "unresolved": "",
    }


@pytest.mark.parametrize(
    ("answer", "fallback", "chosen"),
    [
        ("ROUTE: analyst\nas it says", None, "analyst"),
        ("route: ANALYST", "recon", "analyst"),
        ("ROUTE: none", "recon", "recon"),
        ("ROUTE: strategist", "overwatch", "overwatch"),
        ("I would take analyst.", "recon", "recon"),
    ],
)
def test_runs(answer: str, fallback: str | None, chosen: str, lowered: Lower) -> None:
    run = Run(route(lowered, candidates=TWO, fallback=fallback), keyed({"router": ok(answer)}, ok("MENDED"))).go()
    assert [(each["agent"], each["unit"]) for each in run.spawned] == [("controller", "router"), (chosen, "specialist")]
    end = run.outcome["proposal"]
    assert (end["header"], end["text"]) == (f"Flow route: controller → {chosen}.", "MENDED")


def test_nobody_is_a_refusal(lowered: Lower) -> None:
    run = Run(route(lowered, candidates=TWO), keyed({"router": ok("ROUTE: none\nNOT-OURS")})).go()
    end = run.outcome["proposal"]
    assert (end["error"]["code"], len(run.spawned)) == ("ROUTE_UNRESOLVED", 1)
    assert "recon, analyst" in end["error"]["message"] and end["text"].endswith("NOT-OURS")


def test_failures(lowered: Lower) -> None:
    flow = route(lowered, candidates=TWO, fallback="recon")
    router = Run(flow, keyed({"router": fail()})).go()
    assert len(router.spawned) == 1  # the fallback is for a choice, not for a crash
    end = router.outcome["proposal"]
    assert (end["outcome"], end["header"]) == ("stopped", 'Flow route: router "controller" failed.')
    chosen = Run(flow, keyed({"router": ok("ROUTE: analyst"), "specialist": fail("half")})).go().outcome["proposal"]
    assert (chosen["outcome"], chosen["error"]) == ("stopped", None)
    assert chosen["header"] == 'Flow route: controller → analyst, but "analyst" failed.'
    assert chosen["text"].count("CHILD_EXIT_NONZERO") == 1


def test_what_a_proof_asks_grows_with_the_candidates_and_no_faster(
    lowered: Lower, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A choice's outcomes are a mapping of all candidates, the roles those of all specialists: neither for each one."""
    asked = {"outcomes": 0, "roles": 0}
    outcomes, capable = Choice.outcomes, shared_write.write_capable

    def told(choice: Choice) -> dict[str, bool]:
        asked["outcomes"] += 1
        return outcomes.__get__(choice)

    def counted(role: Role) -> tuple[str, ...]:
        asked["roles"] += 1
        return capable(role)

    monkeypatch.setattr(Choice, "outcomes", property(told))
    monkeypatch.setattr(shared_write, "write_capable", counted)

    def work(candidates: int) -> tuple[int, int]:
        asked.update(outcomes=0, roles=0)
        assert verify(route(lowered, candidates=[f"agent{number}" for number in range(candidates)])) == []
        return asked["outcomes"], asked["roles"]

    (few, roles_of_few), (many, roles_of_many) = work(10), work(40)
    assert few == many and 0 < roles_of_many <= 4 * roles_of_few
