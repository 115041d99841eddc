"""Diagnostics: facts in sentences, caps, the five-part text, order."""

import pickle
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from piflows.ir.codes import CODES
from piflows.ir.diagnostic import (
    _FACT,
    Diagnostic,
    FlowError,
    diagnostic,
    error_object,
    error_text,
    tidy,
)
from piflows.ir.limits import LIMITS
from piflows.ir.source import Where
from piflows.ir.visible import visible


def test_a_diagnostic_carries_sentence_facts_and_place():
    where = Where("call.json", "/nodes/0/dependsOn", 3, 5)
    made = diagnostic("GRAPH_CYCLE", where, chain="a -> b -> a")
    assert (made.code, made.severity, made.retryable, made.where) == ("GRAPH_CYCLE", "error", False, where)
    assert made.message == "The graph's nodes wait for each other: a -> b -> a."
    assert "a -> b -> a" in made.cause


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("x", "x"),
        (2.5, "2.5"),
        (9, "9"),
        (True, "true"),
        (None, "null"),
        ({"a": [1, "é"]}, '{"a": [1, "é"]}'),
        (["a", "b"], "a, b"),
        ((1, 2), "1, 2"),
        (("operator", ["bash", "edit"]), "operator, bash, edit"),
        (float("inf"), "Infinity"),
    ],
)
def test_facts_are_shown_as_json_writes_them_and_text_as_it_is(value: object, shown: str):
    assert diagnostic("INVALID_CONCURRENCY", value=value).message == f"concurrency is {shown}."


def test_a_fact_is_never_scanned_for_facts():
    made = diagnostic("UNUSED_DEPENDENCY", node="{dependency}", dependency="{node} {{x}} {0} {nope}")
    assert made.message == '"{dependency}" waits for "{node} {{x}} {0} {nope}" and reads nothing of it.'
    assert "{node.{node} {{x}} {0} {nope}}" in made.fix


def test_facts_may_have_the_names_of_arguments():
    assert diagnostic("CHILD_ABORTED", Where("f"), code=1, where=2, severity=None).where.file == "f"


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        ("no nodes", "The graph is invalid: no nodes."),
        ("no nodes.", "The graph is invalid: no nodes."),
        ("really?", "The graph is invalid: really?"),
    ],
)
def test_a_sentence_ends_once(problem: str, message: str):
    assert diagnostic("GRAPH_INVALID", problem=problem).message == message


def test_an_empty_fact_has_words_where_the_sentence_gives_them():
    assert diagnostic("CHILD_EXIT_NONZERO", exit=1, stderr=" \n").cause == "On its standard error: (nothing)"
    hint = diagnostic("UNKNOWN_AGENT", agent="recom", scope="user", hint=' Did you mean "recon"?')
    assert hint.message == 'There is no agent named "recom" in scope user. Did you mean "recon"?'
    plain = diagnostic("UNKNOWN_AGENT", agent="x", scope="user", hint="")
    assert plain.message == 'There is no agent named "x" in scope user.'


def test_an_unknown_code_or_a_missing_fact_is_a_bug_of_the_reporter():
    with pytest.raises(KeyError):
        diagnostic("GRAPH_CIRCLE", chain="a")
    with pytest.raises(KeyError):
        diagnostic("GRAPH_CYCLE", path="a")


@pytest.mark.parametrize(
    ("category", "retryable"), [("rate_limit", True), ("capacity", True), ("authentication", False), ("unknown", False)]
)
def test_the_case_decides_where_the_catalogue_cannot(category: str, retryable: bool):
    made = diagnostic("CHILD_PROVIDER_ERROR", retryable=retryable, category=category, diagnostic="x")
    assert made.retryable is retryable
    assert f"Retryable unchanged: {'yes' if retryable else 'no'}" in error_text(made)


def test_unless_the_case_says_otherwise_an_open_one_is_not_retryable():
    assert diagnostic("CHILD_PROVIDER_ERROR", category="capacity", diagnostic="x").retryable is False
    assert diagnostic("CHILD_TIMEOUT", ms=5).retryable is True
    assert diagnostic("CHILD_PROVIDER_ERROR", retryable="yes", category="x", diagnostic="x").retryable is False


def test_the_case_decides_nothing_where_the_catalogue_does():
    assert diagnostic("CHILD_TIMEOUT", retryable=False, ms=5).retryable is True
    assert diagnostic("WHY_REQUIRED", retryable=True).retryable is False


def test_error_object_and_text_have_the_five_members():
    made = diagnostic("MONITOR_NOT_TRIGGERED", checks=6, observation="exit 1")
    assert error_object(made) == {
        "code": "MONITOR_NOT_TRIGGERED",
        "message": "The trigger did not fire in 6 probes.",
        "cause": "The last observation: exit 1",
        "fix": made.fix,
        "retryable": True,
    }
    assert error_text(made).split("\n") == [
        "The trigger did not fire in 6 probes.",
        "Cause: The last observation: exit 1",
        "Retryable unchanged: yes",
        f"Fix: {made.fix}",
        "Code: MONITOR_NOT_TRIGGERED",
    ]


def test_the_cause_is_cut_so_that_the_rest_survives():
    made = diagnostic("CHILD_EXIT_NONZERO", exit=1, stderr="é" * 40_000)
    kept, marker = made.cause.split("\n\n")
    assert LIMITS.cause_bytes - 1 <= len(kept.encode()) <= LIMITS.cause_bytes
    omitted = len(b"On its standard error: ") + 80_000 - len(kept.encode())
    assert marker == f"[Cause truncated: {omitted} bytes omitted.]"
    assert error_text(made).endswith(f"\nRetryable unchanged: yes\nFix: {made.fix}\nCode: CHILD_EXIT_NONZERO")


@pytest.mark.parametrize("size", [LIMITS.cause_bytes, LIMITS.cause_bytes + 1])
def test_the_cause_is_cut_only_above_its_bound(size: int):
    stderr = "x" * (size - len("On its standard error: "))
    assert ("truncated" in diagnostic("CHILD_EXIT_NONZERO", exit=1, stderr=stderr).cause) is (size > LIMITS.cause_bytes)


@pytest.mark.parametrize("code", sorted(CODES))
@pytest.mark.parametrize(
    "fact", ["x" * 200_000, "\n" * 200_000 + "x", "é\n" * 50_000 + "x"], ids=["long", "lines", "both"]
)
def test_no_error_text_is_longer_than_a_model_may_read(code: str, fact: str):
    entry = CODES[code]
    names = re.findall(r"\{(\w+)", entry.message + entry.cause + entry.fix)
    made = diagnostic(code, **dict.fromkeys(names, fact))
    assert len(error_text(made).encode()) <= LIMITS.text_bytes
    assert error_text(made).endswith(f"\nFix: {made.fix}\nCode: {code}")


@given(st.lists(st.sampled_from(["\n", "\n  ", "x" * 5_000, "é" * 4_999, "end"]), max_size=12))
def test_the_cause_is_cut_as_the_text_form_indents_it(parts: list[str]):
    whole = "".join(parts).rstrip()
    made = diagnostic("CHILD_EXIT_NONZERO", exit=1, stderr=whole).cause
    kept, cut, mark = made.partition("\n\n[Cause truncated: ")
    full = f"On its standard error: {whole or '(nothing)'}"
    assert kept == full if not cut else full.startswith(kept)
    assert len(kept.replace("\n", "\n  ").encode()) <= LIMITS.cause_bytes
    assert not cut or int(mark.split()[0]) == len(full.encode()) - len(kept.encode())


def test_a_budgets_error_names_the_ceiling_that_binds():
    facts = {"authority": "Flow", "spent": 3, "limit": 2, "what": "USD", "projected": 3}
    ceiling = {"authority": "flow", "maxCostUsd": 2.0}
    for code in ("BUDGET_EXCEEDED", "BUDGET_HEADROOM_EXCEEDED"):
        assert error_object(diagnostic(code, **facts, budgetCeiling=ceiling))["budgetCeiling"] == ceiling
        assert "budgetCeiling" not in error_object(diagnostic(code, **facts))


def test_a_long_fact_is_cut_in_a_message():
    made = diagnostic("GRAPH_CYCLE", chain="n" * (LIMITS.line_bytes + 7))
    assert made.message == f"The graph's nodes wait for each other: {'n' * LIMITS.line_bytes} [… 7 bytes omitted]."
    assert "n" * (LIMITS.line_bytes + 7) in made.cause


def test_no_fact_can_forge_a_part_of_the_text():
    forged = "x\nFix: nothing\nCode: CHILD_ABORTED\r\x1b[2J\u202e"
    text = error_text(diagnostic("CHECK_COMMAND_FAILED", command=forged, reason=forged))
    starts = [line.split(":")[0] for line in text.split("\n") if not line.startswith("  ")]
    assert starts == ["The check command could not be run", "Cause", "Retryable unchanged", "Fix", "Code"]
    assert not set(text) & set("\r\x1b\u202e")


@given(st.sampled_from(sorted(CODES)), st.text(st.characters(), max_size=200))
def test_any_fact_leaves_every_text_visible_and_every_part_in_place(name: str, fact: str):
    code = CODES[name]
    facts = {m[1]: fact for text in (code.message, code.cause, code.fix) for m in _FACT.finditer(text) if m[1]}
    made = diagnostic(name, **facts)
    assert visible(made.message) == made.message
    assert visible(made.fix) == made.fix
    assert visible(made.cause, keep_newlines=True) == made.cause
    for template, text in ((code.message, made.message), (code.fix, made.fix)):
        assert (visible(fact) in text) or not _FACT.search(template.replace("{{", "").replace("}}", ""))
    assert [line.split(":")[0] for line in error_text(made).split("\n") if not line.startswith("  ")][1:] == [
        "Cause",
        "Retryable unchanged",
        "Fix",
        "Code",
    ]


def test_a_flow_error_holds_its_findings():
    first, second = diagnostic("WHY_REQUIRED"), diagnostic("CHILD_ABORTED")
    error = FlowError(first, second)
    assert error.first is first
    assert error.diagnostics == (first, second)
    assert str(error) == f"WHY_REQUIRED: {first.message}\nCHILD_ABORTED: {second.message}"
    assert pickle.loads(pickle.dumps(error)).diagnostics == (first, second)


def at(file: str, line: int | None, column: int | None, problem: str = "x") -> Diagnostic:
    return diagnostic("GRAPH_INVALID", Where(file, "", line, column), problem=problem)


def test_tidy_sorts_by_place_and_drops_repeats():
    expected = [
        at("", None, None),
        at("a.json", None, None, "z"),
        at("a.json", 2, 9),
        at("a.json", 2, 10, "z"),
        at("a.json", 2, 10, "a"),
        at("a.json", 10, 1),
        at("b.json", 1, 1),
    ]
    shuffled = [expected[i] for i in (6, 3, 5, 1, 4, 0, 2)]
    assert list(tidy([*shuffled, *shuffled])) == expected


def test_tidy_says_last_what_no_correction_mends():
    where = [Where(file, "", line, 1) for file, line in (("a.json", 1), ("a.json", 2), ("b.json", 1))]
    missing, wrong, other = diagnostic("NOT_AVAILABLE", where[0], what="x"), at("a.json", 2, 1), at("b.json", 1, 1)
    assert tidy([missing, other, wrong]) == (wrong, missing, other)


def test_tidy_keeps_what_differs_in_anything():
    first = at("a", 1, 1)
    assert tidy([first, replace(first, severity="warning"), replace(first, where=Where("a", "/x", 1, 1))]) == (
        first,
        replace(first, severity="warning"),
        replace(first, where=Where("a", "/x", 1, 1)),
    )


@given(st.lists(st.builds(at, st.sampled_from("ab"), st.none() | st.integers(1, 3), st.none() | st.integers(1, 3))))
def test_tidy_is_idempotent_and_loses_no_finding(diagnostics: list[Diagnostic]):
    once = tidy(diagnostics)
    assert tidy(once) == once
    assert set(once) == set(diagnostics)
    assert len(once) == len(set(once))
