"""A picture as a Mermaid flowchart, by our own escaping: generated ids, quoted labels, every mark of Mermaid's, of
Markdown's and of HTML's as a character number, so that no author's word (`end`, `style`, `click`) is ever read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

from piflows.compiler.render.edges import Edge
from piflows.compiler.render.picture import Group, Node, Picture

INK, TEAL, VIOLET, GREY = "#1f2933", "#0b7285", "#7048e8", "#98a2ad"
ARROW = {"then": "-->", "end": "-->", "again": "==>", "back": "==>", "needs": "-->", "handoff": "-.->"}
STROKE = {"end": GREY, "again": VIOLET, "back": VIOLET, "handoff": TEAL}
SHAPE = {
    "start": ("((", "))"),
    "unit": ("[", "]"),
    "gate": ("{", "}"),
    "round": ("{", "}"),
    "action": ("[/", "/]"),
    "settle": ("([", "])"),
}
CLASS = {
    "writes": "stroke:#c92a2a,stroke-width:3px",
    "round": f"stroke:{VIOLET},stroke-width:2px",
    "success": "fill:#d3f9d8,stroke:#2b8a3e",
    "stopped": "fill:#fff3bf,stroke:#b35c00",
    "refused": "fill:#ffe3e3,stroke:#c92a2a",
    "keep": "fill:#e9ecef,stroke:#5f6b7a",
}
_MARKS = re.compile(r"(?!(?<=\w)[-.](?=\w)|(?<=[a-z])\.)[^A-Za-z0-9 ,/?()\u0080-\U0010ffff]")  # inside a word: none


def mermaid(picture: Picture) -> str:
    """Mermaid text, the same for the same picture."""
    lines = ["---", f"title: {json.dumps(' | '.join([picture.title, *picture.lines]), ensure_ascii=False)}", "---"]
    lines.append("flowchart TB")
    for item in picture.items:
        lines += [f"  {line}" for line in (_group(item) if isinstance(item, Group) else [_node(item)])]
    lines += [f"  {_edge(edge)}" for edge in picture.edges]
    return "\n".join([*lines, *_looks(picture)]) + "\n"


def _group(group: Group) -> Iterator[str]:
    yield f'subgraph {group.id}["{_label([group.title, group.line])}"]'
    for number, (label, nodes) in enumerate(group.ranks, 1):
        inner = len(group.ranks) > 1
        if inner:
            yield f'  subgraph {group.id}w{number}["{escape(label)}"]'
        yield from (f"  {'  ' * inner}{_node(node)}" for node in nodes)
        if inner:
            yield "  end"
    yield "end"


def _node(node: Node) -> str:
    before, after = SHAPE[node.kind]
    mark = {"round": "↺ ", "start": "start"}.get(node.kind, "✎ " if node.tone == "writes" else "")
    return f'{node.id}{before}"{_label([mark + node.title, *node.lines, *node.quote])}"{after}'


def _edge(edge: Edge) -> str:
    label = f'|"{escape(edge.label)}"|' if edge.label else ""
    return f"{edge.source} {ARROW[edge.kind]}{label} {edge.target}"


def _nodes(group: Group) -> Iterator[Node]:
    return (node for _, nodes in group.ranks for node in nodes)


def _looks(picture: Picture) -> Iterator[str]:
    """Classes of nodes and colours of edges; only those that occur."""
    nodes = [node for item in picture.items for node in (_nodes(item) if isinstance(item, Group) else [item])]
    for name, look in CLASS.items():
        ids = [node.id for node in nodes if name in (node.tone, node.kind)]
        if ids:
            yield f"  classDef {name} {look}"
            yield f"  class {','.join(ids)} {name}"
    for kind, colour in STROKE.items():
        numbers = [str(number) for number, edge in enumerate(picture.edges) if edge.kind == kind]
        if numbers:
            yield f"  linkStyle {','.join(numbers)} stroke:{colour}"


def _label(lines: Iterable[str]) -> str:
    return "<br/>".join(escape(line) for line in lines if line)


def escape(text: str) -> str:
    """Text inside a quoted label."""
    return _MARKS.sub(lambda match: f"#{ord(match[0])};", text)
