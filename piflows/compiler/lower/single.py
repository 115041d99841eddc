"""Single: one run. Its text is the report, failed or not. Seed: Modes."""

from __future__ import annotations

from piflows.compiler.lower.make import Maker, report
from piflows.compiler.lower.sentences import first_text, objective
from piflows.grammar.call import AgentRef, Call
from piflows.ir.flow import Flow
from piflows.ir.parts import Slot, text
from piflows.ir.unit import Ref

NAME, RECORDS = "single", frozenset[str]()


def lower(call: Call, make: Maker) -> Flow:
    """One unit. The top-level role, cwd, tools and contract are its own; the contract's objective can be its task."""
    ref = AgentRef.model_construct(
        agent=call.agent or "", role=call.role, cwd=call.cwd, tools=call.tools, contract=call.contract
    )
    role = make.role(ref, "agent", resolved=True)
    prompt = text(first_text(call.task, objective(call.contract))) + make.requirements()
    unit = make.unit("run", "single", role, text("single"), prompt, open_end=True)
    make.stage("run", text("single"), [unit], then="done", failed="failed")
    make.settle("done", "success", body=(Slot("result"),), reads=[report("result", Ref("run", "unit", "single"))])
    make.stopped("failed", "run")
    return make.flow("run")
