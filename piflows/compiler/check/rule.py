"""What a rule is, and what it looks at.

A rule module has a docstring (what it refuses; `Reports CODE`; `Refused: …`; `Accepted: …`), `CODES`, `SUBJECT`, and
`check(subject)`, which yields what it finds, in the order of the text. A rule reads and yields, nothing else.

A rule about the Flow may also have `silent(call)`: True when it surely has nothing to say about the Flow of this call.
A check alone does not lower a call for which all of them are silent. Without it a rule is never silent.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, cast

from piflows.compiler.params import Misfit, Path, keyed, keys
from piflows.grammar.placeholder import Placeholder, distinct
from piflows.ir.diagnostic import Diagnostic
from piflows.ir.frozen import frozen

if TYPE_CHECKING:
    from piflows.compiler.context import Catalog, Context
    from piflows.compiler.expand import Expansion
    from piflows.compiler.lower.make import Lowered
    from piflows.compiler.mentions import Mention
    from piflows.compiler.places import Places
    from piflows.ir.source import Where

Kind = Literal["call", "flow", "host"]


class Rule(Protocol):
    """A rule module."""

    @property
    def CODES(self) -> tuple[str, ...]: ...

    @property
    def SUBJECT(self) -> str: ...

    def check(self, subject: Any, /) -> Iterator[Diagnostic]: ...


@dataclass(frozen=True, eq=False, repr=False)
class CallSubject:
    """A call before it is a Flow, as plain JSON.

    given      what the caller wrote; `call` what it stands for: the same, or the expansion of its preset
    answer     `list` or `config` when that is what is asked for: then nothing else of the call counts
    modes      the active modes, in the reference's order; `mode` is the only one, or None
    misfits    what the models refuse in `call`
    available  the modes that can be lowered
    """

    given: Mapping[str, Any]
    call: Mapping[str, Any]
    answer: str | None
    modes: tuple[str, ...]
    expansion: Expansion | None
    misfits: tuple[Misfit, ...]
    catalog: Catalog
    context: Context
    at: Places
    available: Collection[str]

    @cached_property
    def mode(self) -> str | None:
        return self.modes[0] if len(self.modes) == 1 else None

    @property
    def scope(self) -> str:
        return scope_of(self.given)

    @cached_property
    def _keys(self) -> set[str]:
        return keys(self.given)

    def may_hold(self, name: str) -> bool:
        """Whether a key of this name can stand in what was given or in the template of its preset."""
        preset = self.expansion.preset if self.expansion else None
        return name in self._keys or (preset is not None and preset.body.may_hold(name))

    def keyed(self, name: str) -> list[tuple[Path, Any]]:
        """The values of all keys of this name in the call, with their paths; none inside a `contract`."""
        return keyed(self.call, (name,)) if self.may_hold(name) else []

    @cached_property
    def contracts(self) -> list[tuple[Path, Any]]:
        """Every contract of the call, in its order, with its path."""
        return [found for found in self.keyed("contract") if found[1] is not None]

    @cached_property
    def mentions(self) -> list[Mention]:
        """Every agent that the call asks for."""
        from piflows.compiler.mentions import mentions

        return [] if self.answer or self.mode is None else list(mentions(self.call, self.mode))

    @cached_property
    def writers_may_meet(self) -> bool:
        """Whether two of its children may run at once that can write, as far as this is seen without its Flow.

        Any agent of the call with any of the toolsets in it is taken for a role, and any two roles for simultaneous.
        """
        if self.call.get("allowSharedWriteCwd") is True or self.call.get("concurrency") == 1:
            return False
        from piflows.grammar.tools import effective_tools
        from piflows.ir.tools import writing

        agents = [self.catalog.agents.get(name) for name in {mention.agent for mention in self.mentions}]
        words = [None, *(word for _, word in self.keyed("tools") if isinstance(word, str))]
        return any(writing(effective_tools(word, agent)) for word in words for agent in agents)

    @cached_property
    def nodes(self) -> list[Node]:
        """The nodes of a graph that are objects with an id."""
        return [_node(path, node) for path, node in self._items("graph", "nodes") if isinstance(node.get("id"), str)]

    def steps(self) -> Iterator[tuple[Path, dict[str, Any]]]:
        """The steps of a chain that are objects, with their paths."""
        return self._items("chain")

    def phases(self) -> Iterator[tuple[Path, dict[str, Any]]]:
        """The phases of a workflow that are objects, with their paths."""
        return self._items("workflow", "phases")

    def writers(self) -> Iterator[tuple[Path, dict[str, Any]]]:
        """The tasks of a worktree call that are objects, with their paths."""
        return self._items("worktree", "tasks")

    def _items(self, mode: str, *keys: str) -> Iterator[tuple[Path, dict[str, Any]]]:
        """The objects in a list of the active mode, with their paths."""
        value: Any = self.call.get(mode) if self.mode == mode else None
        for key in keys:
            value = cast("dict[str, Any]", value).get(key) if isinstance(value, dict) else None
        for number, item in enumerate(cast("list[Any]", value) if isinstance(value, list) else []):
            if isinstance(item, dict):
                yield (mode, *keys, number), cast("dict[str, Any]", item)

    def refused(self, code: str) -> Iterator[Misfit]:
        """What the models refuse with this code of the mode. Beside a preset that is PRESET_EXPANSION_INVALID."""
        return (misfit for misfit in self.misfits if misfit.code == code and self.expansion is None)

    @cached_property
    def needs(self) -> dict[str, list[str]]:
        """The dependencies of a graph: id → ids, of the first node of each id."""
        found: dict[str, list[str]] = {}
        for node in self.nodes:
            found.setdefault(node.id, list(node.needs.values()))
        return found

    @cached_property
    def loops(self) -> list[list[str]]:
        """The loops of a graph, each as a chain of ids."""
        from piflows.ir.topology import cycles

        return cycles(self.needs) if any(self.needs.values()) else []


class Node(NamedTuple):
    """A node of a graph as it is written. `task` is "" where it is no text.

    needs  place in `dependsOn` → id; `reads` the placeholders {node.<id>} in its task, each text once
    """

    path: Path
    id: str
    task: str
    needs: dict[int, str]
    reads: list[Placeholder]

    def entry(self, place: int) -> Path:
        """The path of one of its dependencies."""
        return (*self.path, "dependsOn", place)


def _node(path: Path, node: Mapping[str, Any]) -> Node:
    task, listed = node.get("task"), node.get("dependsOn")
    needs = enumerate(cast("list[Any]", listed) if isinstance(listed, list) else [])
    told = {place: need for place, need in needs if isinstance(need, str)}
    task = task if isinstance(task, str) else ""
    return Node(path, node["id"], task, told, distinct(task, "node"))


def scope_of(given: Mapping[str, Any]) -> str:
    """The scope that a call is looked up in; one that does not exist is read as the default, and refused."""
    scope = given.get("agentScope")
    return scope if scope in ("user", "project", "all") else "user"


@frozen
class FlowSubject:
    """A Flow that was lowered from a call. `at` gives the place of a state, or of one of its units."""

    lowered: Lowered
    context: Context
    at: Callable[[str, str], Where]


@frozen
class HostSubject:
    """What the host must allow before a child starts.

    preset        the name of a preset from the project, or None; `agents` the agents from the project
    confirm       whether those need a person's consent
    checkpoint    `spawn` or `finalize` when the flow asks for one
    trace_strict  None when the flow leaves it to the environment
    ask           puts a yes-or-no question to a person; None when there is nobody to ask
    """

    env: Mapping[str, str]
    preset: str | None = None
    agents: tuple[str, ...] = ()
    confirm: bool = True
    checkpoint: str | None = None
    trace_strict: bool | None = None
    trace_file: str | None = None
    ask: Callable[[str], bool | None] | None = None
