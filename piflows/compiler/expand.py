"""A preset becomes an ordinary call. Seed: Workflow presets.

Nothing is judged here: what a caller may not set is left out and named, and the rules say what is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from piflows.ir.diagnostic import Diagnostic, diagnostic
from piflows.ir.frozen import frozen
from piflows.ir.limits import LIMITS

if TYPE_CHECKING:
    from piflows.grammar.preset import Preset

TASK = "{task}"
EXPANDED_MOST = 16 * LIMITS.file_bytes  # characters of a template with the task put in
RESERVED = ("preset", "task", "list", "showConfig")
CALLER_ONLY = ("why", "agentScope", "confirmProjectAgents", "allowSharedWriteCwd")
CALLER_ALWAYS = (
    *CALLER_ONLY,
    "maxCostUsd",
    "checkpoint",
    "reflexion",
    "traceFile",
    "traceLabel",
    "traceContext",
    "traceStrict",
    "handoffPolicy",
    "modeHandoffPolicy",
    "incompleteHandoffPolicy",
    "recordContent",
    "redactSecrets",
)
NEVER_TEMPLATED = {
    **dict.fromkeys(CALLER_ONLY, "only the caller decides it"),
    **dict.fromkeys(("preset", "list", "showConfig"), "a template is one ordinary call"),
}


@frozen
class Ignored:
    """A known key without an effect; `of` is the text that it stands in."""

    of: str  # "call" or "template"
    key: str
    reason: str


@frozen
class Expansion:
    """What a call with `preset` stands for.

    name        as the call gives it, trimmed
    preset      None when nothing has that name; `call` then holds what every call decides for itself
    call        the expanded call; `preset` stays set in it
    templated   its top-level keys whose value stands in the template
    rejected    keys of the caller that the preset does not let a call set, in the call's order
    taskless    the template holds {task} and the call gives none; `too_large`: with it the call would be
    """

    name: str
    preset: Preset | None
    call: dict[str, Any]
    templated: frozenset[str] = frozenset()
    rejected: tuple[str, ...] = ()
    taskless: bool = False
    too_large: bool = False
    ignored: tuple[Ignored, ...] = ()


def expand(given: Mapping[str, Any], presets: Mapping[str, Preset]) -> Expansion | None:
    """The expansion of a call, or None when it names no preset."""
    named = given.get("preset")
    if not isinstance(named, str) or not named:
        return None
    name = named.strip()
    preset = presets.get(name)
    if preset is None:
        return Expansion(name, None, {key: value for key, value in given.items() if key in CALLER_ALWAYS})
    return _expanded(name, preset, given)


def _expanded(name: str, preset: Preset, given: Mapping[str, Any]) -> Expansion:
    """The template with the task put in, then what the caller may set: whole values replace whole values."""
    usable, ignored = _usable(preset.template)
    task, wanted = given.get("task"), holds_task(preset.template)
    goal = task if isinstance(task, str) and task.strip() else None
    too_large = goal not in (None, TASK) and _size(preset.template, goal) > EXPANDED_MOST
    template = usable if goal in (None, TASK) or too_large else cast("dict[str, Any]", substitute(usable, goal))
    settable = {*CALLER_ALWAYS, *preset.overrides}.difference(RESERVED)
    own = {key: value for key, value in given.items() if key in settable}
    stricter = _stricter(template, own)
    call = template | own | {key: template[key] for key in stricter}
    switches = {key: given[key] for key in ("list", "showConfig") if key in given}
    idle = [(key, f'preset "{name}" is stricter') for key in stricter if own[key] != template[key]]
    idle += [("task", f'preset "{name}" holds no {TASK}')] if "task" in given and not wanted else []
    return Expansion(
        name,
        preset,
        {"preset": name, **switches, **_based(call)},
        templated=frozenset(key for key in template if key not in own or key in stricter),
        rejected=tuple(key for key in given if key not in settable and key not in RESERVED),
        taskless=wanted and goal is None,
        too_large=too_large,
        ignored=(*ignored, *(Ignored("call", key, reason) for key, reason in idle)),
    )


def holds_task(value: Any) -> bool:
    """Whether some string in a template holds `{task}`."""
    match value:
        case str():
            return TASK in value
        case list():
            return any(map(holds_task, cast("list[Any]", value)))
        case dict():
            return any(map(holds_task, cast("dict[str, Any]", value).values()))
        case _:
            return False


def substitute(value: Any, task: str) -> Any:
    """The template with `{task}` replaced literally in every string, at any depth; keys stay."""
    match value:
        case str():
            return value.replace(TASK, task)
        case list():
            return [substitute(member, task) for member in cast("list[Any]", value)]
        case dict():
            return {key: substitute(member, task) for key, member in cast("dict[str, Any]", value).items()}
        case _:
            return value


def _size(value: Any, task: str) -> int:
    """The characters of the strings of a template with the task put in."""
    match value:
        case str():
            return len(value) + value.count(TASK) * len(task)
        case list():
            return sum(_size(member, task) for member in cast("list[Any]", value))
        case dict():
            return sum(_size(member, task) for member in cast("dict[str, Any]", value).values())
        case _:
            return 0


def general_call(preset: Preset, given: Mapping[str, Any]) -> dict[str, Any]:
    """The most general call of a preset: what `given` does not say is filled in, nothing is overridden.

    The task is the placeholder itself, so the expansion is the template as its author wrote it.
    """
    task = {"task": TASK} if holds_task(preset.template) else {}
    return {"preset": preset.name, **task, "why": "to look at the preset", **given}


def template_faults(preset: Preset) -> list[Diagnostic]:
    """Why a template is no call: the issue that keeps its preset from being found. Unknown names do not."""
    from piflows.compiler.params import CUT, pointer, read

    return [
        diagnostic(
            "PRESET_TEMPLATE_SCHEMA_INVALID",
            preset.body.where(pointer(misfit.path)),
            file=preset.file,
            problem=misfit.problem,
        )
        for misfit in read(preset.template)[1]
        if misfit.code not in ("UNKNOWN_PARAMETER", "INVALID_CONCURRENCY", CUT)
    ]


def _usable(template: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[Ignored, ...]]:
    """A template without what only the caller decides, and without what would loosen capture or tracing."""
    reasons = dict(NEVER_TEMPLATED)
    if template.get("redactSecrets") is False:
        reasons["redactSecrets"] = "a template cannot turn redaction off"
    if template.get("traceStrict") is False:
        reasons["traceStrict"] = "a template cannot turn strict tracing off"
    ignored = tuple(Ignored("template", key, reasons[key]) for key in template if key in reasons)
    return {key: value for key, value in template.items() if key not in reasons}, ignored


def _stricter(template: Mapping[str, Any], caller: Mapping[str, Any]) -> list[str]:
    """The keys of capture and tracing that both sides set and where the template's word stands."""
    strict = (("recordContent", False), ("redactSecrets", True), ("traceStrict", True))
    return [key for key, value in strict if template.get(key) is value and key in caller]


def _based(call: dict[str, Any]) -> dict[str, Any]:
    """The `cwd` of a preset that is a parallel call is the directory that its tasks start from."""
    base, tasks = call.get("cwd"), call.get("tasks")
    if not isinstance(base, str) or not isinstance(tasks, list):
        return call  # no parallel call, or one that the model refuses
    moved = [_moved(task, base) for task in cast("list[Any]", tasks)]
    return {key: value for key, value in call.items() if key != "cwd"} | {"tasks": moved}


def _moved(task: Any, base: str) -> Any:
    if not isinstance(task, dict):
        return task
    item = cast("dict[str, Any]", task)
    own = item.get("cwd")
    if not own:
        return item | {"cwd": base}
    if not base or not isinstance(own, str) or own.startswith("/"):
        return item
    return item | {"cwd": f"{base}/{own}"}
