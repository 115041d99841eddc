"""Streams of events and effects as a machine would send them, for the trace's tests."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from piflows.interpreter.trace.fold import Fold, Setup
from piflows.interpreter.trace.rows import Row

Json = dict[str, Any]
Stream = list[tuple[Json, list[Json]]]
OPENED: Json = {"kind": "opened", "at": 5, "effect": "", "incarnation": 1, "n": 1}


class Hider:
    """A redactor that knows one secret."""

    def text(self, text: str, /) -> str:
        return text.replace("hunter2", "[REDACTED]")


def spawn(name: str, stage: str = "", needs: list[str] | None = None, **more: Any) -> Json:
    return {
        "kind": "spawn",
        "effect": f"s#1/{name}!1",
        "unit": name,
        "stage": stage,
        "step": 1,
        "agent": "recon",
        "role": "node",
        "source": "package",
        "system": "You look.",
        "prompt": "Look, hunter2.",
        "tools": ["read", "grep"],
        "model": None,
        "thinking": "low",
        "dependsOn": needs or [],
        **more,
    }


def note(name: str, kind: str = "validation", key: str = "", stage: str = "", **more: Any) -> Json:
    return {
        "kind": "note",
        "name": name,
        "event": kind,
        "minted": True,
        "key": key,
        "stage": stage,
        "attributes": {},
        **more,
    }


def event(kind: str, name: str, at: int, n: int, **more: Any) -> Json:
    return {"kind": kind, "at": at, "effect": f"s#1/{name}!1", "incarnation": 1, "n": n, **more}


def settled(name: str, at: int, n: int = 9, text: str = "found") -> Json:
    return event("childSettled", name, at, n, text=text, stopReason="stop", exit=0, model="m", stderr="")


def run(name: str, start: int, end: int, cost: float | None = 0.5) -> list[Json]:
    """The events of one child that ends well."""
    usage = {"input": 100, "output": 20, "costUsd": cost}
    return [
        event("childStarted", name, start, 1),
        event("turnEnded", name, end, 2, usage=usage),
        settled(name, end),
    ]


def folded(stream: Stream, error: str | None = None, outcome: Json | None = None, **setup: Any) -> list[Row]:
    """All rows of a stream, the root last."""
    said = {"mode": "graph", "trace": "t" * 32, "invocation": "inv-1", "base": 1_000, "why": "asked", **setup}
    fold = Fold(Setup(**said), Hider(), {"sha256:c": CONTRACT}.get)
    rows: list[Row] = []
    fold.opened(OPENED)
    last = OPENED["at"]
    for each, effects in stream:
        rows += fold.saw(each, effects)
        last = each["at"]
    rows += fold.finished(last)
    return [*rows, fold.root(error, outcome or {}, 0)]


CONTRACT: Json = {
    "objective": "Look",
    "constraints": ["No network."],
    "acceptanceChecks": ["It says where."],
    "authority": {"may": ["read, and look"], "mustNot": [], "requiresApproval": ["write"]},
    "sideEffectClass": "read-only",
    "returnSchema": {"type": "object"},
    "owner": "ann",
}

KEYS = st.one_of(
    st.sampled_from(["a", "b", "a.handoff", "build,linux", "100%", "hunter2", "%2C", "ünï", "\ud800", "k" * 9000]),
    st.text(min_size=1, max_size=6),
)


@st.composite
def streams(draw: st.DrawFn) -> Stream:
    """Any order of starts, turns, ends, repeats and notes, with any keys, stages and dependencies."""
    keys = draw(st.lists(KEYS, min_size=1, max_size=6))
    needs = st.lists(st.sampled_from([*keys, "nobody"]), max_size=5)
    stages = st.sampled_from(["", "wave-1", "wave-2", keys[0]])
    at, out, asked = 5, [], list[str]()
    for number in range(draw(st.integers(1, 14))):
        at += draw(st.integers(0, 50))
        effects: list[Json] = []
        if draw(st.booleans()):
            name = f"u{number}"
            asked.append(name)
            unit = draw(st.sampled_from(keys))
            effects.append(
                spawn(name, draw(stages), draw(needs), unit=unit, contract=draw(st.sampled_from([None, "sha256:c"])))
            )
        if draw(st.booleans()):
            links = draw(st.one_of(st.none(), needs))
            effects.append(note("x.y", "state", draw(st.sampled_from(["", *keys])), draw(stages), dependsOn=links))
        who = draw(st.sampled_from(asked or ["none"]))
        kind = draw(st.sampled_from(["childStarted", "turnEnded", "childSettled", "childFailed"]))
        usage = {"input": 3, "output": 4, "costUsd": draw(st.sampled_from([None, 0.25]))}
        facts = {"usage": usage, "text": "t", "stopReason": "stop", "code": "CHILD_TIMEOUT", "model": None}
        if kind == "childSettled":
            del facts["code"]
        out.append((event(kind, who, at, draw(st.integers(1, 9)), **facts), effects))
    return out


def chain() -> Stream:
    """Two scouts at once, 100 and 300 ms; their results cross a boundary to a planner of 50 ms, in the next wave."""
    opening = [spawn("a", "wave-1"), spawn("b", "wave-1")]
    crossed = [note("handoff.accepted", "handoff", f"{each}.handoff", "wave-1", dependsOn=[each]) for each in "ab"]
    plan = spawn("plan", "wave-2", ["a.handoff", "b.handoff"], contract="sha256:c")
    a, b, last = run("a", 10, 110), run("b", 10, 310), run("plan", 320, 370)
    answers = {id(b[-1]): [*crossed, plan]}
    return [(OPENED, opening), *((each, answers.get(id(each), [])) for each in (*a, *b, *last))]


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)
