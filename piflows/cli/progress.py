"""One line on standard error for whatever settles while a flow runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TextIO

from piflows.cli.terminal import width
from piflows.ir.fold import fold
from piflows.ir.visible import visible

Json = dict[str, Any]

COMMAND_SHOWN = 60  # characters of a command


class Progress:
    """What a driver tells each event to. `hide` takes the secrets out of what it says of them."""

    def __init__(self, stream: TextIO, hide: Callable[[str], str] = str) -> None:
        self._stream, self._hide = stream, hide
        self._began: dict[str, int] = {}
        self._usages: dict[str, list[Json]] = {}

    def __call__(self, event: Json, sent: Json | None) -> None:
        if sent is None:
            return
        effect = event["effect"]
        match event["kind"]:
            case "childStarted":
                self._began[effect] = event["at"]
            case "turnEnded":
                self._usages.setdefault(effect, []).append(event["usage"])
            case "childSettled" | "childFailed":
                self._say(self._child(event, sent))
            case "commandExited":
                self._say(_command(event, self._hide(sent["command"])))
            case _:
                pass

    def _say(self, line: str) -> None:
        print("\n".join(fold(visible(self._hide(line)), width(self._stream), hang=2)), file=self._stream, flush=True)

    def _child(self, event: Json, sent: Json) -> str:
        effect = event["effect"]
        began, usages = self._began.pop(effect, None), self._usages.pop(effect, [])
        status = "ok" if event["kind"] == "childSettled" else f"failed, {event['code']}"
        took = [] if began is None else [duration(event["at"] - began)]
        return f"{sent['unit']} ({sent['agent']}): {', '.join([status, *took, *_spend(usages)])}"


def total(results: list[Json]) -> str:
    """The closing line: how many children ran, and what they came to."""
    results = [each for each in results if each["durationMs"] is not None]  # one that was refused never ran
    runs = f"{len(results)} child run{'s' * (len(results) != 1)}"
    told = [each["usage"] for each in results if each["usage"]["turns"]]
    spend = _spend(told if len(told) == len(results) else []) if results else []
    return f"total: {', '.join([runs, *spend])}"


def duration(ms: int) -> str:
    """A duration as people say it: `850 ms`, `1.2 s`, `3 min 20 s`, `2 h 5 min`."""
    if ms < 1_000:
        return f"{ms} ms"
    if ms < 60_000:
        return f"{ms // 100 / 10} s"
    minutes, seconds = divmod(ms // 1_000, 60)
    return f"{minutes} min {seconds} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def _spend(usages: list[Json]) -> list[str]:
    """Tokens and cost; what nobody has told is unknown, never zero."""
    if not usages:
        return ["tokens unknown", "cost unknown"]
    tokens = sum(usage["input"] + usage["output"] for usage in usages)
    costs = [usage["costUsd"] for usage in usages]
    return [f"{tokens} tokens", "cost unknown" if None in costs else f"${sum(costs):.4f}"]


def _command(event: Json, line: str) -> str:
    shown = line if len(line) <= COMMAND_SHOWN else f"{line[: COMMAND_SHOWN - 1]}…"
    if not event["started"]:
        return f"`{shown}`: did not start, {event['reason']}"
    if event["timedOut"]:
        return f"`{shown}`: timed out"
    return f"`{shown}`: {'ended by a signal' if event['exit'] is None else 'exit ' + str(event['exit'])}"
