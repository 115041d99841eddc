"""The journal: a header line, then the run's events, one JSON line each, in the order in which they were fed.

Pure: texts in, texts out; `hands/journal_file.py` holds the file. A whole journal is a bug report, and resuming is
feeding its events to a fresh machine.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from piflows.grammar.envelope import STATUSES
from piflows.ir.diagnostic import FlowError, diagnostic
from piflows.ir.limits import LIMITS
from piflows.ir.source import Where

Event = dict[str, Any]

VERSION = 1


def _usage(usage: dict[str, Any]) -> bool:
    cost = usage.get("costUsd", "absent")
    return all(
        type(count) is int and 0 <= count <= LIMITS.amount for count in (usage.get("input"), usage.get("output"))
    ) and (cost is None or (type(cost) in (int, float) and 0 <= cost <= LIMITS.amount))


TEXT, WHOLE, FLAG, FACTS, NONE = str, int, bool, dict, type(None)
FIELDS: dict[str, dict[str, tuple[type, ...]]] = {  # the exact types of each: true is no number
    "opened": {"run": (TEXT,), "invocation": (TEXT,), "flow": (TEXT,), "ir": (WHOLE,), "cwd": (TEXT,)},
    "childStarted": {},
    "turnEnded": {"usage": (FACTS,)},
    "noticeSeen": {},
    "childSettled": {
        "text": (TEXT,),
        "exit": (WHOLE,),
        "stopReason": (TEXT,),
        "model": (TEXT, NONE),
        "stderr": (TEXT,),
    },
    "childFailed": {
        "code": (TEXT,),
        "facts": (FACTS,),
        "text": (TEXT,),
        "exit": (WHOLE,),
        "stopReason": (TEXT,),
        "stderr": (TEXT,),
    },
    "commandExited": {
        "exit": (WHOLE, NONE),
        "text": (TEXT,),
        "timedOut": (FLAG,),
        "started": (FLAG,),
        "reason": (TEXT,),
    },
    "timePassed": {},
    "inspected": {"files": (FACTS,)},
    "cancelled": {},
}
STAMP: dict[str, tuple[type, ...]] = {
    "seq": (WHOLE,),
    "at": (WHOLE,),
    "effect": (TEXT,),
    "incarnation": (WHOLE,),
    "n": (WHOLE,),
}


OPTIONAL: dict[str, dict[str, tuple[type, ...]]] = {  # what `distil` adds, or who has no need of it leaves out
    "opened": {"home": (TEXT,), "traced": (FLAG,), "epoch": (WHOLE,), "traceFile": (TEXT,), "strict": (FLAG,)},
    "commandExited": {"matched": (FACTS,), "withheld": (FLAG,)},
    "childSettled": {"returned": (FACTS,), "withheld": (FLAG,)},
    "childFailed": {"returned": (FACTS,), "withheld": (FLAG,)},
}


RETURNED: dict[str, tuple[type, ...]] = {
    "refused": (list, NONE),
    "paths": (list,),
    "digests": (list,),
    "misfit": (list, NONE),
    "envelope": (FACTS, NONE),
}


def flaw(report: Mapping[str, Any]) -> str:
    """What is wrong with the payload of a report or an event; empty when nothing is."""
    kind = report.get("kind")
    fields = FIELDS.get(kind) if isinstance(kind, str) else None
    if fields is None:
        return f"`{kind}` is no kind of event"
    for name, types in fields.items():
        if name not in report or type(report[name]) not in types:
            return f"`{name}` of {kind} is missing or malformed"
    if kind == "turnEnded" and not _usage(report["usage"]):
        return "`usage` of turnEnded is missing or malformed"
    if (kind == "inspected" or len(report) > len(fields) + 1) and (extra := _extra(report)):
        return f"`{extra}` of {kind} is malformed"
    if kind == "childFailed":
        return _unsayable(report["code"], report["facts"])
    return ""


def _extra(report: Mapping[str, Any]) -> str:
    """The first of the fields that may be there which is malformed."""
    for name, types in OPTIONAL.get(report["kind"], {}).items():
        if name in report and type(report[name]) not in types:
            return name
    if report["kind"] == "inspected":
        return "" if all(type(found) is dict for found in report["files"].values()) else "files"
    returned = report.get("returned")
    return "" if returned is None or _proper(returned) else "returned"


def _proper(returned: Mapping[str, Any]) -> bool:
    """Whether a return is as `distil` writes one: refused or with an envelope, everything of its type."""
    if any(type(returned.get(name)) not in types for name, types in RETURNED.items()):
        return False
    if any(returned[name] is not None and not _refusal(returned[name]) for name in ("refused", "misfit")):
        return False
    texts = all(type(path) is str for path in returned["paths"])
    digests = all(
        type(each) is dict and all(type(each.get(name)) is str for name in ("artifact", "value"))
        for each in returned["digests"]
    )
    return texts and digests and (returned["refused"] is not None or _envelope(returned["envelope"]))


def _refusal(pair: list[Any]) -> bool:
    """Whether it is a code and its facts; the role is told later."""
    if len(pair) != 2 or type(pair[0]) is not str or type(pair[1]) is not dict:
        return False
    return not _unsayable(pair[0], {"role": "", **pair[1]})


def _envelope(found: Mapping[str, Any] | None) -> bool:
    """Whether an envelope has what decides: its data may be withheld, and was checked when it was written."""
    if found is None or found.get("status") not in STATUSES:
        return False
    kinds = {"contractId": str, "summary": str, "unresolvedQuestions": list, "retry": dict}
    proper = all(type(found.get(name)) is kind for name, kind in kinds.items())
    return proper and type(found["retry"].get("retryable")) is bool


def header(flow: str, ir: int) -> str:
    """The first line: the journal's own version, the digest of the flow, the version of the IR."""
    return json.dumps({"piflows-journal": VERSION, "flow": flow, "ir": ir}, separators=(",", ":")) + "\n"


def line(event: Event) -> str:
    """An event's line. ASCII alone, so that a torn line is torn between characters."""
    return json.dumps(event, separators=(",", ":")) + "\n"


def parse(data: bytes, flow: str, ir: int, file: str = "") -> tuple[list[Event], int]:
    """The events of a journal of this flow, and the length in bytes of its whole lines.

    A last line without its end is what a crash left: it is dropped. Raises FlowError JOURNAL_INVALID with the line for
    another flow, another IR version, a malformed line, a gap in `seq`, or a file that is no journal.
    """
    first = header(flow, ir).encode()
    end = data.rfind(b"\n") + 1
    if not end:
        if not first.startswith(data):
            raise _invalid("it is no journal of piflows", file, 1)
        return [], 0
    lines = data[:end].split(b"\n")
    _check_header(lines[0], flow, ir, file)
    events: list[Event] = []
    for number, text in enumerate(lines[1:-1], 2):
        event = _event(text, file, number)
        _check_order(event, events, flow, file, number)
        events.append(event)
    return events, end


def _check_header(text: bytes, flow: str, ir: int, file: str) -> None:
    try:
        head = _object(text)
    except ValueError:
        head = {}
    if "piflows-journal" not in head:
        raise _invalid("it is no journal of piflows", file, 1)
    if head["piflows-journal"] != VERSION:
        raise _invalid(f"its version is {head['piflows-journal']}, this program reads version {VERSION}", file, 1)
    if head.get("ir") != ir:
        raise _invalid(f"it was written for version {head.get('ir')} of the flow's form, this is version {ir}", file, 1)
    if head.get("flow") != flow:
        raise _invalid(f"it belongs to another flow, {head.get('flow')}; this one is {flow}", file, 1)


def _event(text: bytes, file: str, number: int) -> Event:
    try:
        event = _object(text)
    except ValueError as error:
        raise _invalid(f"line {number} is no JSON object: {error}", file, number) from None
    for name, types in STAMP.items():
        if type(event.get(name)) not in types:
            raise _invalid(f"`{name}` in line {number} is missing or malformed", file, number)
    if found := flaw(event):
        raise _invalid(f"line {number}: {found}", file, number)
    return event


def _check_order(event: Event, before: list[Event], flow: str, file: str, number: int) -> None:
    if event["seq"] != len(before) + 1:
        raise _invalid(f"line {number} has number {event['seq']} where {len(before) + 1} is due", file, number)
    if (event["kind"] == "opened") != (not before):
        raise _invalid(f"line {number}: `opened` is the first event and no other", file, number)
    if before and event["at"] < before[-1]["at"]:
        raise _invalid(f"time runs backwards in line {number}", file, number)
    if event["kind"] == "opened" and event["flow"] != flow:
        raise _invalid(f"the run in line {number} was opened for another flow", file, number)


def _object(text: bytes) -> dict[str, Any]:
    """A line as a JSON object. Raises ValueError with the reason."""
    try:
        value = json.loads(text, parse_constant=_no_number)
    except RecursionError:
        raise ValueError("too deeply nested") from None
    if not isinstance(value, dict):
        raise ValueError("not an object")
    return cast("dict[str, Any]", value)


def _no_number(word: str) -> None:
    raise ValueError(f"{word} is no number")


def _unsayable(code: str, facts: dict[str, Any]) -> str:
    """What keeps a code and its facts from making the catalogue's sentences; empty when nothing does."""
    try:
        diagnostic(code, **facts)
    except KeyError as missing:
        return f"the code or fact {missing} of childFailed is unknown or missing"
    return ""


def _invalid(problem: str, file: str, number: int | None) -> FlowError:
    return FlowError(diagnostic("JOURNAL_INVALID", Where(file, line=number), problem=problem))
