"""The object of a call in the mode debate. Debate: advocates and an adjudicator."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import Field

from piflows.grammar.call_parts import AgentRef, Codes, Mode, Whole
from piflows.ir.limits import LIMITS as L


class Debate(Mode):
    """Seed: Debate mode (advocates and adjudicator)."""

    CODES: ClassVar[Mapping[str, Codes]] = {"participants": Codes("DEBATE_TOO_FEW_PARTICIPANTS")}
    NEEDS_TASK: ClassVar[bool] = True

    participants: Annotated[list[AgentRef], Field(min_length=L.participants_min, max_length=L.participants_max)]
    adjudicator: AgentRef = AgentRef.model_construct(agent="analyst")
    rounds: Annotated[int, Field(ge=1, le=L.debate_rounds_max), Whole] = L.debate_rounds
