"""The scripted backend: deterministic replies from a file, or a rehearsal that answers every protocol.

The embedded default: no model, no network. For each child the first rule that matches and is not used up answers; a
child that no rule matches gets the rehearsal reply, the shortest text that satisfies its role's protocol.
"""

from __future__ import annotations

import math
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from piflows.interpreter.backends import Host, failure, rehearsal, settlement
from piflows.interpreter.backends.script import REHEARSAL, Rule, envelope_text, parse_script
from piflows.interpreter.hands import shell
from piflows.interpreter.hands.clock import Clock
from piflows.ir.limits import LIMITS

Json = dict[str, Any]

VIRTUAL_TIME = True


def open_backend(host: Host) -> Scripted:
    """The backend for a script, or for a rehearsal without one. Raises FlowError for a script that is wrong."""
    rules = parse_script(*host.script) if host.script else []
    return Scripted(rules, host.cwd, host.clock)


class Scripted:
    """Children that do what a script says. `cwd` is the run's directory, absolute."""

    def __init__(self, rules: list[Rule], cwd: str, clock: Clock) -> None:
        self._rules = [(number, rule, rule.times) for number, rule in enumerate(rules, 1)]
        self._idle = dict(enumerate(rules, 1))
        self._cwd = cwd
        self._clock = clock
        self._recalled: dict[str, Rule] = {}
        self._steered: set[str] = set()

    def begin(self, spawn: Json) -> AsyncIterator[Json]:
        """Start a child. Its rule is used up here, so the order of the starts decides who gets which."""
        return self._child(self._recalled.pop(spawn["effect"], None) or self._pick(spawn), spawn)

    def recall(self, spawn: Json) -> None:
        """The rule that an earlier process gave this child is used up, and its own if it is begun again."""
        self._recalled[spawn["effect"]] = self._pick(spawn)

    def steer(self, effect: str, text: str) -> None:  # noqa: ARG002
        """A child hears it before its next response, unless its rule is deaf."""
        self._steered.add(effect)

    def _pick(self, spawn: Json) -> Rule:
        for place, (number, rule, left) in enumerate(self._rules):
            if rule.matches(spawn):
                self._idle.pop(number, None)
                if left > 1:
                    self._rules[place] = number, rule, left - 1
                else:
                    del self._rules[place]
                return rule
        return REHEARSAL

    def notes(self) -> list[str]:
        """The rules that have answered no child: a name in them is likely to be misspelt."""
        return [
            f"warning: rule {number} of the script answered no child ({rule.whom()})"
            for number, rule in self._idle.items()
        ]

    async def _child(self, rule: Rule, spawn: Json) -> AsyncIterator[Json]:
        stderr = rule.stderr
        if rule.writes or rule.runs:
            worked = await self._work(rule, spawn)
            if isinstance(worked, dict):
                yield worked
                return
            stderr += worked
        if rule.delay_ms:
            await self._clock.sleep(rule.delay_ms)
        text = _text(rule, spawn)
        for number, usage in enumerate(rule.turns):
            if number:
                await self._clock.sleep(0)  # what the last response led to arrives first
            if spawn["effect"] in self._steered and not rule.deaf:
                self._steered.discard(spawn["effect"])
                yield {"kind": "noticeSeen"}
            yield {"kind": "turnEnded", "usage": usage, "text": text}
        if rule.hang:
            await self._clock.sleep(math.inf)
        yield settlement(text, exit_status=rule.exit, stderr=stderr, model=spawn["model"])

    async def _work(self, rule: Rule, spawn: Json) -> str | Json:
        """Do what the rule writes and runs: what that adds to stderr, or the report of a child that could not."""
        base = os.path.realpath(os.path.join(self._cwd, spawn["cwd"]))  # noqa: PTH118
        try:
            for path, text in rule.writes:
                _write(base, path, text)
        except OSError as error:
            return _unable(f"it could not write {error.filename or base}: {error.strerror or error}")
        if not rule.runs:
            return ""
        done = await shell.run(rule.runs, base, spawn["timeoutMs"], LIMITS.command_bytes)
        if done["timedOut"]:
            return failure("CHILD_TIMEOUT", {"ms": spawn["timeoutMs"]}, stop_reason="timeout", stderr=done["text"])
        if done["exit"] == 0:
            return ""
        return f"`{rule.runs}` failed with exit status {done['exit']}: {done['text'] or done['reason']}\n"


def _text(rule: Rule, spawn: Json) -> str:
    if rule.envelope is not None:
        return envelope_text(rule.envelope, spawn["contract"])
    if rule.reply is not None:
        return rule.reply
    return "" if rule.exit else rehearsal.reply(spawn)


def _write(base: str, path: str, text: str) -> None:
    """Write a file below `base`. Raises OSError, also for a symbolic link that leads out of it."""
    target = Path(base, path)
    if not Path(os.path.realpath(target)).is_relative_to(base):
        raise PermissionError(None, "a symbolic link leads out of the directory of the child", path)
    if not Path(base).is_dir():
        raise FileNotFoundError(None, "the directory of the child does not exist", path)
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists() and not (target.is_file() or target.is_dir()):
        raise PermissionError(None, "it is no regular file", path)
    opened = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NONBLOCK, 0o666)
    with os.fdopen(opened, "w", encoding="utf-8", newline="") as file:
        file.write(text)


def _unable(problem: str) -> Json:
    return failure("CHILD_PROTOCOL_ERROR", {"problem": problem})
