"""The compiler: the text of a call → a checked Flow, or everything that is wrong with it.

In     a call as JSON text, and a `Context`: agents, presets, real paths and environment as values
Out    `Compiled`: the Flow (None when there is an error, or when a check is all that is asked for), and all diagnostics
       in the order of the checks
Rules  read → expand → check the call → lower → check the Flow; no stage looks back
       what the call and the files decide is found here, for `compile --check`, `plan` and `run` alike; what only the
       host can tell is asked by `admit`, for `run` alone
       only `catalog/` reads files; everything else is a pure function of its arguments
Add    a rule: see check/.   A mode: see lower/.   A form of output: see render/
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, cast

from piflows.compiler.context import Catalog, Context
from piflows.ir.diagnostic import Diagnostic, FlowError
from piflows.ir.frozen import frozen

if TYPE_CHECKING:
    from piflows.compiler.check import Found, HostSubject, Placed
    from piflows.compiler.check.rule import CallSubject
    from piflows.compiler.lower.make import Lowered
    from piflows.grammar.agent import Agent
    from piflows.grammar.call import Call
    from piflows.grammar.located import Located
    from piflows.grammar.preset import Preset
    from piflows.ir.flow import Flow
    from piflows.ir.source import Where

Ask = Callable[[str], bool | None]
LOWERED_ANYWAY = ("UNKNOWN_AGENT", "NOT_AVAILABLE")  # errors beside which the checks of the Flow still say something


@frozen
class Compiled:
    """What came of a call.

    A check alone gives the diagnostics and nothing else.

    flow         None when there is an error
    diagnostics  errors and warnings in the order of the checks: the first error is the run's
    call         the call after preset expansion; `mode` its only mode, also `list` and `config`
    preset       what it was expanded from
    inputs       (file, digest) of the files that were used: the call's, the preset's, the agents'
    requested    the names of the agents that it asks for and that come from the project
    where        pointer into `call` → its place in the call's text or in the preset's file
    """

    diagnostics: tuple[Diagnostic, ...]
    flow: Flow | None = None
    call: Mapping[str, Any] = field(default_factory=dict[str, Any])
    mode: str | None = None
    scope: str = "user"
    preset: Preset | None = None
    inputs: tuple[tuple[str, str], ...] = ()
    requested: tuple[str, ...] = ()
    catalog: Catalog | None = None
    where: Callable[[str], Where] | None = None

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        return tuple(each for each in self.diagnostics if each.severity == "error")


def compile_call(text: str, context: Context, *, file: str = "", full: bool = True, made: bool = False) -> Compiled:
    """Compile one call. `full=False` is a check alone: the same diagnostics, and nothing else.

    `file` names the text in diagnostics; `made` says that it was put together from options and has no lines.
    """
    from piflows.grammar.located import read_json

    try:
        located = read_json(text, file)
    except FlowError as refused:
        return Compiled(refused.diagnostics)
    return _compile(located, context, full, made)


def compile_preset(preset: Preset, context: Context, scope: str, *, full: bool = True) -> Compiled:
    """Compile a preset under its most general call. What keeps it from being found at all is an error here."""
    from piflows.compiler.expand import general_call, template_faults
    from piflows.grammar.located import Located

    given = Located(general_call(preset, {"agentScope": scope}), "", preset.file)
    compiled = _compile(given, context.holding(preset), full, made=True)
    if not compiled.diagnostics:
        return compiled  # whose call is the whole template: it has no fault of its own
    faults = [replace(fault, severity="error") for fault in template_faults(preset)]
    told = ("PRESET_EXPANSION_INVALID", "PRESET_TEMPLATE_SCHEMA_INVALID") if faults else ()
    return replace(compiled, diagnostics=(*faults, *(d for d in compiled.diagnostics if d.code not in told)))


def admit(compiled: Compiled, context: Context, ask: Ask | None = None) -> Diagnostic | None:
    """Why a run of this call is refused, or None. `ask` puts a question to a person, None when nobody is there.

    Errors of the call come first, then those of the host, then what this version cannot do.
    """
    from piflows.compiler.check import check, rules_for

    for error in compiled.errors:
        if error.code != "NOT_AVAILABLE":
            return error
    if compiled.mode not in ("list", "config"):
        for _, refused in check(_host(compiled, context, ask), rules_for("host")):
            return refused
    return next(iter(compiled.errors), None)


def admit_flow(flow: Flow, context: Context, ask: Ask | None = None) -> Diagnostic | None:
    """The same for a Flow that was saved: what its roles and its `about` say of the project."""
    from piflows.compiler.check import HostSubject, check, rules_for

    if flow.mode in ("list", "config"):
        return None
    about = flow.about
    agents = tuple(sorted({role.agent for role in flow.roles.values() if role.source == "project"}))
    preset = about.get("preset") if about.get("presetSource") == "project" else None
    confirm = about.get("confirmProjectAgents") is not False
    strict, file = about.get("traceStrict"), about.get("traceFile")
    subject = HostSubject(context.env, preset, agents, confirm, trace_strict=strict, trace_file=file, ask=ask)
    return next((refused for _, refused in check(subject, rules_for("host"))), None)


def _compile(located: Located, context: Context, full: bool, made: bool) -> Compiled:
    from piflows.compiler.check import check, in_order, rules_for, speaking

    subject, model = _expanded(located, context, made)
    found = list(check(subject, rules_for("call")))
    rules = rules_for("flow") if full else speaking(subject)
    lowered = _lower(subject, model, found, full) if rules else None
    if lowered is not None:
        found += _check_flow(lowered, subject, rules)
    agents = _agents(subject)
    diagnostics = (*in_order(found), *_issues(subject, agents))
    if not full:
        return Compiled(diagnostics)
    refused = any(each.severity == "error" for each in diagnostics)
    flow = None if refused or lowered is None else lowered.flow
    return _compiled(subject, agents, diagnostics, flow, _inputs(subject, agents, "" if made else located.text))


def _expanded(located: Located, context: Context, made: bool) -> tuple[CallSubject, Call | None]:
    """What a call stands for, and its model where it has one."""
    from piflows.compiler.check.rule import CallSubject, scope_of
    from piflows.compiler.expand import expand
    from piflows.compiler.lower import MODES
    from piflows.compiler.params import ANSWERS, CUT, active, answers, read
    from piflows.compiler.places import Places

    given = located.value
    catalog = context.catalog(scope_of(given))
    answer = answers(given)
    expansion = None if answer else expand(given, catalog.presets)
    call = expansion.call if expansion else given
    model, misfits = read(call)
    modes = (answer,) if answer else tuple(active(call))
    if answer:
        unknown = tuple(misfit for misfit in misfits if misfit.code in ("UNKNOWN_PARAMETER", CUT))
        model, misfits = read({key: call[key] for key in (ANSWERS[answer], "agentScope") if key in call})
        misfits = (*unknown, *misfits)
    at = Places(located, expansion, made)
    return CallSubject(given, call, answer, modes, expansion, misfits, catalog, context, at, MODES), model


def _lower(subject: CallSubject, model: Call | None, found: list[Found], full: bool) -> Lowered | None:
    """The Flow of a call without errors that would make it another one."""
    refused = any(each.severity == "error" and each.code not in LOWERED_ANYWAY for _, each in found)
    mode = subject.mode
    if refused or model is None or mode is None or mode not in subject.available:
        return None
    from piflows.compiler import prompts
    from piflows.compiler.lower import lower

    render = prompts.full if full else prompts.slots_only
    return lower(mode, model, subject.catalog, render, subject.context.home)


def _check_flow(lowered: Lowered, subject: CallSubject, rules: Iterable[Placed]) -> list[Found]:
    from piflows.compiler.check import FlowSubject, check
    from piflows.compiler.params import steps

    def at(state: str, unit: str) -> Where:
        pointer = lowered.pointers.get((state, unit)) or lowered.pointers.get((state, ""), "")
        return subject.at(steps(pointer))

    return list(check(FlowSubject(lowered, subject.context, at), rules))


def _agents(subject: CallSubject) -> list[Agent]:
    """The agents that the call asks for and that exist, by name."""
    names = {mention.agent for mention in subject.mentions}
    return [agent for name, agent in subject.catalog.agents.items() if name in names]


def _issues(subject: CallSubject, agents: Iterable[Agent]) -> Iterator[Diagnostic]:
    """What is wrong with the files that the call uses, and with directories that could not be read."""
    from piflows.compiler.mentions import asked

    files = {agent.file: agent.name for agent in agents}
    if subject.expansion and subject.expansion.preset:
        files[subject.expansion.preset.file] = ""
    for issue in subject.catalog.issues:
        if issue.code.endswith("_DIR_UNREADABLE"):
            yield replace(issue, severity="warning")
        elif name := files.get(issue.where.file):
            yield replace(issue, cause=f"{issue.cause} {asked(subject.call, subject.mode or '', name)}")
        elif name == "":
            yield issue


def _inputs(subject: CallSubject, agents: Iterable[Agent], text: str) -> tuple[tuple[str, str], ...]:
    """The files that count, with their digests: the call's own, when it has one, the preset's, the agents'."""
    from piflows.ir.digest import text_digest

    file = subject.at.text.file
    own = ((file, text_digest(text.encode())),) if file and text else ()
    preset = subject.expansion.preset if subject.expansion else None
    return (*own, *((used.file, used.digest) for used in (*((preset,) if preset else ()), *agents)))


def _compiled(
    subject: CallSubject,
    agents: list[Agent],
    diagnostics: tuple[Diagnostic, ...],
    flow: Flow | None,
    inputs: tuple[tuple[str, str], ...],
) -> Compiled:
    from piflows.compiler.catalog.trust import project_agents
    from piflows.compiler.params import steps

    return Compiled(
        diagnostics,
        flow,
        subject.call,
        subject.mode,
        subject.scope,
        subject.expansion.preset if subject.expansion else None,
        inputs,
        project_agents((agent.name for agent in agents), subject.catalog.agents),
        subject.catalog,
        lambda pointer: subject.at(steps(pointer)),
    )


def _host(compiled: Compiled, context: Context, ask: Ask | None) -> HostSubject:
    from piflows.compiler.check import HostSubject

    call, preset = compiled.call, compiled.preset
    asked: Any = call.get("checkpoint")
    checkpoint = cast("dict[str, Any]", asked).get("before", "spawn") if isinstance(asked, dict) else None
    return HostSubject(
        context.env,
        preset.name if preset and preset.source == "project" else None,
        compiled.requested,
        call.get("confirmProjectAgents") is not False,
        checkpoint,
        call.get("traceStrict"),
        call.get("traceFile"),
        ask,
    )
