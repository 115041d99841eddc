"""Everything against its peer in one run, interleaved, medians: `python ratios.py --peers DIR`, a line for each ratio.

DIR holds a virtual environment for each peer: `check-jsonschema`, `actionlint` (a build of it for the Python index),
`langgraph` and `networkx`; the interpreter that runs this has piflows. A peer without its environment is left out.
"""

from __future__ import annotations

import argparse
import compileall
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from corpus import write

HERE = Path(__file__).parent
PIFLOWS = Path(sys.executable).with_name("piflows")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--peers", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--files", type=int, nargs="*", default=[1_000])
    parser.add_argument("--nodes", type=int, default=10_000)
    args = parser.parse_args()
    compileall.compile_dir(HERE.parent / "piflows", quiet=1)  # as an installation has done it
    with tempfile.TemporaryDirectory() as folder:
        for files in args.files:
            _files(Path(folder) / str(files), files, args.peers, args.rounds)
    _schedule(args.nodes, args.peers, args.rounds)
    _growth(args.rounds)
    _analysis(args.nodes, args.peers, args.rounds)


def _files(folder: Path, files: int, peers: Path, rounds: int) -> None:
    """A cold start on one file, and what each file more costs."""
    write(folder, files)
    (folder / ".github").mkdir()
    (folder / "workflows").rename(folder / ".github" / "workflows")
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    jobs = {
        "piflows": ([str(PIFLOWS), "compile", "--check"], "presets/*.md"),
        "check-jsonschema": (
            [str(peers / "check-jsonschema/bin/check-jsonschema"), "--schemafile", "schema.json"],
            "calls/*.json",
        ),
        "actionlint": (
            [str(peers / "actionlint/bin/actionlint"), "-shellcheck=", "-pyflakes="],
            ".github/workflows/*.yml",
        ),
    }
    jobs = {name: job for name, job in jobs.items() if Path(job[0][0]).exists()}
    one, many = {name: list[float]() for name in jobs}, {name: list[float]() for name in jobs}
    for turn in range(rounds + 1):
        for name, (command, pattern) in jobs.items():
            paths = [str(path.relative_to(folder)) for path in sorted(folder.glob(pattern))]
            first, all_of = _wall([*command, paths[0]], folder), _wall([*command, *paths], folder)
            if turn:  # the first turn warms the disk
                one[name].append(first)
                many[name].append(all_of)
    cold = {name: statistics.median(seconds) for name, seconds in one.items()}
    slope = {name: (statistics.median(many[name]) - cold[name]) / (files - 1) for name in jobs}
    _say(
        "cold start, one file",
        {name: f"{seconds * 1e3:.0f} ms" for name, seconds in cold.items()},
        cold,
        "check-jsonschema",
    )
    _say(
        f"each file more of {files}",
        {name: f"{each * 1e3:.2f} ms" for name, each in slope.items()},
        slope,
        "actionlint",
    )


def _schedule(nodes: int, peers: Path, rounds: int) -> None:
    python = {"piflows": sys.executable, "floor": sys.executable, "langgraph": str(peers / "langgraph/bin/python")}
    found = _timed(
        {name: [each, f"schedule_{name}.py", "--n", str(nodes), "--runs", "1"] for name, each in python.items()}, rounds
    )
    what = f"a unit of {nodes} in a layered graph"
    told = {name: f"{each:.1f} us" for name, each in found.items()}
    _say(what, told, found, "floor")
    _say(what, told, found, "langgraph")


def _growth(rounds: int) -> None:
    sizes = {f"{n}": [sys.executable, "schedule_piflows.py", "--n", f"{n}", "--runs", "1"] for n in (1_000, 100_000)}
    found = _timed(sizes, max(3, rounds // 2))
    told = {name: f"{each:.1f} us" for name, each in found.items()}
    _say("a unit of 100000, and of 1000", told, {"piflows": found["100000"], "1000": found["1000"]}, "1000")


def _analysis(nodes: int, peers: Path, rounds: int) -> None:
    python = {"piflows": sys.executable, "networkx": str(peers / "networkx/bin/python")}
    found = _timed({name: [each, f"analysis_{name}.py", "--n", str(nodes)] for name, each in python.items()}, rounds)
    _say(
        f"all checks of a node of {nodes}", {name: f"{each:.1f} us" for name, each in found.items()}, found, "networkx"
    )


def _timed(commands: dict[str, list[str]], rounds: int) -> dict[str, float]:
    """The median of what each script says, in turn; a script without its interpreter is left out."""
    found: dict[str, list[float]] = {name: [] for name, command in commands.items() if Path(command[0]).exists()}
    for _ in range(rounds):
        for name, seconds in found.items():
            done = subprocess.run(commands[name], cwd=HERE, capture_output=True, text=True, check=True)
            seconds.append(json.loads(done.stdout)["us"])
    return {name: statistics.median(each) for name, each in found.items()}


def _wall(command: list[str], folder: Path) -> float:
    began = time.perf_counter()
    subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    return time.perf_counter() - began


def _say(what: str, told: dict[str, str], numbers: dict[str, float], peer: str) -> None:
    figures = ", ".join(f"{name} {figure}" for name, figure in told.items())
    ratio = f"{numbers['piflows'] / numbers[peer]:.2f} x {peer}" if peer in numbers else f"no {peer} here"
    print(f"{what}: {ratio} ({figures})", flush=True)


main()
