"""A sample of the catalogue, laid in an empty directory and tried there."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from compiler.conftest import lay

from piflows.cli import main
from piflows.compiler.samples import Sample

PERSONS = {"yes": lambda _: True, "no": lambda _: False}


def tried(
    sample: Sample, root: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> tuple[int, str]:
    """The status of its command and what it prints, in a process of its own where it needs a shell or a signal."""
    (root / "here").mkdir(parents=True)
    lay(root / "here", sample.files)
    with monkeypatch.context() as world:
        world.chdir(root / "here")
        world.setenv("HOME", str(root / "home"))
        for name in [name for name in os.environ if name.startswith("PI_FLOWS_")]:
            world.delenv(name)
        for name, value in sample.env.items():
            world.setenv(name, value)
        if sample.person is not None:
            world.setattr("piflows.interpreter.hands.people.person", lambda: PERSONS[sample.person or ""])
        return _run(sample, capfd)


def _run(sample: Sample, capfd: pytest.CaptureFixture[str]) -> tuple[int, str]:
    if "&&" in sample.command or any("kill" in text for text in sample.files.values()):
        env = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
        done = subprocess.run(["sh", "-c", sample.command], env=env, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr
    assert sample.command.startswith("piflows ")
    status = main(shlex.split(sample.command)[1:])
    return status, "".join(capfd.readouterr())
