from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from piflows.grammar.agent import parse_agent
from piflows.ir.diagnostic import Diagnostic
from piflows.ir.digest import text_digest

FILE = ".pi/flow-agents/looker.md"
HEAD = "name: looker\ndescription: reads only\n"


def parse(front: str, body: str = "Read.\n") -> tuple[Any, list[Diagnostic]]:
    return parse_agent(f"---\n{front}---\n{body}".encode(), FILE)


def said(found: list[Diagnostic]) -> list[tuple[str, str, int | None]]:
    return [(each.code, each.severity, each.where.line) for each in found]


def test_a_whole_file() -> None:
    data = (
        "\ufeff---\r\nname: looker\r\ndescription: Looks: twice\r\ntools: read, grep,,\r\nmodel: vendor/m1:high\r\n"
        "tier: fast\r\nthinking: low\r\n---\r\n\r\n  Read.\r\nReport.\r\n\r\n"
    ).encode()
    agent, found = parse_agent(data, FILE)
    assert agent is not None and found == []
    assert (agent.name, agent.description, agent.tools) == ("looker", "Looks: twice", ("read", "grep"))
    assert (agent.model, agent.tier, agent.thinking) == ("vendor/m1:high", "fast", "low")
    assert agent.prompt == "Read.\nReport."
    assert (agent.file, agent.source, agent.digest) == (FILE, "package", text_digest(data))


def test_a_short_file() -> None:
    agent, found = parse_agent(b"---\nname: x y\ndescription: d\n---", FILE)
    assert agent is not None and found == []
    assert (agent.name, agent.tools, agent.model, agent.tier, agent.thinking, agent.prompt) == (
        "x y",
        None,
        None,
        None,
        None,
        "",
    )


TOOLS = [
    ("", None),
    ("tools:\n", None),
    ('tools: "  "\n', None),
    ("tools: read,grep, read\n", ("read", "grep")),
    ("tools: [read, bash-ro]\n", ("read", "bash-ro")),
    ("tools:\n  - read\n  - grep\n", ("read", "grep")),
    ("tools: None\n", ()),
    ("tools: []\n", ()),
    ("tools: ,\n", ()),
    ("tools:\n  -\n", ()),
    ("tools: default\n", ("default",)),
    ("tools: bash, my_tool\n", ("bash", "my_tool")),
]


@pytest.mark.parametrize(("line", "tools"), TOOLS)
def test_tools(line: str, tools: tuple[str, ...] | None) -> None:
    agent, found = parse(HEAD + line)
    assert agent.tools == tools
    assert found == []


WARNED = [
    ("allowed_tools: read,grep\n", "UNKNOWN_PARAMETER", '"allowed_tools" is not', 'Did you mean "tools"?', 4),
    ("allowedTools: read\n", "UNKNOWN_PARAMETER", '"allowedTools" is not', 'Did you mean "tools"?', 4),
    ("tool: read\n", "UNKNOWN_PARAMETER", "", 'Did you mean "tools"?', 4),
    ("reasoning-effort: low\n", "UNKNOWN_PARAMETER", "", 'Did you mean "thinking"?', 4),
    ("disallowedTools: bash\n", "UNKNOWN_PARAMETER", "", "It forbids nothing", 4),
    ("color: blue\n", "UNKNOWN_PARAMETER", '"color" is not', "an agent file", 4),
    ("tier: Fast\n", "PARAMETER_IGNORED", '"tier" has no effect', 'Did you mean "fast"?', 4),
    ("tier: huge\n", "PARAMETER_IGNORED", "", '"huge" is none of fast, capable, deep', 4),
    ("thinking: maximum\n", "AGENT_THINKING_INVALID", '"maximum" is no level', FILE, 4),
    ("thinking: Low\n", "AGENT_THINKING_INVALID", "", 'Did you mean "low"?', 4),
    ("tools: bash,bash-ro\n", "PARAMETER_IGNORED", '"bash-ro" has no effect', "beside `bash`", 4),
]


@pytest.mark.parametrize(("line", "code", "part", "other", "at"), WARNED)
def test_what_has_no_effect_is_a_warning(line: str, code: str, part: str, other: str, at: int) -> None:
    agent, found = parse(HEAD + line)
    assert agent is not None
    assert said(found) == [(code, "warning", at)]
    assert part in found[0].message and other in found[0].message
    assert agent.tier is None and agent.thinking is None
    assert agent.tools == (("bash", "bash-ro") if line.startswith("tools:") else None)


TOOLS = [
    ("tools: Bash, my_tool\n", ("Bash", "my_tool"), 'Did you mean "bash"?', 8),
    ("tools: my_tool, bash_ro\n", ("my_tool", "bash_ro"), 'Did you mean "bash-ro"?', 17),
    ("tools: read grep\n", ("read grep",), "separated by commas", 8),
]


@pytest.mark.parametrize(("line", "tools", "part", "column"), TOOLS)
def test_a_tool_that_is_nearly_one_of_pis_is_kept_and_told(
    line: str, tools: tuple[str, ...], part: str, column: int
) -> None:
    agent, [finding] = parse(HEAD + line)
    assert agent is not None and agent.tools == tools
    assert (finding.code, finding.severity, finding.where.line, finding.where.column) == (
        "UNKNOWN_TOOL",
        "warning",
        4,
        column,
    )
    assert part in finding.message


REFUSED = [
    (b"", "AGENT_FRONTMATTER_INVALID", "there is no frontmatter", 1),
    (b"Read.\n", "AGENT_FRONTMATTER_INVALID", "there is no frontmatter", 1),
    (b"---\nname: x\n", "AGENT_FRONTMATTER_INVALID", "is not closed", 1),
    (b"---\nname: x\n---\n", "AGENT_FRONTMATTER_INVALID", "`description` is missing", 1),
    (b"---\ndescription: x\n---\n", "AGENT_FRONTMATTER_INVALID", "`name` is missing", 1),
    (b"---\ndescription: x\nname:  # none\n---\n", "AGENT_FRONTMATTER_INVALID", "`name` is empty", 3),
    (b"---\nname:\n - x\ndescription: x\n---\n", "AGENT_FRONTMATTER_INVALID", "`name` is a text, not a list", 3),
    (b'---\nname: "a\\nb"\ndescription: x\n---\n', "AGENT_FRONTMATTER_INVALID", "`name` holds a line break", 2),
    (b"---\nname: x\ndescription: x\nname: y\n---\n", "AGENT_FRONTMATTER_INVALID", "is given twice", 4),
    (b"---\nname: x\n\tdescription: x\n---\n", "AGENT_FRONTMATTER_INVALID", "a tab indents", 3),
    (b"---\nname: x\ndescription: \xe9\n---\n", "AGENT_FILE_UNREADABLE", "it is not UTF-8", 3),
    (b"---\nname: x\0\n---\n", "AGENT_FILE_UNREADABLE", "it holds a NUL character", 2),
]


@pytest.mark.parametrize(("data", "code", "problem", "line"), REFUSED)
def test_a_file_is_refused_with_its_reason_and_line(data: bytes, code: str, problem: str, line: int) -> None:
    agent, found = parse_agent(data, FILE)
    assert agent is None
    assert [each.code for each in found] == [code]
    assert problem in found[0].message and FILE in found[0].message
    assert (found[0].where.file, found[0].where.line) == (FILE, line)


def test_a_mistyped_key_is_named_beside_the_one_that_is_missing() -> None:
    agent, found = parse("nmae: x\ndescription: y\n")
    assert agent is None
    assert [each.code for each in found] == ["UNKNOWN_PARAMETER", "AGENT_FRONTMATTER_INVALID"]
    assert 'Did you mean "name"?' in found[0].message


SHREDS = (
    b"---~\n~\r\n~name: x\n~description: y\n~tools:~ - a\n~\"~'~#~: ~\\~\t~\xef\xbb\xbf~\xff~\0~|\n~thinking: z\n"
    b'~tier: ~[~]~{}~```\n~{"a":1}'
)
pieces = st.sampled_from(SHREDS.split(b"~"))


@given(
    st.lists(pieces, max_size=16).map(b"".join) | st.binary(max_size=40).map(lambda data: b"---\n" + data + b"\n---\n")
)
def test_any_bytes_give_an_agent_or_a_reason(data: bytes) -> None:
    agent, found = parse_agent(data, "f.md")
    assert agent is not None or found[-1].code in ("AGENT_FRONTMATTER_INVALID", "AGENT_FILE_UNREADABLE")
    if agent is not None:
        assert agent.name and agent.description
        texts = (agent.name, agent.description, agent.prompt, *(agent.tools or ()))
        assert not any(set("\r\0") & set(text) for text in texts)
    assert all(each.where.file == "f.md" for each in found)
