"""What is known but has no effect is said, never dropped in silence.

Reports PARAMETER_IGNORED, a warning.
Warned of: keys beside `list`; an empty list of tasks; `agent` beside another mode; caller-only keys in a template;
`pattern` without the trigger `match`; unknown members of a contract.
Accepted: everything that some role reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from piflows.compiler.check.rule import CallSubject
from piflows.compiler.params import ANSWERS, RETIRED, Path, mode_key, spell, text, truthy
from piflows.grammar.call import Call, Mode
from piflows.grammar.modes import model as mode_model
from piflows.grammar.near import meant
from piflows.grammar.placeholder import placeholders
from piflows.ir.contract import FIELDS, strangers
from piflows.ir.diagnostic import Diagnostic, diagnostic

CODES = ("PARAMETER_IGNORED",)
SUBJECT = "call"
BEHIND_TASK = "the `task` of the call goes before it"

LISTS: dict[str, dict[str, str]] = {  # what the modes without an object do not read; the others say it themselves
    "parallel": {**Mode.UNREAD, "task": "each of the `tasks` says all that its agent gets"},
    "chain": dict(Mode.UNREAD),
}

Idle = tuple[Path, str]  # a path, and why nothing reads it


def check(subject: CallSubject) -> Iterator[Diagnostic]:
    if subject.answer:
        for key in _beside_answer(subject.given, subject.answer):
            yield _found((key,), "the answer needs nothing else", subject.at.in_call((key,), key=True))
        return
    for ignored in subject.expansion.ignored if subject.expansion else ():
        at = subject.at.in_call if ignored.of == "call" else subject.at.in_template
        yield _found((ignored.key,), ignored.reason, at((ignored.key,), key=True))
    if subject.expansion is None and subject.mode == "chain" and _unread(subject):
        yield _found(("task",), "no step of the chain reads {task}", subject.at(("task",), key=True))
    for path, reason in (*_shape(subject.call, subject.mode), *_strangers(subject)):
        yield _found(path, reason, subject.at(path, key=True))


def _found(path: Path, reason: str, where: Any) -> Diagnostic:
    return diagnostic("PARAMETER_IGNORED", where, key=spell(path), reason=reason)


def _beside_answer(given: Mapping[str, Any], answer: str) -> Iterator[str]:
    known = {field.alias for field in Call.model_fields.values()}
    used = (ANSWERS[answer], "agentScope")
    for key, value in given.items():
        if key in known and key not in used and key not in RETIRED and value not in (None, False):
            yield key


def _shape(call: Mapping[str, Any], mode: str | None) -> Iterator[Idle]:
    """Keys that the call's mode does not read."""
    for key in ("tasks", "chain"):
        if call.get(key) == []:
            yield (key,), "an empty list selects no mode"
    if mode is None:
        return
    if mode != "single":
        if call.get("agent") is not None:
            yield ("agent",), f"the agents of this call stand in `{mode_key(mode)}`"
        for key in ("role", "tools"):
            if call.get(key) is not None:
                yield (key,), "only a call of one agent reads it"
    model = mode_model(mode)
    for key, reason in (model.UNREAD if model else LISTS.get(mode, {})).items():
        if call.get(key) not in (None, False):
            yield (key,), reason
    yield from _of_mode(call, mode)


def _unread(subject: CallSubject) -> bool:
    """Whether a chain has a task that none of its steps places."""
    tasks = [step.get("task") for _, step in subject.steps()]
    return subject.call.get("task") is not None and not any(
        isinstance(task, str) and placeholders(task, ("task",)) for task in tasks
    )


def _of_mode(call: Mapping[str, Any], mode: str) -> Iterator[Idle]:
    value: Any = call.get(mode)
    spec = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    if mode == "evaluate" and text(call.get("task")) is not None:
        operator: Any = spec.get("operator")
        if isinstance(operator, dict) and cast("dict[str, Any]", operator).get("task") is not None:
            yield ("evaluate", "operator", "task"), BEHIND_TASK
    if mode == "vote":
        yield from _vote(spec)
    if mode == "monitor" and spec.get("pattern") is not None and spec.get("trigger") != "match":
        yield ("monitor", "pattern"), "only the trigger `match` reads it"
    if mode == "orchestrate":
        yield from _orchestrate(call, spec)
    if mode == "workflow":
        yield from _workflow(spec)
    if mode == "worktree" and spec.get("checkTimeoutMs") is not None and text(spec.get("checkCommand")) is None:
        yield ("worktree", "checkTimeoutMs"), "there is no `checkCommand`"


def _vote(spec: Mapping[str, Any]) -> Iterator[Idle]:
    if spec.get("voters") == []:
        yield ("vote", "voters"), "an empty list names no voter"
    for key in ("agent", "count"):
        if spec.get("voters") and spec.get(key) is not None:
            yield ("vote", key), "the `voters` go before it"


def _orchestrate(call: Mapping[str, Any], spec: Mapping[str, Any]) -> Iterator[Idle]:
    if text(call.get("task")) is not None and spec.get("task") is not None:
        yield ("orchestrate", "task"), BEHIND_TASK
    for key in ("verifyPolicy", "verifyMaxIterations"):
        if spec.get(key) is not None and spec.get("verify") is None:
            yield ("orchestrate", key), "there is no `verify`"
    given = spec.get("verify") is not None and spec.get("verifyMaxIterations") is not None
    if given and spec.get("verifyPolicy") != "revise":
        yield ("orchestrate", "verifyMaxIterations"), "only the policy `revise` reads it"


def _workflow(spec: Mapping[str, Any]) -> Iterator[Idle]:
    """An approval is a question and nothing else; what concerns approvals alone needs one."""
    listed: Any = spec.get("phases")
    phases = cast("list[Any]", listed) if isinstance(listed, list) else []
    asks = [
        (at, cast("dict[str, Any]", phase))
        for at, phase in enumerate(phases)
        if isinstance(phase, dict) and truthy(cast("dict[str, Any]", phase).get("approval"))
    ]
    for at, phase in asks:
        for key in phase if not (phase.get("agent") and phase.get("task")) else ():
            if key in _phase_keys() and phase[key] is not None:
                yield ("workflow", "phases", at, key), "an approval asks a person and starts no agent"
    if not asks and spec.get("approvalTtlMs") is not None:
        yield ("workflow", "approvalTtlMs"), "no phase is an approval"
    if spec.get("historicalThinking") is not None and spec.get("resume") is not True:
        yield ("workflow", "historicalThinking"), "only `resume` reads it"


def _strangers(subject: CallSubject) -> Iterator[Idle]:
    """Members of a contract that no documented field has."""
    for path, contract in subject.contracts:
        if isinstance(contract, dict):
            for name in strangers(cast("dict[str, Any]", contract)):
                near = meant(name, FIELDS)
                yield (*path, name), f"no field of a contract has that name{near}; it only is part of its identity"


def _phase_keys() -> set[str | None]:
    """What a phase that starts an agent reads, and one that asks a person does not."""
    from piflows.grammar.modes.workflow import Phase

    return {field.alias for field in Phase.model_fields.values()} - {"id", "approval"}
