"""The flow call: the surface language on one page.

Pydantic models of the common parameters, the shared roles and the modes that can be lowered. Attribute names are
snake_case, JSON keys camelCase. Everything is strict (`true` is no number) and closed (an unknown key is an error);
`null` is as good as no key where a key has no default. Build is deferred to the first call.
Seed: Parameters; Modes.
"""

from __future__ import annotations

from math import floor
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag
from pydantic.alias_generators import to_camel

from piflows.ir.limits import LIMITS as L

Tier = Literal["fast", "capable", "deep"]
Thinking = Literal["off", "minimal", "low", "medium", "high", "xhigh", "max"]
Policy = Literal["warn", "quarantine", "fail"]
RunMode = Literal[
    "single", "parallel", "chain", "evaluate", "vote", "route", "orchestrate", "graph", "loop", "search", "workflow",
    "worktree", "debate", "dossier", "monitor",
]  # fmt: skip
NonEmpty = Annotated[str, Field(min_length=1)]


def _whole(value: Any) -> Any:
    """`3.0` is a whole number, `2.5` and `true` are not."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _floor(value: float) -> int:
    return floor(value)


Whole = BeforeValidator(_whole)  # both stand after the range: it holds for the number as it came,
Floored = AfterValidator(_floor)  # and the JSON Schema knows it
Milliseconds = Annotated[float, Field(ge=L.timeout_min_ms, le=L.timeout_max_ms, allow_inf_nan=False)]
Ceiling = Annotated[float, Field(ge=0, allow_inf_nan=False)]

ONE, SEVERAL = "one", "several"  # tags of a union; pydantic puts them into the place of an error


def _how_many(value: Any) -> str:
    return SEVERAL if isinstance(value, list) else ONE


class Shape(BaseModel):
    """What every object of a call is."""

    model_config = ConfigDict(strict=True, extra="forbid", alias_generator=to_camel, defer_build=True, frozen=True)


class Sized(Shape):
    """Overrides that every agent-reference role takes."""

    model: str | None = None
    tier: Tier | None = None
    thinking: Thinking | None = None
    tools: str | None = None
    contract: dict[str, Any] | None = None


class AgentRef(Sized):
    """An agent in a role of a mode."""

    agent: NonEmpty
    role: str | None = None
    cwd: str | None = None


class OperatorRef(Sized):
    """Evaluate's generator: may bring the goal, has no role."""

    agent: NonEmpty
    task: NonEmpty | None = None
    cwd: str | None = None


class TaskItem(AgentRef):
    """One task of parallel, or one step of a chain."""

    task: NonEmpty
    return_requirements: str | None = None
    require_evidence: bool | None = None


class SectionItem(AgentRef):
    """One section of a dossier: a task that asks for evidence unless it says otherwise."""

    task: NonEmpty
    return_requirements: str | None = None
    require_evidence: bool = True


class GraphNode(Sized):
    """One node of a graph."""

    id: NonEmpty
    agent: NonEmpty
    task: NonEmpty
    depends_on: list[str] = []
    cwd: str | None = None
    return_requirements: str | None = None
    require_evidence: bool | None = None


class Graph(Shape):
    """Seed: Graph mode (static DAG)."""

    nodes: Annotated[list[GraphNode], Field(min_length=1, max_length=L.graph_nodes)]
    debrief: AgentRef | None = None


class Evaluate(Shape):
    """Seed: Evaluate mode (generator-evaluator loop). One critic is a panel of one."""

    operator: OperatorRef = OperatorRef.model_construct(agent="operator")
    redteam: Annotated[
        Annotated[AgentRef, Tag(ONE)]
        | Annotated[list[AgentRef], Field(min_length=1, max_length=L.critics), Tag(SEVERAL)],
        Discriminator(_how_many),
    ] = AgentRef.model_construct(agent="redteam")
    check_command: str | None = None
    max_iterations: Annotated[float, Field(ge=1, le=L.iterations_max), Floored] = L.iterations
    pass_contract: str | None = None


class Search(Shape):
    """Seed: Search mode (bounded beam search)."""

    generator: AgentRef = AgentRef.model_construct(agent="strategist")
    scorer: AgentRef = AgentRef.model_construct(agent="redteam", tools="none")
    debrief: AgentRef = AgentRef.model_construct(agent="debrief")
    candidates: Annotated[float, Field(ge=1, le=L.candidates_max), Floored] = L.candidates
    beam_width: Annotated[float, Field(ge=1, le=L.beam_max), Floored] = L.beam
    max_rounds: Annotated[float, Field(ge=1, le=L.search_rounds_max), Floored] = L.search_rounds


class Monitor(Shape):
    """Seed: Monitor mode (bounded trigger and react)."""

    command: str
    trigger: Literal["success", "failure", "match"] = "success"
    pattern: str | None = None
    interval_ms: Annotated[
        float, Field(ge=L.probe_interval_min_ms, le=L.probe_interval_max_ms, allow_inf_nan=False)
    ] = L.probe_interval_ms
    max_checks: Annotated[int, Field(ge=1, le=L.probes_max), Whole] = L.probes
    check_timeout_ms: Milliseconds | None = None
    reactor: AgentRef = AgentRef.model_construct(agent="analyst")


class Vote(Shape):
    """Seed: Vote mode (parallelization / voting). `voters` go before `agent` and `count`."""

    voters: list[AgentRef] | None = None
    agent: NonEmpty | None = None
    count: Annotated[int, Field(ge=L.voters_min, le=L.voters_max), Whole] = L.voters
    debrief: AgentRef | None = None


class Route(Shape):
    """Seed: Route mode (classify → dispatch). Blank names are as good as none."""

    controller: AgentRef = AgentRef.model_construct(agent="controller")
    candidates: Annotated[list[str], Field(min_length=1)]
    fallback: str | None = None


class Loop(Shape):
    """Seed: Loop mode (generic bounded loop)."""

    body: AgentRef
    judge: AgentRef | None = None
    max_iterations: Annotated[float, Field(ge=1, le=L.iterations_max), Floored] = L.iterations


class Debate(Shape):
    """Seed: Debate mode (advocates and adjudicator)."""

    participants: Annotated[list[AgentRef], Field(min_length=L.participants_min, max_length=L.participants_max)]
    adjudicator: AgentRef = AgentRef.model_construct(agent="analyst")
    rounds: Annotated[int, Field(ge=1, le=L.debate_rounds_max), Whole] = L.debate_rounds


class Dossier(Shape):
    """Seed: Dossier mode (evidence map/reduce)."""

    sections: Annotated[list[SectionItem], Field(min_length=L.sections_min, max_length=L.sections_max)]
    debrief: AgentRef = AgentRef.model_construct(agent="debrief")


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
    """A whole call, after preset expansion. Modes that cannot be lowered yet are taken as they come."""

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
    graph: Graph | None = None
    loop: Loop | None = None
    search: Search | None = None
    debate: Debate | None = None
    dossier: Dossier | None = None
    monitor: Monitor | None = None
    orchestrate: Any = None
    workflow: Any = None
    worktree: Any = None
