"""The object of a call in the mode monitor. Monitor: a probe and its reactor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from piflows.grammar.call_parts import AgentRef, Codes, Milliseconds, Mode, Whole
from piflows.ir.limits import LIMITS as L


class Monitor(Mode):
    """Seed: Monitor mode (bounded trigger and react). The probe runs in the `cwd` of the call."""

    CODES: ClassVar[Mapping[str, Codes]] = {"command": Codes("MONITOR_INVALID")}
    UNREAD: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("returnRequirements", "requireEvidence"), "a monitor's reactor gets the observation and the task alone"
    )

    command: str
    trigger: Literal["success", "failure", "match"] = "success"
    pattern: str | None = None
    interval_ms: Annotated[
        float, Field(ge=L.probe_interval_min_ms, le=L.probe_interval_max_ms, allow_inf_nan=False)
    ] = L.probe_interval_ms
    max_checks: Annotated[int, Field(ge=1, le=L.probes_max), Whole] = L.probes
    check_timeout_ms: Milliseconds | None = None
    reactor: AgentRef = AgentRef.model_construct(agent="analyst")
