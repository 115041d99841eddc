"""docs/codes.md, printed from the catalogue: `python -m piflows.compiler.render.reference > docs/codes.md`."""

from __future__ import annotations

from piflows.ir.codes import CODES, GROUPS, Code
from piflows.ir.diagnostic import outline

UNREPORTED = "Nothing in this version reports this code yet."
_INTRO = """\
# Error codes

Every finding and every structured error has one of these {count} codes. A word in italics stands for what is known
of the case at hand. `piflows explain CODE` prints the same in a terminal, with a sample that is refused and one that
is accepted; [checks.md](checks.md) goes through the rules of the checker. This page is printed from the catalogue in
`piflows/ir`; change it there.

"Known" says when a code can be told at the earliest: `compile` from the call and the files alone, before anything is
spent; `prespawn` from the host, still before any child runs; `run` by running; `resume` when a saved run or workflow
goes on; `discovery` when agent and preset files are read. "Retryable" says whether the same unchanged call can succeed.
"""


def codes_page() -> str:
    """The whole page, Markdown."""
    sections = (f"\n## {title}\n{''.join(map(_section, codes))}" for title, codes in GROUPS.items())
    return _INTRO.format(count=len(CODES)) + "".join(sections)


def whose(code: Code) -> str:
    """What has failed where this code is the error."""
    return "one child run" if code.level == "run" else "the flow"


def when_known(code: Code) -> str:
    """`compile`, or `compile, also run`."""
    return f"{code.stage}, also {code.also}" if code.also else code.stage


def may_retry(code: Code) -> str:
    """`yes`, `no`, or that the case decides."""
    return "depends on the case" if code.retryable is None else "yes" if code.retryable else "no"


def _section(code: Code) -> str:
    from piflows.compiler.samples import reserved

    later = f"\n{UNREPORTED}\n" if reserved(code.name) else ""
    message, cause, fix = (outline(text, "*", "*") for text in (code.message, code.cause, code.fix))
    return f"""
### {code.name}

{code.severity.capitalize()} of {whose(code)} · Known: {when_known(code)} · Retryable: {may_retry(code)}

> {message}

{cause}

**Fix:** {fix}
{later}"""


if __name__ == "__main__":
    print(codes_page(), end="")
