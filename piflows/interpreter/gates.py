"""What each gate condition of `ir/gates.py` means: one pure function each, by a table.

A function takes the condition and the run's record, and gives the outcome and the Gate's native value
(ABSENT when the outcome defines none).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, assert_never

from piflows.grammar.vocabulary import FALLBACK
from piflows.interpreter.crossing import withheld
from piflows.interpreter.fill import ABSENT
from piflows.interpreter.record import Json, count
from piflows.ir.gates import AllPass, AtLeast, Beam, Choice, Condition, ExitZero, Round, Said, Trigger
from piflows.ir.unit import Protocol

Decision = tuple[str, Any]


def all_pass(test: AllPass, record: Json) -> Decision:
    """An unparseable verdict is the fallback, REVISE, and no verdict at all is no PASS: it fails closed."""
    verdicts = record["values"][test.of]
    revise = [each for each in verdicts if _control(record, each, "verdict") != "pass"]
    return ("pass", ABSENT) if verdicts and not revise else ("revise", revise)


def said(test: Said, record: Json) -> Decision:
    return str(_control(record, record["values"][test.of][0], "loop")), ABSENT


def choice(test: Choice, record: Json) -> Decision:
    """A candidate that the unit's role did not offer cannot be named: it was read under the same list. An answer that
    was quarantined names nobody."""
    answer = record["values"][test.of][0]
    name = _control(record, answer, "route")
    return (name, {"text": name}) if name in test.candidates else ("none", ABSENT)


def at_least(test: AtLeast, record: Json) -> Decision:
    return ("enough" if count(record, test.of, "ok") >= test.n else "short"), ABSENT


def beam(test: Beam, record: Json) -> Decision:
    """Stable: of equal scores the earlier candidate stands first. A failed or unscored candidate counts 0."""
    ran = [each for each in record["values"][test.of] if "item" in each]
    scored = [{**each["item"], "score": _control(record, each, "score")} for each in ran]
    return "kept", sorted(scored, key=lambda candidate: -candidate["score"])[: test.width]


def exit_zero(test: ExitZero, record: Json) -> Decision:
    result = record["values"][test.of]
    if not result["started"]:
        return "unstartable", result
    return ("pass", ABSENT) if result["exit"] == 0 else ("fail", result)


def trigger(test: Trigger, record: Json) -> Decision:
    """A probe that timed out satisfies neither success nor failure; a match that took too long is none."""
    result = record["values"][test.of]
    if not result["started"]:
        return "unstartable", result
    if test.on == "match":
        fired = result["matched"].get(test.pattern) is True
    else:
        fired = not result["timedOut"] and (result["exit"] == 0) == (test.on == "success")
    return ("fired" if fired else "quiet"), result


def round_(test: Round, record: Json) -> Decision:
    """`again` counts, and resets the inner rounds; the value is that of the Gate which led here."""
    name, rounds = record["state"], record["rounds"]
    value = record["values"].get(record["led"], ABSENT)
    used = rounds.get(name, 0)
    if used >= test.times:
        return "spent", value
    rounds[name] = used + 1
    for inner in test.resets:
        rounds.pop(inner, None)
    return "again", value


def decided(test: Condition, record: Json) -> Json:
    """What the trace says of a decision, as flat attributes; never what somebody wrote."""
    match test:
        case AllPass():
            verdicts = record["values"][test.of]
            revise = sum(_control(record, each, "verdict") != "pass" for each in verdicts)
            counts = {"critic_count": len(verdicts), "revise_critics": revise}
            return _verdict(**{"pass": bool(verdicts) and not revise}, **counts)
        case Said():
            value = str(_control(record, record["values"][test.of][0], "loop"))
            return _verdict(**{"pass": value == "done"}, value=value)
        case AtLeast():
            ok, failed = count(record, test.of, "ok"), count(record, test.of, "failed")
            return _verdict(voter_count=ok + failed, ballots_cast=ok, failed_voters=failed)
        case Choice():
            value = _control(record, record["values"][test.of][0], "route")
            chosen: Json = {"choice": value, "candidates": ",".join(test.candidates)}
            return {f"flow.route.{name}": said for name, said in chosen.items()}
        case Beam():
            scores = [float(_control(record, each, "score")) for each in record["values"][test.of] if "item" in each]
            return _verdict(scores=",".join(f"{score:g}" for score in scores), beam_width=test.width)
        case ExitZero():
            result = record["values"][test.of]
            return {"flow.check.passed": result["exit"] == 0, "flow.check.spawn_failed": not result["started"]}
        case Trigger():
            result = record["values"][test.of]
            seen: Json = {"trigger": test.on, "check": result["check"], "exit_code": result["exit"]}
            return {f"flow.monitor.{name}": said for name, said in seen.items() if said is not None}
        case Round():
            used = record["rounds"].get(record["state"], 0)
            return {"flow.retry.attempt": used + 1, "flow.retry.max_attempts": test.times + 1}
        case _:
            assert_never(test)


def _verdict(**facts: Any) -> Json:
    return {f"flow.verdict.{name}": value for name, value in facts.items()}


def _control(record: Json, each: Json, protocol: Protocol) -> Any:
    """The value of an answer, the fallback for one that failed, is unparseable, or was quarantined."""
    value = each.get("control") if each["status"] == "ok" and not withheld(record, each) else None
    return FALLBACK[protocol] if value is None else value


DECIDE: dict[str, Callable[[Any, Json], Decision]] = {
    "all_pass": all_pass,
    "said": said,
    "choice": choice,
    "at_least": at_least,
    "beam": beam,
    "exit_zero": exit_zero,
    "trigger": trigger,
    "round": round_,
}
