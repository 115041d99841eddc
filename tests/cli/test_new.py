"""`piflows new`: every starter is clean, plans and rehearses; nothing that is there is harmed."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from piflows.cli import main
from piflows.cli.new import STARTERS
from piflows.compiler.lower import MODES
from piflows.compiler.params import ANSWERS
from piflows.grammar.agent import parse_agent
from piflows.grammar.preset import parse_preset

Run = Callable[..., tuple[int, str, str]]
RUNNABLE = [mode for mode in MODES if mode not in ANSWERS]
PRESET, AGENT = Path(".pi/flow-presets"), Path(".pi/flow-agents")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))

    def command(*words: str) -> tuple[int, str, str]:
        status = main(words)
        out, err = capsys.readouterr()
        return status, out, err

    return command


def flat(text: str) -> str:
    """The text without the breaks that fit it to the terminal."""
    return " ".join(text.split())


def everything(root: Path) -> dict[str, bytes | str]:
    """All that lies in a folder: files with what they hold, links with where they lead."""
    return {
        str(path.relative_to(root)): str(path.readlink()) if path.is_symlink() else path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_symlink() or path.is_file()
    }


# ---- what is written ---------------------------------------------------------------------------------------------


def test_every_mode_has_its_starter_and_no_other_is_there() -> None:
    assert sorted(path.stem for path in STARTERS.iterdir()) == sorted((*RUNNABLE, "agent"))


@pytest.mark.parametrize("mode", RUNNABLE)
def test_a_starter_is_clean_plans_and_rehearses(mode: str, run: Run) -> None:
    status, out, err = run("new", "mine", "--mode", mode)
    assert (status, out) == (0, ".pi/flow-presets/mine.md\n")
    assert run("compile", "--check", "--strict", out.strip()) == (0, "1 file checked: nothing found\n", "")
    first, _, command = err.strip().partition(" ")
    assert first == "next:"
    status, out, err = run(*shlex.split(command)[1:])
    assert (status, err) == (0, "") and out.startswith(f"PLAN  mine ({mode})\n")
    Path("build.log").write_text("ERROR: out of paper\n")
    words = ["--task", "look", "--why", "asked", "--set", "confirmProjectAgents=false", "--set", "agentScope=project"]
    assert run("run", "mine", *words)[0] == 0


def test_a_starter_shows_its_mode() -> None:
    """Not an empty shell: the body has the mode's key, and for an object mode two fields of it at least."""
    for mode in RUNNABLE:
        preset, _ = parse_preset((STARTERS / f"{mode}.md").read_bytes(), mode)
        assert preset is not None
        shape = preset.template[{"single": "agent", "parallel": "tasks"}.get(mode, mode)]
        assert not isinstance(shape, dict) or len(shape) >= 2 or mode == "graph"  # pyright: ignore


def test_an_agent_is_clean_and_can_be_called(run: Run) -> None:
    status, out, err = run("new", "Code Reader", "--agent", "--description", 'says "hi": # all of it')
    assert (status, out) == (0, ".pi/flow-agents/Code Reader.md\n")
    assert run(*shlex.split(err.partition(" ")[2])[1:]) == (0, "1 file checked: nothing found\n", "")
    agent, found = parse_agent((AGENT / "Code Reader.md").read_bytes(), "")
    assert agent is not None and found == []
    assert (agent.name, agent.description) == ("Code Reader", 'says "hi": # all of it')


@pytest.mark.parametrize("said", ["plain", "a: b # c", '"quoted"', "[x, y]", "| block", "--- ", "true", "ä→😀", "it's"])
def test_a_description_stays_what_was_said(said: str, run: Run) -> None:
    assert run("new", "mine", "--description", said)[0] == 0
    preset, found = parse_preset((PRESET / "mine.md").read_bytes(), "")
    assert preset is not None and (preset.name, preset.description, found) == ("mine", said.strip(), [])


def test_another_project(run: Run) -> None:
    Path("other project").mkdir()
    status, out, err = run("new", "mine", "--dir", "other project")
    assert (status, out) == (0, "other project/.pi/flow-presets/mine.md\n")
    assert run(*shlex.split(err.partition(" ")[2])[1:])[0] == 0


# ---- what is refused ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["My Preset"], 'Did you mean "my-preset"?'),
        (["../mine"], 'Did you mean "mine"?'),
        (["a.b"], "not lowercase kebab-case"),
        (["x\x1b[2J"], "not lowercase kebab-case"),
        ([""], "not lowercase kebab-case"),
        (["a" * 101], "at most 100"),
        (["mine", "--mode", "grpah"], 'Did you mean "graph"?'),
        (["mine", "--mode", "list"], "invalid choice"),
        (["mine", "--agent", "--mode", "graph"], "an agent has no mode"),
        (["mine", "--description", " "], "one line of text"),
        (["mine", "--description", "a\nb"], "one line of text"),
        (["mine", "--description", "a\u202eb"], "one line of text"),
        *(
            (["--agent", name], "cannot be named")
            for name in ("../x", "a/b", "a\\b", ".x", "a.b", " x", "x ", "a\nb", "", "a\u202eb", "a\u200bb", "\udcff")
        ),
    ],
)
def test_wrong_usage_writes_nothing(words: list[str], says: str, run: Run) -> None:
    status, out, err = run("new", *words)
    assert (status, out) == (2, "") and says in flat(err) and "\x1b" not in err
    assert everything(Path()) == {}


@pytest.mark.parametrize(("words", "code"), [(["scout"], "PRESET"), (["recon", "--agent"], "AGENT")])
def test_a_bundled_name_is_replaced_only_on_purpose(words: list[str], code: str, run: Run) -> None:
    status, out, err = run("new", *words)
    assert (status, out) == (1, "") and err.endswith(f"\nCode: {code}_NAME_SHADOWED\n") and "`--force`" in flat(err)
    assert everything(Path()) == {}
    assert run("new", *words, "--force")[0] == 0


def test_a_file_is_replaced_only_on_purpose(run: Run) -> None:
    assert run("new", "mine")[0] == 0
    before = everything(Path())
    status, out, err = run("new", "mine", "--mode", "graph")
    assert (status, out) == (1, "") and err.endswith("\nCode: FILE_NOT_WRITTEN\n")
    assert everything(Path()) == before
    assert run("new", "mine", "--mode", "graph", "--force")[0] == 0
    assert everything(Path()).keys() == before.keys() and everything(Path()) != before


def link(path: str, to: Path) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).symlink_to(to)


@pytest.mark.parametrize("force", [[], ["--force"]])
@pytest.mark.parametrize(
    ("lay", "says"),
    [
        (lambda out: link(".pi", out), "leads out"),
        (lambda out: link(".pi/flow-presets", out), "leads out"),
        (lambda out: link(".pi/flow-presets/mine.md", out / "kept.md"), "a link of that name"),
        (lambda out: link(".pi/flow-presets/mine.md", out / "new.md"), "a link of that name"),
        (lambda _: Path(".pi").write_text(""), "not a directory"),
        (lambda _: (PRESET / "mine.md").mkdir(parents=True), "is no file"),
        (lambda _: (PRESET.mkdir(parents=True), os.mkfifo(PRESET / "mine.md")), "is no file"),
    ],
)
def test_what_is_in_the_way(
    lay: Callable[[Path], object], says: str, force: list[str], run: Run, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept.md").write_text("kept")
    lay(outside)
    before = everything(tmp_path)
    status, out, err = run("new", "mine", *force)
    assert (status, out) == (1, "") and says in flat(err) and err.endswith("\nCode: FILE_NOT_WRITTEN\n")
    assert everything(tmp_path) == before and [path.name for path in outside.iterdir()] == ["kept.md"]


def test_a_directory_that_takes_no_file(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    status, _, err = run("new", "mine", "--dir", "nowhere")
    assert status == 1 and "there is no directory nowhere" in flat(err)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "link", full)
    status, _, err = run("new", "mine")
    assert status == 1 and "no space left on device" in flat(err) and everything(Path()) == {}


def test_a_link_to_a_project_is_that_project(run: Run) -> None:
    Path("real").mkdir()
    link("linked", Path("real"))
    assert run("new", "mine", "--dir", "linked")[0] == 0
    assert Path("real/.pi/flow-presets/mine.md").is_file()
    shutil.rmtree("real")
