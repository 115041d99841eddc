"""What Python callers use: `piflows.compile`, `check`, `plan` and `run`.

A call is the object itself or its JSON text, not the name of a file; a Flow that was compiled or read before is taken
as it is. Files, agents and presets are found as the command finds them, from `cwd` on.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from piflows.ir.diagnostic import Diagnostic, FlowError

if TYPE_CHECKING:
    from piflows.compiler import Compiled
    from piflows.compiler.context import Context
    from piflows.ir.flow import Flow

Json = dict[str, Any]
Call = str | Mapping[str, Any]


def compile(call: Call, *, cwd: str = "") -> Flow:
    """The checked Flow of a call. Raises FlowError with everything that is wrong with it."""
    compiled = _compiled(call, _context(cwd), full=True)
    if compiled.flow is None:
        raise FlowError(*compiled.errors)
    return compiled.flow


def check(call: Call, *, cwd: str = "") -> tuple[Diagnostic, ...]:
    """What is wrong with a call, errors and warnings, in the order of the checks; nothing is raised for it."""
    return _compiled(call, _context(cwd), full=False).diagnostics


def plan(call: Call | Flow, *, cwd: str = "") -> Json:
    """What a call or a Flow would run, as `piflows plan --format json` prints it. Raises FlowError."""
    from piflows.compiler.render.plan_json import plan_json

    return plan_json(_flow(call, cwd))


def run(
    call: Call | Flow,
    *,
    cwd: str = "",
    backend: str = "scripted",
    script: Call | None = None,
    journal: str | None = None,
) -> Json:
    """Run a call or a Flow to its end; the details object. For a program without a running event loop.

    `script` says what scripted children do, `journal` names the file in which the run is recorded, or goes on. Nobody
    is asked for consent: what needs a person's is refused. Raises FlowError when the run does not begin.
    """
    from piflows.compiler.discovered import joined
    from piflows.interpreter.drivers.embedded import run_flow

    context = _context(cwd)
    flow = _admitted(call, context)
    text = None if script is None else (_text(script), "script")
    return joined(run_flow(flow, cwd=context.cwd, backend=backend, script=text, journal=journal), context)


def _admitted(call: Call | Flow, context: Context) -> Flow:
    """The Flow that may be run here. Raises FlowError for the first reason why it may not."""
    from piflows.compiler import admit, admit_flow
    from piflows.ir.flow import Flow

    if isinstance(call, Flow):
        refused, flow = admit_flow(_proved(call, context), context), call
    else:
        compiled = _compiled(call, context, full=True)
        refused, flow = admit(compiled, context), compiled.flow
    if refused is not None:
        raise FlowError(refused)
    return cast("Flow", flow)  # what has no error has a Flow


def _flow(call: Call | Flow, cwd: str) -> Flow:
    from piflows.ir.flow import Flow

    return _proved(call, _context(cwd)) if isinstance(call, Flow) else compile(call, cwd=cwd)


def _proved(flow: Flow, context: Context) -> Flow:
    """A Flow as it is. Raises FlowError for one that is not well-formed."""
    from piflows.ir.diagnostic import diagnostic
    from piflows.ir.source import Where
    from piflows.ir.verify import verify

    if found := verify(flow, context.real):
        raise FlowError(*(diagnostic(each.code, Where("", each.state), **each.facts) for each in found))
    return flow


def _compiled(call: Call, context: Context, *, full: bool) -> Compiled:
    from piflows.compiler import compile_call

    return compile_call(_text(call), context, full=full)


def _context(cwd: str) -> Context:
    from piflows.compiler.catalog import host_context

    return host_context(Path(cwd).absolute(), os.environ)


def _text(call: Call) -> str:
    return call if isinstance(call, str) else json.dumps(call, ensure_ascii=False)
