"""Random flow calls: well-shaped, now and then refused for a reason that the checker knows."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

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
    "cwd": st.sampled_from(["", ".", "left", "right/../left"]),
}
REF = st.builds(lambda agent, more: {"agent": agent, **more}, AGENTS, given(role=st.just("spec"), **SIZES))
PLAIN = st.builds(lambda agent: {"agent": agent}, AGENTS)
PROSE = {"returnRequirements": TEXTS, "requireEvidence": st.booleans()}
TASK = st.builds(lambda ref, task, more: {**ref, "task": task, **more}, REF, TEXTS, given(**PROSE))


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
MODES = {
    "single": st.builds(lambda ref: dict(ref), REF),
    "parallel": st.builds(lambda tasks: {"tasks": tasks}, st.lists(TASK, min_size=1, max_size=4)),
    "graph": st.builds(lambda graph: {"graph": graph}, graphs()),
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
