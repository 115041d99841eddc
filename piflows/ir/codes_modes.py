"""The catalogue, second part: what one mode or another refuses, before its run or within it."""

from __future__ import annotations

from piflows.ir.code import Code, compile_error, flow_error, host_error, resume_error
from piflows.ir.limits import LIMITS as L

DECOMPOSITION_CODES = (
    flow_error(
        "ORCHESTRATE_NO_SUBTASKS",
        "The commander gave no subtasks.",
        "Its answer holds no JSON array with at least one usable element. It began: {answer|(empty)}",
        "Ask the commander for a JSON array of strings or of subtask objects.",
    ),
    flow_error(
        "DECOMPOSITION_INVALID",
        "The commander's subtasks cannot be admitted: {problem}.",
        "Subtasks need unique ids, an objective and known dependencies, and at most maxSubtasks of them are taken.",
        f"Correct what the commander is asked for, or raise `maxSubtasks` (at most {L.subtasks_max}).",
    ),
    flow_error(
        "DECOMPOSITION_CYCLE",
        "The subtasks wait for each other: {chain}.",
        "No subtask of the loop {chain} can start first.",
        "Have the commander remove one dependency of the loop.",
    ),
    flow_error(
        "DECOMPOSITION_REVIEW_FAILED",
        "The decomposition was not approved after {attempts} review attempts.",
        "{reason}",
        f"Narrow the goal, improve the instructions, or raise `reviewMaxIterations` (at most {L.attempts_max}).",
    ),
    flow_error(
        "ORCHESTRATE_VERIFY_FAILED",
        "The answer did not pass its verification.",
        "{reason}",
        "Address the critique, raise `verifyMaxIterations`, or use `verifyPolicy: note` to keep the answer with the "
        "critique beside it.",
    ),
)

WORKFLOW_CODES = (
    compile_error(
        "WORKFLOW_INVALID",
        "The workflow is invalid: {problem}.",
        f"A workflow has 1 to {L.phases_max} phases with unique ids, each either work (agent and task) or an approval, "
        "and an approval must gate something that can be bound.",
        "Correct the phase that is named.",
        also="run",
    ),
    resume_error(
        "WORKFLOW_STATE_INVALID",
        "The saved state of the workflow cannot be resumed: {problem}.",
        "A state belongs to exactly the workflow that wrote it, and is used whole or not at all.",
        "Resume with the same definition, or start afresh without `resume`.",
    ),
    flow_error(
        "WORKFLOW_GATE_FAILED",
        'The check of phase "{phase}" failed: {reason}.',
        "The check command must exit 0 before the next phase starts. Its output: {output|(none)}",
        "Repair what the check complains about, then resume; the phase and its check run again.",
    ),
    host_error(
        "WORKFLOW_APPROVAL_REQUIRED",
        'Phase "{phase}" needs an approval, and there is no terminal to ask on.',
        "An approval is given by a person. The progress so far is saved and the workflow is paused.",
        "Resume the workflow on a terminal.",
        also="run",
    ),
    flow_error(
        "WORKFLOW_APPROVAL_DENIED",
        'Phase "{phase}" was not approved.',
        "The person who was asked declined.",
        "Review what the phase would do, then resume the workflow.",
    ),
    resume_error(
        "APPROVAL_RECEIPT_INVALID",
        'The approval of phase "{phase}" is not usable: {problem}.',
        "A receipt must be there, whole, and unchanged since it was issued.",
        "Approve again on a terminal.",
    ),
    resume_error(
        "APPROVAL_RECEIPT_CONSUMED",
        'The approval of phase "{phase}" was already spent on another action.',
        "One approval allows one action.",
        "Give each action an approval of its own.",
    ),
    resume_error(
        "APPROVAL_RECEIPT_STALE",
        'What phase "{phase}" would do is not what was approved: {problem}.',
        "The approval is bound to the action, its agent and its directory as they were then.",
        "Approve again, or restore what was approved.",
        also="run",
    ),
    resume_error(
        "APPROVAL_RECEIPT_EXPIRED",
        'The approval of phase "{phase}" has expired.',
        "Its time ran out at {expired}, before the action began.",
        "Approve again; give `approvalTtlMs` a larger value beforehand if work needs longer to begin.",
    ),
)

WORKTREE_CODES = (
    host_error(
        "WORKTREE_NOT_GIT",
        "{cwd} is not inside a git repository.",
        "Each writer gets a worktree of the repository, and git knows none here.",
        "Run the call inside a checkout.",
    ),
    host_error(
        "WORKTREE_DIRTY_SOURCE",
        "The source checkout has changes that are not committed: {problem}.",
        "Writers start from a commit, so such changes would be missing from their work; `requireClean` asks for none.",
        "Commit or stash them, or pass `requireClean: false`.",
    ),
    compile_error(
        "WORKTREE_SETUP_FAILED",
        "The worktrees cannot be set up: {problem}.",
        f"The mode needs at least {L.worktree_tasks_min} complete tasks with unique ids, a base that git can resolve, "
        "and branches that can be made and committed to.",
        "Correct the tasks or the `baseRef`, remove stale branches and worktrees, and look at the repository's hooks.",
        also="run",
    ),
    flow_error(
        "WORKTREE_INTEGRATION_FAILED",
        "The writers' branches were not integrated: {problem}.",
        "All writers must succeed, and every merge must keep both sides. These branches are kept: {branches}",
        "Look at the kept branches, and merge or correct them by hand.",
    ),
    flow_error(
        "WORKTREE_VERIFY_FAILED",
        "The integrated result did not pass its check: {reason}.",
        "The check command must exit 0 on the integration branch {branch}, which is kept. Its output: {output|(none)}",
        "Look at the integration branch, and repair what the check complains about.",
    ),
)

OTHER_CODES = (
    flow_error(
        "CHECK_COMMAND_FAILED",
        "The check command could not be run: {command}",
        "The shell could not start it: {reason}.",
        "Make the command one that starts in that directory; one that starts and fails is a verdict, not an error.",
    ),
    compile_error(
        "TOO_FEW_VOTERS",
        "A vote needs at least {limit} voters, and this one has {count}.",
        "One answer alone cannot be compared with another.",
        "Set `vote.count` to {limit} or more, or list that many voters.",
    ),
    flow_error(
        "ROUTE_UNRESOLVED",
        "The controller named none of its candidates: {candidates}.",
        "{reason}",
        "State the choice more clearly, change the candidates, or name a `fallback`.",
    ),
    compile_error(
        "GRAPH_INVALID",
        "The graph is invalid: {problem}.",
        f"A graph has 1 to {L.graph_nodes} nodes with unique ids, each with an agent and a task, and depends only on "
        "nodes that it has.",
        "Correct the node that is named.",
    ),
    compile_error(
        "GRAPH_CYCLE",
        "The graph's nodes wait for each other: {chain}.",
        "No node of the loop {chain} can start first.",
        "Take one of these nodes out of the `dependsOn` of another, so that one of them can start.",
        also="run",
    ),
    flow_error(
        "LOOP_DID_NOT_CONVERGE",
        "The loop ended after {iterations} iterations without being done.",
        "Neither the body nor the judge said that the goal is reached.",
        f"Narrow the task, state the stop condition better, or raise `maxIterations` (at most {L.iterations_max}).",
    ),
    flow_error(
        "SEARCH_NO_CANDIDATES",
        "Round {round} of the search has no candidate to go on with.",
        "No generator of that round succeeded.",
        "Narrow the task, ask for fewer candidates, or use another generator.",
    ),
    compile_error(
        "DEBATE_TOO_FEW_PARTICIPANTS",
        "A debate needs at least {limit} participants, and this one has {count}.",
        "One position alone has nothing to answer to.",
        "List {limit} participants or more.",
    ),
    compile_error(
        "DOSSIER_TOO_FEW_SECTIONS",
        "A dossier needs at least {limit} sections, and {count} {problem}.",
        "A dossier rests on independent sources; one alone is no dossier.",
        "List {limit} sections or more, whose agents can succeed independently of each other.",
        also="run",
    ),
    compile_error(
        "MONITOR_INVALID",
        "The monitor cannot probe: {problem}.",
        "It needs a command that a shell can start and, for the trigger `match`, a valid regular expression.",
        "Correct the command or the pattern.",
        also="run",
    ),
    flow_error(
        "MONITOR_NOT_TRIGGERED",
        "The trigger did not fire in {checks} probes.",
        "The last observation: {observation|(no output)}",
        "Take it as a conclusive no within these bounds; raise `maxChecks` or `intervalMs` only on purpose.",
        retryable=True,
    ),
)

MODE_CODES: tuple[Code, ...] = DECOMPOSITION_CODES + WORKFLOW_CODES + WORKTREE_CODES + OTHER_CODES
