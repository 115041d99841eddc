"""Units, roles and the one edge of the IR: the Handoff."""

from __future__ import annotations

from typing import Literal

from piflows.ir.limits import LIMITS
from piflows.ir.node import node
from piflows.ir.parts import Parts

Protocol = Literal["verdict", "loop", "route", "score"]
Pick = Literal["value", "unit", "ok", "failed", "all", "item"]


@node
class Ref:
    """A value of the run: the latest visit's unless the state publishes `all` visits.

    pick `value`: of a Stage the list of its records in item order, of a Gate its value, of an Action its result.
    `unit`: the record of the Stage's unit `unit`. `ok`: the records that succeeded. `failed`: the first that failed.
    `all`: the results of all visits of an Action. `item`: the element of the `Over` the consumer is made from.
    """

    state: str
    pick: Pick = "value"
    unit: str = ""


@node
class Handoff:
    """The edge: a value goes to a slot of one consumer.

    `form`: `text` crosses as marked, untrusted, capped text; `envelope` as a return envelope's JSON; `control` as a
    bare value; `report` goes to the parent, or into a Gate's value, as it is. `absent` says what a value that no
    visit has defined means: refuse, leave the slot out, or the text `instead`.
    """

    slot: str
    value: Ref
    form: Literal["text", "envelope", "control", "report"] = "text"
    absent: Literal["refuse", "omit", "text"] = "refuse"
    instead: str = ""
    cap: int = LIMITS.handoff_bytes
    policy: Literal["warn", "quarantine", "fail"] = "warn"


@node
class Role:
    """Who does a unit: an agent with everything that decides what its child run may do.

    `slot` is the human-readable topology slot it fills (`standards`, or the mode's own word, `generator`). `tools`
    None means pi's defaults. `model` is concrete or None; `tier` what was asked for when the model is not known yet.
    `cwd` is relative to the run's directory. `candidates` are the names that the route protocol may answer with.
    `contract` is the identity of the delegation contract that its returns are checked against, empty without one;
    `account` is what its spend counts for under that contract's budget, empty for the contract itself.
    """

    agent: str
    slot: str
    source: Literal["package", "user", "project"]
    prompt: str = ""
    tools: tuple[str, ...] | None = None
    model: str | None = None
    tier: str | None = None
    thinking: str | None = None
    cwd: Parts = ()
    protocol: Protocol | None = None
    candidates: tuple[str, ...] = ()
    contract: str = ""
    account: str = ""


@node
class Unit:
    """One run to come. `name` is its identity in the Plan, `label` the reference's unit key, `role` a role's name.

    `open_end`: its return goes to the parent, who may be given one that is not complete.
    """

    name: str
    role: str
    label: Parts
    prompt: Parts
    needs: tuple[str, ...] = ()
    reads: tuple[Handoff, ...] = ()
    open_end: bool = False
