"""The object of a call in the mode worktree. Worktree: isolated writers and their integration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import Field

from piflows.grammar.call_parts import AgentRef, Codes, Id, Milliseconds, Mode, NonEmpty, Sized
from piflows.ir.limits import LIMITS as L

_WORKTREE = Codes("WORKTREE_SETUP_FAILED", "WORKTREE_SETUP_FAILED", "WORKTREE_SETUP_FAILED")


class WorktreeTask(Sized):
    """One writer: it has a worktree of its own, so no `cwd`, and asks for evidence unless it says otherwise."""

    id: Id
    agent: NonEmpty
    task: NonEmpty
    return_requirements: str | None = None
    require_evidence: bool = True


class Worktree(Mode):
    """Seed: Worktree mode (isolated writers and integration). Its repository is that of the call's `cwd`."""

    CODES: ClassVar[Mapping[str, Codes]] = {
        "tasks": Codes(_WORKTREE.less),
        **dict.fromkeys(("tasks.id", "tasks.agent", "tasks.task", "baseRef"), _WORKTREE),
    }
    UNREAD: ClassVar[Mapping[str, str]] = {}

    tasks: Annotated[list[WorktreeTask], Field(min_length=L.worktree_tasks_min, max_length=L.parallel_tasks)]
    base_ref: NonEmpty = "HEAD"
    integrator: AgentRef = AgentRef.model_construct(agent="operator")
    check_command: str | None = None
    check_timeout_ms: Milliseconds | None = None
    require_clean: bool = True
