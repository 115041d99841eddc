"""Random flow calls: well-shaped, now and then refused for a reason that the checker knows."""

from __future__ import annotations

import json
from os.path import normpath
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from piflows.compiler import compile_call
from piflows.compiler.catalog.discover import discover
from piflows.compiler.context import Context
from piflows.ir.bounds import bounds
from piflows.ir.flow import Flow

Json = dict[str, Any]
AGENTS = st.sampled_from(["recon", "analyst", "strategist", "operator", "overwatch", "redteam", "debrief", "nobody"])
TEXTS = st.one_of(
    st.sampled_from(["Look.", "{task}", "{node.a} {node.b c}", "{{x}} {% y %}", "\r\n ‮"]), st.text(min_size=1)
)
GOALS = TEXTS.filter(str.strip)
IDS = st.sampled_from(["a", "b", "b c", "d.e", "end", "%2E"])


def given(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Json]:
    return st.fixed_dictionaries({}, optional=fields)


SIZES = {
    "model": st.just("vendor/m-1"),
    "tier": st.sampled_from(["fast", "capable", "deep"]),
    "thinking": st.sampled_from(["off", "low", "max"]),
    "tools": st.sampled_from(["none", "default", "read,bash", "read, grep", "bash-ro"]),
    "cwd": st.sampled_from(["", ".", "left", "right/../left", "left/in"]),
}
REF = st.builds(lambda agent, more: {"agent": agent, **more}, AGENTS, given(role=st.just("spec"), **SIZES))
PLAIN = st.builds(lambda agent: {"agent": agent}, AGENTS)
PROSE = {"returnRequirements": TEXTS, "requireEvidence": st.booleans()}
TASK = st.builds(lambda ref, task, more: {**ref, "task": task, **more}, REF, TEXTS, given(**PROSE))
STEP = st.builds(lambda task, more: {**task, "task": task["task"] + more}, TASK, st.sampled_from(["", " {previous}"]))


@st.composite
def graphs(draw: st.DrawFn) -> Json:
    ids = draw(st.lists(IDS, min_size=1, max_size=6, unique=True))
    nodes: list[Json] = []
    for place, name in enumerate(ids):
        earlier = ids[:place] or ids  # now and then a loop
        needs = draw(st.lists(st.sampled_from(earlier), max_size=3)) if place else []
        task = draw(TEXTS) + "".join(f" {{node.{need}}}" for need in needs)
        node = {"id": name, **draw(PLAIN), "task": task, **draw(given(**SIZES, **PROSE))}
        nodes.append(node | ({"dependsOn": needs} if needs else {}))
    return {"nodes": nodes, **draw(given(debrief=REF))}


EVALUATE = given(
    operator=st.builds(lambda agent, more: {"agent": agent, **more}, AGENTS, given(task=GOALS, **SIZES)),
    redteam=st.one_of(REF, st.lists(REF, min_size=1, max_size=3)),
    checkCommand=st.sampled_from(["true", "exit 3", " "]),
    maxIterations=st.sampled_from([1, 2, 3.7, 8]),
    passContract=TEXTS,
)
SEARCH = given(
    generator=REF, scorer=REF, debrief=REF,
    candidates=st.sampled_from([1, 2, 3.9]), beamWidth=st.sampled_from([1, 2, 8]), maxRounds=st.sampled_from([1, 2, 4]),
)  # fmt: skip
MONITOR = st.builds(
    lambda command, more: {"command": command, **more},
    st.sampled_from(["true", "exit 1"]),
    given(trigger=st.sampled_from(["success", "failure"]), maxChecks=st.sampled_from([1, 2, 20]), reactor=REF),
)
VOTE = st.one_of(
    st.builds(
        lambda agent, more: {"agent": agent, **more}, AGENTS, given(count=st.sampled_from([2, 3, 8]), debrief=REF)
    ),
    st.builds(lambda voters, more: {"voters": voters, **more}, st.lists(REF, max_size=4), given(debrief=REF)),
)
NAMES = st.sampled_from(["recon", "analyst", "strategist", "overwatch", "redteam", "debrief", "recon", " ", "Recon"])
ROUTE = st.builds(
    lambda names, more: {"candidates": names, **more},
    st.lists(NAMES, min_size=1, max_size=4),
    given(controller=REF, fallback=NAMES),
)
LOOP = st.builds(
    lambda body, more: {"body": body, **more}, REF, given(judge=REF, maxIterations=st.sampled_from([1, 2, 3.7, 8]))
)
DEBATE = st.builds(
    lambda sides, more: {"participants": sides, **more},
    st.lists(REF, min_size=1, max_size=4),
    given(adjudicator=REF, rounds=st.sampled_from([1, 2, 3])),
)
DOSSIER = st.builds(
    lambda sections, more: {"sections": sections, **more}, st.lists(TASK, min_size=1, max_size=4), given(debrief=REF)
)
MODES = {
    "list": st.just({"list": True}),
    "config": st.just({"showConfig": True}),
    "preset": st.builds(lambda more: {"preset": "scout", **more}, given(tier=SIZES["tier"], cwd=SIZES["cwd"])),
    "single": st.builds(lambda ref: dict(ref), REF),
    "parallel": st.builds(lambda tasks: {"tasks": tasks}, st.lists(TASK, min_size=1, max_size=4)),
    "chain": st.builds(lambda steps: {"chain": steps}, st.lists(STEP, min_size=1, max_size=4)),
    "graph": st.builds(lambda graph: {"graph": graph}, graphs()),
    "vote": st.builds(lambda spec: {"vote": spec}, VOTE),
    "route": st.builds(lambda spec: {"route": spec}, ROUTE),
    "loop": st.builds(lambda spec: {"loop": spec}, LOOP),
    "debate": st.builds(lambda spec: {"debate": spec}, DEBATE),
    "dossier": st.builds(lambda spec: {"dossier": spec}, DOSSIER),
    "evaluate": st.builds(lambda spec: {"evaluate": spec}, EVALUATE),
    "search": st.builds(lambda spec: {"search": spec}, SEARCH),
    "monitor": st.builds(lambda spec: {"monitor": spec}, MONITOR),
}
WIDE = given(
    concurrency=st.integers(1, 8), timeoutMs=st.sampled_from([1000, 60000.5]), allowSharedWriteCwd=st.booleans(),
    tier=SIZES["tier"], model=SIZES["model"], thinking=SIZES["thinking"], **PROSE,
)  # fmt: skip


def calls() -> st.SearchStrategy[Json]:
    """Calls of every mode that is lowered."""
    mode = st.sampled_from(sorted(MODES)).flatmap(lambda name: MODES[name])
    return st.builds(lambda of, wide, goal: {"task": goal, "why": "asked for", **wide, **of}, mode, WIDE, GOALS)


BUNDLED = discover("user", Path("/nobody"), Path("/nobody"), {}, str)
HERE = Context("/nobody", "/nobody", {}, lambda _: BUNDLED, lambda path: normpath(f"/nobody/{path}"))


def lowered_flows(most: int = 60) -> st.SearchStrategy[Flow]:
    """Flows that calls of every mode lower to, of at most `most` child runs. Only the bundled agents are found."""
    compiled = calls().map(lambda call: compile_call(json.dumps(call | {"allowSharedWriteCwd": True}), HERE).flow)
    return compiled.filter(lambda flow: flow is not None and bounds(flow).most_runs <= most)  # pyright: ignore[reportReturnType]
