"""What a Stage runs: a Plan, or one unit over each item of a list value."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from piflows.ir.node import node
from piflows.ir.unit import Ref, Unit


@node
class Plan:
    """A revisioned DAG of units. `needs` between units name units of the same Plan."""

    units: tuple[Unit, ...]
    revision: int = 1
    kind: Literal["plan"] = "plan"


@node
class Over:
    """One unit for each item of a list value: `unit` is the pattern, named `1`, `2`, …; the item is `Ref(pick="item")`.

    A list shorter than `least` or longer than `cap` refuses the Stage: the bounds of the Flow rest on them.
    """

    value: Ref
    unit: Unit
    cap: int
    least: int = 0
    kind: Literal["over"] = "over"


Work = Annotated[Plan | Over, Field(discriminator="kind")]
