"""Maker: what every mode builds its Flow with. States stand in the Flow in the order in which they are made.

A mode says what is special about it; the Maker adds what is the same everywhere: roles, the call's numbers, the
handoff policy, return requirements, normal forms, and the pointer of every state and unit into the call.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from piflows.compiler.context import Catalog
from piflows.compiler.lower.terms import contract_terms
from piflows.compiler.prompts import Filling, Hole, Renderer, slots_only
from piflows.compiler.resolve import resolve_role
from piflows.grammar.call import Call, Policy, SectionItem, TaskItem
from piflows.ir.actions import Doing
from piflows.ir.canonical import identity
from piflows.ir.flow import Action, Ceiling, Flow, Gate, Mark, Settle, Stage, State
from piflows.ir.frozen import frozen
from piflows.ir.gates import Condition, Round
from piflows.ir.parts import Parts, Section, Slot, Text, normal, text
from piflows.ir.plan import Over, Plan
from piflows.ir.unit import Handoff, Protocol, Ref, Role, Unit
from piflows.ir.visible import visible

if TYPE_CHECKING:
    from piflows.compiler.resolve import Reference
    from piflows.grammar.modes.graph import GraphNode

EVIDENCE = (
    "Back every claim that matters with a file:line reference, command output or a citation, or name the gap plainly."
)
POLICIES: tuple[Policy, ...] = ("warn", "quarantine", "fail")  # from the mildest to the strictest
RUN = "run"  # the slot in which the end of a flow reads the child run that failed

Budget = Literal["maxCostUsd", "maxTokens", "maxGeneratedTokens"]


def report(slot: str, value: Ref, absent: Literal["refuse", "omit"] = "refuse") -> Handoff:
    """A value that goes to the parent, as it is."""
    return Handoff(slot, value, form="report", absent=absent)


@frozen
class Lowered:
    """A Flow, and the JSON pointer into the expanded call of each (state, unit); the unit is empty for the state."""

    flow: Flow
    pointers: dict[tuple[str, str], str]


class Maker:
    """Collects the states of one Flow. Names are the mode's own; those of roles are made from slot and agent."""

    def __init__(
        self,
        mode: str,
        call: Call,
        catalog: Catalog,
        render: Renderer,
        home: str = "",
        records: Collection[str] = (),
    ) -> None:
        self.mode, self.call, self.catalog, self.home = mode, call, catalog, home
        self._records = records
        self._render = render
        self._states: list[State] = []
        self._pointers: dict[tuple[str, str], str] = {}
        self.roles: dict[str, Role] = {}
        self.about: dict[str, Any] = {}  # what a mode says of its flow beside what the call says
        self._known: dict[tuple[object, ...], str] = {}
        self._contracts: dict[str, Mapping[str, Any]] = {}
        self._policy: Policy = call.handoff_policy
        for of, policy in (call.mode_handoff_policy or {}).items():
            if of == mode and POLICIES.index(policy) > POLICIES.index(self._policy):
                self._policy = policy

    # ---- who and what ------------------------------------------------------------------------------------------

    def role(
        self,
        ref: Reference,
        slot: str,
        protocol: Protocol | None = None,
        candidates: Sequence[str] = (),
        *,
        resolved: bool = False,
        account: str = "",
    ) -> str:
        """The name of the role that a reference stands for. Equal references are one role.

        `candidates` are the names that the route protocol may answer with. A `resolved` role without a contract of its
        own is under the call's. `account`: its spend under the contract's budget is counted apart from that of others.
        """
        contract = self.call.contract if ref.contract is None and resolved else ref.contract
        identity = "" if contract is None else self._identity(contract)
        key = (
            slot,
            protocol,
            tuple(candidates),
            identity,
            account,
            ref.agent,
            ref.model,
            ref.tier,
            ref.thinking,
            ref.tools,
            ref.cwd,
            ref.role,
        )
        if key in self._known:
            return self._known[key]
        role = resolve_role(ref, slot, protocol, self.call, self.catalog, tuple(candidates))
        if identity:
            role = replace(role, contract=identity, account=f"{identity}@{account}" if account else "")
        base = role.agent if role.agent == role.slot else f"{role.slot}-{role.agent}"
        name, number = base, 1
        while self.roles.setdefault(name, role) != role:
            number += 1
            name = f"{base}-{number}"
        self._known[key] = name
        return name

    def _identity(self, contract: Mapping[str, Any]) -> str:
        """The identity of a contract, which the Flow then holds. One that is malformed is refused elsewhere."""
        found = identity(contract)
        self._contracts[found] = contract
        return found

    def unit(
        self,
        stage: str,
        name: str,
        role: str,
        label: Parts,
        prompt: Parts,
        *,
        needs: Sequence[str] = (),
        reads: Sequence[Handoff] = (),
        at: str = "",
        open_end: bool = False,
    ) -> Unit:
        """A unit of a Stage that is made next; `at` points to what the author wrote about it."""
        self._pointers[stage, name] = at
        if (under := self.roles[role].contract) and self._render is not slots_only:
            prompt += self._render("delegation-contract", contract_terms(under, self._contracts[under]))
        return Unit(name, role, normal(label), normal(prompt), tuple(needs), tuple(reads), open_end)

    def prompt(self, template: str, reads: Sequence[Handoff] = (), **fillings: Filling) -> Parts:
        """A prompt from its template, which knows the slot of each handoff by its name."""
        return self._render(template, fillings | {each.slot: Hole(each.slot) for each in reads})

    def requirements(self, item: TaskItem | SectionItem | GraphNode | None = None) -> Parts:
        """What a task gets appended: its own return requirements before the call's. Seed: Return requirements."""
        prose, evidence = self.call.return_requirements, self.call.require_evidence
        if item is not None and item.return_requirements is not None:
            prose = item.return_requirements
        if item is not None and item.require_evidence is not None:
            evidence = item.require_evidence
        bullets = [each for each in (prose, EVIDENCE if evidence else None) if each is not None and each.strip()]
        if not bullets:
            return ()
        return text("\n\n## Return requirements\n\n" + "\n".join(f"- {each.strip()}" for each in bullets))

    def reads(
        self,
        slot: str,
        value: Ref,
        absent: Literal["refuse", "omit", "text"] = "refuse",
        instead: str = "",
        form: Literal["text", "envelope", "control"] = "text",
    ) -> Handoff:
        """A value that crosses to another role, under the call's policy for this mode."""
        return Handoff(slot, value, form=form, absent=absent, instead=instead, policy=self._policy)

    # ---- states ------------------------------------------------------------------------------------------------

    def stage(
        self, name: str, label: Parts, work: Sequence[Unit] | Over, *, then: str, failed: str = "", at: str = ""
    ) -> None:
        """A Stage in waves. `failed` is where it stops for a failure; without it the Stage drains and goes on."""
        exits = {"then": then, "failed": failed} if failed else {"then": then}
        plan = work if isinstance(work, Over) else Plan(tuple(work))
        self._add(Stage(name, normal(label), plan, exits, failure="stop" if failed else "drain"), at)

    def gate(
        self,
        name: str,
        test: Condition,
        exits: Mapping[str, str],
        *,
        says: Mapping[str, Parts] | None = None,
        reads: Sequence[Handoff] = (),
        marks: Mapping[str, Mark] | None = None,
        at: str = "",
    ) -> None:
        """A decision; `says` makes a text of the value of an outcome, `marks` is what it leaves in the trace."""
        said = {outcome: normal(parts) for outcome, parts in (says or {}).items()}
        self._add(Gate(name, test, dict(exits), said, tuple(reads), dict(marks or {})), at)

    def round(
        self, name: str, begins: float, *, again: str, spent: str, marks: Mapping[str, Mark] | None = None, at: str = ""
    ) -> None:
        """The way back, in which `again` is begun `begins` times in all."""
        self.gate(name, Round(int(begins) - 1), {"again": again, "spent": spent}, marks=marks, at=at)

    def action(self, name: str, do: Doing, *, then: str, at: str = "") -> None:
        """One effect that is not a child."""
        self._add(Action(name, do, {"then": then}), at)

    def settle(
        self,
        name: str,
        outcome: Literal["success", "stopped", "refused"],
        *,
        header: Parts = (),
        body: Parts = (),
        code: str | None = None,
        facts: Mapping[str, Parts] | None = None,
        reads: Sequence[Handoff] = (),
        data: dict[str, Any] | None = None,
        mark: Mark | None = None,
        assessed: bool | None = None,
        at: str = "",
    ) -> None:
        """An end; what it reads are reports."""
        told = {fact: normal(parts) for fact, parts in (facts or {}).items()}
        ending = Settle(
            name, outcome, code, told, _line(normal(header)), normal(body), tuple(reads), data or {}, mark, assessed
        )
        self._add(ending, at)

    def stopped(self, name: str, stage: str, header: Parts = ()) -> None:
        """The end that a failed run of a Stage leads to: no error code, its own text under the mode's words.

        The header may read the run's record from the slot `RUN`.
        """
        self.settle(name, "stopped", header=header, body=(Slot(RUN),), reads=[report(RUN, Ref(stage, "failed"))])

    def _add(self, state: State, at: str) -> None:
        self._states.append(state)
        self._pointers[state.name, ""] = at

    # ---- the whole ---------------------------------------------------------------------------------------------

    def flow(self, entry: str) -> Flow:
        """The Flow of all states that were made."""
        call = self.call
        limits: dict[Budget, float | None] = {
            "maxCostUsd": call.max_cost_usd,
            "maxTokens": call.max_tokens,
            "maxGeneratedTokens": call.max_generated_tokens,
        }
        return Flow(
            self.mode,
            entry,
            tuple(self._states),
            self.roles,
            concurrency=call.concurrency,
            timeout_ms=int(call.timeout_ms),
            ceilings=tuple(Ceiling("flow", what, float(limit)) for what, limit in limits.items() if limit is not None),
            allow_shared_write=call.allow_shared_write_cwd,
            contracts=dict(self._contracts),
            incomplete=call.incomplete_handoff_policy,
            record_content=call.record_content,
            redact_secrets=call.redact_secrets,
            records=tuple(sorted(self._records)),
            about=self._about() | self.about,
        )

    def _about(self) -> dict[str, Any]:
        """What the Flow says of its call: for the report, and for who must be asked before a saved Flow runs."""
        call = self.call
        name = (call.preset or "").strip()
        preset = self.catalog.presets.get(name)
        about = {
            "preset": name or None,
            "presetSource": None if preset is None else preset.source,
            "why": call.why,
            "agentScope": call.agent_scope,
            "confirmProjectAgents": None if call.confirm_project_agents else False,
            "traceStrict": call.trace_strict,
            "traceFile": call.trace_file,
            "traceLabel": call.trace_label,
            "traceContext": None if call.trace_context is None else call.trace_context.model_dump(by_alias=True),
        }
        return {name: value for name, value in about.items() if value is not None}

    def lowered(self, flow: Flow) -> Lowered:
        """The Flow with the pointers of its states and units."""
        return Lowered(flow, self._pointers)


def _line(parts: Parts) -> Parts:
    """A header is one line, whatever an author put into a name or a command."""
    return tuple(
        Text(visible(part.text))
        if isinstance(part, Text)
        else Section(part.slot, _line(part.parts), part.field, _line(part.otherwise))
        if isinstance(part, Section)
        else part
        for part in parts
    )
