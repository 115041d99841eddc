"""Agent files: frontmatter and, as the rest of the file, the system prompt.

Keys: `name` and `description` (required), `tools` (names; `none` for no tools, absent or blank for pi's defaults),
`model`, `tier`, `thinking`. Seed: Modes; Parameters.
"""

from __future__ import annotations

import re
from typing import Literal, get_args

from piflows.grammar.call import Thinking, Tier
from piflows.grammar.frontmatter import FileFault, Front, Value, called, decode, each_of, read_front, unknown_keys
from piflows.grammar.near import hint
from piflows.grammar.tools import slip
from piflows.ir.diagnostic import Diagnostic, diagnostic
from piflows.ir.digest import text_digest
from piflows.ir.finding import NEAR_NAMES
from piflows.ir.frozen import frozen
from piflows.ir.source import Where

Source = Literal["package", "user", "project"]

KEYS = ("name", "description", "tools", "model", "tier", "thinking")
TIERS: tuple[str, ...] = get_args(Tier)
LEVELS: tuple[str, ...] = get_args(Thinking)

_DENY = (  # the contrary of `tools`: renamed, it would allow what it was to forbid
    *("disallowedtools", "deniedtools", "excludetools", "excludedtools", "blockedtools", "disabledtools"),
    *("denytools", "deny"),
)
_WORDS = {  # what other hosts, and people, call the same thing
    **called("tools", "allowedtools", "toolset", "toolnames", "allow", "permissions", "toolsallowed", "enabledtools"),
    **called("thinking", "reasoning", "reasoningeffort", "effort", "thinkinglevel"),
    **called("name", "title", "id", "agent"),
    **called("description", "summary", "purpose", "about"),
    **called("model", "llm", "engine", "modelid"),
    **called("tier", "size", "modeltier"),
    **dict.fromkeys(_DENY, " It forbids nothing: an agent has exactly the tools that `tools` names."),
}
_CONTROL = r"[\x00-\x1f\x7f-\x9f\u2028\u2029]"


@frozen
class Agent:
    """An agent as its file says. `tools` None = pi's defaults, () = none. `digest` is that of the file's bytes.

    A file does not know where it was found: `source` is `package` until discovery says otherwise.
    """

    name: str
    description: str
    tools: tuple[str, ...] | None
    model: str | None
    tier: str | None
    thinking: str | None
    prompt: str
    file: str
    source: Source
    digest: str


def parse_agent(data: bytes, file: str) -> tuple[Agent | None, list[Diagnostic]]:
    """The agent of a file and what is to be said about the file; without an agent the last finding says why."""
    found: list[Diagnostic] = []
    try:
        return _agent(read_front(decode(data), file), data, found), found
    except FileFault as fault:
        code = "AGENT_FILE_UNREADABLE" if fault.kind == "unreadable" else "AGENT_FRONTMATTER_INVALID"
        where = Where(file, line=fault.line, column=fault.column)
        return None, [*found, diagnostic(code, where, file=file, problem=fault.problem)]


def _agent(front: Front, data: bytes, found: list[Diagnostic]) -> Agent:
    """Adds to `found` what refuses nothing. Raises FileFault."""
    found += front.warnings
    found += unknown_keys(front, "an agent file", KEYS, _WORDS)
    return Agent(
        name=_name(front),
        description=front.required("description"),
        tools=_tools(front, found),
        model=front.text("model") or None,
        tier=_tier(front, found),
        thinking=_thinking(front, found),
        prompt=front.body.strip(),
        file=front.file,
        source="package",
        digest=text_digest(data),
    )


def _name(front: Front) -> str:
    """Any text of one line: it stands in prompts, headings and control lines."""
    name = front.required("name")
    if not name.isprintable() and re.search(_CONTROL, name):
        at = front.entries["name"].value
        raise FileFault("frontmatter", "`name` holds a line break or a control character", at.line, at.column)
    return name


def _tools(front: Front, found: list[Diagnostic]) -> tuple[str, ...] | None:
    if not front.given("tools"):
        return None
    values = front.names("tools")
    names = list(dict.fromkeys(value.text for value in values))
    found += _slips(front, values)
    folded = [name.lower() for name in names]
    if "bash" in folded and "bash-ro" in folded:
        reason = "beside `bash` it restricts nothing: the agent can write"
        found.append(
            diagnostic("PARAMETER_IGNORED", front.where(front.entries["tools"].value), key="bash-ro", reason=reason)
        )
    if folded == ["none"]:
        return ()
    return tuple(names)


def _slips(front: Front, values: list[Value]) -> list[Diagnostic]:
    """A warning for each name that is hardly meant, at its first place; among too many names nobody looks for them."""
    first: dict[str, Value] = {}
    for value in values:
        first.setdefault(value.text, value)
    if len(first) > NEAR_NAMES:
        return []
    slips = [(value, clause) for value in first.values() if (clause := slip(value.text))]

    def warning(found: tuple[Value, str]) -> Diagnostic:
        return diagnostic("UNKNOWN_TOOL", front.where(found[0]), tool=found[0].text, hint=found[1])

    return each_of(slips, warning)


def _tier(front: Front, found: list[Diagnostic]) -> str | None:
    tier = front.text("tier")
    if tier and tier not in TIERS:
        reason = f'"{tier}" is none of {", ".join(TIERS)}.{hint(tier, TIERS)}'
        found.append(
            diagnostic("PARAMETER_IGNORED", front.where(front.entries["tier"].value), key="tier", reason=reason)
        )
    return tier if tier in TIERS else None


def _thinking(front: Front, found: list[Diagnostic]) -> str | None:
    level = front.text("thinking")
    if level and level not in LEVELS:
        problem = f'"{level}" is no level.{hint(level, LEVELS)}'
        found.append(
            diagnostic(
                "AGENT_THINKING_INVALID", front.where(front.entries["thinking"].value), file=front.file, problem=problem
            )
        )
    return level if level in LEVELS else None
