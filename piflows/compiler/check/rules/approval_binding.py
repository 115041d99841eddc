"""An approval is bound to what it lets happen, so that must be concrete before a person is asked.

Reports WORKFLOW_INVALID.
Refused: behind an approval, a phase or the final debrief with pi's default tools, with no model that the call or the
agent chooses, or with no thinking level from anywhere.
Accepted: tools by name, and a model or a tier; a tier brings a level. With `resume` the saved state is asked first, and
whether a model or a directory exists is the host's matter.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from piflows.compiler.check.rule import CallSubject
from piflows.compiler.params import Path, read
from piflows.ir.diagnostic import Diagnostic, diagnostic

if TYPE_CHECKING:
    from piflows.grammar.call import AgentRef
    from piflows.grammar.modes.workflow import Phase, Workflow
    from piflows.ir.unit import Role

CODES = ("WORKFLOW_INVALID",)
SUBJECT = "call"


def check(subject: CallSubject) -> Iterator[Diagnostic]:
    if not any(phase.get("approval") for _, phase in subject.phases()):
        return
    from piflows.compiler.resolve import resolve_role

    call, _ = read(subject.call)
    if call is None or call.workflow is None or call.workflow.resume:
        return
    for path, name, ref in _gated(call.workflow):
        if ref.agent in subject.catalog.agents:
            problem = _vague(resolve_role(ref, name, None, call, subject.catalog))
            if problem is not None:
                problem = f"an approval cannot be bound to {name}, {problem}"
                yield diagnostic("WORKFLOW_INVALID", subject.at(path), problem=problem)


def _gated(workflow: Workflow) -> Iterator[tuple[Path, str, AgentRef]]:
    """What runs only after an approval: the phases behind the first one, and the debrief."""
    first = next((at for at, phase in enumerate(workflow.phases) if phase.approval), len(workflow.phases))
    for at, phase in enumerate(workflow.phases[first:], first):
        if phase.approval is None and phase.agent is not None:
            yield ("workflow", "phases", at), f'phase "{phase.id}"', _reference(phase, phase.agent)
    if workflow.debrief is not None:
        yield ("workflow", "debrief"), "the debrief", workflow.debrief


def _reference(phase: Phase, agent: str) -> AgentRef:
    from piflows.grammar.call import AgentRef

    names = ("model", "tier", "thinking", "tools", "cwd")
    return AgentRef.model_construct(agent=agent, **{name: getattr(phase, name) for name in names})


def _vague(role: Role) -> str | None:
    """What of a role is not concrete, as a clause, or None."""
    if role.tools is None:
        return f'whose agent "{role.agent}" has pi\'s default tools: name them in `tools`'
    if role.model is None and role.tier is None:
        return f'whose agent "{role.agent}" has no model: give it a `model` or a `tier`'
    if role.tier is None and role.thinking is None:
        return f'whose agent "{role.agent}" has no thinking level: give it one in `thinking`'
    return None
