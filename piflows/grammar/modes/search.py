"""The object of a call in the mode search. Search: a bounded beam."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from piflows.grammar.call_parts import AgentRef, Floored, Mode
from piflows.ir.limits import LIMITS as L


class Search(Mode):
    """Seed: Search mode (bounded beam search)."""

    NEEDS_TASK: ClassVar[bool] = True

    generator: AgentRef = AgentRef.model_construct(agent="strategist")
    scorer: AgentRef = AgentRef.model_construct(agent="redteam", tools="none")
    debrief: AgentRef = AgentRef.model_construct(agent="debrief")
    candidates: Annotated[float, Field(ge=1, le=L.candidates_max), Floored] = L.candidates
    beam_width: Annotated[float, Field(ge=1, le=L.beam_max), Floored] = L.beam
    max_rounds: Annotated[float, Field(ge=1, le=L.search_rounds_max), Floored] = L.search_rounds
