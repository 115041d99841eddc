"""Redactor and handoff guard on hostile texts: `python guards.py`, a line for each text, the worst ratio last.

Each text is made against one pattern: its start without its end, over and over, or one long run. A character of the
whole text costs a linear guard what one of a tenth of it costs; ten times as much when it is quadratic.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

from piflows.interpreter.guards.handoff import fresh, labels, prepare, strip
from piflows.interpreter.guards.redact import Redactor

REDACT = Redactor(True, "/home/al")
BLOCK = "-----BEGIN PRIVATE KEY-----"
HOSTILE = {
    "one letter": "a",
    "words": "the depth is nine metres ",
    "lines": "value: nine metres at the pier = 9\n",
    "a@": "a@",
    "a run before @": ("a", " x@"),
    "an e-mail without its end": ("x@", "a.1."),
    "dashes": ("-----BEGIN ", "-"),
    "block starts": "-----BEGIN ",
    "blocks mentioned": f"`{BLOCK}` ",
    "one block": (BLOCK, "\nMIIE"),
    "block names": ("-----BEGIN ", "PRIVATE KEY "),
    "sk-": "sk-",
    "sk- of words": "ask-ask-",
    "bearer": "Bearer ",
    "spaces after bearer": ("bearer", " "),
    "eyJ": ("eyJ.", "eyJ"),
    "eyJ with dots": "eyJaaaaaaaaaa.",
    "token": "token",
    "token:": "token: ",
    "token:token": "token:",
    "token: a = a": ("token: ", "a = "),
    "spaces after token": ("token", " "),
    "spaces after the colon": ("token:", " "),
    "stars": ("token:", "*"),
    "open quotes": 'token="',
    "escaped quotes": 'token=\\"',
    "backslashes": ("token=", "\\"),
    "quotes and backslashes": ('token="', '\\\\"'),
    "members": '"token": ',
    "a long quoted value": ('token="', "a b"),
    "users of addresses": "://a:",
    "one address": ("://", "a:"),
    "home": "/home/al",
    "override without its end": "ignore all ",
    "override, all of its starts": "ignore all previous above prior ",
    "role": ("you", " "),
    "new": "new  system  ",
    "system": ("system", " "),
    "send": "send print leak repeat ",
    "comments": "<!-- x",
    "closed comments": "<!--x-->",
    "one comment": ("<!--", "x-- "),
    "controls": "a\x00\u200b",
}
JOBS: dict[str, Callable[[str], object]] = {
    "redact": REDACT.text,
    "value": lambda text: REDACT.value([{text[:8]: text}]),
    "strip": strip,
    "labels": labels,
}


def text(made: str | tuple[str, str], size: int) -> str:
    """`size` characters of one piece again and again, after its head or, when it has a space first, before it."""
    if isinstance(made, str):
        return (made * (size // len(made) + 1))[:size]
    head, piece = made
    if piece.startswith(" ") and len(piece) > 1:
        return text(head, size) + piece
    return head + text(piece, size)


def seconds(job: Callable[[str], object], subject: str) -> float:
    """Processor seconds, the better of two runs: other work on the machine is not the guard's."""
    best = float("inf")
    for _ in range(2):
        began = time.process_time()
        job(subject)
        best = min(best, time.process_time() - began)
    return best


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=10_000_000)
    size = parser.parse_args().size
    worst = 0.0
    for name, made in HOSTILE.items():
        told: list[str] = []
        for job, run in JOBS.items():
            tenth, whole = seconds(run, text(made, size // 10)), seconds(run, text(made, size))
            ratio = whole / tenth / 10
            worst = max(worst, ratio)
            told.append(f"{job} {whole / size * 1e9:.1f} ns a character, x{ratio:.2f}")
        print(f"{name}: {'; '.join(told)}", flush=True)
    print(f"a character of ten times the text costs at most {worst:.2f} times as much")
    short = "The harbour master said: depth is 9 m at pier 4."
    state = fresh()
    for job, run in {"redact": REDACT.text, "prepare": lambda each: prepare(state, each, "warn")}.items():
        began = time.perf_counter()
        for _ in range(20_000):
            run(short)
        print(f"{job} of a short text: {(time.perf_counter() - began) / 20_000 * 1e6:.1f} us")


main()
