"""The object of a call in the mode workflow. Workflow: gated phases that can be resumed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import Field

from piflows.grammar.call_parts import AgentRef, Codes, Id, Mode, NonEmpty, Shape, Sized, Thinking, Whole
from piflows.ir.limits import LIMITS as L

_WORKFLOW = Codes("WORKFLOW_INVALID", "WORKFLOW_INVALID", "WORKFLOW_INVALID")


class Approval(Shape):
    """What a person is asked between two phases."""

    message: NonEmpty


class Phase(Sized):
    """One phase of a workflow: work (`agent` and `task`), or an approval. A rule says that it is exactly one."""

    id: Id
    agent: NonEmpty | None = None
    task: NonEmpty | None = None
    approval: Approval | None = None
    check_command: str | None = None
    cwd: str | None = None
    return_requirements: str | None = None
    require_evidence: bool | None = None


class HistoricalThinking(Shape):
    """The levels that an approval of an old state was bound to: phase → level, and the debrief's."""

    phases: dict[str, Thinking] | None = None
    debrief: Thinking | None = None


class Workflow(Mode):
    """Seed: Workflow mode (gated, resumable phases). A phase without a `cwd` has that of the call."""

    CODES: ClassVar[Mapping[str, Codes]] = dict.fromkeys(
        ("phases", "phases.id", "phases.agent", "phases.task", "phases.approval.message", "approvalTtlMs"), _WORKFLOW
    )
    UNREAD: ClassVar[Mapping[str, str]] = {}

    phases: Annotated[list[Phase], Field(min_length=1, max_length=L.phases_max)]
    state_file: NonEmpty | None = None
    resume: bool = False
    approval_ttl_ms: Annotated[int, Field(ge=L.approval_ttl_min_ms, le=L.approval_ttl_max_ms), Whole] = (
        L.approval_ttl_ms
    )
    debrief: AgentRef | None = None
    historical_thinking: HistoricalThinking | None = None
