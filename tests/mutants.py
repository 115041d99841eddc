"""Deliberate faults, one or more per property: each property must catch its own.

A mutant names its property, the attribute that is replaced, and what makes the replacement from the original.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count
from typing import Any


@dataclass(frozen=True, slots=True)
class Mutant:
    """`of`: `test_module:property`. `place`: dotted path of the attribute. `make`: original → fault."""

    of: str
    place: str
    make: Callable[[Any], Any]


def widened(start: Any) -> Any:
    return lambda stage, shape, state, room: start(stage, shape, state, 99)  # noqa: ARG005


def halting_inside_a_wave(start: Any) -> Any:
    return lambda stage, shape, state, room: [] if state["failed"] else start(stage, shape, state, room)


def without_barrier(next_wave: Any) -> Any:  # noqa: ARG001
    def opened(stage: Any, shape: Any, state: Any) -> None:  # noqa: ARG001
        if not state["level"]:
            state["level"] = len(shape.levels)
            state["queue"] = [unit for level in shape.levels for unit in level]

    return opened


def not_as_wide(place: Any) -> Any:
    return lambda self, key, span, start, end: place(self, key, span, start, start)  # noqa: ARG005


def once_more(round_: Any) -> Any:
    return lambda test, record: round_(replace(test, times=test.times + 1), record)


def never_left(left_by: Any) -> Any:
    return lambda stage, state: None if state["failed"] else left_by(stage, state)


def numbered(effect_id: Any) -> Any:
    numbers = count()
    return lambda *arguments: f"{effect_id(*arguments)}.{next(numbers)}"


def dated(make: Any) -> Any:
    numbers = count()

    def flow(self: Any, entry: str) -> Any:
        made = make(self, entry)
        return replace(made, about={**made.about, "number": next(numbers)})

    return flow


def swapped(make: Any) -> Any:
    return lambda self, name, begins, *, again, spent, at="": make(self, name, begins, again=spent, spent=again, at=at)


def reversed_states(make: Any) -> Any:
    def flow(self: Any, entry: str) -> Any:
        made = make(self, entry)
        return replace(made, states=made.states[::-1])

    return flow


def blind(check_flow: Any) -> Any:  # noqa: ARG001
    return lambda *arguments: []  # noqa: ARG005


def only_with_prompts(check_flow: Any) -> Any:
    def check(lowered: Any, *more: Any) -> Any:
        texts = [unit.prompt for state in lowered.flow.states if state.kind == "stage" for unit in _units(state)]
        return check_flow(lowered, *more) if any(part.kind == "text" for each in texts for part in each) else []

    return check


def always_silent(silent: Any) -> Any:  # noqa: ARG001
    return lambda call: True  # noqa: ARG005


def never_together(writers_may_meet: Any) -> Any:  # noqa: ARG001
    return property(lambda self: False)  # noqa: ARG005


def _units(stage: Any) -> Any:
    return stage.work.units if stage.work.kind == "plan" else (stage.work.unit,)


def without(field: str) -> Callable[[Any], Any]:
    def make(dump: Any) -> Any:
        return lambda flow: {name: value for name, value in dump(flow).items() if name != field}

    return make


def unescaped(part: Any) -> Any:
    return lambda each: each.text if each.kind == "text" else part(each)


def forgotten(is_default: Any) -> Any:
    return lambda look, record, field: field == "cap" or is_default(look, record, field)


def without_resets(totals: Any) -> Any:
    def made(flow: Any) -> Any:
        rounds = {state.name for state in flow.states if state.kind == "gate" and state.test.kind == "round"}
        states = tuple(
            replace(state, test=replace(state.test, resets=())) if state.name in rounds else state
            for state in flow.states
        )
        return totals(replace(flow, states=states))

    return made


def last_wave_lost(levels: Any) -> Any:
    return lambda needs: levels(needs)[:-1] or levels(needs)


def always_defined(defines: Any) -> Any:
    return lambda *arguments: 15 if defines(*arguments) is not None else 0


def one_fewer(at_least: Any) -> Any:
    return lambda test, record: at_least(replace(test, n=test.n - 1), record)


def lenient(decide: Any) -> Any:
    """What was not understood ends the loop."""
    ended = {"continue": "done", "revise": "pass"}

    def decided(test: Any, record: Any) -> Any:
        outcome, value = decide(test, record)
        understood = all(each["control"] is not None for each in record["values"][test.of])
        return (outcome if understood else ended.get(outcome, outcome)), value

    return decided


def never_nobody(choice: Any) -> Any:
    def chosen(test: Any, record: Any) -> Any:
        outcome, value = choice(test, record)
        return (outcome, value) if outcome != "none" else (test.candidates[0], {"text": test.candidates[0]})

    return chosen


def to_the_first(gate: Any) -> Any:
    def made(self: Any, name: str, test: Any, exits: Any, **more: Any) -> None:
        gate(self, name, test, {**exits, "none": next(iter(exits.values()))} if "none" in exits else exits, **more)

    return made


def begun_once_less(make: Any) -> Any:
    return lambda self, name, begins, **more: make(self, name, max(1, begins - 1), **more)


def published_early(value: Any) -> Any:
    """A unit reads what its own visit of the Stage has done so far."""

    def read(record: Any, program: Any, ref: Any, *rest: Any) -> Any:
        here = record["state"] == ref.state and ref.pick == "value" and record["stage"]
        return [each for each in here["done"] if each] if here else value(record, program, ref, *rest)

    return read


def never_left_out(absent: Any) -> Any:
    return lambda read: absent(replace(read, absent="refuse"))


def with_the_failed(value: Any) -> Any:
    return lambda record, program, ref, *rest: value(
        record, program, replace(ref, pick="value") if ref.pick == "ok" else ref, *rest
    )


def no_round_to_spend(rounds_spent: Any) -> Any:  # noqa: ARG001
    return lambda *arguments: {}  # noqa: ARG005


def spent_twice(rounds_spent: Any) -> Any:
    return lambda *arguments: {name: 2 * cost + 1 for name, cost in rounds_spent(*arguments).items()}


def lent(feed: Any) -> Any:
    """The machine keeps the very objects that it gave away."""

    def fed(self: Any, event: Any) -> Any:
        out = feed(self, event)
        for effect in out:
            live = self.record["live"].get(effect["effect"])
            if live is not None and "sent" in live:
                live["sent"] = effect
        return out

    return fed


def after_the_keywords(without: Any) -> Any:
    """Keyword rules first: they eat the word `Bearer`, and its token stays."""
    return lambda text: without(re.sub(r"(?i)(authorization|token): *\S+", r"\1=[REDACTED_SECRET]", text))


def quoted_again(pair: Any) -> Any:
    return lambda match: f"{pair(match)}'"


def of_zero_width_alone(pattern: Any) -> Any:  # noqa: ARG001
    return re.compile("[\u200b-\u200f]")


def of_the_last_alone(remember: Any) -> Any:
    def remembered(state: Any, clean: str, direct: Any) -> None:
        remember(state, clean, direct)
        state["tail"] = f"{clean} "

    return remembered


def anywhere(across: Any) -> Any:  # noqa: ARG001
    return lambda label, joined, border: iter([border])  # noqa: ARG005


def never(refusal: Any) -> Any:  # noqa: ARG001
    return lambda *arguments: None  # noqa: ARG005


def of_what_stops_alone(refusal: Any) -> Any:
    """A ceiling that lets live children finish lets others start, too."""
    return lambda accounts, governing, agent: refusal(accounts, [limit for limit in governing if limit.stops], agent)


def of_nothing_when_unknown(charge: Any) -> Any:
    def charged(*arguments: Any) -> None:
        *rest, usage = arguments
        charge(*rest, {**usage, "costUsd": usage["costUsd"] or 0})

    return charged


def whoever_it_is(known: Any) -> Any:  # noqa: ARG001
    """An old event of a live effect counts as a new one."""
    return lambda self, event: self.record["live"].get(event["effect"])


MACHINE, CHILDREN = "piflows.interpreter.machine", "piflows.interpreter.children"
REDACT = "piflows.interpreter.guards.redact"
BUDGET = "piflows.interpreter.guards.budget"
UNKNOWN = "test_spending:test_an_unknown_cost_is_never_a_number_in_a_sum"
HANDOFF = "piflows.interpreter.guards.handoff"
ALONE = "test_lowering:test_a_check_alone_finds_what_a_run_would"
CHECK_FLOW = "piflows.compiler.stages._check_flow"
MAKER, WAVES, PRINT = "piflows.compiler.lower.make.Maker", "piflows.interpreter.waves", "piflows.grammar.flow_print"
GATES, PROMISES = "piflows.interpreter.gates", "test_modes:test_every_path_of_a_mode_ends_and_reads_as_promised"
MUTANTS = [
    Mutant(PROMISES, f"{GATES}.DECIDE[at_least]", one_fewer),
    Mutant(PROMISES, f"{GATES}.DECIDE[said]", lenient),
    Mutant(PROMISES, f"{GATES}.DECIDE[all_pass]", lenient),
    Mutant(PROMISES, f"{GATES}.DECIDE[choice]", never_nobody),
    Mutant(PROMISES, f"{MAKER}.gate", to_the_first),
    Mutant(PROMISES, f"{MAKER}.round", begun_once_less),
    Mutant(PROMISES, "piflows.interpreter.record.value", published_early),
    Mutant(PROMISES, "piflows.interpreter.record.value", with_the_failed),
    Mutant(PROMISES, "piflows.interpreter.reads._absent", never_left_out),
    Mutant(
        "test_modes:test_every_exit_of_a_mode_is_taken_and_its_bounds_are_exact",
        "piflows.ir.bounds._rounds_spent",
        no_round_to_spend,
    ),
    Mutant("test_bounds:test_bounds_hold_for_every_way_through_a_flow", "piflows.ir.bounds._rounds_spent", spent_twice),
    Mutant(
        "test_machine:test_what_a_driver_does_to_events_and_effects_afterwards_changes_nothing",
        f"{MACHINE}.Machine.feed",
        lent,
    ),
    Mutant("test_machine:test_never_more_than_concurrency_alive", f"{WAVES}.start", widened),
    Mutant("test_machine:test_every_path_settles_within_its_bounds", f"{WAVES}.left_by", never_left),
    Mutant(
        "test_machine:test_every_path_settles_within_its_bounds", "piflows.interpreter.gates.DECIDE[round]", once_more
    ),
    Mutant("test_machine:test_no_unit_starts_before_its_needs_succeeded", f"{WAVES}._next_wave", without_barrier),
    Mutant("test_machine:test_the_machine_is_a_function_of_its_events", f"{CHILDREN}.effect_id", numbered),
    Mutant(
        "test_resume:test_the_outcome_depends_on_neither_order_nor_crashes", f"{WAVES}.start", halting_inside_a_wave
    ),
    Mutant("test_resume:test_a_settled_child_is_never_run_again", f"{CHILDREN}.effect_id", numbered),
    Mutant("test_lowering:test_lowering_is_deterministic", f"{MAKER}.flow", dated),
    Mutant("test_lowering:test_an_accepted_call_lowers_to_a_flow_that_verifies", f"{MAKER}.round", swapped),
    Mutant(
        "test_lowering:test_an_accepted_call_lowers_to_a_flow_that_verifies",
        CHECK_FLOW,
        blind,
    ),
    Mutant(ALONE, CHECK_FLOW, only_with_prompts),
    Mutant(ALONE, "piflows.compiler.check.rules.shared_write.silent", always_silent),
    Mutant(ALONE, "piflows.compiler.check.rules.nested_cwd.silent", always_silent),
    Mutant(ALONE, "piflows.compiler.check.rule.CallSubject.writers_may_meet", never_together),
    Mutant("test_lowering:test_a_lowered_flow_survives_both_of_its_forms", f"{PRINT}._part", unescaped),
    Mutant(
        "test_flow_text:test_one_changed_field_is_another_digest_and_one_changed_line",
        "piflows.ir.digest.dump",
        without("concurrency"),
    ),
    Mutant("test_flow_text:test_what_was_printed_reads_back_equal", f"{PRINT}._is_default", forgotten),
    Mutant(
        "test_bounds:test_bounds_hold_for_every_way_through_a_flow", "piflows.ir.bounds.round_totals", without_resets
    ),
    Mutant("test_topology:test_a_wave_is_the_longest_path_below_a_node", "piflows.ir.topology.levels", last_wave_lost),
    Mutant(
        "test_verify:test_definite_assignment_is_what_holds_on_all_paths", "piflows.ir.assign._defines", always_defined
    ),
    Mutant("test_guards:test_no_secret_of_a_known_shape_is_left", f"{REDACT}._without_credentials", after_the_keywords),
    Mutant("test_guards:test_redacting_again_changes_nothing", f"{REDACT}._pair", quoted_again),
    Mutant("test_guards:test_nothing_hidden_crosses", f"{HANDOFF}._STRIPPED", of_zero_width_alone),
    Mutant("test_guards:test_a_marker_that_a_text_completes_is_found", f"{HANDOFF}._remember", of_the_last_alone),
    Mutant("test_guards:test_a_marker_is_found_only_where_the_joined_texts_have_it", f"{HANDOFF}._across", anywhere),
    Mutant(
        "test_trace:test_every_run_reads_back_as_one_tree", "piflows.interpreter.trace.fold.Fold._place", not_as_wide
    ),
    Mutant("test_spending:test_a_ceiling_is_passed_by_the_responses_in_flight_alone", f"{BUDGET}.must_stop", never),
    Mutant(
        "test_spending:test_a_total_ceiling_is_passed_by_the_children_then_alive_alone",
        f"{BUDGET}.spawn_refusal",
        never,
    ),
    Mutant("test_spending:test_nobody_starts_after_a_spent_ceiling", f"{BUDGET}.spawn_refusal", of_what_stops_alone),
    Mutant(UNKNOWN, f"{BUDGET}.charge", of_nothing_when_unknown),
    Mutant(UNKNOWN, f"{MACHINE}.charge", of_nothing_when_unknown),
    Mutant("test_spending:test_an_answer_that_comes_again_changes_nothing", f"{MACHINE}.Machine._known", whoever_it_is),
]
