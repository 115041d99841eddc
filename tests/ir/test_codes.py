"""The catalogue: complete, of the agreed properties, and made of sentences that work for any facts."""

import re

import pytest

from piflows.ir.codes import CODES, GROUPS, Code
from piflows.ir.diagnostic import _FACT, diagnostic, outline

# (level, stage, also, retryable) -> names; retryable None = the case decides
REFERENCE: dict[tuple[str, str, str | None, bool | None], str] = {
    ("flow", "compile", None, False): """
        UNKNOWN_PRESET PRESET_TASK_REQUIRED PRESET_OVERRIDE_INVALID PRESET_EXPANSION_INVALID PARAM_RENAMED INVALID_MODE
        WHY_REQUIRED INVALID_SCOPE INVALID_CONCURRENCY TOO_MANY_TASKS PARALLEL_SIZING_REQUIRED TOO_FEW_VOTERS
        GRAPH_INVALID DEBATE_TOO_FEW_PARTICIPANTS""",
    ("flow", "compile", "run", False): """
        SHARED_WRITE_CWD INVALID_DELEGATION_CONTRACT GRAPH_CYCLE WORKFLOW_INVALID WORKTREE_SETUP_FAILED
        DOSSIER_TOO_FEW_SECTIONS MONITOR_INVALID""",
    ("run", "compile", "run", False): "UNKNOWN_AGENT",
    ("flow", "prespawn", None, False): """
        PROJECT_PRESET_APPROVAL_REQUIRED PROJECT_PRESET_APPROVAL_DENIED FLOW_DEPTH_EXCEEDED
        PROJECT_AGENT_APPROVAL_REQUIRED PROJECT_AGENT_APPROVAL_DENIED WORKTREE_NOT_GIT WORKTREE_DIRTY_SOURCE""",
    ("flow", "prespawn", "run", False): """
        CHECKPOINT_APPROVAL_REQUIRED CHECKPOINT_APPROVAL_DENIED TRACE_INCOMPLETE WORKFLOW_APPROVAL_REQUIRED""",
    ("run", "prespawn", None, False): "BASH_READONLY_UNENFORCEABLE MODEL_SCOPE_UNSATISFIABLE",
    ("run", "run", None, False): "BUDGET_EXCEEDED BUDGET_UNOBSERVABLE",
    ("flow", "run", None, False): """
        BUDGET_HEADROOM_EXCEEDED ORCHESTRATE_NO_SUBTASKS DECOMPOSITION_INVALID DECOMPOSITION_CYCLE
        DECOMPOSITION_REVIEW_FAILED ORCHESTRATE_VERIFY_FAILED CHECK_COMMAND_FAILED ROUTE_UNRESOLVED
        LOOP_DID_NOT_CONVERGE SEARCH_NO_CANDIDATES WORKFLOW_GATE_FAILED WORKFLOW_APPROVAL_DENIED
        WORKTREE_INTEGRATION_FAILED WORKTREE_VERIFY_FAILED RETURN_ENVELOPE_INVALID RETURN_DIGEST_MISMATCH
        HANDOFF_POLICY_VIOLATION""",
    ("flow", "run", None, True): "MONITOR_NOT_TRIGGERED",
    ("flow", "run", "resume", False): "RETURN_CONTRACT_MISMATCH",
    ("flow", "run", "resume", None): "RETURN_ENVELOPE_INCOMPLETE",
    ("flow", "resume", None, False): """
        WORKFLOW_STATE_INVALID APPROVAL_RECEIPT_INVALID APPROVAL_RECEIPT_CONSUMED APPROVAL_RECEIPT_EXPIRED""",
    ("flow", "resume", "run", False): "APPROVAL_RECEIPT_STALE",
    ("run", "run", None, True): "CHILD_PROTOCOL_ERROR CHILD_EXIT_NONZERO CHILD_ABORTED CHILD_TIMEOUT",
    ("run", "run", None, None): "CHILD_PROVIDER_ERROR",
    ("flow", "discovery", None, False): """
        AGENT_DIR_UNREADABLE AGENT_FILE_UNREADABLE AGENT_FRONTMATTER_INVALID AGENT_THINKING_INVALID AGENT_NAME_SHADOWED
        PRESET_DIR_UNREADABLE PRESET_FILE_UNREADABLE PRESET_FRONTMATTER_INVALID PRESET_TEMPLATE_INVALID
        PRESET_TEMPLATE_SCHEMA_INVALID PRESET_NAME_SHADOWED""",
}
OURS = """CONTRACT_UNFIT CALL_INVALID UNKNOWN_PARAMETER UNKNOWN_TOOL PARAMETER_IGNORED HANDOFF_UNRESOLVED HANDOFF_EMPTY
          UNUSED_DEPENDENCY IR_INVALID NOT_AVAILABLE PLAN_STALE JOURNAL_INVALID FILE_SKIPPED FILE_NOT_WRITTEN
          TRACE_NOT_SENT FINDINGS_CUT"""
WARNINGS = """CONTRACT_UNFIT UNKNOWN_TOOL PARAMETER_IGNORED HANDOFF_EMPTY UNUSED_DEPENDENCY AGENT_FRONTMATTER_INVALID
              AGENT_THINKING_INVALID AGENT_NAME_SHADOWED PRESET_DIR_UNREADABLE PRESET_FILE_UNREADABLE
              PRESET_FRONTMATTER_INVALID PRESET_TEMPLATE_INVALID PRESET_TEMPLATE_SCHEMA_INVALID PRESET_NAME_SHADOWED
              FILE_SKIPPED FINDINGS_CUT"""

# What reporters give: the sentences of a code use exactly these facts.
FACTS = {
    "CALL_INVALID": "problem", "UNKNOWN_PARAMETER": "key owner hint", "PARAMETER_IGNORED": "key reason",
    "PARAM_RENAMED": "path old new", "INVALID_MODE": "problem needs", "WHY_REQUIRED": "", "INVALID_SCOPE": "value",
    "INVALID_CONCURRENCY": "value", "FLOW_DEPTH_EXCEEDED": "depth limit", "TOO_MANY_TASKS": "what count limit",
    "PARALLEL_SIZING_REQUIRED": "tasks", "UNKNOWN_AGENT": "agent scope hint", "UNKNOWN_PRESET": "preset scope hint",
    "PRESET_TASK_REQUIRED": "preset", "PRESET_OVERRIDE_INVALID": "preset key allowed hint",
    "PRESET_EXPANSION_INVALID": "preset problem", "GRAPH_INVALID": "problem", "GRAPH_CYCLE": "chain",
    "SHARED_WRITE_CWD": "cwd agents", "MONITOR_INVALID": "problem", "MONITOR_NOT_TRIGGERED": "checks observation",
    "CHECK_COMMAND_FAILED": "command reason", "SEARCH_NO_CANDIDATES": "round",
    "HANDOFF_UNRESOLVED": "placeholder problem", "HANDOFF_EMPTY": "placeholder",
    "UNUSED_DEPENDENCY": "node dependency", "IR_INVALID": "problem", "NOT_AVAILABLE": "what", "PLAN_STALE": "changes",
    "JOURNAL_INVALID": "problem", "FINDINGS_CUT": "shown kind rest", "PROJECT_PRESET_APPROVAL_REQUIRED": "preset",
    "PROJECT_PRESET_APPROVAL_DENIED": "preset", "PROJECT_AGENT_APPROVAL_REQUIRED": "agents",
    "PROJECT_AGENT_APPROVAL_DENIED": "agents", "TRACE_INCOMPLETE": "problem", "CHECKPOINT_APPROVAL_REQUIRED": "when",
    "TRACE_NOT_SENT": "endpoint sent total problem",
    "CHECKPOINT_APPROVAL_DENIED": "when", "INVALID_DELEGATION_CONTRACT": "role problem",
    "CHILD_EXIT_NONZERO": "exit stderr", "CHILD_PROTOCOL_ERROR": "problem", "CHILD_TIMEOUT": "ms", "CHILD_ABORTED": "",
    "CHILD_PROVIDER_ERROR": "category diagnostic", "AGENT_DIR_UNREADABLE": "file problem",
    "AGENT_FILE_UNREADABLE": "file problem", "AGENT_FRONTMATTER_INVALID": "file problem",
    "AGENT_THINKING_INVALID": "file problem", "AGENT_NAME_SHADOWED": "name file other",
    "PRESET_DIR_UNREADABLE": "file problem", "PRESET_FILE_UNREADABLE": "file problem",
    "PRESET_FRONTMATTER_INVALID": "file problem", "PRESET_TEMPLATE_INVALID": "file problem",
    "PRESET_TEMPLATE_SCHEMA_INVALID": "file problem", "PRESET_NAME_SHADOWED": "name file other",
}  # fmt: skip
every_code = pytest.mark.parametrize("code", CODES.values(), ids=CODES)


def facts_of(code: Code) -> set[str]:
    return {match[1] for text in (code.message, code.cause, code.fix) for match in _FACT.finditer(text) if match[1]}


def test_every_code_of_the_reference_has_its_properties():
    expected = {name: key for key, names in REFERENCE.items() for name in names.split()}
    got = {name: (code.level, code.stage, code.also, code.retryable) for name, code in CODES.items()}
    assert {name: got[name] for name in got if name not in OURS.split()} == expected


def test_beyond_the_reference_there_are_our_own_codes_and_no_other():
    reference = {name for names in REFERENCE.values() for name in names.split()}
    assert set(CODES) - reference == set(OURS.split())
    assert not any(CODES[name].retryable for name in OURS.split())


def test_what_refuses_nothing_is_a_warning():
    assert {name for name, code in CODES.items() if code.severity != "error"} == set(WARNINGS.split())


def test_no_code_stands_in_two_groups():
    assert sum(map(len, GROUPS.values())) == len(CODES)


@pytest.mark.parametrize("name", FACTS)
def test_sentences_use_exactly_the_agreed_facts(name: str):
    assert facts_of(CODES[name]) == set(FACTS[name].split())


@every_code
def test_sentences_are_whole(code: Code):
    assert re.fullmatch(r"[A-Z]+(_[A-Z]+)+", code.name)
    for text in (code.message, code.cause, code.fix):
        assert text.endswith((".", "}")), text
        assert not re.search(r"[{}]", _FACT.sub("", text)), f"a brace that is neither fact nor escape: {text}"
        assert re.match(r"[A-Z0-9\"{`]|concurrency |agentScope ", text) or code.name == "CHILD_PROVIDER_ERROR", text
    assert code.cause != code.message != code.fix


@every_code
def test_message_names_what_the_reporter_knows(code: Code):
    """A fact that no message shows is one that a reader of a one-line log never sees; long output is for the cause."""
    only_in_cause = {"allowed", "answer", "attempts", "branches", "branch", "observation", "output", "stderr"}
    only_in_cause |= {"diagnostic", "dispatched", "declared", "found", "expired", "reason", "needs"}
    shown = {match[1] for match in _FACT.finditer(code.message) if match[1]}
    assert facts_of(code) - shown <= only_in_cause


@every_code
def test_every_sentence_shows_its_facts_and_needs_them(code: Code):
    facts = {name: f"‹{name}›" for name in facts_of(code)}
    made = diagnostic(code.name, **facts)
    for template, text in ((code.message, made.message), (code.cause, made.cause), (code.fix, made.fix)):
        assert all(facts[match[1]] in text for match in _FACT.finditer(template) if match[1])
    for missing in facts:
        with pytest.raises(KeyError, match=missing):
            diagnostic(code.name, **{name: value for name, value in facts.items() if name != missing})


def test_outline_shows_a_sentence_without_a_case():
    assert outline('No "{agent}" in {scope}.{hint|}') == 'No "<agent>" in <scope>.'
    assert outline("Read {{node.{dependency}}}. {output|(none)}", "*", "*") == "Read {node.*dependency*}. *output*"
