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

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, cast

from piflows.compiler.context import Catalog, Context
from piflows.ir.diagnostic import Diagnostic, FlowError
from piflows.ir.frozen import frozen

if TYPE_CHECKING:
    from piflows.compiler.check import HostSubject
    from piflows.grammar.preset import Preset
    from piflows.ir.flow import Flow
    from piflows.ir.source import Where

Ask = Callable[[str], bool | None]


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
    from piflows.compiler.stages import compiled
    from piflows.grammar.located import read_json

    try:
        located = read_json(text, file)
    except FlowError as refused:
        return Compiled(refused.diagnostics)
    return compiled(located, context, full, made, text)


def compile_preset(preset: Preset, context: Context, scope: str, *, full: bool = True) -> Compiled:
    """Compile a preset under its most general call. What keeps it from being found at all is an error here."""
    from piflows.compiler.expand import general_call, template_faults
    from piflows.compiler.stages import compiled
    from piflows.grammar.located import Located

    given = Located(general_call(preset, {"agentScope": scope}), "", preset.file)
    done = compiled(given, context.holding(preset), full, made=True)
    if not done.diagnostics:
        return done  # whose call is the whole template: it has no fault of its own
    faults = [replace(fault, severity="error") for fault in template_faults(preset)]
    told = ("PRESET_EXPANSION_INVALID", "PRESET_TEMPLATE_SCHEMA_INVALID") if faults else ()
    return replace(done, diagnostics=(*faults, *(d for d in done.diagnostics if d.code not in told)))


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
