"""Flow and its four kinds of state. Everything before the IR knows nothing about running, everything after it
knows nothing about modes or presets."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Any, Literal

from pydantic import Field

from piflows.ir.actions import Doing
from piflows.ir.gates import Condition
from piflows.ir.node import node
from piflows.ir.parts import Parts
from piflows.ir.plan import Work
from piflows.ir.unit import Handoff, Role

IR_VERSION = 1


@node
class Stage:
    """Runs a Plan, or one unit over each item of a list.

    schedule: `wave` has a barrier between the levels of `needs`, `ready` starts each unit once its needs are done,
    `first` runs only the first unit. failure: `stop` starts nothing new after a failure (under `wave` its wave is
    finished first); `drain` runs whatever can still start.
    exits: `then`; `failed` (stop); `stuck` (drain: what is left can never start); `refused` (optional).
    """

    name: str
    label: Parts
    work: Work
    exits: dict[str, str]
    schedule: Literal["wave", "ready", "first"] = "wave"
    failure: Literal["stop", "drain"] = "stop"
    kind: Literal["stage"] = "stage"


Kind = Literal["artifact", "state", "retry", "approval", "budget", "validation", "handoff"]


@node
class Mark:
    """A coordination event of the trace that an outcome records. `minted`: by the run itself, not by the mode."""

    name: str
    event: Kind
    minted: bool = False


@node
class Gate:
    """One pure decision. exits: one per outcome of its condition. `marks` are what an outcome leaves in the trace.

    `says` turns the value of an outcome into a text of its own: parts over `reads`, in which the slot `value` is the
    condition's native value. Such a value is `{"text": …}`.
    """

    name: str
    test: Condition
    exits: dict[str, str]
    says: dict[str, Parts] = field(default_factory=dict[str, Parts])
    reads: tuple[Handoff, ...] = ()
    marks: dict[str, Mark] = field(default_factory=dict[str, Mark])
    kind: Literal["gate"] = "gate"


@node
class Action:
    """Exactly one effect that is not a child; decides nothing. exits: `then`, `refused` (optional)."""

    name: str
    do: Doing
    exits: dict[str, str]
    reads: tuple[Handoff, ...] = ()
    kind: Literal["action"] = "action"


@node
class Settle:
    """Proposes the outcome and its report; the epilogue, when the Flow has one, may replace it.

    outcome: `success`, `stopped` (did not reach what was asked for, without an error code), `refused` (with `code`
    and its `facts`), or `keep` (only in the epilogue: what was proposed stands). `data` joins the details object,
    `mark` is what reaching it leaves in the trace; `assessed` what an independent verifier said of the outcome, None
    when none did.
    """

    name: str
    outcome: Literal["success", "stopped", "refused", "keep"]
    code: str | None = None
    facts: dict[str, Parts] = field(default_factory=dict[str, Parts])
    header: Parts = ()
    body: Parts = ()
    reads: tuple[Handoff, ...] = ()
    data: dict[str, Any] = field(default_factory=dict[str, Any])
    mark: Mark | None = None
    assessed: bool | None = None
    exits: dict[str, str] = field(default_factory=dict[str, str])
    kind: Literal["settle"] = "settle"


State = Annotated[Stage | Gate | Action | Settle, Field(discriminator="kind")]


Limited = Literal["maxCostUsd", "maxTokens", "maxGeneratedTokens"]


@node
class Ceiling:
    """A configured ceiling: `limit` of `what`, under the authority of the flow or of one contract."""

    authority: str
    what: Limited
    limit: float


@node
class Flow:
    """A whole flow. `states` stand in topological order (the `again` exits apart); `about` describes the call
    (preset, why, agentScope …) and decides nothing. `epilogue` names the state every Settle goes on to, or is empty.
    `contracts` are the delegation contracts as they were given, by identity; `incomplete` says whether a partial or
    blocked return may be used. `record_content` and `redact_secrets` are the capture policy. `records` are the kinds
    of event that the mode's own gates leave in a trace.
    """

    mode: str
    entry: str
    states: tuple[State, ...]
    roles: dict[str, Role] = field(default_factory=dict[str, Role])
    concurrency: int = 4
    timeout_ms: int = 36_000_000
    ceilings: tuple[Ceiling, ...] = ()
    allow_shared_write: bool = False
    contracts: dict[str, Any] = field(default_factory=dict[str, Any])
    incomplete: Literal["fail", "include"] = "fail"
    record_content: bool = True
    redact_secrets: bool = True
    records: tuple[str, ...] = ()
    epilogue: str = ""
    about: dict[str, Any] = field(default_factory=dict[str, Any])
    version: int = IR_VERSION
