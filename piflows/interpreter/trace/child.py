"""A child run on its way to its row: what its effect and its events say of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from piflows.interpreter.trace import names
from piflows.interpreter.trace.rows import Attributes, contract_facts, prompt_version

Json = dict[str, Any]
Contracts = Callable[[str], Mapping[str, Any] | None]


@dataclass(slots=True)
class Child:
    """`stamp` is that of its latest event, `facts` what notes said of it; `cost` is None once a turn told none."""

    sent: Json
    asked: int
    began: int | None = None
    stamp: tuple[int, int] = (0, 0)
    tokens: tuple[int, int] = (0, 0)
    cost: float | None = 0.0
    turns: int = 0
    facts: Attributes = field(default_factory=dict[str, Any])

    @property
    def key(self) -> str:
        """Its unit key."""
        return self.sent.get("unitKey") or self.sent["unit"]

    def saw(self, event: Json) -> bool:
        """Enter an event; whether the child is over with it. A repeat or a late one says nothing."""
        stamp = (event["incarnation"], event["n"])
        if stamp <= self.stamp:
            return False
        self.stamp = stamp
        if event["kind"] == "childStarted":
            self.began = event["at"]
        elif event["kind"] == "turnEnded":
            self._turn(event["usage"])
        return event["kind"] in ("childSettled", "childFailed")

    def _turn(self, used: Json) -> None:
        self.tokens = (self.tokens[0] + used["input"], self.tokens[1] + used["output"])
        self.cost = None if self.cost is None or used["costUsd"] is None else self.cost + used["costUsd"]
        self.turns += 1


def asked(sent: Json, contract: Contracts) -> Attributes:
    """What the effect that started a child says of it. `contract` gives the terms of an id."""
    tools, terms = sent.get("tools"), contract(sent["contract"]) if sent.get("contract") else None
    return {
        names.AGENT: sent["agent"],
        names.AGENT_SOURCE: sent.get("source"),
        names.AGENT_ROLE: sent.get("role"),
        names.STEP: sent.get("step"),
        names.THINKING: sent.get("thinking"),
        names.THINKING_VERIFIED: False if sent.get("thinking") and not sent.get("model") else None,
        names.PROMPT_VERSION: prompt_version(sent.get("system") or ""),
        names.TOOLS: "(pi builtin tools)" if tools is None else ",".join(tools) or "(none)",
        names.REVISION: sent.get("revision"),
        names.CONTRACT: sent.get("contract"),
        **({} if terms is None else contract_facts(terms)),
    }


def came_to(child: Child, event: Json, took: int | None) -> Attributes:
    """What its run came to, its last event being `event`."""
    return {
        names.COST: child.cost,
        names.TURNS: child.turns,
        names.DURATION: took,
        names.STOP_REASON: event.get("stopReason"),
        names.MODEL: event.get("model") or child.sent.get("model"),
        names.TOKENS_IN: child.tokens[0],
        names.TOKENS_OUT: child.tokens[1],
        names.TOKENS: sum(child.tokens),
        names.INPUT: child.sent.get("prompt"),
        names.OUTPUT: event.get("text"),
    }
