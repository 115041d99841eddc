"""The object of a call in the mode evaluate. Evaluate: a generator and its critics."""

from __future__ import annotations

from typing import Annotated

from pydantic import Discriminator, Field, Tag

from piflows.grammar.call_parts import ONE, SEVERAL, AgentRef, Floored, Mode, OperatorRef, how_many
from piflows.ir.limits import LIMITS as L


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
