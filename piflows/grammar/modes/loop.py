"""The object of a call in the mode loop. Loop: a body until its judge is content."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import Field

from piflows.grammar.call_parts import AgentRef, Codes, Floored, Mode
from piflows.ir.limits import LIMITS as L

_MODE = Codes("INVALID_MODE")


class Loop(Mode):
    """Seed: Loop mode (generic bounded loop)."""

    CODES: ClassVar[Mapping[str, Codes]] = {"body": _MODE, "body.agent": _MODE}
    NEEDS_TASK: ClassVar[bool] = True

    body: AgentRef
    judge: AgentRef | None = None
    max_iterations: Annotated[float, Field(ge=1, le=L.iterations_max), Floored] = L.iterations
