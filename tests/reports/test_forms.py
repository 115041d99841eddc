"""The same kinds of report over forms: line ends, places in every form of findings, pictures, terminals."""

from __future__ import annotations

import json
import shutil
import subprocess
import tomllib
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from reports.conftest import Project

import piflows

ROOT = Path(__file__).parents[2]
CALL = "../call.json"
CHECK = ("compile", "--check", "--format", "json")
SCOPE = {"agentScope": "project", "confirmProjectAgents": False, "why": "one context cannot hold both parts"}

# Line ends: what a file says does not depend on how it ends its lines.

HEAD = "---\nname: same\ndescription: same plan\noverrides: cwd\n---\n"
PRESET = HEAD + "{%s}\n"
AGENT = "---\nname: looker\ndescription: looks\ntools: read\n---\nRead it.\n\nThen report.\n"
BODY = '\n  "agent": "looker",\n  "task": "A\\n{task}"\n'
ENDS = {
    "lf": lambda text: text,
    "crlf": lambda text: text.replace("\n", "\r\n"),
    "cr": lambda text: text.replace("\n", "\r"),
    "crlf in the frontmatter": lambda text: "---".join(
        part.replace("\n", "\r\n") if number < 2 else part for number, part in enumerate(text.split("---"))
    ),
    "crlf in the body": lambda text: "---".join(
        part if number < 2 else part.replace("\n", "\r\n") for number, part in enumerate(text.split("---"))
    ),
    "byte order mark": lambda text: "\ufeff" + text,
}  # fmt: skip


@pytest.mark.parametrize("ends", ENDS)
def test_line_ends_change_neither_plan_nor_prompt_nor_place(ends: str, project: Project) -> None:
    seen: list[Any] = []
    for name in ("lf", ends):
        files = {".pi/flow-presets/same.md": PRESET % BODY, ".pi/flow-agents/looker.md": AGENT}
        broken = {"broken.md": PRESET % BODY.replace("looker", "lookre").replace('"task"', '"tsak": 1,\n "task"')}
        report = {"files": {file: ENDS[name](text) for file, text in (files | broken).items()}}
        command = project(report | {"call": {"preset": "same", "task": "List", **SCOPE}}, at=name)
        status, plan, err = command("plan", "--format", "json", CALL)
        assert (status, err) == (0, "")
        _, check, _ = command(*CHECK, "broken.md")
        _, run, _ = command("run", "--format", "json", CALL)
        assert "\\r" not in plan + run + check
        seen.append((json.loads(plan), json.loads(run)["results"], json.loads(check)))
    assert seen[0] == seen[1]
    assert [(d["code"], d["line"]) for d in seen[0][2]] == [("UNKNOWN_PARAMETER", 8), ("UNKNOWN_AGENT", 7)]


# Placing: a finding in the body of a preset stands at the line of the file, in every form.

BAD_LINE = PRESET % '\n "agent":"recon",\n "task":"{task}",,\n "timeoutMs":60000\n'


@pytest.mark.parametrize("padding", [0, 1, 3])
def test_a_place_is_that_of_the_file_in_every_form(padding: int, project: Project) -> None:
    command = project({"files": {"bad.md": BAD_LINE.replace("description", "# \n" * padding + "description", 1)}})
    line = 8 + padding
    status, text, _ = command("compile", "--check", "bad.md")
    assert status == 1 and text.startswith(f"bad.md:{line}:18: error PRESET_TEMPLATE_INVALID ")
    assert f'{line:>5} |  "task":"{{task}}",,\n      | {" " * 17}^\n' in text
    _, found, _ = command(*CHECK, "bad.md")
    assert [(d["file"], d["line"], d["column"]) for d in json.loads(found)] == [("bad.md", line, 18)]
    _, github, _ = command("compile", "--check", "bad.md", "--format", "github")
    assert github.startswith(f"::error file=bad.md,line={line},col=18,title=PRESET_TEMPLATE_INVALID::")
    assert github.count("\n") == 1
    _, log, _ = command("compile", "--check", "bad.md", "--format", "sarif")
    [result] = json.loads(log)["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": line, "startColumn": 18}


LONG = f'{{"task": "{"x" * 488}", "agent": "recom", "cwd": "{"y" * 300}"}}'  # `"recom"` is at 510
SNIPPETS = {  # the line of a preset, what is shown of it, and the cells before the caret
    "tabs": ('{\t"task":\t"{task}", "agent": "recom"}', '{    "task":    "{task}", "agent": "recom"}', 35),
    "wide": ('{"task": "日本語", "agent": "recom"}', '{"task": "日本語", "agent": "recom"}', 28),
    "combining": ('{"task": "e\u0301e\u0301", "agent": "recom"}', '{"task": "e\u0301e\u0301", "agent": "recom"}', 24),
    "long": (LONG, f"…{LONG[475:545]}…", 36),
}


@pytest.mark.parametrize("name", SNIPPETS)
def test_the_caret_stands_below_the_fault(name: str, project: Project) -> None:
    body, shown, cells = SNIPPETS[name]
    _, text, _ = project({"files": {"x.md": HEAD + body}})("compile", "--check", "x.md")
    line, below = (line.split("| ", 1)[1] for line in text.split("\n") if "| " in line)
    assert (line, below) == (shown, " " * cells + "^")


# SARIF and annotations: accepted by those who read them.

SPACED = "flows/my preset.md"
NOBODY = """---
name: bad
description: unknown override
overrides: tasks
---
{"agent":"nobody","task":"{task}"}
"""


def test_a_sarif_log_is_one_that_can_be_uploaded(project: Project, tmp_path: Path) -> None:
    logs: list[Any] = []
    for place, text in (("a", NOBODY), ("b", NOBODY.replace("description", "# more\ndescription", 1))):
        status, out, err = project({"files": {SPACED: text}}, at=place)(
            "compile", "--check", SPACED, "--format", "sarif"
        )
        assert (status, err) == (1, "")
        assert str(tmp_path) not in out
        logs.append(json.loads(out))
    for log in logs:
        [run] = log["runs"]
        assert log["version"] == "2.1.0"
        rules = run["tool"]["driver"]["rules"]
        assert all(rule["helpUri"].startswith(f"{piflows.HOME}/") for rule in rules)
        assert [rules[r["ruleIndex"]]["id"] for r in run["results"]] == [r["ruleId"] for r in run["results"]]
        for result in run["results"]:
            [location] = result["locations"]
            where = location["physicalLocation"]
            assert where["artifactLocation"] == {"uri": "flows/my%20preset.md", "uriBaseId": "SRCROOT"}
            assert where["region"]["startLine"] >= 1 and where["region"]["startColumn"] >= 1
    before, after = ([r["partialFingerprints"] for r in log["runs"][0]["results"]] for log in logs)
    lines = [
        [r["locations"][0]["physicalLocation"]["region"]["startLine"] for r in log["runs"][0]["results"]]
        for log in logs
    ]
    assert before == after and len({json.dumps(each) for each in before}) == len(before)
    assert lines == [[4, 6], [5, 7]]


@pytest.mark.parametrize("at", ["folder", "file"])
def test_no_findings_give_an_empty_list(at: str, project: Project) -> None:
    command = project({"files": {SPACED: NOBODY.replace("nobody", "recon").replace("tasks", "cwd")}})
    status, out, _ = command("compile", "--check", "flows" if at == "folder" else SPACED, "--format", "sarif")
    assert status == 0 and json.loads(out)["runs"][0]["results"] == []


def test_the_anchor_of_a_rule_is_a_heading_of_the_page() -> None:
    from piflows.compiler.render.sarif import HELP
    from piflows.ir.codes import CODES

    page = (ROOT / "docs" / "codes.md").read_text(encoding="utf-8")
    assert all(f"\n### {name}\n" in page for name in CODES)
    assert tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"] == {
        "Homepage": piflows.HOME,
        "Documentation": HELP,
    }


def test_a_property_of_an_annotation_ends_nowhere_early(project: Project) -> None:
    name = "a,b:c%d.md"
    command = project({"files": {name: NOBODY.replace("nobody", "no%body\\n::error::x")}})
    _, out, _ = command("compile", "--check", name, "--format", "github")
    lines = out.splitlines()
    assert len(lines) == 2
    for line in lines:
        assert line.split(",")[0].split(" ", 1)[1] == "file=a%2Cb%3Ac%25d.md"
    assert 'named "no%25body\\n::error::x"' in lines[1]


@pytest.mark.parametrize("form", ["text", "json", "sarif", "github"])
def test_strict_lets_a_warning_count_in_every_form(form: str, project: Project) -> None:
    command = project({"files": {"x.md": NOBODY.replace("nobody", "recon")}})
    assert command("compile", "--check", "x.md", "--format", form)[0] == 0
    assert command("compile", "--check", "x.md", "--format", form, "--strict")[0] == 1


# Pictures: whatever stands in a label, Graphviz reads the file and the label is shown as it was written.

LABELS = ['Say "hi" \\N <b> {x|y}\nnew line', "end", "subgraph", "\\", "a;b-->c", "&amp; %% `x`", "]]>", "日本語"]


@pytest.mark.skipif(shutil.which("dot") is None, reason="pictures are drawn by Graphviz")
@pytest.mark.parametrize("label", LABELS)
def test_a_label_is_drawn_as_written(label: str, project: Project) -> None:
    first = 'a"b' if label == LABELS[0] else "n"
    nodes = [
        {"id": first, "agent": "recon", "task": label},
        {"id": "end", "agent": "recon", "task": "end", "dependsOn": [first]},
    ]
    command = project({"call": {"task": "Read", **SCOPE, "graph": {"nodes": nodes}}})
    status, dot, err = command("graph", "--format", "dot", CALL)
    assert status == 0 and "UNUSED_DEPENDENCY" in err and "UNUSED_DEPENDENCY" not in dot
    drawn = subprocess.run(["dot", "-Tsvg"], input=dot.encode(), capture_output=True, check=True)
    assert drawn.stderr == b""
    svg = ET.fromstring(drawn.stdout)
    texts = [" ".join("".join(each.itertext()).split()) for each in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert first in texts and all(" ".join(line.split()) in texts for line in label.split("\n"))
    edges = [each.text for each in svg.iter("{http://www.w3.org/2000/svg}title")]
    assert sum(edge == "n1->n2" for edge in edges) == 1
    status, mermaid, _ = command("graph", "--format", "mermaid", CALL)
    outside = "".join(mermaid.split('"')[::2])  # of quotes, where `end` closes a block whoever wrote it
    assert status == 0 and mermaid.count('"') % 2 == 0
    assert outside.count("subgraph ") == [line.strip() for line in outside.split("\n")].count("end")


# Terminals: nothing that a file or a child says is read by the terminal as a command.

EVIL = "a\x1b[2J\x1b]0;owned\x07b\x1b]8;;http://x.invalid\x1b\\link\x1b]8;;\x1b\\ c\rFlow single: ok\u202e\x9b31m"


def test_control_sequences_reach_no_terminal(project: Project) -> None:
    files = {
        ".pi/flow-presets/evil.md": f'---\nname: evil\ndescription: {EVIL}\n---\n{{"agent":"recon","task":"t"}}\n',
        ".pi/flow-agents/evil.md": f"---\nname: evil\ndescription: {EVIL.split(chr(13))[0]}\n---\nx\n",
        ".pi/flow-agents/odd\x1b[2J.md": "no front",
    }
    report = {
        "files": {name: text.replace("\r", "") for name, text in files.items()},
        "call": {"agent": "recon", "task": "Quote", "why": "one context cannot hold both parts"},
        "children": [{"agent": "recon", "reply": EVIL, "stderr": EVIL}],
    }
    command = project(report)
    for words in ("run --script ../script.json ../call.json", "list", "show evil", "compile --check .pi"):
        status, out, err = command(*words.split())
        assert status in (0, 1)
        assert not {char for char in out + err if char in "\x1b\x07\r\x9b\u202e"}
    _, out, _ = command("run", "--script", "../script.json", "--format", "json", CALL)
    assert json.loads(out)["text"] == EVIL
    assert not {char for char in out if char in "\x1b\x07\r\x9b\u202e"}
