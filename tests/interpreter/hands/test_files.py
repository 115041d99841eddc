"""Facts about declared files: looked at once, never followed out, never waited for."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from piflows.interpreter.hands import files

Json = dict[str, Any]
ABSENT: Json = {"exists": False, "inside": False, "regular": False, "sha256": None}
HELLO = sha256(b"hello").hexdigest()


@pytest.fixture
def cwd(tmp_path: Path) -> Path:
    """A directory behind a link, with one file of each kind, beside one that it must not lead to."""
    real = tmp_path / "real"
    (real / "sub").mkdir(parents=True)
    (tmp_path / "real-but-not").mkdir()
    (tmp_path / "real-but-not" / "a.txt").write_text("hello")
    (real / "a.txt").write_text("hello")
    (real / "sub" / "in.txt").symlink_to("../a.txt")
    (real / "out.txt").symlink_to("../real-but-not/a.txt")
    (real / "outdir").symlink_to("../real-but-not")
    (real / "loop").symlink_to("loop")
    (real / "dangling").symlink_to("nowhere")
    os.mkfifo(real / "pipe")
    (tmp_path / "cwd").symlink_to("real")
    return tmp_path / "cwd"


KNOWN: list[tuple[str, Json]] = [
    ("a.txt", {"exists": True, "inside": True, "regular": True, "sha256": HELLO}),
    ("./sub/../a.txt", {"exists": True, "inside": True, "regular": True, "sha256": HELLO}),
    ("sub/in.txt", {"exists": True, "inside": True, "regular": True, "sha256": HELLO}),
    ("out.txt", {"exists": True}),
    ("outdir/a.txt", {"exists": True}),
    ("../real-but-not/a.txt", {"exists": True}),
    ("sub", {"exists": True, "inside": True}),
    (".", {"exists": True, "inside": True}),
    ("pipe", {"exists": True, "inside": True}),
    ("b.txt", {}),
    ("a.txt/b", {}),
    ("dangling", {}),
    ("loop", {}),
    ("a\0b", {}),
    ("x" * 5_000, {}),
]


@pytest.mark.parametrize(("path", "known"), KNOWN, ids=[repr(path[:20]) for path, _ in KNOWN])
def test_facts(cwd: Path, path: str, known: Json) -> None:
    assert files.facts(str(cwd), [path]) == {path: ABSENT | known}


def test_a_device_is_not_read() -> None:
    found = files.facts("/dev", ["zero"])["zero"]
    assert (found["regular"], found["sha256"]) == (False, None)


def test_the_bound_is_one_for_all(cwd: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LIMITS", SimpleNamespace(artifact_bytes=12))
    found = files.facts(str(cwd), ["a.txt", "./a.txt", "sub/in.txt"])
    assert [each["sha256"] for each in found.values()] == [HELLO, HELLO, None]
    assert all(each["regular"] for each in found.values())
