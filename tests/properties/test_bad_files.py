"""Spoiled files through the whole `compile --check`: a status, findings inside the file, the same twice, no control."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from piflows.cli import main
from piflows.ir.codes import CODES
from tests.properties.spoiled import AGENTS, CALLS, PRESETS, calls, encoded, names_of, spoiled

KINDS = {"x.json": calls(), "x.md": PRESETS, "agents/x.md": AGENTS}


@pytest.fixture(scope="module", autouse=True)
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An empty directory to work in, with a home of its own."""
    folder, before, home = tmp_path_factory.mktemp("bad"), Path.cwd(), os.environ.get("HOME")
    (folder / "agents").mkdir()
    os.chdir(folder)
    os.environ["HOME"] = str(folder / "home")
    yield folder
    os.chdir(before)
    if home is None:
        del os.environ["HOME"]
    else:
        os.environ["HOME"] = home


def command(*words: str) -> tuple[int, str, str]:
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = main(words)
    return status, out.getvalue(), err.getvalue()


@settings(max_examples=100)
@given(data=st.data())
def test_a_spoiled_file_is_read_or_refused_inside_itself(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(KINDS)))
    text = data.draw(spoiled(*KINDS[name]))
    Path(name).write_bytes(encoded(text))
    status, out, err = command("compile", "--check", "--format", "json", name)
    assert status in (0, 1) and err == ""
    lines = re.split("\r\n|\r|\n", text.removeprefix("\ufeff"))
    findings = json.loads(out)
    assert (status == 1) == any(each["severity"] == "error" for each in findings)
    for each in findings:
        assert each["code"] in CODES
        if each["file"] == name and each["line"] is not None:
            assert 1 <= each["line"] <= len(lines)
            assert 1 <= (each["column"] or 1) <= len(lines[each["line"] - 1]) + 1
        else:
            assert each["file"] in (name, "") or each["file"].startswith("package:")
    assert command("compile", "--check", "--format", "json", name) == (status, out, err)


CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
HOSTILE = ("\x1b[2J", "\x07", "a\rb", "\u202e", "\u2028", "\x9b1m", "\u2066", "\x85")
SHOWN = (
    ("compile", "--check"),
    ("compile", "--check", "--format", "github"),
    ("compile", "--emit", "dot"),
    ("compile", "--emit", "mermaid"),
    ("compile", "--emit", "ir"),
    ("plan",),
    ("run",),
    ("list",),
    ("show", "x"),
    ("explain",),
    ("--set",),
)


@settings(max_examples=10)
@given(data=st.data())
def test_what_a_file_says_drives_no_terminal(data: st.DataObject) -> None:
    hostile = data.draw(st.sampled_from(HOSTILE))
    call = data.draw(st.sampled_from(CALLS))
    where = data.draw(st.sampled_from(("texts", "name", "file")))
    call = names_of(call, hostile) if where == "texts" else call
    if where == "name":
        written = json.dumps(hostile)[1:-1]
        call = json.loads(json.dumps(call).replace('"a"', f'"a{written}"').replace("{node.a}", f"{{node.a{written}}}"))
    path = f"x{hostile if where == 'file' else ''}.json"
    Path(path).write_bytes(encoded(json.dumps(call)))
    home = Path(os.environ["HOME"]) / ".pi" / "agent"
    for folder in ("flow-agents", "flow-presets"):
        (home / folder).mkdir(parents=True, exist_ok=True)
        body = '{"agent": "recon", "task": "{task}"}' if folder == "flow-presets" else "prompt"
        front = f"---\nname: x\ndescription: d{hostile}\nodd{hostile}: 1\ntools: a{hostile}\n---\n{body}"
        (home / folder / "x.md").write_bytes(encoded(front))
    try:
        for words in SHOWN:
            more = {"list": (), "show": ()}.get(words[0], (hostile,) if words[0] == "explain" else (path,))
            words = ("plan", "x", "--set", f"k{hostile}=v") if words == ("--set",) else (*words, *more)
            _, out, err = command(*words)
            assert CONTROL.search(out + err) is None, words
    finally:
        Path(path).unlink()
        for folder in ("flow-agents", "flow-presets"):
            (home / folder / "x.md").unlink()
