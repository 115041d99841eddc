"""The catalogue, last part: files that piflows reads, be it at discovery, as a saved plan or as a journal."""

from __future__ import annotations

from piflows.ir.code import Code, Severity, compile_error, host_error, issue, resume_error

SAVED_CODES = (
    compile_error(
        "IR_INVALID",
        "The flow is not well-formed: {problem}.",
        "Only a flow whose states are all reachable, whose every path settles and whose values are all defined is run.",
        "Correct the flow at the named place, or compile it again from its call.",
    ),
    host_error(
        "PLAN_STALE",
        "The saved plan no longer matches what it was made from: {changes}.",
        "A saved plan is run exactly as it was shown, or not at all.",
        "Look at the changes, then make the plan again with `piflows plan --out`.",
    ),
    resume_error(
        "JOURNAL_INVALID",
        "The journal cannot be replayed: {problem}.",
        "A run goes on only from a whole journal of exactly this flow.",
        "Use the journal and the flow that belong together, or start a new run.",
    ),
)


def _unreadable(name: str, severity: Severity, what: str) -> Code:
    return issue(
        name,
        severity,
        f"The {what} {{file}} cannot be read: {{problem}}.",
        "The operating system or the file's encoding does not allow it; nothing of it was loaded.",
        "Correct its permissions, type or encoding, or remove it.",
    )


def _skipped(name: str, severity: Severity, what: str, cause: str, fix: str) -> Code:
    return issue(name, severity, f"The {what} {{file}} is skipped: {{problem}}.", cause, fix)


def _shadowed(name: str, what: str) -> Code:
    return issue(
        name,
        "warning",
        f'The {what} "{{name}}" of {{file}} replaces the one of {{other}}.',
        "Where two files have one name the later source wins: package, then user, then project.",
        "Rename one of the two, unless the replacement is meant.",
    )


AGENT_CODES = (
    _unreadable("AGENT_DIR_UNREADABLE", "error", "agent directory"),
    _unreadable("AGENT_FILE_UNREADABLE", "error", "agent file"),
    _skipped(
        "AGENT_FRONTMATTER_INVALID",
        "warning",
        "agent file",
        "An agent file begins with frontmatter that gives at least a name and a description.",
        "Correct the frontmatter; `piflows schema agent` prints what it may hold.",
    ),
    issue(
        "AGENT_THINKING_INVALID",
        "warning",
        "The thinking level in {file} is ignored: {problem}.",
        "The agent is kept, without a thinking level of its own.",
        "Use off, minimal, low, medium, high, xhigh or max.",
    ),
    _shadowed("AGENT_NAME_SHADOWED", "agent"),
)

OTHER_FILES = (
    issue(
        "FILE_SKIPPED",
        "note",
        "{file} is not looked at: {problem}.",
        "In a folder only presets and agents (Markdown with frontmatter) and calls (JSON) are checked.",
        "Nothing is to be done, unless the file is meant to be one of them.",
    ),
)

PRESET_FILE_CODES = (
    _unreadable("PRESET_DIR_UNREADABLE", "warning", "preset directory"),
    _unreadable("PRESET_FILE_UNREADABLE", "warning", "preset file"),
    _skipped(
        "PRESET_FRONTMATTER_INVALID",
        "warning",
        "preset file",
        "A preset file begins with frontmatter that gives a description and a name in lowercase kebab-case.",
        "Correct the frontmatter; `piflows schema preset` prints what it may hold.",
    ),
    _skipped(
        "PRESET_TEMPLATE_INVALID",
        "warning",
        "preset file",
        "What follows the frontmatter must be exactly one JSON object: the call that the preset stands for.",
        "Correct the JSON at the named place.",
    ),
    _skipped(
        "PRESET_TEMPLATE_SCHEMA_INVALID",
        "warning",
        "preset file",
        "Its template breaks the rules for parameters that hold for every call.",
        "Correct the parameter; `piflows schema call` prints all that a call may hold.",
    ),
    _shadowed("PRESET_NAME_SHADOWED", "preset"),
)

NEW_CODES = (
    host_error(
        "FILE_NOT_WRITTEN",
        "The file {file} is not written: {problem}.",
        "A file is written whole or not at all; what is there is replaced only when that is asked for, and nothing is "
        "written through a link.",
        "Choose another name or directory; `--force` replaces a file that is there.",
    ),
)

CUT_CODES = (
    issue(
        "FINDINGS_CUT",
        "note",
        "The first {shown} findings {kind} are shown; {rest} of the kind.",
        "Findings of one kind mostly have one cause; a few of them show it.",
        "Mend those that are shown, then check again.",
    ),
)

FILE_CODES: tuple[Code, ...] = SAVED_CODES + AGENT_CODES + PRESET_FILE_CODES + OTHER_FILES + NEW_CODES + CUT_CODES
