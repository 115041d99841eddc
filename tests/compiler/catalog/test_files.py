"""Only regular files are opened, never more than a bound is read, and every refusal says why."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from piflows.compiler.catalog.files import Unreadable, entries, is_directory, label, read_regular
from piflows.ir.limits import LIMITS


def test_regular_files_and_links_to_them(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"text")
    (tmp_path / "link").symlink_to("a")
    assert read_regular(tmp_path / "a") == read_regular(tmp_path / "link") == b"text"


def test_the_bound(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 11)
    assert len(read_regular(tmp_path / "a", most=11)) == 11
    with pytest.raises(Unreadable, match="larger than 10 bytes"):
        read_regular(tmp_path / "a", most=10)
    assert LIMITS.file_bytes == 1_048_576


def test_what_is_no_regular_file(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "to-fifo").symlink_to("fifo")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "dangling").symlink_to("nowhere")
    with socket.socket(socket.AF_UNIX) as bound:
        here = Path.cwd()
        os.chdir(tmp_path)  # the path of a socket is short
        try:
            bound.bind("socket")
        finally:
            os.chdir(here)
        reasons = {}
        for name in ("folder", "fifo", "to-fifo", "loop", "dangling", "missing", "socket"):
            with pytest.raises(Unreadable) as refused:
                read_regular(tmp_path / name)
            reasons[name] = str(refused.value)
    assert reasons == {
        "folder": "it is a directory",
        "fifo": "it is a FIFO",
        "to-fifo": "it is a FIFO",
        "loop": "too many levels of symbolic links",
        "dangling": "no such file or directory",
        "missing": "no such file or directory",
        "socket": "it is a socket",
    }
    with pytest.raises(Unreadable, match="it is a device"):
        read_regular(Path("/dev/zero"))


def test_directories(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for name in ("b.md", "B.md", "a.md", "ä.md"):
        (tmp_path / "folder" / name).touch()
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "file").touch()
    assert [path.name for path in entries(tmp_path / "folder")] == ["B.md", "a.md", "b.md", "ä.md"]
    assert entries(tmp_path / "missing") == []
    assert [is_directory(tmp_path / name) for name in ("folder", "missing", "file/inside")] == [True, False, False]
    for name, reason in (("file", "no directory"), ("dangling", "a link to nothing")):
        with pytest.raises(Unreadable, match=reason):
            is_directory(tmp_path / name)
    with pytest.raises(Unreadable, match="not a directory"):
        entries(tmp_path / "file")


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/home/pia/work/a.md", "a.md"),
        ("/home/pia/work/.pi/x.md", ".pi/x.md"),
        ("/home/pia/.pi/agent/x.md", "~/.pi/agent/x.md"),
        ("/home/piano/x.md", "/home/piano/x.md"),
        ("/home/pia/work/\udcff.md", "\\xff.md"),
    ],
)
def test_labels(path: str, shown: str) -> None:
    assert label(Path(path), Path("/home/pia/work"), Path("/home/pia")) == shown
