"""The object of a call in the mode route. Route: a controller and who it may choose."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import Field

from piflows.grammar.call_parts import AgentRef, Codes, Mode


class Route(Mode):
    """Seed: Route mode (classify → dispatch). Blank names are as good as none."""

    CODES: ClassVar[Mapping[str, Codes]] = {"candidates": Codes("INVALID_MODE")}
    NEEDS_TASK: ClassVar[bool] = True

    controller: AgentRef = AgentRef.model_construct(agent="controller")
    candidates: Annotated[list[str], Field(min_length=1)]
    fallback: str | None = None
