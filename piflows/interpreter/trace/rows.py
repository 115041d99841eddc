"""The form of a row: ids, escaping, caps, attributes. Nothing else knows how a span is written.

Seed: Trace export, Span topology. A row has `trace_id`, `span_id`, `parent_span_id` (null on the root alone), `name`,
`start_time_unix_ms`, `end_time_unix_ms`, `status` and `attributes`, in this order. Texts are redacted, then cut.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any, Protocol

from piflows.interpreter.trace import names
from piflows.ir.digest import canonical
from piflows.ir.frozen import frozen
from piflows.ir.limits import LIMITS

Row = dict[str, Any]
Attributes = dict[str, Any]

SCHEMA = "pi-flows.runtime-trace.v1"
ID_BYTES = 256  # of a stored identifier of the trace context
TEXT_BYTES = 1024  # of any other text
LIST_BYTES = 8192  # of a key or a list of keys or ids
ID_CHARS = 32
IDS_MOST = (LIST_BYTES + 1) // (ID_CHARS + 1)  # so many ids fit into one list


class Redactor(Protocol):
    """What takes secrets out of a text."""

    def text(self, text: str, /) -> str: ...


@frozen
class Head:
    """What every row of one call says. `context` is what `traceContext` gave."""

    trace: str
    root: str
    invocation: str
    mode: str
    label: str
    context: Mapping[str, Any] | None
    redact: Redactor


@frozen
class Span:
    """One span before it is a row. Times are ms since the epoch; `error` is a code, empty for OK."""

    id: str
    parent: str | None
    role: str
    name: str
    start: int
    end: int
    attributes: Attributes
    error: str = ""


def trace_id(context: Mapping[str, Any], mode: str) -> str:
    """The trace id that a `traceContext` and a mode always give: 32 hex characters."""
    named = {name: _number(context.get(name)) for name in names.CONTEXT}
    return hashed(
        json.dumps({"schemaVersion": SCHEMA, **named, "mode": mode}, ensure_ascii=False, separators=(",", ":"))
    )


def root_id(trace: str) -> str:
    """The root's span id where there is a trace context."""
    return hashed(f"{trace}:root")


def span_id(invocation: str, key: str) -> str:
    """The id of a span of one call: `key` is an effect's id or another name that no other span of the call has."""
    return hashed(f"{invocation}:{key}")


def hashed(text: str) -> str:
    """The first 32 hex characters of SHA-256. A lone surrogate counts as its JSON escape."""
    return sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:ID_CHARS]


def escape(key: str) -> str:
    """A key as it stands in a list: `%` and `,` are percent-escaped."""
    return key.replace("%", "%25").replace(",", "%2C")


def unescape(key: str) -> str:
    """The key that `escape` was given."""
    return key.replace("%2C", ",").replace("%25", "%")


def cut(text: str, cap: int) -> str:
    """The beginning of `text` of at most `cap` UTF-8 bytes."""
    if len(text) * 4 <= cap or len(data := text.encode("utf-8", "surrogatepass")) <= cap:
        return text
    return data[:cap].decode("utf-8", "ignore")


def line(row: Row) -> bytes:
    """A row as its line of the file. ASCII alone, so that a torn line is torn between characters."""
    return (json.dumps(row, separators=(",", ":"), allow_nan=False) + "\n").encode()


def build(head: Head, span: Span) -> tuple[Row, bool]:
    """The row of a span, and whether redaction changed anything in it."""
    changed = False

    def safe(text: str) -> str:
        nonlocal changed
        redacted = head.redact.text(text)
        changed = changed or redacted != text
        return redacted

    common = {
        names.SPAN_KIND: "AGENT" if span.role == names.CHILD else "CHAIN",
        names.ROLE: span.role,
        names.MODE: head.mode,
        names.LABEL: cut(safe(head.label), LIMITS.id_bytes) or None,
        names.INVOCATION: head.invocation,
    }
    for name, attribute in names.CONTEXT.items():
        value = (head.context or {}).get(name)
        common[attribute] = cut(safe(value), ID_BYTES) if isinstance(value, str) else _number(value)
    own = dict(span.attributes)
    for name, value in own.items():
        if isinstance(value, str) and name not in names.PLACEMENT:
            key = name in (names.UNIT_KEY, names.STAGE_KEY)
            own[name] = cut(escape(safe(value)), LIST_BYTES) if key else cut(safe(value), TEXT_BYTES)
    row: Row = {
        "trace_id": head.trace,
        "span_id": span.id,
        "parent_span_id": span.parent,
        "name": cut(safe(span.name), TEXT_BYTES),
        "start_time_unix_ms": span.start,
        "end_time_unix_ms": span.end,
        "status": {"code": "ERROR", "message": span.error} if span.error else {"code": "OK"},
        "attributes": {name: value for name, value in (common | own).items() if value is not None},
    }
    return row, changed


def links(wanted: Sequence[str], find: Callable[[str], str | None], redact: Redactor) -> Attributes:
    """The attributes of declared dependencies. `find` gives the span id of a key, None when nothing has it.

    A list that is too long is cut after a whole entry: the truncation flags are set where one is, and
    `flow.depends_on_count` counts all keys, so a reader still knows how many there were.
    """
    if not wanted:
        return {}
    found = [(escape(redact.text(key)), find(key)) for key in wanted]
    keys = [key for key, _ in found]
    ids = [span for _, span in found if span is not None][:IDS_MOST]
    lost = [key for key, span in found if span is None]
    shown, unresolved = _fitting(keys), _fitting(lost)
    out: Attributes = {
        names.DEPENDS_ON: ",".join(shown),
        names.DEPENDS_COUNT: len(keys),
        names.DEPENDS_IDS: ",".join(ids) or None,
        names.DEPENDS_CUT: len(shown) < len(keys) or None,
        names.UNRESOLVED: ",".join(unresolved) or None,
        names.UNRESOLVED_CUT: len(unresolved) < len(lost) or None,
    }
    return {name: value for name, value in out.items() if value is not None}


def _fitting(entries: Sequence[str]) -> list[str]:
    """As many entries as fit into a list. A first one that is too long by itself is cut: no list is empty for it."""
    room, taken = LIST_BYTES + 1, 0
    for entry in entries:
        room -= len(entry.encode("utf-8", "surrogatepass")) + 1
        if room < 0:
            break
        taken += 1
    return [*entries[:taken]] or [cut(entry, LIST_BYTES) for entry in entries[:1]]


def contract_facts(contract: Mapping[str, Any]) -> Attributes:
    """What a child's row says of the contract that it ran under: digests and counts, then the prose."""
    authority: Mapping[str, Any] = contract.get("authority") or {}
    out: Attributes = {
        names.EFFECT_CLASS: contract.get("sideEffectClass"),
        names.SCHEMA_DIGEST: f"sha256:{_sha(canonical(contract.get('returnSchema')))}",
        names.CONSTRAINTS: ",".join(constraint_ids(contract)),
    }
    out |= {f"{name}_count": len(authority.get(part, ())) for part, name in names.AUTHORITY.items()}
    out[names.OWNER] = contract.get("owner")
    return out | {name: ",".join(map(escape, authority.get(part, ()))) for part, name in names.AUTHORITY.items()}


def constraint_ids(contract: Mapping[str, Any]) -> list[str]:
    """`constraint.1:<12 hex>`, then `acceptance.1:<12 hex>`, …: the same text has the same digest at every hop."""
    lists: Iterable[tuple[str, Sequence[str]]] = (
        ("constraint", contract.get("constraints", ())),
        ("acceptance", contract.get("acceptanceChecks", ())),
    )
    return [f"{name}.{at}:{_sha(text)[:12]}" for name, texts in lists for at, text in enumerate(texts, 1)]


def prompt_version(system: str) -> str:
    """What tells one system prompt from another."""
    return f"sha256:{_sha(system)[:12]}" if system else "(empty)"


def _sha(text: str) -> str:
    return sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


def _number(value: Any) -> Any:
    """A whole float as an int: 1.0 in a call is 1."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
