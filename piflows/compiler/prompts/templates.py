"""The `.j2` files beside this module, rendered to parts. Imported only when a prompt is wanted.

Jinja's native environment hands each piece of the output on as the object that it is, but joins pieces to a string at
the end, in a `call` block too. Here joining keeps them, so a template yields parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

from jinja2 import PackageLoader, StrictUndefined, Template, Undefined
from jinja2.nativetypes import NativeEnvironment

from piflows.compiler.prompts import Filling, Hole, pieces
from piflows.ir.parts import ITEM, Each, Index, Part, Parts, Section, text


def _joined(output: Iterable[Any]) -> Parts:
    out: list[Part] = []
    for piece in output:
        out += pieces(
            str(piece) if isinstance(piece, Undefined) else piece
        )  # str() of the strict kind names it and raises
    return tuple(out)


class PartsEnvironment(NativeEnvironment):
    """Templates that yield parts."""

    concat = staticmethod(_joined)  # type: ignore[assignment]  (jinja2's own says: a string)
    template_class = Template  # the native one would join by itself


def section(hole: Hole, field: str = "text", otherwise: str = "", *, caller: Callable[[], Parts]) -> Parts:
    """`{% call section(hole) %}…{% endcall %}`: the block when the value has the field, else `otherwise`."""
    return (Section(hole.hole, caller(), field, text(otherwise)),)


def each(hole: Hole, *, caller: Callable[[Hole], Parts]) -> Parts:
    """`{% call(item) each(hole) %}…{% endcall %}`: the block for every element, `index` is its number."""
    return (Each(hole.hole, caller(Hole(ITEM))),)


@cache
def environment() -> PartsEnvironment:
    """The one environment: own files only, a missing name is an error, a tag on its own line leaves no line behind."""
    made = PartsEnvironment(
        loader=PackageLoader("piflows.compiler.prompts", ""),
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.globals = {"section": section, "each": each, "index": Index()}
    return made


def render(template: str, fillings: Mapping[str, Filling]) -> Parts:
    """The parts of a template, as they come."""
    found: Any = environment().get_template(f"{template}.j2")
    return found.render(fillings)
