"""What the parameters of a call are made of: scalars, references to agents, tasks, and what a mode declares of itself.

Attribute names are snake_case, JSON keys camelCase. Everything is strict (`true` is no number) and closed (an unknown
key is an error). Seed: Parameters.
"""

from collections.abc import Mapping
from math import floor
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
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
# An author's id stands in headings, unit keys, file and branch names. It may hold any character but those that end a
# line or steer a terminal; the ids that a commander makes have a narrower rule.
Id = Annotated[str, Field(min_length=1, max_length=L.id_chars, pattern=r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029]*$")]


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


def how_many(value: Any) -> str:
    return SEVERAL if isinstance(value, list) else ONE


class Shape(BaseModel):
    """What every object of a call is."""

    model_config = ConfigDict(strict=True, extra="forbid", alias_generator=to_camel, defer_build=True, frozen=True)


PLAIN = "CALL_INVALID"  # the code of a field that has none of its own


class Codes(NamedTuple):
    """A field's codes: for a value that is missing or too small, for one that is too large, for one of another form."""

    less: str = PLAIN
    more: str = PLAIN
    form: str = PLAIN


class Mode(Shape):
    """The object of one mode. What the checks must know of the mode stands beside its fields.

    CODES       field → its codes, where it has some of its own; it is spelled without indexes: `nodes.id`
    NEEDS_TASK  its goal is the `task` of the call and nothing else
    UNREAD      parameters of the call that the mode does not read → why
    """

    CODES: ClassVar[Mapping[str, Codes]] = {}
    NEEDS_TASK: ClassVar[bool] = False
    UNREAD: ClassVar[Mapping[str, str]] = {"cwd": "each role has a `cwd` of its own"}


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

    role: ClassVar[None] = None
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
