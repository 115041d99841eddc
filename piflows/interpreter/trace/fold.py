"""The trace as a fold over the machine's events and effects: the same stream gives the same rows.

Seed: Trace export, Span topology, Coordination events. Pure: times are the events' own, ids come from effect ids.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from piflows.interpreter.trace import names
from piflows.interpreter.trace.child import Child, Contracts, asked, came_to
from piflows.interpreter.trace.rows import (
    Attributes,
    Head,
    Redactor,
    Row,
    Span,
    build,
    contract_facts,
    links,
    root_id,
    span_id,
    trace_id,
)
from piflows.ir.frozen import frozen
from piflows.ir.topology import longest

Json = dict[str, Any]


@frozen
class Setup:
    """What the events do not say. `base` is the time of `at` 0 in ms since the epoch; `trace` the trace id where no
    `context` gives one; `owed` the event kinds of the mode's own hand, None where nobody declares them."""

    mode: str
    trace: str
    invocation: str
    base: int
    label: str = ""
    context: Mapping[str, Any] | None = None
    owed: Sequence[str] | None = None
    why: str = ""
    record_content: bool = True
    strict: bool = False


@dataclass(slots=True)
class _Stage:
    """A stage on its way: its interval, and the ids of what was placed in it."""

    id: str
    start: int
    end: int
    members: list[str] = field(default_factory=list[str])


class Fold:
    """One call's trace. Each method gives the rows that are now to be written, in order."""

    def __init__(self, setup: Setup, redact: Redactor, contract: Contracts) -> None:
        trace = setup.trace if setup.context is None else trace_id(setup.context, setup.mode)
        root = span_id(setup.invocation, "#root") if setup.context is None else root_id(trace)
        self.head = Head(trace, root, setup.invocation, setup.mode, setup.label, setup.context, redact)
        self.attempted = 0  # rows given so far
        self.redacted = 0
        self._setup, self._contract = setup, contract
        self._start = self._now = 0
        self._live: dict[str, Child] = {}
        self._held: dict[str, tuple[Child, Json]] = {}
        self._known: set[str] = set()  # effects that were asked for
        self._children: dict[str, str] = {}  # unit key -> span id
        self._events: dict[str, str] = {}
        self._stages: dict[str, _Stage] = {}
        self._needs: dict[str, list[str]] = {}  # span id -> the ids that it depends on
        self._took: dict[str, int] = {}
        self._opaque: set[str] = set()  # events of which nobody said what they depend on
        self._topology = True  # whether every dependency is known
        self._failed = 0
        self._sums = {names.WORKER: 0, names.TOKENS_TOTAL: 0}
        self._cost: float | None = 0.0
        self._route: str | None = None
        self._count = {names.CHILD: 0, names.EVENT: 0}

    def opened(self, event: Json) -> None:
        """The call begins."""
        self._start = self._now = event["at"]

    def saw(self, event: Json, effects: Sequence[Json]) -> list[Row]:
        """An event, and what the machine answered to it."""
        self._now = max(self._now, event["at"])
        child = self._live.get(event.get("effect", ""))
        over = child if child is not None and child.saw(event) else None
        if event["kind"] == "inspected" and event["effect"] in self._held:
            over, event = self._held.pop(event["effect"])
        elif over is not None:
            del self._live[event["effect"]]
            if waits := next((each["effect"] for each in effects if each["kind"] == "inspect"), ""):
                self._held[waits] = over, event  # what it counts as is known when its files have been looked at
                over = None
        for effect in effects:
            if effect["kind"] == "spawn" and effect["effect"] not in self._known:
                self._known.add(effect["effect"])
                self._live[effect["effect"]] = child = Child(effect, self._now)
                self._children[child.key] = self._id(effect["effect"])
            elif effect["kind"] == "note" and effect["event"] == "facts":
                child = over if over is not None and over.sent["effect"] == effect["effect"] else None
                child = child or self._live.get(effect["effect"])
                if child is not None:
                    child.facts |= effect["attributes"]
        rows = [] if over is None else [self._child(over, event)]
        notes = (effect for effect in effects if effect["kind"] == "note" and effect["event"] != "facts")
        return [*rows, *map(self._note, notes)]

    def finished(self, at: int) -> list[Row]:
        """The run is over: children that never settled, then the stages. What comes last is `root`."""
        self._now = max(self._now, at)
        lost = {"kind": "childFailed", "at": self._now, "code": "CHILD_ABORTED", "stopReason": "aborted", "text": ""}
        rows = [self._child(child, event) for child, event in self._held.values()]
        rows += [self._child(child, lost) for child in self._live.values()]
        self._live, self._held = {}, {}
        return [*rows, *(self._stage(key, stage) for key, stage in self._stages.items())]

    def root(self, error: str | None, outcome: Attributes, failed: int) -> Row:
        """The root. `outcome` holds what only the machine knows (`flow.outcome_*`, `flow.preset`, …), `failed` counts
        the rows that could not be written."""
        expected = self.attempted + 1 + self._setup.strict
        path = self._path()
        own: Attributes = {
            names.CHILDREN: self._count[names.CHILD],
            names.FAILED_CHILDREN: self._failed,
            names.COST_TOTAL: self._cost,
            **self._sums,
            names.ELAPSED: self._now - self._start,
            names.PATH_KNOWN: path is not None,
            names.PATH: path,
            names.SUCCESS: error is None and not self._failed,
            names.ROOT_ROUTE: self._route,
            **outcome,
            names.EXPECTED: expected,
            names.OBSERVED: self.attempted + 1 - failed,
            names.DROPPED: failed,
            names.FAILED_EXPORTS: failed,
            names.STAGES: len(self._stages),
            names.HEALTH: "degraded" if failed else "recorded",
            names.OWED: None if self._setup.owed is None else ",".join(sorted(self._setup.owed)),
            names.PENDING: self._setup.strict or None,
        }
        if self._setup.strict and failed:  # degraded evidence may claim no outcome
            own |= {names.OUTCOME_VERIFIED: None, names.OUTCOME_SUCCESS: None}
        name, start, end = f"flow.{self.head.mode}", self._at(self._start), self._at(self._now)
        row = self._row(Span(self.head.root, None, names.ROOT, name, start, end, own, error or ""))
        row["attributes"][names.REDACTED] = self.redacted
        return row

    def certified(self, issue: str | None) -> Row:
        """What a strict run found when it read its rows back: the last row."""
        says: Attributes = {names.STRUCTURE_OK: True}
        if issue is not None:
            says = {names.STRUCTURE_REVOKED: True, names.STRUCTURE_ISSUE: issue}
        name = names.VERIFIED if issue is None else names.INVALID
        return self._note({"name": name, "event": "validation", "minted": True, "attributes": says})

    # ---- children ----------------------------------------------------------------------------------------------

    def _child(self, child: Child, event: Json) -> Row:
        sent, span = child.sent, self._id(child.sent["effect"])
        code = child.facts[names.ERROR_CODE] if names.ERROR_CODE in child.facts else event.get("code", "")
        took = None if child.began is None else event["at"] - child.began
        self._count[names.CHILD] += 1
        self._failed += bool(code)
        self._sums[names.WORKER] += took or 0
        self._sums[names.TOKENS_TOTAL] += sum(child.tokens)
        self._cost = None if self._cost is None or child.cost is None else self._cost + child.cost
        self._topology = self._topology and sent.get("dependsOn") is not None and took is not None
        self._took[span] = took or 0
        start = child.asked if child.began is None else child.began
        attributes = asked(sent, self._contract) | came_to(child, event, took) | child.facts
        attributes |= {
            names.UNIT_KEY: child.key,
            names.ERROR_CODE: code or None,
            names.REASON: self._setup.why or None,
            names.RECORDED: self._setup.record_content,
        }
        attributes |= self._links(span, sent.get("dependsOn") or ())
        name = f"flow.{self.head.mode}.{sent['agent']}"
        parent = self._place(sent.get("stage") or "", span, start, event["at"])
        end = self._at(event["at"])
        return self._row(Span(span, parent, names.CHILD, name, self._at(start), end, attributes, code))

    # ---- events, stages, links -----------------------------------------------------------------------------------

    def _note(self, note: Json) -> Row:
        self._count[names.EVENT] += 1
        span, key = self._id(f"#event:{self._count[names.EVENT]}"), note.get("key") or ""
        self._took[span] = 0
        attributes: Attributes = {
            **note["attributes"],
            names.EVENT_KIND: note["event"],
            names.EVENT_NAME: note["name"],
            names.MINTED: True if note.get("minted") else None,
            names.UNIT_KEY: key or None,
            **self._links(span, note.get("dependsOn") or ()),
        }
        if (identity := attributes.get(names.HANDOFF_CONTRACT)) is not None:
            terms = self._contract(identity)
            kept = None if terms is None else contract_facts(terms)[names.CONSTRAINTS]
            attributes |= {names.PRESERVED: kept, names.HANDOFF_RECORDED: self._setup.record_content}
        if names.ROUTE in attributes:
            self._route = attributes[names.ROUTE]
        if key:
            self._events.setdefault(key, span)
            if note.get("dependsOn") is None:
                self._opaque.add(span)
        parent = self._place(note.get("stage") or "", span, self._now, self._now)
        at, name = self._at(self._now), f"flow.{self.head.mode}.event.{note['name']}"
        return self._row(Span(span, parent, names.EVENT, name, at, at, attributes))

    def _place(self, key: str, span: str, start: int, end: int) -> str:
        """The parent of a row: its stage, made on first use and as wide as what it holds; else the root."""
        self._start = min(self._start, start)
        if not key:
            return self.head.root
        stage = self._stages.setdefault(key, _Stage(self._id(f"#stage:{key}"), start, end))
        stage.start, stage.end = min(stage.start, start), max(stage.end, end)
        stage.members.append(span)
        return stage.id

    def _stage(self, key: str, stage: _Stage) -> Row:
        attributes: Attributes = {names.STAGE_KEY: key, names.STAGE_SPANS: len(stage.members)}
        name, start, end = f"flow.{self.head.mode}.stage.{key}", self._at(stage.start), self._at(stage.end)
        return self._row(Span(stage.id, self.head.root, names.STAGE, name, start, end, attributes))

    def _links(self, span: str, wanted: Sequence[str]) -> Attributes:
        found = [self._find(key) for key in wanted]
        self._needs[span] = [each or "" for each in found]
        return links(wanted, self._find, self.head.redact)

    def _find(self, key: str) -> str | None:
        """The span of a key: a child's, else an event's, else a stage's."""
        stage = self._stages.get(key)
        return self._children.get(key) or self._events.get(key) or (None if stage is None else stage.id)

    def _path(self) -> int | None:
        """The critical path in ms; None when a dependency is not known, or there is nothing to go through."""
        if not (self._topology and self._count[names.CHILD]):
            return None
        if any(not need or need in self._opaque for wanted in self._needs.values() for need in wanted):
            return None
        inside = {stage.id: stage.members for stage in self._stages.values()}
        needs = {**self._needs, **dict.fromkeys(self._opaque, ()), **inside}
        ends = longest(needs, {**self._took, **dict.fromkeys(inside, 0)})
        return max(ends.values()) if len(ends) == len(needs) else None

    # ---- rows ----------------------------------------------------------------------------------------------------

    def _id(self, key: str) -> str:
        return span_id(self._setup.invocation, key)

    def _at(self, at: int) -> int:
        return self._setup.base + at

    def _row(self, span: Span) -> Row:
        if not self._setup.record_content:
            said = {name: value for name, value in span.attributes.items() if name not in names.PROSE}
            span = Span(span.id, span.parent, span.role, span.name, span.start, span.end, said, span.error)
        row, changed = build(self.head, span)
        self.attempted += 1
        self.redacted += changed
        return row
