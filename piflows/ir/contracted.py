"""What a Flow says of contracts and of who counts for them: that each is there, is what its name says, and is its own.

The budget of a contract, the check of a return and the disclosure all trust these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

from piflows.ir.canonical import identity
from piflows.ir.contract import defects
from piflows.ir.finding import Finding, invalid, nearest, quoted
from piflows.ir.flow import Flow, Stage
from piflows.ir.plan import Over
from piflows.ir.unit import Unit

FLOW = "flow"  # the account of the flow's own ceilings


def contracted(flow: Flow) -> Iterator[Finding]:
    """What is wrong with the contracts of a Flow and with the roles under them."""
    for name, contract in flow.contracts.items():
        fault = next(defects(contract), None)
        if fault is not None:
            yield invalid(f"the contract {quoted(name)} is malformed: {fault[1]}")
        elif name != (real := identity(cast("dict[str, Any]", contract))):
            yield invalid(f"the contract {quoted(name)} is not what its identity says: it is {quoted(real)}")
    yield from _roles(flow)
    yield from _open_ends(flow)


def _roles(flow: Flow) -> Iterator[Finding]:
    owners: dict[str, str] = {FLOW: "", **{name: name for name in flow.contracts}}  # account -> the contract it is of
    for name, role in flow.roles.items():
        if role.contract and role.contract not in flow.contracts:
            near = nearest(role.contract, flow.contracts)
            yield invalid(
                f"role {quoted(name)} is under the contract {quoted(role.contract)}, which is not there{near}"
            )
        if not role.account:
            continue
        counts = f"role {quoted(name)} counts for the account {quoted(role.account)}"
        if not role.contract:
            yield invalid(f"{counts} and is under no contract")
        elif (owner := owners.setdefault(role.account, role.contract)) != role.contract:
            whose = f"the contract {quoted(owner)}" if owner else "the flow"
            yield invalid(
                f"role {quoted(name)} counts for the account {quoted(role.account)}, which is that of {whose}"
            )


def _open_ends(flow: Flow) -> Iterator[Finding]:
    """A return that may be incomplete whatever the policy goes to the parent, and to nobody else."""
    units = [(state.name, unit) for state in flow.states if isinstance(state, Stage) for unit in units_of(state)]
    if not any(unit.open_end for _, unit in units):
        return
    readers = {(read.value.state, read.value.unit): unit.name for _, unit in units for read in unit.reads}
    for stage, unit in units:
        reader = readers.get((stage, unit.name)) or readers.get((stage, ""))
        if unit.open_end and reader is not None:
            problem = f"the return of unit {quoted(unit.name)} goes to the parent alone, and {quoted(reader)} reads it"
            yield invalid(problem, stage, unit.name)


def units_of(stage: Stage) -> Sequence[Unit]:
    """The units of a Plan, or the pattern of one made over a list."""
    return (stage.work.unit,) if isinstance(stage.work, Over) else stage.work.units
