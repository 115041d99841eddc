"""The object of a call in the mode vote. Vote: several voices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, cast

from pydantic import Field, model_validator

from piflows.grammar.call_parts import AgentRef, Codes, Mode, NonEmpty, Whole
from piflows.ir.limits import LIMITS as L


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
