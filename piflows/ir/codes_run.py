"""The catalogue, third part: what only a run can produce, in any mode: budgets, returns, handoffs, child processes."""

from __future__ import annotations

from piflows.ir.code import Code, child_error, flow_error

BUDGET_CODES = (
    child_error(
        "BUDGET_EXCEEDED",
        "{authority} budget exhausted ({spent} of {limit} {what}).",
        "The ceiling {what} was reached, so no child starts under it and a live one is stopped.",
        "Do not run the same call again, and keep the ceiling: narrow the work or its fan-out, or ask the user.",
    ),
    child_error(
        "BUDGET_UNOBSERVABLE",
        'A cost ceiling governs agent "{agent}", and its provider reports no cost.',
        "A ceiling that cannot be observed cannot be kept.",
        "Use a provider that reports costs, or set ceilings in tokens or time.",
    ),
    flow_error(
        "BUDGET_HEADROOM_EXCEEDED",
        "The decomposition would need more than the {authority} budget has left: {projected} of {limit} {what}.",
        "The projection is the spend so far, plus the remaining weight times what one weight has cost until now.",
        "Ask for a smaller decomposition, state honest `effortWeight`s, or narrow the goal.",
    ),
)

RETURN_CODES = (
    flow_error(
        "RETURN_ENVELOPE_INVALID",
        "The return of {role} is invalid: {problem}.",
        "A contracted child must end with a return envelope whose data fits the contract's schema and whose artifacts "
        "exist inside its directory.",
        "Do not run the same call again; change the instructions or the `returnSchema`.",
    ),
    flow_error(
        "RETURN_CONTRACT_MISMATCH",
        "The return of {role} belongs to another contract: {returned}.",
        "It was dispatched under {dispatched}; a return counts only for the contract that it names.",
        "Run it again under the current contract.",
        also="resume",
    ),
    flow_error(
        "RETURN_ENVELOPE_INCOMPLETE",
        "The return of {role} says {status}.",
        "What it leaves open: {reason}",
        "Resolve what is open and try again, or pass `incompleteHandoffPolicy: include` to use partial returns on "
        "purpose; a failed one is never used.",
        retryable=None,
        also="resume",
    ),
    flow_error(
        "RETURN_DIGEST_MISMATCH",
        "The return of {role} declares another digest for {artifact} than the file has.",
        "Declared: {declared}, found: {found}.",
        "Make artifact and envelope again, together.",
    ),
    flow_error(
        "HANDOFF_POLICY_VIOLATION",
        "The output of {producer} may not cross to its reader: {labels}.",
        "It looks like an injected instruction, and the handoff policy is `fail`; the rest of the flow starts nothing.",
        "Remove that content at its source, or use the policy `quarantine` to go on without it.",
    ),
)

CHILD_CODES = (
    child_error(
        "CHILD_PROTOCOL_ERROR",
        "The child did not speak the protocol: {problem}.",
        "It wrote no line that could be read, or exited well without any message.",
        "Check the version of the agent command and what it prints when it starts.",
        retryable=True,
    ),
    child_error(
        "CHILD_EXIT_NONZERO",
        "The child failed with exit status {exit}.",
        "On its standard error: {stderr|(nothing)}",
        "Check that the agent command is installed, authenticated, and has its model and directory.",
        retryable=True,
    ),
    child_error(
        "CHILD_ABORTED",
        "The child was interrupted.",
        "The request that started it was cancelled.",
        "Run it again if that was an accident.",
        retryable=True,
    ),
    child_error(
        "CHILD_TIMEOUT",
        "The child did not finish within {ms} ms.",
        "Its wall-clock limit, the smaller of the flow's and its contract's, has passed.",
        "Raise `timeoutMs`, or split the work.",
        retryable=True,
    ),
    child_error(
        "CHILD_PROVIDER_ERROR",
        "The model provider ended the child with an error: {category}.",
        "The provider said: {diagnostic|(nothing)}",
        "rate_limit and capacity pass with time; for authentication correct the credentials, for context_window give "
        "the child less to read, else read the cause.",
        retryable=None,
    ),
)

RUN_CODES: tuple[Code, ...] = BUDGET_CODES + RETURN_CODES + CHILD_CODES
