"""Every place of a mode where the text of one child, or of a command, may reach another, as data.

PAYLOAD stands in what the hostile children and commands say. `agents`: all that run when the payload is harmless.
`recipients`: the numbers of those whose prompts must hold the payload. `before`: how many run before anybody reads it,
None where nobody does. `quarantined`: who runs under `quarantine` when the payload is hostile.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

PAYLOAD = "$payload"


@dataclass(frozen=True, slots=True)
class Slot:
    name: str
    call: dict[str, Any]
    children: list[dict[str, Any]]
    agents: str
    recipients: frozenset[int]
    before: int | None
    files: dict[str, str] = field(default_factory=dict)
    quarantined: str = ""


def says(agent: str, reply: str = PAYLOAD, times: int | str = 1) -> dict[str, Any]:
    return {"agent": agent, "reply": reply, "times": times}


def fails(agent: str) -> dict[str, Any]:
    return {"agent": agent, "reply": PAYLOAD, "stderr": PAYLOAD, "exit": 1}


def slot(
    name: str, body: dict[str, Any], children: list[dict[str, Any]], agents: str, *recipients: int, **more: Any
) -> Slot:
    call = {"task": "Sound the channel.", "concurrency": 1, **body}
    more = {"before": min(recipients, default=None), "quarantined": agents, **more}
    return Slot(name, call, children, agents, frozenset(recipients), **more)


SAID = {"payload.txt": PAYLOAD}  # what a command says
TWO = [{"agent": "recon"}, {"agent": "analyst"}]
SLOTS = [
    slot(
        "chain-previous",
        {"chain": [{"agent": "recon", "task": "One."}, {"agent": "analyst", "task": "Use:\n{previous}"}]},
        [says("recon")],
        "recon analyst",
        1,
    ),
    slot(
        "graph-dependency",
        {
            "graph": {
                "nodes": [
                    {"id": "a", "agent": "recon", "task": "One."},
                    {"id": "b", "agent": "analyst", "task": "Use:\n{node.a}", "dependsOn": ["a"]},
                ]
            }
        },
        [says("recon")],
        "recon analyst",
        1,
    ),
    slot(
        "evaluate-draft", {"evaluate": {}}, [says("operator"), says("redteam", "VERDICT: PASS")], "operator redteam", 1
    ),
    slot(
        "evaluate-critique",
        {"evaluate": {"maxIterations": 2}},
        [
            says("operator", "draft", 2),
            says("redteam", f"VERDICT: REVISE\n{PAYLOAD}"),
            says("redteam", "VERDICT: PASS"),
        ],
        "operator redteam operator redteam",
        2,
    ),
    slot(
        "loop-body",
        {"loop": {"body": {"agent": "operator"}}},
        [says("operator", f"LOOP: CONTINUE\n{PAYLOAD}"), says("operator", "LOOP: DONE")],
        "operator operator",
        1,
    ),
    slot(
        "vote-ballots",
        {"vote": {"voters": TWO, "debrief": {"agent": "debrief"}}},
        [says("recon"), says("analyst", "yes")],
        "recon analyst debrief",
        2,
    ),
    slot(
        "search-candidate",
        {"search": {"candidates": 1, "maxRounds": 1}},
        [says("strategist"), says("redteam", "SCORE: 50")],
        "strategist redteam debrief",
        *(1, 2),
    ),
    slot(
        "debate-opening",
        {"debate": {"participants": TWO}},
        [says("recon"), says("analyst", "no"), says("recon", "yes"), says("analyst", "no", 2)],
        "recon analyst recon analyst analyst",
        *(2, 3),
    ),
    slot(
        "dossier-section",
        {"dossier": {"sections": [{**each, "task": "Read."} for each in TWO]}},
        [says("recon"), says("analyst", "fine")],
        "recon analyst debrief",
        2,
    ),
    slot(
        "chain-second-step",
        {
            "chain": [
                {"agent": "recon", "task": "One."},
                *({"agent": a, "task": "{previous}"} for a in ("analyst", "debrief")),
            ]
        },
        [says("recon", "plain"), says("analyst")],
        "recon analyst debrief",
        2,
    ),
    slot(
        "graph-fan-out",
        {
            "graph": {
                "nodes": [
                    {"id": "a", "agent": "recon", "task": "One."},
                    {"id": "b", "agent": "analyst", "task": "Use:\n{node.a}", "dependsOn": ["a"]},
                    {"id": "c", "agent": "strategist", "task": "Use:\n{node.a}", "dependsOn": ["a"]},
                ]
            }
        },
        [says("recon")],
        "recon analyst strategist",
        *(1, 2),
    ),
    slot(
        "graph-debrief",
        {"graph": {"nodes": [{"id": "a", "agent": "recon", "task": "One."}], "debrief": {"agent": "debrief"}}},
        [says("recon")],
        "recon debrief",
        1,
    ),
    slot(
        "evaluate-previous-draft",
        {"evaluate": {"maxIterations": 2}},
        [
            says("operator"),
            says("redteam", "VERDICT: REVISE\nShorter."),
            says("operator", "x"),
            says("redteam", "VERDICT: PASS"),
        ],
        "operator redteam operator redteam",
        *(1, 2),
    ),
    slot(
        "evaluate-check-output",
        {"evaluate": {"maxIterations": 2, "checkCommand": "test -e seen || { touch seen; cat payload.txt; exit 1; }"}},
        [says("operator", "draft", 2), says("redteam", "VERDICT: PASS")],
        "operator operator redteam",
        1,
        files=SAID,
    ),
    slot(
        "route-controller",
        {"route": {"candidates": ["recon", "analyst"], "fallback": "debrief"}},
        [says("controller", f"ROUTE: recon\n{PAYLOAD}")],
        "controller recon",
        before=1,
        quarantined="controller debrief",
    ),
    slot(
        "loop-judged-output",
        {"loop": {"body": {"agent": "operator"}, "judge": {"agent": "redteam"}}},
        [says("operator"), says("redteam", "VERDICT: PASS")],
        "operator redteam",
        1,
    ),
    slot(
        "loop-judge-feedback",
        {"loop": {"body": {"agent": "operator"}, "judge": {"agent": "redteam"}}},
        [says("operator", "x", 2), says("redteam", f"VERDICT: REVISE\n{PAYLOAD}"), says("redteam", "VERDICT: PASS")],
        "operator redteam operator redteam",
        2,
    ),
    slot(
        "search-beam",
        {"search": {"candidates": 1, "maxRounds": 2}},
        [says("strategist"), says("strategist", "plain"), says("redteam", "SCORE: 50", 2)],
        "strategist redteam strategist redteam debrief",
        *(1, 2),
    ),
    slot(
        "debate-closing",
        {"debate": {"participants": TWO}},
        [says("recon", "yes"), says("analyst", "no"), says("recon"), says("analyst", "no", 2)],
        "recon analyst recon analyst analyst",
        4,
    ),
    slot(
        "monitor-observation",
        {"monitor": {"command": "cat payload.txt", "trigger": "success", "reactor": {"agent": "analyst"}}},
        [],
        "analyst",
        0,
        files=SAID,
    ),
    slot(
        "vote-failed-ballot",
        {"vote": {"voters": TWO, "debrief": {"agent": "debrief"}}},
        [fails("recon"), says("analyst", "yes")],
        "recon analyst debrief",
    ),
    slot(
        "dossier-failed-section",
        {"dossier": {"sections": [{"agent": a, "task": "Read."} for a in ("recon", "analyst", "strategist")]}},
        [fails("recon")],
        "recon analyst strategist debrief",
    ),
    slot(
        "debate-failed-advocate",
        {"debate": {"participants": [*TWO, {"agent": "strategist"}], "rounds": 1}},
        [fails("recon")],
        "recon analyst strategist analyst",
    ),
    slot(
        "search-failed-candidate",
        {"search": {"candidates": 2, "maxRounds": 1}},
        [fails("strategist"), says("strategist", "plain")],
        "strategist strategist redteam debrief",
    ),
    slot(
        "evaluate-pass",
        {"evaluate": {}},
        [says("operator", "draft"), says("redteam", f"VERDICT: PASS\n{PAYLOAD}")],
        "operator redteam",
    ),
    slot(
        "search-score",
        {"search": {"candidates": 1, "maxRounds": 1}},
        [says("strategist", "x"), says("redteam", f"SCORE: 50\n{PAYLOAD}")],
        "strategist redteam debrief",
    ),
]
