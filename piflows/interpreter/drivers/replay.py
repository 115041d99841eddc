"""Replay is resume: a journal's events are fed to a fresh machine, and what has no final event is left to do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from piflows.interpreter.effects import STARTS
from piflows.interpreter.events import FINAL
from piflows.interpreter.machine import DriverError
from piflows.ir.diagnostic import FlowError, diagnostic
from piflows.ir.source import Where

Json = dict[str, Any]


class Core(Protocol):
    """What a driver knows of a machine."""

    @property
    def done(self) -> bool: ...
    def feed(self, event: Json, /) -> list[Json]: ...
    def distil(self, effect: str, report: Json, /) -> Json: ...
    def recorded(self, event: Json, /) -> Json: ...
    @property
    def lacks(self) -> str: ...


class Journal(Protocol):
    """Where events are written before they are used."""

    def append(self, event: Json, /) -> None: ...


@dataclass(slots=True)
class Past:
    """What happened before this process: the last `seq` and `at`, how many events were the run's `own`, the largest
    incarnation of each effect, the effects without a final event in the order in which they were asked for, and which
    of them were asked to stop."""

    seq: int = 0
    at: int = 0
    own: int = 0
    incarnations: dict[str, int] = field(default_factory=dict[str, int])
    under_way: dict[str, Json] = field(default_factory=dict[str, Json])
    stopped: set[str] = field(default_factory=set[str])


def replay(
    machine: Core,
    history: Sequence[Json],
    recall: Callable[[Json], None],
    saw: Callable[[Json, Sequence[Json]], None] | None = None,
) -> Past:
    """Feed `history`; `recall` gets each child that was started, once, in the order of the starts, `saw` each event
    with its effects.

    Raises FlowError JOURNAL_INVALID, with the event's line, when the machine cannot have had these events.
    """
    past = Past()
    for event in history:
        try:
            effects = machine.feed(event)
        except DriverError as error:
            problem = f"the flow cannot have had event {event['seq']}: {error}"
            raise FlowError(diagnostic("JOURNAL_INVALID", Where(line=event["seq"] + 1), problem=problem)) from error
        if saw is not None:
            saw(event, effects)
        _note_event(past, event, recall)
        for sent in effects:
            if sent["kind"] == "stop":
                past.stopped.add(sent["effect"])
            elif sent["kind"] in STARTS:
                past.under_way[sent["effect"]] = sent
    if state := machine.lacks:
        problem = f"content was not recorded, and the text of {state} is still to be read"
        raise FlowError(diagnostic("JOURNAL_INVALID", problem=problem))
    return past


def _note_event(past: Past, event: Json, recall: Callable[[Json], None]) -> None:
    past.seq, past.at = event["seq"], event["at"]
    effect, kind = event["effect"], event["kind"]
    if not effect:
        past.own += 1
        return
    if kind == "childStarted" and effect not in past.incarnations and effect in past.under_way:
        recall(past.under_way[effect])
    past.incarnations[effect] = max(event["incarnation"], past.incarnations.get(effect, 0))
    if kind in FINAL:
        past.under_way.pop(effect, None)
