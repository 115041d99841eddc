"""The object of a call in the mode orchestrate. Orchestrate: a commander splits the goal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from piflows.grammar.call_parts import AgentRef, Floored, Mode, NonEmpty, Whole
from piflows.ir.limits import LIMITS as L


class Orchestrate(Mode):
    """Seed: Orchestrate mode. `task` and `return_requirements` stand in for those of the call; a preset's `cwd` holds
    for the whole run."""

    UNREAD: ClassVar[Mapping[str, str]] = {}

    task: str | None = None
    commander: AgentRef = AgentRef.model_construct(agent="commander")
    review: AgentRef | None = None
    review_max_iterations: Annotated[int, Field(ge=1, le=L.attempts_max), Whole] = L.review_attempts
    review_criteria: NonEmpty | None = None
    recon: AgentRef = AgentRef.model_construct(agent="recon")
    debrief: AgentRef = AgentRef.model_construct(agent="debrief")
    verify: AgentRef | None = None
    verify_policy: Literal["note", "fail", "revise"] = "note"
    verify_max_iterations: Annotated[float, Field(ge=1, le=L.attempts_max), Floored] = L.verify_rounds
    replan: bool = True
    max_subtasks: Annotated[float, Field(ge=1, le=L.subtasks_max), Floored] = L.subtasks
    worker_return_requirements: str | None = None
    return_requirements: str | None = None
