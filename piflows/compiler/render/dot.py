"""A picture as Graphviz DOT, by our own escaping, so that drawing needs no library and any text survives.

All labels are HTML-like strings, in which neither quotes, braces nor bars mean anything. Ids are generated. Edges that
go back, and handoffs, do not take part in the ranking.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from piflows.compiler.render.edges import Edge
from piflows.compiler.render.picture import Group, Node, Picture

FONT, MONO = "Helvetica,Arial,sans-serif", "Courier,monospace"
INK, GREY, FAINT, PAPER = "#1f2933", "#5f6b7a", "#98a2ad", "#f6f8fa"
TEAL, VIOLET, RED, GREEN, AMBER = "#0b7285", "#7048e8", "#c92a2a", "#2b8a3e", "#b35c00"
SMALL = "9"

SETTLE = {
    "success": (GREEN, "#d3f9d8"),
    "stopped": (AMBER, "#fff3bf"),
    "refused": (RED, "#ffe3e3"),
    "keep": (GREY, "#e9ecef"),
}
EDGE = {
    "then": f'color="{INK}", penwidth=1.5',
    "end": f'color="{FAINT}", fontcolor="{GREY}", arrowsize=0.6',
    "again": f'color="{VIOLET}", fontcolor="{VIOLET}", penwidth=2',
    "back": f'color="{VIOLET}", fontcolor="{VIOLET}", penwidth=2, constraint=false',
    "needs": f'color="{INK}", fontcolor="{TEAL}"',
    "handoff": f'color="{TEAL}", fontcolor="{TEAL}", style=dashed, arrowhead=vee, constraint=false',
}
MARK = 'shape=plaintext, fillcolor=none, width=0, height=0, margin="0.05"'
# A backslash still begins an escape (`\N` is the node's name); a text that ends with `]` is refused for fear of `]]>`;
# the last two characters may stand in no XML.
_MEANT = {"\\": "\\\\", "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "]": "&#93;"}
ESCAPES = str.maketrans(_MEANT | {"\ufffe": r"\\ufffe", "\uffff": r"\\uffff"})
BREAK = '<BR ALIGN="LEFT"/>'

MARKS = (  # a kind or tone of what is drawn, its mark, what it means
    ("unit", "▢", GREY, "child run, in the frame of its stage"),
    ("writes", "✎", RED, "may write files"),
    ("gate", "◇", GREY, "gate, decides and costs nothing"),
    ("round", "↺", VIOLET, "round, the only way back"),
    ("action", "▤", GREY, "action, a command or a wait"),
    ("then", "→", INK, "goes on to, or is needed by"),
    ("handoff", "⇢", TEAL, "hands a value to a slot, ? if it may be absent"),
)

Ends = Mapping[str, tuple[str, str]]


def dot(picture: Picture) -> str:
    """DOT text, the same for the same picture."""
    title = _text([(picture.title, "title"), *((line, "fact") for line in picture.lines)])
    title = f"<{title[1:-1]}{_legend(picture)}>"
    ends = {item.id: _ends(item) for item in picture.items if isinstance(item, Group)}
    alone = {ends[item.id][0]: item.id for item in picture.items if isinstance(item, Group) and _one(item)}
    body = [line for item in picture.items for line in (_group(item) if isinstance(item, Group) else [_node(item)])]
    lines = [
        f'graph [fontname="{FONT}", fontcolor="{INK}", label={title}, labelloc=t, labeljust=l, compound=true,',
        "       rankdir=TB, newrank=true, nodesep=0.4, ranksep=0.55, pad=0.3];",
        f'node [fontname="{FONT}", fontsize=11, fontcolor="{INK}", color="{GREY}", style=filled, fillcolor=white];',
        f'edge [fontname="{FONT}", fontsize=10, arrowsize=0.8];',
        *body,
        *(_edge(edge, ends, alone) for edge in picture.edges),
    ]
    return "digraph flow {\n" + "".join(f"  {line}\n" for line in lines) + "}\n"


def _ends(group: Group) -> tuple[str, str]:
    """The nodes in which an edge to, and one from, the group ends: those in the middle of its first and last rank."""
    first, last = group.ranks[0][1], group.ranks[-1][1]
    return first[(len(first) - 1) // 2].id, last[(len(last) - 1) // 2].id


def _group(group: Group) -> list[str]:
    first = [node.id for node in group.ranks[0][1]]  # these stand as declared
    lines = [
        f"subgraph cluster_{group.id} {{",
        f'  graph [label={_text([(group.title, "title"), (group.line, "fact")])}, labeljust=l, style="rounded,filled",',
        f'         color="{FAINT}", fillcolor="{PAPER}", margin=14];',
    ]
    marks = [f"{group.id}_{number}" for number in range(1, len(group.ranks) + 1)] if len(group.ranks) > 1 else []
    for number, (label, nodes) in enumerate(group.ranks):
        lines += [f"  {_node(node)}" for node in nodes]
        same = [node.id for node in nodes]
        if marks:
            lines.append(f"  {marks[number]} [{MARK}, label={_text([(label, 'fact')], '')}];")
            lines.append(f"  {marks[number]} -> {same[0]} [style=invis, weight=0];")
            same.insert(0, marks[number])
        lines.append(f"  {{ rank=same; {' '.join(f'{name};' for name in same)} }}")
    lines += [f"  {' -> '.join(marks)} [style=invis, weight=100];"] if marks else []
    lines += [f"  {' -> '.join(first)} [style=invis];"] if len(first) > 1 else []
    return [*lines, "}"]


def _node(node: Node) -> str:
    facts = [*((line, "fact") for line in node.lines), *((line, "quote") for line in node.quote)]
    match node.kind:
        case "start":
            look, label = f'shape=circle, width=0.18, fixedsize=true, fillcolor="{INK}"', '""'
        case "unit":
            writes = node.tone == "writes"
            look = 'shape=box, style="rounded,filled"' + (f', color="{RED}", penwidth=2.5' if writes else "")
            label = _text([(node.title, "title"), *([("✎ writes", "writes")] if writes else []), *facts])
        case "gate":
            look, label = 'shape=diamond, margin="0.06,0.04"', _text([(node.title, "title"), *facts], "")
        case "round":
            look = f'shape=diamond, margin="0.06,0.04", color="{VIOLET}", penwidth=2'
            label = _text([(f"↺ {node.title}", "title"), *facts], "")
        case "action":
            look = 'shape=component, margin="0.2,0.08", fillcolor="#e7f5ff"'
            label = _text([(node.title, "title"), *((line, "code") for line in node.lines)])
        case "settle":
            border, fill = SETTLE[node.tone]
            look = f'shape=box, style="rounded,filled", peripheries=2, color="{border}", fillcolor="{fill}"'
            label = _text([(node.title, "title"), *facts], "")
    return f"{node.id} [{look}, label={label}];"


def _one(group: Group) -> bool:
    return sum(len(nodes) for _, nodes in group.ranks) == 1


def _edge(edge: Edge, ends: Ends, alone: Mapping[str, str]) -> str:
    """An edge to or from a group is drawn to a node of it and cut at the group's border, so that it crosses no title;
    so is one from outside to a unit that is `alone` in its group (unit -> group)."""
    tail, head = ends.get(edge.source), ends.get(edge.target)
    source, target = tail[1] if tail else edge.source, head[0] if head else edge.target
    looks = [EDGE[edge.kind]]
    border = [f"lhead=cluster_{alone[target]}"] if target in alone and source != target else []
    if edge.label:
        looks.append(f"label={_text([(edge.label, 'plain')], '')}")
    looks += [f"ltail=cluster_{edge.source}"] if tail else []
    looks += [f"lhead=cluster_{edge.target}"] if head else border
    return f"{source} -> {target} [{', '.join(looks)}];"


def _text(lines: Iterable[tuple[str, str]], align: str = BREAK) -> str:
    """An HTML-like label of (line, style); left-aligned unless `align` is empty."""
    said = [_styled(escape(line), style) for line, style in lines if line]
    if not said:
        return '""'
    return f"<{align.join(said)}{align}>" if align else f"<{'<BR/>'.join(said)}>"


def _styled(text: str, style: str) -> str:
    match style:
        case "title":
            return f"<B>{text}</B>"
        case "fact":
            return f'<FONT POINT-SIZE="{SMALL}" COLOR="{GREY}">{text}</FONT>'
        case "quote":
            return f'<FONT POINT-SIZE="{SMALL}"><I>{text}</I></FONT>'
        case "code":
            return f'<FONT POINT-SIZE="{SMALL}" FACE="{MONO}">{text}</FONT>'
        case "writes":
            return f'<FONT POINT-SIZE="{SMALL}" COLOR="{RED}"><B>{text}</B></FONT>'
        case _:
            return f" {text} "


def escape(text: str) -> str:
    """Text inside an HTML-like label."""
    return text.translate(ESCAPES)


def _legend(picture: Picture) -> str:
    """What the marks mean that occur, three in a line; nothing where no child runs."""
    nodes = [node for item in picture.items for node in _nodes(item)]
    seen = {node.kind for node in nodes} | {edge.kind for edge in picture.edges} | {node.tone for node in nodes}
    said = [
        f'<FONT COLOR="{color}">{mark}</FONT> {_styled(text, "fact")}'
        for kind, mark, color, text in MARKS
        if kind in seen
    ]
    lines = ["    ".join(said[start : start + 3]) for start in range(0, len(said), 3)] if "unit" in seen else []
    return "".join(f"{line}{BREAK}" for line in ["", *lines, " "]) if lines else ""


def _nodes(item: Node | Group) -> Iterable[Node]:
    return [node for _, rank in item.ranks for node in rank] if isinstance(item, Group) else [item]
