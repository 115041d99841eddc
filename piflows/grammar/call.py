"""The flow call: the surface language on one page.

The common parameters, and one field for each mode; what they are made of stands in `call_parts`, the object of each
mode in a module of `modes/`. `null` is as good as no key where a key has no default. Build is deferred to the first
call.
Annotations are no texts in this module and in `call_parts`: pydantic would compile each of them at every start.
Seed: Parameters; Modes.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, ValidationError, create_model

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
from piflows.grammar.modes import OBJECTS, model
from piflows.ir.limits import LIMITS as L

if TYPE_CHECKING:
    from piflows.grammar.modes.debate import Debate
    from piflows.grammar.modes.dossier import Dossier
    from piflows.grammar.modes.evaluate import Evaluate
    from piflows.grammar.modes.graph import Graph
    from piflows.grammar.modes.loop import Loop
    from piflows.grammar.modes.monitor import Monitor
    from piflows.grammar.modes.orchestrate import Orchestrate
    from piflows.grammar.modes.route import Route
    from piflows.grammar.modes.search import Search
    from piflows.grammar.modes.vote import Vote
    from piflows.grammar.modes.workflow import Workflow
    from piflows.grammar.modes.worktree import Worktree
else:  # the object of a mode is read by its own model, and only in a call that has the mode: see `read_call`
    Evaluate = Vote = Route = Orchestrate = Graph = Loop = Search = Workflow = Worktree = Debate = Dossier = Monitor = (
        Any
    )

__all__ = (  # everything of a call that others read is found here
    "ONE",
    "PLAIN",
    "SEVERAL",
    "AgentRef",
    "Call",
    "Checkpoint",
    "Codes",
    "Mode",
    "OperatorRef",
    "Reflexion",
    "RunMode",
    "SectionItem",
    "Shape",
    "TaskItem",
    "Thinking",
    "Tier",
    "TraceContext",
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


def read_call(call: Mapping[str, Any], most: int) -> tuple[Call | None, list[Any], int]:
    """The call as its model; or what the models refuse, in the order of the fields, and how much that is in all.

    Of each model at most some `most` errors are told, as pydantic tells them.
    """
    refused: dict[str, list[Any]] = {}
    count = 0
    objects: dict[str, Any] = {}
    for mode in OBJECTS:
        if (value := call.get(mode)) is not None and (shape := model(mode)) is not None:
            try:
                objects[mode] = shape.model_validate(value)
            except ValidationError as error:
                count += error.error_count()
                found = error.errors(include_url=False)[:most]
                refused[mode] = [{**each, "loc": (mode, *each["loc"])} for each in found]
    read: Call | None = None
    try:
        read = Call.model_validate({**call, **objects})
    except ValidationError as error:
        count += error.error_count()
        for each in error.errors(include_url=False)[:most]:
            unknown = each["type"] == "extra_forbidden" and len(each["loc"]) == 1  # of the call itself: told last
            refused.setdefault("" if unknown else str(each["loc"][0]), []).append(each)
    if count or read is None:
        names = [str(field.alias) for field in Call.model_fields.values()]
        return None, [each for name in (*names, "") for each in refused.get(name, ())], count
    return read, [], 0


def whole() -> type[Shape]:
    """The model of a call with the objects of all modes, for its JSON Schema."""
    fields: dict[str, Any] = {mode: (model(mode) | None, None) for mode in OBJECTS}  # pyright: ignore[reportOptionalOperand]
    return create_model("Call", __base__=Call, **fields)
