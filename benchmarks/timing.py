"""What every timed script shares: its arguments, and its answer as one JSON line."""

from __future__ import annotations

import argparse
import gc
import json
import resource
import statistics
import time
from collections.abc import Callable
from typing import Any

from shapes import SHAPES


def arguments() -> argparse.Namespace:
    """`--shape`, `--n` nodes, `--runs` timed runs of which the median counts."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--shape", choices=SHAPES, default="layered")
    parser.add_argument("--n", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=3)
    return parser.parse_args()


Seconds = list[tuple[float, float]]


def timed(make: Callable[[], Callable[[], Any]], runs: int) -> Seconds:
    """Wall-clock and processor seconds of each run of what `make` makes; making is not timed."""
    seconds: Seconds = []
    for _ in range(runs):
        job = make()
        gc.collect()
        began, used = time.perf_counter(), time.process_time()
        job()
        seconds.append((time.perf_counter() - began, time.process_time() - used))
    return seconds


def say(seconds: Seconds, nodes: int) -> None:
    """Print microseconds a node (medians), and the most memory that the process took."""
    wall, processor = (round(statistics.median(each) / nodes * 1e6, 2) for each in zip(*seconds, strict=True))
    memory = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)
    print(json.dumps({"us": wall, "cpu_us": processor, "mb": memory}))
