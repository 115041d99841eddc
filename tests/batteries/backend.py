"""What any backend must do. A backend's test subclasses the battery and says how its children come about."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from piflows.interpreter.backends import Backend
from piflows.interpreter.hands.clock import Clock, VirtualClock
from piflows.interpreter.journal import flaw

Json = dict[str, Any]


def spawn(unit: str = "a", **members: Any) -> Json:
    """A spawn effect."""
    return {
        "kind": "spawn",
        "effect": f"work#1/{unit}!1",
        "unit": unit,
        "stage": "work",
        "step": 1,
        "agent": "recon",
        "role": "worker",
        "source": "package",
        "system": "You look.",
        "prompt": "Look.",
        "tools": None,
        "model": None,
        "tier": None,
        "thinking": None,
        "cwd": "",
        "timeoutMs": 60_000,
        "protocol": None,
        "candidates": [],
        "contract": None,
        "returnSchema": None,
        **members,
    }


async def reports_of(
    backend: Backend, sent: Json, clock: VirtualClock, hear: Callable[[Json], None] = lambda _: None
) -> list[Json]:
    """All that a backend reports of one child, on a clock that jumps whenever the child sleeps; `hear` gets each."""
    woken = asyncio.Event()
    clock.attend(woken.set)
    task = asyncio.ensure_future(_listed(backend.begin(sent), hear))
    task.add_done_callback(lambda _: woken.set())
    while not task.done():
        if not clock.quiet(1) or not clock.advance():
            woken.clear()
            await woken.wait()
    return task.result()


async def _listed(reports: AsyncIterator[Json], hear: Callable[[Json], None]) -> list[Json]:
    out: list[Json] = []
    async for report in reports:
        out.append(report)
        hear(report)
    return out


class BackendBattery:
    """Subclass it as `Test…` and give `open`."""

    def open(self, child: Json, cwd: Path, clock: Clock) -> Backend:
        """A backend whose every child does what `child` says, in the words of a script's rule."""
        raise NotImplementedError

    def reports(self, child: Json, cwd: Path, **members: Any) -> list[Json]:
        clock = VirtualClock()
        return asyncio.run(reports_of(self.open(child, cwd, clock), spawn(**members), clock))

    @pytest.mark.parametrize(
        "child",
        [
            {"reply": "Seen."},
            {"reply": "Seen.", "turns": [{"input": 1, "output": 2, "costUsd": None}] * 3},
            {"reply": "crash", "exit": 3, "stderr": "no key"},
            {"reply": ""},
            {"reply": " \n\t"},
            {"reply": "slow", "delayMs": 5_000},
        ],
        ids=str,
    )
    def test_turns_then_one_settlement(self, child: Json, tmp_path: Path) -> None:
        *turns, last = self.reports(child, tmp_path)
        assert {turn["kind"] for turn in turns} <= {"turnEnded"}
        assert last["kind"] in ("childSettled", "childFailed")
        assert [flaw(report) for report in (*turns, last)] == [""] * (len(turns) + 1)

    def test_an_answer(self, tmp_path: Path) -> None:
        usage = {"input": 7, "output": 3, "costUsd": 0.25}
        assert self.reports({"reply": "Seen.", "usage": usage, "stderr": "warn"}, tmp_path) == [
            {"kind": "turnEnded", "usage": usage, "text": "Seen."},
            {
                "kind": "childSettled",
                "text": "Seen.",
                "exit": 0,
                "stopReason": "stop",
                "model": None,
                "stderr": "warn",
            },
        ]

    def test_every_turn_is_told(self, tmp_path: Path) -> None:
        turns = [{"input": n, "output": n, "costUsd": None} for n in (1, 2, 3)]
        reports = self.reports({"reply": "x", "turns": turns}, tmp_path)
        assert [report.get("usage") for report in reports] == [*turns, None]
        assert [report["text"] for report in reports] == ["x"] * 4  # what a child that is ended now has said

    @pytest.mark.parametrize("deaf", [False, True])
    def test_a_child_hears_a_message_before_its_next_response(self, deaf: bool, tmp_path: Path) -> None:
        turns = [{"input": 1, "output": 1, "costUsd": None}] * 3

        clock = VirtualClock()
        backend = self.open({"reply": "x", "turns": turns, "deaf": deaf}, tmp_path, clock)
        kinds: list[str] = []

        def hear(report: Json) -> None:
            kinds.append(report["kind"])
            if len(kinds) == 1:
                backend.steer(spawn()["effect"], "Stop working.")

        asyncio.run(reports_of(backend, spawn(), clock, hear))
        heard = [] if deaf else ["noticeSeen"]
        assert kinds == ["turnEnded", *heard, "turnEnded", "turnEnded", "childSettled"]

    @pytest.mark.parametrize("text", ["", " ", "\n\t \n"])
    def test_an_answer_without_a_word_is_a_failure(self, text: str, tmp_path: Path) -> None:
        last = self.reports({"reply": text}, tmp_path)[-1]
        assert (last["kind"], last["code"], last["stopReason"]) == ("childFailed", "CHILD_PROTOCOL_ERROR", "error")
        assert last["exit"] != 0

    def test_an_exit_status_is_a_failure_that_keeps_the_text(self, tmp_path: Path) -> None:
        last = self.reports({"reply": "half", "exit": 3, "stderr": "no key"}, tmp_path)[-1]
        assert (last["code"], last["facts"]) == ("CHILD_EXIT_NONZERO", {"exit": 3, "stderr": "no key"})
        assert (last["exit"], last["text"], last["stderr"]) == (3, "half", "no key")

    @pytest.mark.parametrize("text", ["\x1b[2J\x07", "a\u2028b\u202e", "{node.x} {{ %s", "é😀\x01", "x" * 300_000])
    def test_odd_texts_come_as_they_are(self, text: str, tmp_path: Path) -> None:
        assert self.reports({"reply": text}, tmp_path)[-1]["text"] == text

    def test_the_model_that_was_asked_for_is_told(self, tmp_path: Path) -> None:
        assert self.reports({"reply": "x"}, tmp_path, model="vendor/m1")[-1]["model"] == "vendor/m1"

    def test_a_child_that_hangs_can_be_cancelled(self, tmp_path: Path) -> None:
        async def main() -> list[Json]:
            clock, got = VirtualClock(), list[Json]()
            asleep = asyncio.Event()
            clock.attend(asleep.set)

            async def listen() -> None:
                async for report in self.open({"hang": True}, tmp_path, clock).begin(spawn()):
                    got.append(report)

            task = asyncio.create_task(listen())
            await asleep.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert clock.quiet(0) and not clock.quiet(1)
            return got

        assert not [report for report in asyncio.run(main()) if report["kind"] != "turnEnded"]
