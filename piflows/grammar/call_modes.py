"""The object of each mode: its fields with their ranges and defaults, and what the checks must know of it.

The modes that are a list alone (`tasks`, `chain`) have no object. Seed: the section of each mode.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, cast

from pydantic import Discriminator, Field, Tag, model_validator

from piflows.grammar.call_parts import (
    ONE,
    SEVERAL,
    AgentRef,
    Codes,
    Floored,
    Id,
    Milliseconds,
    Mode,
    NonEmpty,
    OperatorRef,
    SectionItem,
    Shape,
    Sized,
    Thinking,
    Whole,
    how_many,
)
from piflows.ir.limits import LIMITS as L

_GRAPH = Codes("GRAPH_INVALID", "GRAPH_INVALID", "GRAPH_INVALID")
_WORKFLOW = Codes("WORKFLOW_INVALID", "WORKFLOW_INVALID", "WORKFLOW_INVALID")
_WORKTREE = Codes("WORKTREE_SETUP_FAILED", "WORKTREE_SETUP_FAILED", "WORKTREE_SETUP_FAILED")
_MODE = Codes("INVALID_MODE")


class GraphNode(Sized):
    """One node of a graph."""

    id: Id
    agent: NonEmpty
    task: NonEmpty
    depends_on: list[str] = []  # noqa: RUF012  (a model copies its defaults)
    cwd: str | None = None
    return_requirements: str | None = None
    require_evidence: bool | None = None


class Graph(Mode):
    """Seed: Graph mode (static DAG)."""

    CODES: ClassVar[Mapping[str, Codes]] = dict.fromkeys(("nodes", "nodes.id", "nodes.agent", "nodes.task"), _GRAPH)

    nodes: Annotated[list[GraphNode], Field(min_length=1, max_length=L.graph_nodes)]
    debrief: AgentRef | None = None


class Evaluate(Mode):
    """Seed: Evaluate mode (generator-evaluator loop). One critic is a panel of one."""

    operator: OperatorRef = OperatorRef.model_construct(agent="operator")
    redteam: Annotated[
        Annotated[AgentRef, Tag(ONE)]
        | Annotated[list[AgentRef], Field(min_length=1, max_length=L.critics), Tag(SEVERAL)],
        Discriminator(how_many),
    ] = AgentRef.model_construct(agent="redteam")
    check_command: str | None = None
    max_iterations: Annotated[float, Field(ge=1, le=L.iterations_max), Floored] = L.iterations
    pass_contract: str | None = None


class Search(Mode):
    """Seed: Search mode (bounded beam search)."""

    NEEDS_TASK: ClassVar[bool] = True

    generator: AgentRef = AgentRef.model_construct(agent="strategist")
    scorer: AgentRef = AgentRef.model_construct(agent="redteam", tools="none")
    debrief: AgentRef = AgentRef.model_construct(agent="debrief")
    candidates: Annotated[float, Field(ge=1, le=L.candidates_max), Floored] = L.candidates
    beam_width: Annotated[float, Field(ge=1, le=L.beam_max), Floored] = L.beam
    max_rounds: Annotated[float, Field(ge=1, le=L.search_rounds_max), Floored] = L.search_rounds


class Monitor(Mode):
    """Seed: Monitor mode (bounded trigger and react). The probe runs in the `cwd` of the call."""

    CODES: ClassVar[Mapping[str, Codes]] = {"command": Codes("MONITOR_INVALID")}
    UNREAD: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("returnRequirements", "requireEvidence"), "a monitor's reactor gets the observation and the task alone"
    )

    command: str
    trigger: Literal["success", "failure", "match"] = "success"
    pattern: str | None = None
    interval_ms: Annotated[
        float, Field(ge=L.probe_interval_min_ms, le=L.probe_interval_max_ms, allow_inf_nan=False)
    ] = L.probe_interval_ms
    max_checks: Annotated[int, Field(ge=1, le=L.probes_max), Whole] = L.probes
    check_timeout_ms: Milliseconds | None = None
    reactor: AgentRef = AgentRef.model_construct(agent="analyst")


class Vote(Mode):
    """Seed: Vote mode (parallelization / voting). `voters` go before `agent` and `count`, which nothing then reads."""

    CODES: ClassVar[Mapping[str, Codes]] = {"count": Codes("TOO_FEW_VOTERS", "TOO_MANY_TASKS")}
    NEEDS_TASK: ClassVar[bool] = True

    voters: list[AgentRef] | None = None
    agent: NonEmpty | None = None
    count: Annotated[int, Field(ge=L.voters_min, le=L.voters_max), Whole] = L.voters
    debrief: AgentRef | None = None

    @model_validator(mode="before")
    @classmethod
    def _listed(cls, value: Any) -> Any:
        vote = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
        return {key: vote[key] for key in vote if key != "count"} if vote.get("voters") else cast("Any", value)


class Route(Mode):
    """Seed: Route mode (classify → dispatch). Blank names are as good as none."""

    CODES: ClassVar[Mapping[str, Codes]] = {"candidates": _MODE}
    NEEDS_TASK: ClassVar[bool] = True

    controller: AgentRef = AgentRef.model_construct(agent="controller")
    candidates: Annotated[list[str], Field(min_length=1)]
    fallback: str | None = None


class Loop(Mode):
    """Seed: Loop mode (generic bounded loop)."""

    CODES: ClassVar[Mapping[str, Codes]] = {"body": _MODE, "body.agent": _MODE}
    NEEDS_TASK: ClassVar[bool] = True

    body: AgentRef
    judge: AgentRef | None = None
    max_iterations: Annotated[float, Field(ge=1, le=L.iterations_max), Floored] = L.iterations


class Debate(Mode):
    """Seed: Debate mode (advocates and adjudicator)."""

    CODES: ClassVar[Mapping[str, Codes]] = {"participants": Codes("DEBATE_TOO_FEW_PARTICIPANTS")}
    NEEDS_TASK: ClassVar[bool] = True

    participants: Annotated[list[AgentRef], Field(min_length=L.participants_min, max_length=L.participants_max)]
    adjudicator: AgentRef = AgentRef.model_construct(agent="analyst")
    rounds: Annotated[int, Field(ge=1, le=L.debate_rounds_max), Whole] = L.debate_rounds


class Dossier(Mode):
    """Seed: Dossier mode (evidence map/reduce)."""

    CODES: ClassVar[Mapping[str, Codes]] = {"sections": Codes("DOSSIER_TOO_FEW_SECTIONS")}

    sections: Annotated[list[SectionItem], Field(min_length=L.sections_min, max_length=L.sections_max)]
    debrief: AgentRef = AgentRef.model_construct(agent="debrief")


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
