"""Files of one shape for several checkers, all different and seeded: a flow of twelve steps, some 2 KB each.

`presets/` for piflows, `workflows/` for actionlint, `calls/` with `schema.json` for check-jsonschema.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

STEPS = 12
AGENTS = ("recon", "analyst", "strategist", "redteam", "overwatch", "debrief")
WORDS = (
    *("map", "trace", "check", "the", "cache", "layer", "of", "every", "request", "that", "reaches", "storage"),
    *("and", "list", "what", "is", "read", "twice", "with", "line", "numbers"),
)


def write(folder: Path, files: int) -> None:
    """Write `files` of each kind below `folder`."""
    rng = random.Random(7)
    for kind in ("presets", "workflows", "calls"):
        (folder / kind).mkdir(parents=True, exist_ok=True)
    for number in range(files):
        needs = [sorted(rng.sample(range(step), min(step, rng.choice((0, 1, 1, 2))))) for step in range(STEPS)]
        name = f"w{number:05d}"
        call = _call(rng, needs)
        (folder / "presets" / f"{name}.md").write_text(_preset(name, rng, call))
        (folder / "calls" / f"{name}.json").write_text(json.dumps(call))
        (folder / "workflows" / f"{name}.yml").write_text(_workflow(needs))
    (folder / "schema.json").write_text(json.dumps(SCHEMA))


def _call(rng: random.Random, needs: list[list[int]]) -> dict[str, Any]:
    nodes: list[dict[str, Any]] = []
    for step, wanted in enumerate(needs):
        said = " ".join(rng.choice(WORDS) for _ in range(rng.randint(6, 14)))
        read = "".join(f" {{node.step{need}}}" for need in wanted) or " for {task}"
        node: dict[str, Any] = {"id": f"step{step}", "agent": rng.choice(AGENTS), "task": said + read}
        if wanted:
            node["dependsOn"] = [f"step{need}" for need in wanted]
        if rng.random() < 0.3:
            node["tier"] = rng.choice(("fast", "capable"))
        nodes.append(node)
    return {"task": "{task}", "graph": {"nodes": nodes, "debrief": {"agent": "debrief"}}, "timeoutMs": 60_000}


def _preset(name: str, rng: random.Random, call: dict[str, Any]) -> str:
    about = " ".join(rng.choice(WORDS) for _ in range(5))
    front = f"---\nname: {name}\ndescription: Twelve steps that {about}.\noverrides: concurrency, timeoutMs\n---\n"
    return front + json.dumps(call, indent=1) + "\n"


def _workflow(needs: list[list[int]]) -> str:
    lines = ["name: bench", "on: [push]", "jobs:"]
    for step, wanted in enumerate(needs):
        lines += [f"  step{step}:", "    runs-on: ubuntu-latest"]
        lines += [f"    needs: [{', '.join(f'step{need}' for need in wanted)}]"] if wanted else []
        source = f"needs.step{wanted[0]}.outputs.value" if wanted else "github.sha"
        lines += ["    outputs:", "      value: ${{ steps.main.outputs.value }}", "    steps:"]
        lines += ["      - uses: actions/checkout@v5", "      - id: main", "        name: run the step"]
        lines += [f'        run: echo "value={step}" >> "$GITHUB_OUTPUT"', "        env:"]
        lines += [f"          INPUT: ${{{{ {source} }}}}"]
    return "\n".join(lines) + "\n"


_TEXT = {"type": "string", "minLength": 1}
_NODE = {
    "type": "object",
    "required": ["id", "agent", "task"],
    "additionalProperties": False,
    "properties": {
        "id": _TEXT,
        "agent": _TEXT,
        "task": _TEXT,
        "dependsOn": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
        "tier": {"enum": ["fast", "capable", "deep"]},
    },
}
SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "required": ["graph"],
    "additionalProperties": False,
    "properties": {
        "task": _TEXT,
        "timeoutMs": {"type": "number", "minimum": 1000},
        "graph": {
            "type": "object",
            "required": ["nodes"],
            "properties": {
                "nodes": {"type": "array", "minItems": 1, "maxItems": 16, "items": _NODE},
                "debrief": {"type": "object", "required": ["agent"], "properties": {"agent": _TEXT}},
            },
        },
    },
}
