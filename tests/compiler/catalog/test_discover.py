"""Sources and scopes, shadowing, and that no file is skipped without a word."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from compiler.conftest import World, agent, preset

from piflows.compiler.catalog import reread, shown
from piflows.compiler.catalog.discover import BUNDLED
from piflows.compiler.catalog.trust import agents_question, preset_question, project_agents

RECON = {"agent": "recon", "task": "{task}"}
MINE = preset("mine", RECON)
AGENT_DIRS = {"user": ".pi/agent/flow-agents", "project": ".pi/flow-agents"}
PRESET_DIRS = {"user": ".pi/agent/flow-presets", "project": ".pi/flow-presets"}
FILES = {f"{AGENT_DIRS['project']}/scribe.md": agent("scribe"), f"{PRESET_DIRS['project']}/mine.md": MINE}
HOME = {f"{AGENT_DIRS['user']}/clerk.md": agent("clerk"), f"{PRESET_DIRS['user']}/yours.md": preset("yours", RECON)}


@pytest.mark.parametrize(
    ("scope", "agents", "presets"),
    [
        ("user", {"clerk"}, {"yours"}),
        ("project", {"scribe"}, {"mine"}),
        ("all", {"clerk", "scribe"}, {"mine", "yours"}),
    ],
)
def test_scopes(scope: str, agents: set[str], presets: set[str], world: World) -> None:
    found = world(FILES, HOME).catalog(scope)
    bundled = world().catalog("user")
    assert {name for name, each in found.agents.items() if each.source != "package"} == agents
    assert {name for name, each in found.presets.items() if each.source != "package"} == presets
    assert {name for name, each in found.agents.items() if each.source == "package"} == {
        name for name, each in bundled.agents.items() if each.source == "package"
    }
    assert list(found.agents) == sorted(found.agents) and found.issues == ()


def test_the_nine_bundled_agents_and_scout(world: World) -> None:
    found = world().catalog("user")
    names = "analyst commander controller debrief operator overwatch recon redteam strategist"
    assert list(found.agents) == names.split()
    assert "scout" in found.presets
    assert {each.source for each in (*found.agents.values(), *found.presets.values())} == {"package"}
    assert found.agents["recon"].file == "package:agents/recon.md"


def test_package_only(world: World) -> None:
    found = world(FILES, HOME, env={"PI_FLOWS_PACKAGE_AGENTS_ONLY": "1"}).catalog("all")
    assert not {"scribe", "clerk"} & set(found.agents) and not {"mine", "yours"} & set(found.presets)


def test_directories_are_told_in_every_scope(world: World) -> None:
    context = world(FILES, HOME)
    for scope in ("user", "project", "all"):
        found = context.catalog(scope)
        for source, told in (("user", context.home), ("project", context.cwd)):
            assert found.agents_dirs[source] == f"{told}/{AGENT_DIRS[source]}"
            assert found.presets_dirs[source] == f"{told}/{PRESET_DIRS[source]}"
    assert found.agents_dirs["package"] == str(BUNDLED / "agents")


def test_a_project_is_the_nearest_one_upwards_for_agents_and_presets_alone(world: World) -> None:
    files = {**FILES, f"sub/{AGENT_DIRS['project']}/near.md": agent("near"), "sub/deep/keep.txt": ""}
    found = world(files, cwd="sub/deep").catalog("project")
    assert "near" in found.agents and "scribe" not in found.agents
    assert "mine" in found.presets
    assert found.presets["mine"].file.endswith("/project/.pi/flow-presets/mine.md")


def test_no_project_at_all(world: World) -> None:
    found = world().catalog("all")
    assert "project" not in found.agents_dirs and found.issues == ()


def test_a_later_source_shadows_and_it_is_said(world: World) -> None:
    files = {
        f"{AGENT_DIRS['project']}/a.md": agent("recon", "tools: none"),
        f"{AGENT_DIRS['project']}/b.md": agent("recon", "tools: read"),
        f"{PRESET_DIRS['project']}/s.md": preset("scout", RECON),
    }
    home = {f"{PRESET_DIRS['user']}/s.md": preset("scout", RECON)}
    found = world(files, home).catalog("all")
    assert (found.agents["recon"].tools, found.agents["recon"].source) == (("read",), "project")
    assert found.presets["scout"].source == "project"
    assert [(each.code, each.where.file) for each in found.issues] == [
        ("AGENT_NAME_SHADOWED", ".pi/flow-agents/a.md"),
        ("AGENT_NAME_SHADOWED", ".pi/flow-agents/b.md"),
        ("PRESET_NAME_SHADOWED", "~/.pi/agent/flow-presets/s.md"),
        ("PRESET_NAME_SHADOWED", ".pi/flow-presets/s.md"),
    ]
    assert "package:agents/recon.md" in found.issues[0].message


SKIPPED: list[tuple[str, str, str]] = [
    (PRESET_DIRS["project"], MINE.replace("name: mine", "name: My Preset"), "PRESET_FRONTMATTER_INVALID"),
    (PRESET_DIRS["project"], MINE.replace("description", "describe"), "PRESET_FRONTMATTER_INVALID"),
    (PRESET_DIRS["project"], "---\nname: mine\ndescription: d\n---\n{,}", "PRESET_TEMPLATE_INVALID"),
    (PRESET_DIRS["project"], preset("mine", {"tasks": 5}), "PRESET_TEMPLATE_SCHEMA_INVALID"),
    (PRESET_DIRS["project"], "\0", "PRESET_FILE_UNREADABLE"),
    (PRESET_DIRS["project"], "x" * 1_100_000, "PRESET_FILE_UNREADABLE"),
    (AGENT_DIRS["project"], "no frontmatter", "AGENT_FRONTMATTER_INVALID"),
    (AGENT_DIRS["project"], "\0", "AGENT_FILE_UNREADABLE"),
]


@pytest.mark.parametrize(("folder", "text", "code"), SKIPPED)
def test_a_file_that_is_skipped_is_named_and_the_others_load(folder: str, text: str, code: str, world: World) -> None:
    found = world({f"{folder}/odd.md": text, f"{folder}/other.md": preset("other", RECON)}).catalog("project")
    [issue] = [each for each in found.issues if each.code == code]
    assert issue.where.file == f"{folder}/odd.md" and "odd.md" in issue.message
    kind = "agent" if code.startswith("AGENT") else "preset"
    assert found.skipped[kind, "odd"] == issue
    assert "mine" not in found.presets
    assert "other" in (found.agents if kind == "agent" else found.presets)


def test_a_template_that_is_no_call_is_known_by_both_its_names(world: World) -> None:
    found = world({f"{PRESET_DIRS['project']}/odd.md": preset("mine", {"tasks": 5})}).catalog("project")
    assert {name for _, name in found.skipped} == {"odd", "mine"}


def test_unknown_names_in_a_template_load(world: World) -> None:
    assert (
        "mine" in world({f"{PRESET_DIRS['project']}/m.md": preset("mine", {**RECON, "tsak": 1})}).catalog("all").presets
    )


def test_odd_entries_are_named_and_none_of_them_hangs(world: World) -> None:
    context = world({f"{AGENT_DIRS['project']}/good.md": agent("good"), f"{AGENT_DIRS['project']}/notes.txt": ""})
    folder = Path(context.cwd, AGENT_DIRS["project"])
    (folder / "dir.md").mkdir()
    os.mkfifo(folder / "fifo.md")
    (folder / "loop.md").symlink_to("loop.md")
    (folder / "null.md").symlink_to("/dev/null")
    (folder / "linked.md").symlink_to("good.md")
    found = context.catalog("project")
    assert [(each.code, each.where.file.rpartition("/")[2]) for each in found.issues] == [
        ("AGENT_FILE_UNREADABLE", "dir.md"),
        ("AGENT_FILE_UNREADABLE", "fifo.md"),
        ("AGENT_NAME_SHADOWED", "linked.md"),
        ("AGENT_FILE_UNREADABLE", "loop.md"),
        ("AGENT_FILE_UNREADABLE", "null.md"),
    ]
    assert "good" in found.agents


@pytest.mark.parametrize("where", ["user", "project"])
def test_a_directory_that_is_none(where: str, world: World) -> None:
    laid: dict[str, Any] = {"files" if where == "project" else "home": {PRESET_DIRS[where]: "a file"}}
    context = world(**laid)
    [issue] = context.catalog("all").issues
    assert (issue.code, "director" in issue.message) == ("PRESET_DIR_UNREADABLE", True)
    assert context.catalog("user" if where == "project" else "project").issues == ()


def test_names_of_any_bytes(world: World) -> None:
    context = world({f"{AGENT_DIRS['project']}/good.md": agent("good")})
    folder = os.fsencode(Path(context.cwd, AGENT_DIRS["project"]))
    for name in (b"\xff.md", b"a\nb.md"):
        with open(folder + b"/" + name, "wb") as file:  # noqa: PTH123
            file.write(b"x")
    issues = context.catalog("project").issues
    assert [each.where.file for each in issues] == [".pi/flow-agents/a\nb.md", ".pi/flow-agents/\\xff.md"]
    assert all("\n" not in each.message for each in issues)


def test_a_file_is_read_again_by_its_name(world: World, tmp_path: Path) -> None:
    context = world(FILES, HOME)
    for found in (*context.catalog("all").agents.values(), *context.catalog("all").presets.values()):
        data = reread(found.file, Path(context.cwd), context.env)
        assert data is not None and b"name: " in data
    assert reread("package:nothing.md", tmp_path, {}) is None
    assert shown(BUNDLED / "scout.md", tmp_path, tmp_path) == "package:scout.md"


def test_real_directories(world: World) -> None:
    context = world({"app/keep.txt": ""})
    Path(context.cwd, "web").symlink_to("app")
    assert context.real("") == os.path.realpath(context.cwd)
    assert context.real("web/") == context.real("app") == context.real("./app/../web")
    assert context.real("not/there") == f"{context.real('')}/not/there"


def test_trust(world: World) -> None:
    agents = world(FILES, HOME).catalog("all").agents
    assert project_agents(["scribe", "recon", "nobody", "clerk", "scribe"], agents) == ("scribe",)
    assert '"mine"' in preset_question("mine") and "a, b" in agents_question(["a", "b"])


def test_a_name_with_the_home_directory_is_shortened(world: World) -> None:
    context = world()
    assert context.short(f"{context.home}/x") == "~/x" and context.short(context.home) == "~"
    assert context.short(f"{context.home}x") == f"{context.home}x"
