"""Every place of a mode where the text of one child reaches another, as data: a call, its children, who is hostile.

PAYLOAD stands in the reply of the hostile children. `agents`: all that run when the payload is harmless. `recipients`:
the numbers of those whose prompts must hold the payload.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

PAYLOAD = "$payload"


@dataclass(frozen=True, slots=True)
class Slot:
    name: str
    call: dict[str, Any]
    children: list[dict[str, Any]]
    agents: str
    recipients: frozenset[int]


def says(agent: str, reply: str = PAYLOAD, times: int | str = 1) -> dict[str, Any]:
    return {"agent": agent, "reply": reply, "times": times}


def slot(name: str, body: dict[str, Any], children: list[dict[str, Any]], agents: str, *recipients: int) -> Slot:
    call = {"task": "Sound the channel.", "concurrency": 1, "why": "one context cannot hold it", **body}
    return Slot(name, call, children, agents, frozenset(recipients))


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
]
