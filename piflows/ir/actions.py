"""Action kinds as data: exactly one effect that is not a child."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from piflows.ir.limits import LIMITS
from piflows.ir.node import node
from piflows.ir.parts import Parts


@node
class Command:
    """A shell command in `cwd` (relative to the run's directory). It may run twice after a crash: documented.

    The result: `command`, `exit` (None when it did not exit by itself), `text` (stdout and stderr in arrival order,
    capped), `timedOut`, `started`, and the visit as `check`.
    """

    command: Parts
    cwd: Parts = ()
    timeout_ms: int = LIMITS.timeout_ms
    cap: int = LIMITS.command_bytes
    kind: Literal["command"] = "command"


@node
class Wait:
    """Let `ms` milliseconds pass."""

    ms: float
    kind: Literal["wait"] = "wait"


Doing = Annotated[Command | Wait, Field(discriminator="kind")]
