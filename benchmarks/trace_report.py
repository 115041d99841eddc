"""`piflows report` on long traces: a row of 100,000 against one of 10,000, and against `json.loads` of the same lines.

`python trace_report.py [--rows N] [--runs N]`: one JSON line. The invocations of the long trace are as long as those of
the short one in one shape (`many`), ten times as long in the other (`one`).
"""

from __future__ import annotations

import argparse
import json
import statistics

from timing import timed

from piflows.interpreter.trace.fold import Fold, Setup
from piflows.interpreter.trace.report import Report, report
from piflows.interpreter.trace.rows import line


class Plain:
    """A redactor that finds nothing."""

    def text(self, text: str, /) -> str:
        return text


def call(number: int, children: int) -> list[bytes]:
    """The lines of one call: children in stages of eight, each reading the one before it."""
    fold = Fold(Setup("graph", f"{number:032x}", f"call-{number}", 0), Plain(), {}.get)
    opened = {"kind": "opened", "at": 0, "effect": ""}
    fold.opened(opened)
    keys = [f"u{at}" for at in range(children)]
    spawns = [
        {"kind": "spawn", "effect": f"s#1/{key}!1", "unit": key, "stage": f"wave-{at // 8}", "agent": "recon"}
        | {"dependsOn": keys[at - 1 : at] if at else [], "prompt": "Look." * 40}
        for at, key in enumerate(keys)
    ]
    rows = fold.saw(opened, spawns)
    for at, key in enumerate(keys):
        settled = {
            "kind": "childSettled",
            "effect": f"s#1/{key}!1",
            "incarnation": 1,
            "n": 1,
            "at": at,
            "text": "y" * 200,
        }
        rows += fold.saw(settled, [])
    return [line(row) for row in [*rows, *fold.finished(children), fold.root(None, {}, 0)]]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=3)
    args = parser.parse_args()
    short = call(0, args.rows // 10)
    shapes = {
        "many": [each for number in range(10) for each in call(number, args.rows // 10)],
        "one": call(0, args.rows),
    }
    small = _median(lambda: report("t", short), args.runs) / len(short)
    out = {"rows": {name: len(lines) for name, lines in shapes.items()}}
    for name, lines in shapes.items():
        row = _median(lambda lines=lines: report("t", lines), args.runs) / len(lines)
        parse = _median(lambda lines=lines: [json.loads(each) for each in lines], args.runs) / len(lines)
        out[name] = {"toShort": round(row / small, 2), "toJson": round(row / parse, 2)}
    print(json.dumps(out))


def _median(job, runs: int) -> float:
    def made():
        def once() -> None:
            told = job()
            assert not isinstance(told, Report) or told.complete

        return once

    return statistics.median(used for _, used in timed(made, runs))


if __name__ == "__main__":
    main()
