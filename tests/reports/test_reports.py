"""What users of other tools met, as inputs with what must come out here.

`reports.jsonl` has one report a line: `id`, `files` and `env` of an empty project, `call` (written beside it as
../call.json), `children` (the script of its run), and `steps`. A step runs the command with `args`; then hold

status       the exit status
findings     `compile --format json`: exactly these [code, severity, file, line, column], in their order
said, unsaid parts of the message, cause or fix of those findings, or of what is printed, that must (not) be there
details      JSON pointer → value in the JSON that is printed
prompts      unit → parts that its prompt must hold, and `times`; `not` for what no prompt may hold
spawned      number of child runs
"""

from __future__ import annotations

import json
from functools import reduce
from pathlib import Path
from typing import Any

import pytest
from reports.conftest import Project

ALL: list[dict[str, Any]] = [
    json.loads(line) for line in (Path(__file__).parent / "reports.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.mark.parametrize("report", ALL, ids=lambda report: report["id"])
def test_report(report: dict[str, Any], project: Project) -> None:
    command = project(report)
    for step in report["steps"]:
        args = step["args"]
        run = args[0] == "run"
        status, out, err = command(*args, *(("--script", "../script.json", "--format", "json") if run else ()))
        assert status == step.get("status", 0), out + err
        data: Any = json.loads(out) if run or "json" in args else None
        if "findings" in step:
            assert [[d["code"], d["severity"], d["file"], d["line"], d["column"]] for d in data] == step["findings"]
            out = "\n".join(f"{d['message']}\n{d['cause']}\n{d['fix']}" for d in data)
        for part in step.get("said", ()):
            assert part in out
        for part in step.get("unsaid", ()):
            assert part not in out
        for pointer, value in step.get("details", {}).items():
            assert at(data, pointer) == value, pointer
        if run:
            check_run(step, data["results"])


def check_run(step: dict[str, Any], results: list[dict[str, Any]]) -> None:
    ran = [result for result in results if result["durationMs"] is not None]
    assert len(ran) == step.get("spawned", len(ran))
    prompts = {result["unit"]: result["prompt"] for result in results}
    for unit, parts in step.get("prompts", {}).items():
        for part, times in parts.items():
            assert prompts[unit].count(part) == times, prompts[unit]
    for part in step.get("not", ()):
        assert not any(part in prompt for prompt in prompts.values())


def at(data: Any, pointer: str) -> Any:
    return reduce(lambda value, key: value[int(key) if isinstance(value, list) else key], pointer.split("/")[1:], data)
