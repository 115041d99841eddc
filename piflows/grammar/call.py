"""The flow call: the surface language on one page.

The common parameters, and one field for each mode; what they are made of stands in `call_parts`, the objects of the
modes in `call_modes`. `null` is as good as no key where a key has no default. Build is deferred to the first call.
Seed: Parameters; Modes.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from piflows.grammar.call_modes import (
    Debate,
    Dossier,
    Evaluate,
    Graph,
    GraphNode,
    Loop,
    Monitor,
    Orchestrate,
    Phase,
    Route,
    Search,
    Vote,
    Workflow,
    Worktree,
    WorktreeTask,
)
from piflows.grammar.call_parts import (
    ONE,
    PLAIN,
    SEVERAL,
    AgentRef,
    Ceiling,
    Codes,
    Milliseconds,
    Mode,
    NonEmpty,
    OperatorRef,
    Policy,
    RunMode,
    SectionItem,
    Shape,
    TaskItem,
    Thinking,
    Tier,
    Whole,
)
from piflows.ir.limits import LIMITS as L

__all__ = (  # everything of a call that others read is found here
    "ONE",
    "PLAIN",
    "SEVERAL",
    "AgentRef",
    "Call",
    "Checkpoint",
    "Codes",
    "Debate",
    "Dossier",
    "Evaluate",
    "Graph",
    "GraphNode",
    "Loop",
    "Mode",
    "Monitor",
    "OperatorRef",
    "Orchestrate",
    "Phase",
    "Reflexion",
    "Route",
    "RunMode",
    "Search",
    "SectionItem",
    "Shape",
    "TaskItem",
    "Thinking",
    "Tier",
    "TraceContext",
    "Vote",
    "Workflow",
    "Worktree",
    "WorktreeTask",
)  # fmt: skip


class TraceContext(Shape):
    """Identifiers that join this run to the trial of an evaluation."""

    run_id: NonEmpty
    case_id: NonEmpty
    trial_id: NonEmpty
    trial_index: Annotated[int, Field(ge=1), Whole] | None = None
    arm: str | None = None
    attempt: Annotated[int, Field(ge=1), Whole] | None = None


class Checkpoint(Shape):
    """A question to a person around the whole flow."""

    before: Literal["spawn", "finalize"] = "spawn"
    message: str | None = None


class Reflexion(Shape):
    """Lessons of earlier runs."""

    enabled: bool
    file: str | None = None
    max_entries: Annotated[int, Field(ge=1, le=L.lessons_max), Whole] = L.lessons


class Call(Shape):
    """A whole call, after preset expansion."""

    list_: Annotated[bool | None, Field(alias="list")] = None
    show_config: bool | None = None
    preset: NonEmpty | None = None
    why: str | None = None
    agent: NonEmpty | None = None
    task: str | None = None
    role: str | None = None
    agent_scope: Literal["user", "project", "all"] = "user"
    confirm_project_agents: bool = True
    concurrency: Annotated[int, Field(ge=1, le=L.concurrency_max), Whole] = L.concurrency
    timeout_ms: Milliseconds = L.timeout_ms
    record_content: bool = True
    redact_secrets: bool = True
    max_cost_usd: Ceiling | None = None
    max_tokens: Ceiling | None = None
    max_generated_tokens: Ceiling | None = None
    trace_file: str | None = None
    trace_label: str | None = None
    trace_context: TraceContext | None = None
    trace_strict: bool | None = None
    handoff_policy: Policy = "warn"
    mode_handoff_policy: dict[RunMode, Policy] | None = None
    incomplete_handoff_policy: Literal["fail", "include"] = "fail"
    return_requirements: str | None = None
    require_evidence: bool = False
    contract: dict[str, Any] | None = None
    allow_shared_write_cwd: bool = False
    checkpoint: Checkpoint | None = None
    reflexion: Reflexion | None = None
    model: str | None = None
    tier: Tier | None = None
    thinking: Thinking | None = None
    tools: str | None = None
    cwd: str | None = None
    tasks: list[TaskItem] | None = None
    chain: list[TaskItem] | None = None
    evaluate: Evaluate | None = None
    vote: Vote | None = None
    route: Route | None = None
    orchestrate: Orchestrate | None = None
    graph: Graph | None = None
    loop: Loop | None = None
    search: Search | None = None
    workflow: Workflow | None = None
    worktree: Worktree | None = None
    debate: Debate | None = None
    dossier: Dossier | None = None
    monitor: Monitor | None = None
