"""What parts mention, at any depth, without recursion: a Flow may come from a file that nobody has checked yet."""

from __future__ import annotations

from collections.abc import Iterator

from piflows.ir.parts import Each, Part, Parts, Section


def mentions(parts: Parts) -> Iterator[tuple[Part, bool, int]]:
    """Each part but literal text, in reading order; whether it is inside an `Each`; how deep it is nested, from 1."""
    stack = [(iter(parts), False, 1)]
    while stack:
        rest, in_each, depth = stack[-1]
        for part in rest:
            if part.kind == "text":
                continue
            yield part, in_each, depth
            if isinstance(part, Section):
                stack.append((iter((*part.parts, *part.otherwise)), in_each, depth + 1))
                break
            if isinstance(part, Each):
                stack.append((iter(part.parts), True, depth + 1))
                break
        else:
            stack.pop()


def slots(parts: Parts) -> Iterator[tuple[str, bool]]:
    """The slot names that parts read, and whether inside an `Each`, where `item` is the element."""
    for part, in_each, _ in mentions(parts):
        match part.kind:
            case "slot":
                yield part.name, in_each
            case "section" | "each":
                yield part.slot, in_each
            case _:
                pass
