"""The catalogue, first part: what a call, a preset or an agent reference gets wrong, and what the host must allow."""

from __future__ import annotations

from piflows.ir.code import Code, compile_error, compile_warning, host_error
from piflows.ir.limits import LIMITS as L

PRESET_CODES = (
    compile_error(
        "UNKNOWN_PRESET",
        'There is no preset named "{preset}" in scope {scope}.{hint|}',
        "Preset names match exactly, and only the directories of the scope {scope} were read. A preset file that was "
        "rejected when it was read counts as absent.",
        "Run `piflows list` and use a name that it shows, or name the scope that holds the preset: "
        '`"agentScope": "project"` in a call, `--set agentScope=project` on the command line.',
    ),
    compile_error(
        "PRESET_TASK_REQUIRED",
        'Preset "{preset}" needs a task.',
        "Its template holds {{task}}, and the call gives no task, or a blank one.",
        "Put the whole goal into `task`.",
    ),
    compile_error(
        "PRESET_OVERRIDE_INVALID",
        'Preset "{preset}" does not let a call set "{key}".{hint|}',
        "Beside the preset a call may set what every call decides for itself, and what the preset declares in its "
        "`overrides`, which is: {allowed|nothing}.",
        'Leave "{key}" out, add it to the `overrides` of the preset after a review, or make the call without a preset.',
    ),
    compile_error(
        "PRESET_EXPANSION_INVALID",
        'Preset "{preset}" gives an invalid call: {problem}.',
        "Template and overrides together break the rules for parameters that hold for every call.",
        "Correct the override that the call sets, or the template of the preset.",
    ),
    host_error(
        "PROJECT_PRESET_APPROVAL_REQUIRED",
        'Preset "{preset}" comes from this project and nobody has approved it.',
        "Whoever can write to the project can write its presets, so a person must approve one before it runs, and "
        "there is no terminal to ask on.",
        'Run it on a terminal and approve, or read the file and then say so: `"confirmProjectAgents": false` in a '
        "call, `--set confirmProjectAgents=false` on the command line; for a saved plan, before it is saved.",
    ),
    host_error(
        "PROJECT_PRESET_APPROVAL_DENIED",
        'The project preset "{preset}" was not approved.',
        "The person who was asked declined.",
        "Read the preset file; run the call again and approve it if it is fine.",
    ),
)

SHAPE_CODES = (
    compile_error(
        "PARAM_RENAMED",
        "{path} uses a retired name: `{old}` is now `{new}`.",
        "The parameter was renamed; the old name would have no effect.",
        "Give the same value under `{new}`.",
    ),
    compile_error(
        "INVALID_MODE",
        "The call does not select one complete mode: {problem}.",
        "A call activates exactly one mode and brings all that this mode needs.",
        "Give one mode all that it needs: {needs}.",
    ),
    compile_error(
        "WHY_REQUIRED",
        "The call does not say why it delegates.",
        "Every call that starts children needs a `why` that is not blank.",
        "Add one sentence as `why` (`--why` for a preset on the command line): what the user asked for, that the work "
        "exceeds one context, or that a result must be verified by somebody other than its author.",
    ),
    compile_error(
        "INVALID_SCOPE",
        'agentScope is "{value}".',
        "Agents and presets are looked up in the scope user, project or all.",
        "Use one of the three, or leave agentScope out for user.",
    ),
    compile_error(
        "INVALID_CONCURRENCY",
        "concurrency is {value}.",
        f"It must be a whole number from 1 to {L.concurrency_max}, in every mode, the sequential ones too.",
        f"Use a whole number from 1 to {L.concurrency_max}, or leave it out for {L.concurrency}.",
    ),
    host_error(
        "FLOW_DEPTH_EXCEEDED",
        "This flow would be at depth {depth}, and the limit is {limit}.",
        "A child of a flow started a flow itself; PI_FLOWS_DEPTH counts these levels.",
        "Let the outer flow do the delegation, in one level.",
    ),
    compile_error(
        "TOO_MANY_TASKS",
        "{count} {what} were given; at most {limit} are allowed.",
        "One call starts a bounded number of children of one wave.",
        "Split them into several calls of at most {limit}.",
    ),
    compile_error(
        "PARALLEL_SIZING_REQUIRED",
        "These parallel tasks have neither a model nor a tier, nor has the call: {tasks}.",
        "Several tasks multiply the cost of a model that nobody chose; a blank model and an unknown tier choose none.",
        "Give each of these tasks a `tier` or `model`, or set one for the whole call.",
    ),
    compile_error(
        "SHARED_WRITE_CWD",
        "Agents that can write may run at the same time in {cwd}: {agents}.",
        "Each has a tool that can change files, and what one writes the other may overwrite or half read.",
        "Let one wait for the other, set `concurrency: 1`, give them `tools` without bash, edit and write (bash-ro is "
        "fine), or a `cwd` each; "
        "`allowSharedWriteCwd: true` only if their files cannot overlap.",
        also="run",
    ),
    compile_error(
        "INVALID_DELEGATION_CONTRACT",
        "The contract of {role} is invalid: {problem}.",
        "A contract must be complete and well-formed before anything is dispatched under it.",
        "Give all required fields with values of the documented form, and a valid JSON Schema as `returnSchema`.",
        also="run",
    ),
    Code(
        "UNKNOWN_AGENT",
        "run",
        "compile",
        False,
        "error",
        'There is no agent named "{agent}" in scope {scope}.{hint|}',
        "Agent names match exactly, and only the directories of the scope {scope} were read.",
        "Run `piflows list` and use a name that it shows, or name the scope that holds the agent: "
        '`"agentScope": "project"` in a call, `--set agentScope=project` on the command line.',
        "run",
    ),
    host_error(
        "PROJECT_AGENT_APPROVAL_REQUIRED",
        "These agents come from this project and nobody has approved them: {agents}.",
        "Whoever can write to the project can write its agents, so a person must approve them before they run, and "
        "there is no terminal to ask on.",
        'Run it on a terminal and approve, or read the files and then say so: `"confirmProjectAgents": false` in a '
        "call, `--set confirmProjectAgents=false` on the command line; for a saved plan, before it is saved.",
    ),
    host_error(
        "PROJECT_AGENT_APPROVAL_DENIED",
        "The project agents were not approved: {agents}.",
        "The person who was asked declined.",
        "Read the agent files; run the call again and approve them if they are fine.",
    ),
    host_error(
        "CHECKPOINT_APPROVAL_REQUIRED",
        "The checkpoint before {when} needs a person, and there is none to ask.",
        "The call asks for a checkpoint, but it runs without a terminal and nothing can answer later.",
        "Run it on a terminal, remove `checkpoint`, or let a command decide instead of a person.",
        also="run",
    ),
    host_error(
        "CHECKPOINT_APPROVAL_DENIED",
        "The checkpoint before {when} was declined.",
        "The person who was asked did not let the flow go on.",
        "Review what was shown, change the call if needed, and run it again.",
        also="run",
    ),
    host_error(
        "TRACE_INCOMPLETE",
        "The strict trace is not complete: {problem}.",
        "Under strict tracing a flow whose trace cannot be trusted does not count as done.",
        "Name a writable file in `traceFile` that nothing else truncates, or turn `traceStrict` off.",
        also="run",
    ),
    host_error(
        "TRACE_NOT_SENT",
        "The trace is not sent to {endpoint}, {sent} of {total} spans were taken before: {problem}.",
        "An OTLP/HTTP endpoint must take every batch of spans whole; after one that it does not, nothing more is sent.",
        "See that a collector listens there and takes traces at that path, mostly `/v1/traces`; spans keep their ids "
        "when they are sent again.",
    ),
    Code(
        "BASH_READONLY_UNENFORCEABLE",
        "run",
        "prespawn",
        False,
        "error",
        'Nothing here can keep the shell of agent "{agent}" read-only: {problem}.',
        "`bash-ro` is a promise that needs a sandbox of the operating system or the command allowlist.",
        "Make one of the two available, or give the agent tools without bash-ro.",
    ),
    Code(
        "MODEL_SCOPE_UNSATISFIABLE",
        "run",
        "prespawn",
        False,
        "error",
        'Tier "{tier}" of agent "{agent}" finds no model in the model scope of this session.',
        "The scope is not empty, names no model that can be ranked, and there is no session model; without a model the "
        "child would load a default that the scope may exclude.",
        "Widen the model scope, or name a model for this agent.",
    ),
    compile_error(
        "CALL_INVALID",
        "The input is invalid: {problem}.",
        "The text is not well-formed, or a value does not have the type, size or range that its place asks for.",
        "Correct the named place; if it is in a call, `piflows schema call` prints all that one may hold.",
    ),
    compile_error(
        "UNKNOWN_PARAMETER",
        '"{key}" is not a parameter of {owner}.{hint|}',
        "Nothing is ignored in silence: a name that is not known would have no effect.",
        "Correct the name or leave it out; `piflows schema` prints all that a call, a preset or an agent may hold.",
    ),
    compile_warning(
        "PARAMETER_IGNORED",
        '"{key}" has no effect: {reason}.',
        "It was read and understood, and nothing acts on it here.",
        'Do not rely on "{key}": leave it out, or make the call one that uses it.',
    ),
    compile_warning(
        "CONTRACT_UNFIT",
        "The contract of {role} can never carry `data.{field}`: {problem}.",
        "This role decides by that member alone, which must be {allowed}; a return without it {reason}.",
        "Let the `returnSchema` admit an object whose `{field}` is {allowed}.",
    ),
    compile_warning(
        "UNKNOWN_TOOL",
        '"{tool}" is not the name of a tool of pi.{hint|}',
        "A child is given its tools by their exact names. A name that nothing has gives it none, and a child with no "
        "right name has no tools at all.",
        "Correct the name. If an extension has a tool of exactly this name, it is right as it is.",
    ),
    compile_error(
        "HANDOFF_UNRESOLVED",
        "The placeholder {placeholder} cannot be filled: {problem}.",
        "A placeholder may only name a result that exists on every path by which its reader is reached.",
        "Correct the name, or declare the dependency that makes the result available.",
    ),
    compile_warning(
        "HANDOFF_EMPTY",
        "The placeholder {placeholder} is always empty here.",
        "Nothing runs before its reader whose result could fill it.",
        "Remove the placeholder, or move the text behind a step that gives a result.",
    ),
    compile_warning(
        "UNUSED_DEPENDENCY",
        '"{node}" waits for "{dependency}" and reads nothing of it.',
        "A declared dependency hands over a result only where a placeholder names it.",
        "Read it in the task as {{node.{dependency}}}, or remove the dependency unless the order alone matters.",
    ),
    compile_error(
        "NOT_AVAILABLE",
        "Not available in this version: {what}.",
        "The word is known, but what it asks for is not built here.",
        "Use a newer version, or do without it; `piflows new --help` names the modes that there are.",
    ),
)

CALL_CODES: tuple[Code, ...] = PRESET_CODES + SHAPE_CODES
