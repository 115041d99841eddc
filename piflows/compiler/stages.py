"""The stages of a compilation, from a call that was read to what came of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from piflows.compiler import Compiled
from piflows.compiler.catalog.trust import project_agents
from piflows.compiler.check import Found, Placed, check, in_order, rules_for, speaking
from piflows.compiler.check.rule import CallSubject, FlowSubject, scope_of
from piflows.compiler.context import Context
from piflows.compiler.expand import expand
from piflows.compiler.lower import MODES, lower
from piflows.compiler.mentions import asked
from piflows.compiler.params import ANSWERS, CUT, active, answers, read, steps
from piflows.compiler.places import Places
from piflows.ir.diagnostic import Diagnostic
from piflows.ir.digest import text_digest

if TYPE_CHECKING:
    from piflows.compiler.lower.make import Lowered
    from piflows.grammar.agent import Agent
    from piflows.grammar.call import Call
    from piflows.grammar.located import Located
    from piflows.ir.flow import Flow
    from piflows.ir.source import Where

LOWERED_ANYWAY = ("UNKNOWN_AGENT", "NOT_AVAILABLE")  # errors beside which the checks of the Flow still say something


def compiled(located: Located, context: Context, full: bool, made: bool, text: str = "") -> Compiled:
    """What comes of a call that was read. `text` is what it was read from; `full` and `made` as in `compile_call`."""
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
    return _whole(subject, agents, diagnostics, flow, _inputs(subject, agents, "" if made else text))


def _expanded(located: Located, context: Context, made: bool) -> tuple[CallSubject, Call | None]:
    """What a call stands for, and its model where it has one."""
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

    render = prompts.full if full else prompts.slots_only
    return lower(mode, model, subject.catalog, render, subject.context.home)


def _check_flow(lowered: Lowered, subject: CallSubject, rules: Iterable[Placed]) -> list[Found]:
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
    file = subject.at.text.file
    own = ((file, text_digest(text.encode())),) if file and text else ()
    preset = subject.expansion.preset if subject.expansion else None
    return (*own, *((used.file, used.digest) for used in (*((preset,) if preset else ()), *agents)))


def _whole(
    subject: CallSubject,
    agents: list[Agent],
    diagnostics: tuple[Diagnostic, ...],
    flow: Flow | None,
    inputs: tuple[tuple[str, str], ...],
) -> Compiled:

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
