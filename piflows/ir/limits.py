"""Every bound and default of the reference in one place, for the call models, the rules, the schema and the docs."""

from __future__ import annotations

from typing import Any


class Limits:
    """Counts are inclusive bounds; `*_ms` are milliseconds, `*_bytes` UTF-8 bytes."""

    __slots__ = ()  # so that nothing can be set on `LIMITS`

    concurrency: int = 4
    concurrency_max: int = 8
    parallel_tasks: int = 8
    flow_depth: int = 2
    graph_nodes: int = 16
    critics: int = 8
    iterations: int = 3
    iterations_max: int = 8
    candidates: int = 3
    candidates_max: int = 8
    beam: int = 1
    beam_max: int = 8
    search_rounds: int = 2
    search_rounds_max: int = 4
    voters: int = 3
    voters_min: int = 2
    voters_max: int = 8
    subtasks: int = 8
    subtasks_max: int = 16
    review_attempts: int = 2
    verify_rounds: int = 2
    attempts_max: int = 4
    phases_max: int = 12
    worktree_tasks_min: int = 2
    participants_min: int = 2
    participants_max: int = 8
    debate_rounds: int = 2
    debate_rounds_max: int = 3
    sections_min: int = 2
    sections_max: int = 8
    probe_interval_ms: int = 5_000
    probe_interval_min_ms: int = 10
    probe_interval_max_ms: int = 60_000
    probes: int = 6
    probes_max: int = 20
    lessons: int = 5
    lessons_max: int = 20
    timeout_ms: int = 36_000_000
    timeout_min_ms: int = 1_000
    timeout_max_ms: int = 31_536_000_000  # a year
    check_timeout_ms: int = 300_000
    approval_ttl_ms: int = 86_400_000
    approval_ttl_min_ms: int = 60_000
    approval_ttl_max_ms: int = 2_592_000_000
    text_bytes: int = 51_200  # of a text that a model reads: the answer, with its header, and a child's
    stderr_bytes: int = 51_200
    handoff_bytes: int = 51_200
    cause_bytes: int = 25_600  # of an error's cause: it is cut first, so that what follows it never is
    command_bytes: int = 16_384
    line_bytes: int = 4_096  # of a header, a role's label, one fact in a message or a fix
    id_bytes: int = 256  # of an identifier, a name in a message
    candidate_bytes: int = 51_200  # of a return envelope that is looked for in a text
    fragment_bytes: int = 4_096  # of one text that the handoff guard remembers
    attribute_bytes: int = 1_024  # of a text in a trace
    trace_list_bytes: int = 8_192  # of a list of keys or ids in a trace
    file_bytes: int = 1_048_576
    id_chars: int = 64
    saved_bytes: int = 8_388_608  # of a saved plan
    nesting: int = 100
    wrap_up_share: float = 0.8  # of a ceiling, from which on a child is told to finish
    artifact_bytes: int = 1_073_741_824  # of all files of one return: beyond it no digest is checked
    amount: float = 1e15  # tokens or USD of one response: what is above it was never spent


LIMITS = Limits()


def config() -> dict[str, Any]:
    """Defaults and caps under the names of the parameters that they belong to. Seed: Details object (`config`)."""
    return {
        "concurrency": LIMITS.concurrency,
        "maxConcurrency": LIMITS.concurrency_max,
        "timeoutMs": LIMITS.timeout_ms,
        "maxParallelTasks": LIMITS.parallel_tasks,
        "maxGraphNodes": LIMITS.graph_nodes,
        "maxCritics": LIMITS.critics,
        "maxFlowDepth": LIMITS.flow_depth,
        "checkTimeoutMs": LIMITS.check_timeout_ms,
        "maxOutputBytes": LIMITS.text_bytes,
        "maxCommandOutputBytes": LIMITS.command_bytes,
    }
