"""The guard of handoffs: what crosses from one role to another is cleaned, scanned, remembered, and let through or not.

A scan is a warning, no proof: it knows six kinds of phrasing. Seed: Handoff injection policy.

Caught: a marker in one text, also with invisible characters inside its words; a marker of which this text holds the
end and the texts before it hold the start, over any number of short fragments, also with harmless words between them as
far as the marker allows a distance. Not caught: a word split over two texts (`ign` + `ore`), as texts are joined by a
space; a start more than eight texts ago; other wording, languages, alphabets; encoded text.

Only a marker that this text completes counts: one that lies wholly in the past was counted when it was completed, and
must not be held against every text after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from piflows.ir.limits import LIMITS
from piflows.ir.visible import visible

Json = dict[str, Any]

POLICIES = ("warn", "quarantine", "fail")
REMEMBERED = 8
REACH = 192  # characters; no marker but an HTML comment is longer

_HIDDEN = "\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff"
# What a reader does not see either, and honest texts hold: soft hyphens, joiners, selectors, fillers, tags. It stays in
# a text, but no marker is hidden by it.
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\ufff9-\ufffb"
    "\U000e0000-\U000e0fff]"
)
_INVISIBLE = re.compile(f"[{_HIDDEN}]")
_STRIPPED = re.compile(f"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f{_HIDDEN}]")
_ANY = re.ASCII | re.IGNORECASE
_OVERRIDE = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b[^.\n]{0,40}(?:previous|prior|earlier|above|all)"
    r"[^.\n]{0,20}(?:instructions?|prompts?|rules?|context)\b",
    _ANY,
)
_ROLE = re.compile(
    r"\byou\s{1,32}are\s{1,32}now\b|\bnew\s{1,32}(?:system\s{1,32})?(?:prompt|instructions?|role)\b", _ANY
)
_SYSTEM = re.compile(r"\b(?:system|developer)\s{0,32}(?:prompt|message)\s{0,32}[:=]", _ANY)
_SECRET = re.compile(
    r"\b(?:reveal|print|repeat|exfiltrate|leak|send)\b[^.\n]{0,30}"
    r"(?:system\s{1,32}prompt|secret|credential|api[_-]?key|token|password|env)\b",
    _ANY,
)
_IN_COMMENT = re.compile("instruction|ignore|system|prompt", _ANY)

INVISIBLE = "invisible/bidi characters"
OVERRIDE = "instruction-override phrasing"
ROLE = "role/system reassignment"
SYSTEM = "system-prompt assertion"
EXFILTRATION = "secret-exfiltration request"
COMMENT = "hidden HTML-comment instruction"
LABELS = (INVISIBLE, OVERRIDE, ROLE, SYSTEM, EXFILTRATION, COMMENT)
_PHRASES = {OVERRIDE: _OVERRIDE, ROLE: _ROLE, SYSTEM: _SYSTEM, EXFILTRATION: _SECRET}


def strip(text: str) -> str:
    """`text` without control characters (tab, LF and CR stay), zero-width and direction characters."""
    return _STRIPPED.sub("", text)


def labels(text: str) -> tuple[str, ...]:
    """The kinds of marker that stand in `text`, in the order of LABELS."""
    found = [label for label in _hinted(text) if _PHRASES[label].search(text)]
    if not text.isascii() and _INVISIBLE.search(text):
        found.insert(0, INVISIBLE)
    if "<!--" in text and any(_IN_COMMENT.search(text, start, end) for start, end in _comments(text)):
        found.append(COMMENT)
    return tuple(found)


def stricter(one: str, other: str) -> str:
    """The stricter of two policies: warn, then quarantine, then fail."""
    return max(one, other, key=POLICIES.index)


def fresh() -> Json:
    """The plain JSON of a guard that has seen nothing; `violation` holds the labels of the first under `fail`."""
    return {"history": [], "tail": "", "violation": None}


def prepare(state: Json, text: str, policy: str) -> Json:
    """What crosses of `text` under a policy: {text, labels, action, compositional, rawBytes, carriedBytes}.

    `text` is capped and redacted already; it joins the history, flagged or not. `action` is allow, warn, quarantine or
    fail.
    """
    clean = strip(text)
    seen_as = clean if clean.isascii() else _UNSEEN.sub("", clean)
    direct = labels(seen_as)
    if clean != text:
        seen = {*direct, *labels(text)}
        direct = tuple(label for label in LABELS if label in seen)
    joint = _completed(state, seen_as, direct)
    _remember(state, seen_as, direct)
    found = [*direct, *(f"compositional {label}" for label in joint)]
    action = policy if found else "allow"
    if action == "fail" and state["violation"] is None:
        state["violation"] = found
    carried = _carried(clean, found, action)
    return {
        "text": carried,
        "labels": found,
        "action": action,
        "compositional": bool(joint),
        "rawBytes": _bytes(text),
        "carriedBytes": _bytes(carried),
    }


def held_to(found: Json, policy: str) -> Json:
    """What `prepare` made of a text with labels, for a reader whose policy is stricter."""
    carried = _carried("", found["labels"], policy)
    return {**found, "text": carried, "action": policy, "carriedBytes": _bytes(carried)}


def kept_back(text: str) -> Json:
    """What `prepare` says of a text of which nothing crosses: it is neither scanned nor remembered."""
    said: Json = {"labels": [], "action": "allow", "compositional": False}
    return {"text": "", **said, "rawBytes": _bytes(text), "carriedBytes": 0}


def notice(flagged: Mapping[str, Sequence[str]]) -> str:
    """The lines that go with texts that crossed flagged: one for each slot of `flagged`, its name to its labels."""
    return "\n".join(f"> ⚠ Slot {visible(slot)}: {_flagged(found)}" for slot, found in flagged.items() if found)


def warning(found: Sequence[str]) -> str:
    """The line of a flow's text that names the labels of what crossed."""
    return f"> ⚠ {_flagged(found)}" if found else ""


def _flagged(found: Sequence[str]) -> str:
    names = ", ".join(dict.fromkeys(found))
    return f"Handoff injection check flagged: {names}. Inter-agent content was treated as untrusted data."


def _carried(clean: str, found: Sequence[str], action: str) -> str:
    if action == "quarantine":
        return f"[Handoff quarantined by policy: {', '.join(found)}.]"
    return "" if action == "fail" else clean


def _hinted(text: str) -> list[str]:
    """The phrases that may stand in `text`, by substring searches: all that most texts cost."""
    low = text.lower()
    found: list[str] = []
    if "ignore" in low or "disregard" in low or "forget" in low or "override" in low:
        found.append(OVERRIDE)
    if ("now" in low and "you" in low) or ("new" in low and ("prompt" in low or "instr" in low or "role" in low)):
        found.append(ROLE)
    if ("prompt" in low or "message" in low) and ("system" in low or "developer" in low):
        found.append(SYSTEM)
    if "print" in low or "send" in low or "reveal" in low or "leak" in low or "repeat" in low or "exfil" in low:
        found.append(EXFILTRATION)
    return found


def _comments(text: str) -> Iterator[tuple[int, int]]:
    """Where each closed HTML comment begins and ends."""
    start = text.find("<!--")
    while start >= 0 and (end := text.find("-->", start + 4)) >= 0:
        yield start + 4, end
        start = text.find("<!--", end + 3)


def _remember(state: Json, clean: str, direct: Sequence[str]) -> None:
    history = cast("list[Json]", state["history"])
    history.append({"text": _head(clean), "chars": len(clean), "labels": list(direct)})
    if len(history) > REMEMBERED:
        del history[0]
    whole = sum([each["chars"] for each in history]) + len(history)
    state["tail"] = f"{state['tail']}{clean[-REACH:]} "[-min(whole, REACH) :]


def _completed(state: Json, clean: str, direct: Sequence[str]) -> list[str]:
    """The labels of markers that begin in the history and end in `clean`, unless a text they touch has them alone."""
    history, tail = cast("list[Json]", state["history"]), cast(str, state["tail"])
    joined = tail + clean[:REACH]
    found = [
        label
        for label in _hinted(joined)
        if label not in direct and any(_owed(history, back, label) for back in _across(label, joined, len(tail)))
    ]
    if "-->" in clean and COMMENT not in direct and _comment_across(history, clean):
        found.append(COMMENT)
    return found


def _across(label: str, joined: str, border: int) -> Iterator[int]:
    """How far before the border a phrase begins that ends after it."""
    match = _PHRASES[label].search(joined)
    while match and match.start() < border:
        if match.end() > border:
            yield border - match.start()
        match = _PHRASES[label].search(joined, match.start() + 1)


def _owed(history: Sequence[Json], back: int, label: str) -> bool:
    """Whether none of the texts in the last `back` characters of the history was flagged for the phrase already."""
    for each in reversed(history):
        if label in each["labels"]:
            return False
        back -= each["chars"] + 1
        if back <= 0:
            break
    return True


def _comment_across(history: Sequence[Json], clean: str) -> bool:
    """Whether `clean` closes a comment that the history opened and that holds an instruction."""
    past = " ".join([each["text"] for each in history])
    opened = past.find("<!--", past.rfind("-->") + 1)
    inside = f"{past[opened + 4 :]} {clean[: clean.index('-->')]}"
    return opened >= 0 and _IN_COMMENT.search(inside) is not None


def _head(text: str) -> str:
    """The first LIMITS.fragment_bytes of a text, in whole characters."""
    if len(text) * 4 <= LIMITS.fragment_bytes:
        return text
    return text[: LIMITS.fragment_bytes].encode("utf-8", "replace")[: LIMITS.fragment_bytes].decode("utf-8", "ignore")


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
