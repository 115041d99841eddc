"""Every rule, in the reference's order of checks: the first that finds an error gives the run its code.

Seed: Structured errors; order: retired names, unknown names, the catalogue's codes, what no catalogue code fits; then
the host; last what this version cannot do yet. Warnings decide nothing, so they stand behind the errors.
"""

from __future__ import annotations

from piflows.compiler.check.rule import Rule
from piflows.compiler.check.rules import (
    call_shape,
    checkpoint,
    concurrency,
    contracts,
    flow_depth,
    graph_cycle,
    graph_edges,
    ignored_params,
    known_agents,
    mode_inputs,
    monitor_probe,
    near_placeholders,
    nested_cwd,
    not_available,
    one_mode,
    placeholders,
    preset_expansion,
    preset_overrides,
    project_agents,
    project_preset,
    renamed_params,
    scope,
    shared_write,
    sizing,
    strict_trace,
    unknown_params,
    unread_edge,
    well_formed,
    why,
)

RULES: tuple[Rule, ...] = (
    renamed_params,
    unknown_params,
    scope,
    preset_overrides,
    preset_expansion,
    one_mode,
    why,
    concurrency,
    mode_inputs,
    sizing,
    graph_edges,
    graph_cycle,
    monitor_probe,
    contracts,
    shared_write,
    known_agents,
    placeholders,
    well_formed,
    call_shape,
    flow_depth,
    project_preset,
    strict_trace,
    project_agents,
    checkpoint,
    not_available,
    ignored_params,
    unread_edge,
    near_placeholders,
    nested_cwd,
)
