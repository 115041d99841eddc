"""Every name that a trace row has: roles, kinds and attributes. What writes and what reads take them from here."""

from __future__ import annotations

ROOT, STAGE, CHILD, EVENT = "root", "stage", "child", "event"
ROLES = (ROOT, STAGE, CHILD, EVENT)
EVENT_KINDS = ("artifact", "state", "retry", "approval", "budget", "validation", "handoff")

# ---- on every row
SPAN_KIND = "openinference.span.kind"
ROLE = "flow.span_role"
MODE = "flow.mode"
LABEL = "flow.trace_label"
INVOCATION = "flow.invocation_id"
SPAN_ID = "flow.span_id"  # of a span sent over OTLP alone, whose own ids are shorter
CONTEXT = {
    "runId": "flow.run_id",
    "caseId": "flow.case_id",
    "trialId": "flow.trial_id",
    "trialIndex": "flow.trial_index",
    "arm": "flow.arm",
    "attempt": "flow.attempt",
}

# ---- placement
UNIT_KEY = "flow.unit_key"
STAGE_KEY = "flow.stage_key"
STAGE_SPANS = "flow.stage_span_count"
DEPENDS_ON = "flow.depends_on"
DEPENDS_COUNT = "flow.depends_on_count"
DEPENDS_IDS = "flow.depends_on_span_ids"
DEPENDS_CUT = "flow.depends_on_truncated"
UNRESOLVED = "flow.depends_on_unresolved"
UNRESOLVED_CUT = "flow.depends_on_unresolved_truncated"
PLACEMENT = (DEPENDS_ON, DEPENDS_COUNT, DEPENDS_IDS, DEPENDS_CUT, UNRESOLVED, UNRESOLVED_CUT)

# ---- child
AGENT = "flow.agent"
AGENT_SOURCE = "flow.agent_source"
AGENT_ROLE = "flow.role"
STEP = "flow.step"
COST = "flow.cost_usd"
TURNS = "flow.turns"
DURATION = "flow.duration_ms"
STOP_REASON = "flow.stop_reason"
ERROR_CODE = "flow.error_code"
MODEL = "llm.model_name"
TOKENS_IN = "llm.token_count.prompt"
TOKENS_OUT = "llm.token_count.completion"
TOKENS = "llm.token_count.total"
THINKING = "flow.thinking_level"
THINKING_VERIFIED = "flow.thinking_level_verified"
RECORDED = "flow.content_recorded"
INPUT = "input.value"
OUTPUT = "output.value"
PROMPT_VERSION = "flow.agent_prompt_version"
TOOLS = "flow.allowed_tools"
REASON = "flow.delegation_reason"
CONTRACT = "flow.contract_id"
EFFECT_CLASS = "flow.side_effect_class"
SCHEMA_DIGEST = "flow.return_schema_digest"
CONSTRAINTS = "flow.constraint_ids"
OWNER = "flow.contract_owner"
AUTHORITY = {
    "may": "flow.authority_may",
    "mustNot": "flow.authority_must_not",
    "requiresApproval": "flow.authority_requires_approval",
}
REVISION = "flow.plan_revision"

# ---- event
EVENT_KIND = "flow.event_kind"
EVENT_NAME = "flow.event_name"
MINTED = "flow.event_minted"
VERIFIED = "trace.structure_verified"
INVALID = "trace.structure_invalid"
STRUCTURE_OK = "flow.trace.structure_verified"
STRUCTURE_REVOKED = "flow.trace.structure_revoked"
STRUCTURE_ISSUE = "flow.trace.structure_issue"
CHECK_PASSED = "flow.check.passed"
CHECK_ROUND = "flow.check.iteration"
VERDICT_PASS = "flow.verdict.pass"
VERDICT_ROUND = "flow.verdict.round"
ROUTE = "flow.route.choice"
HANDOFF_CONTRACT = "flow.handoff.contract_id"
HANDOFF_RECORDED = "flow.handoff.content_recorded"
PRESERVED = "flow.handoff.preserved_constraint_ids"

# ---- root
CHILDREN = "flow.child_count"
FAILED_CHILDREN = "flow.failed_child_count"
COST_TOTAL = "flow.cost_usd_total"
TOKENS_TOTAL = "flow.token_count_total"
WORKER = "flow.worker_time_ms"
ELAPSED = "flow.elapsed_time_ms"
PATH_KNOWN = "flow.critical_path_available"
PATH = "flow.critical_path_ms"
LEGACY_WORKER = "flow.duration_ms_total"
SUCCESS = "flow.execution_success"
OUTCOME_VERIFIED = "flow.outcome_verified"
OUTCOME_SUCCESS = "flow.outcome_success"
OVER_BUDGET = "flow.budget_exceeded"
SAME_MODEL = "flow.same_model_vote_warning"
ROOT_ROUTE = "flow.route_choice"
PRESET = "flow.preset"
PRESET_SOURCE = "flow.preset_source"
REFUSED = "flow.refused_before_spawn"
EXPECTED = "flow.trace.expected_spans"
OBSERVED = "flow.trace.observed_spans"
DROPPED = "flow.trace.dropped_spans"
REDACTED = "flow.trace.redacted_spans"
FAILED_EXPORTS = "flow.trace.failed_exports"
STAGES = "flow.trace.stage_count"
HEALTH = "flow.trace.health"
OWED = "flow.trace.owed_event_kinds"
PENDING = "flow.trace.verification_pending"

# What says something in prose: dropped where the call does not record content.
PROSE = frozenset(
    {REASON, OWNER, INPUT, OUTPUT, *AUTHORITY.values(), "flow.handoff.artifact_refs", "flow.artifact.path"}
)
