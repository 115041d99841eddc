"""Flows made by hand, one per shape that a view must be able to draw. Nothing here comes from a mode's lowering."""

from __future__ import annotations

from typing import Any

from piflows.ir.actions import Command, Wait
from piflows.ir.canonical import identity
from piflows.ir.flow import Action, Ceiling, Flow, Gate, Mark, Settle, Stage
from piflows.ir.gates import AllPass, AtLeast, Beam, Choice, ExitZero, Round, Trigger
from piflows.ir.parts import Counter, Each, Index, Noun, Part, Parts, Section, Slot, Text, text
from piflows.ir.plan import Over, Plan
from piflows.ir.unit import Handoff, Ref, Role, Unit

READ = ("read", "grep", "find", "ls")
ROUNDS = Noun("iteration", "iterations")


def parts(*values: str | Part) -> Parts:
    """Strings stand for literal text."""
    return tuple(Text(value) if isinstance(value, str) else value for value in values)


def stopped(name: str, reason: str, state: str) -> Settle:
    """The end of a flow whose unit failed."""
    failed = Handoff("failed", Ref(state, "failed"), form="report")
    return Settle(name, "stopped", header=parts(reason, Slot("failed", "agent")), reads=(failed,))


def dag() -> Flow:
    """A diamond with a shortcut, under `wave`, then a debrief; one unit can write."""
    scout = Role("recon", "scout", "package", tools=READ, tier="fast", thinking="low")
    writer = Role("operator", "writer", "project", tier="capable", cwd=text("services/billing"))
    merge = Role("debrief", "debrief", "package", tools=(), model="anthropic/claude-opus-4", thinking="high")

    def node(name: str, role: str, task: Parts, *needs: str) -> Unit:
        reads = tuple(Handoff(need, Ref("nodes", "unit", need)) for need in needs)
        return Unit(name, role, text(name), task, needs, reads)

    nodes = Stage(
        "nodes",
        text("nodes"),
        Plan(
            (
                node("inventory", "scout", text("List every place that reads an invoice, with file and line.")),
                node("schema", "scout", text("Describe the invoice table and its indexes.")),
                node(
                    "design", "scout", parts("Design it for ", Slot("inventory"), Slot("schema")), "inventory", "schema"
                ),
                node("patch", "writer", parts("Implement ", Slot("design")), "design"),
                node("docs", "scout", parts("Document ", Slot("design"), Slot("schema")), "design", "schema"),
            )
        ),
        {"then": "debrief", "failed": "broken"},
    )
    debrief = Stage(
        "debrief",
        text("debrief"),
        Plan(
            (
                Unit(
                    "debrief",
                    "merge",
                    text("debrief"),
                    parts("## Goal\n\nMove invoices to the new table.\n\n", Slot("patch"), Slot("docs")),
                    (),
                    (Handoff("patch", Ref("nodes", "unit", "patch")), Handoff("docs", Ref("nodes", "unit", "docs"))),
                ),
            )
        ),
        {"then": "done", "failed": "broken"},
    )
    done = Settle(
        "done",
        "success",
        header=text("Flow graph: 5 nodes completed."),
        body=parts(Slot("answer")),
        reads=(Handoff("answer", Ref("debrief", "unit", "debrief"), form="report"),),
    )
    return Flow(
        "graph",
        "nodes",
        (nodes, debrief, done, stopped("broken", "Flow graph stopped at ", "nodes")),
        {"scout": scout, "writer": writer, "merge": merge},
        ceilings=(Ceiling("flow", "maxCostUsd", 2.5), Ceiling("flow", "maxTokens", 750_000.0)),
        about={"preset": "move-table", "why": "one context cannot hold the whole service"},
    )


def loop() -> Flow:
    """An author, a check command, a panel of two; one round shared by both roads back."""
    roles = {
        "author": Role("operator", "generator", "package", tier="capable"),
        "critic": Role("redteam", "critic", "package", tools=(*READ, "bash-ro"), tier="deep", protocol="verdict"),
        "second": Role("overwatch", "critic", "package", tools=(*READ, "bash-ro"), tier="capable", protocol="verdict"),
    }
    goal = "## Goal\n\nMake the parser accept CRLF.\n\n"
    author = Stage(
        "author",
        parts("iteration-", Counter("round")),
        Plan(
            (
                Unit(
                    "generator",
                    "author",
                    parts("iteration-", Counter("round"), ".generator"),
                    parts(goal, Section("previous", parts("## Last attempt\n\n", Slot("previous")))),
                    (),
                    (
                        Handoff("previous", Ref("author", "unit", "generator"), absent="omit"),
                        Handoff("critique", Ref("round"), absent="text", instead="(no critique yet)"),
                    ),
                ),
            )
        ),
        {"then": "check", "failed": "author-failed"},
    )
    check = Action("check", Command(text("npm test -- --silent"), timeout_ms=300_000), {"then": "tests"})
    tests = Gate(
        "tests",
        ExitZero("check"),
        {"pass": "panel", "fail": "round", "unstartable": "no-check"},
        {"fail": parts("The check failed:\n", Slot("value"))},
    )

    def critic(number: int, role: str) -> Unit:
        label = parts("iteration-", Counter("round"), f".critic-{number}")
        reads = (Handoff("artifact", Ref("author", "unit", "generator")),)
        return Unit(f"critic-{number}", role, label, parts(goal, Slot("artifact")), (), reads)

    panel = Stage(
        "panel",
        parts("iteration-", Counter("round")),
        Plan((critic(1, "critic"), critic(2, "second"))),
        {"then": "verdict", "failed": "critic-failed"},
    )
    verdict = Gate("verdict", AllPass("panel"), {"pass": "done", "revise": "round"})
    back = Gate("round", Round(2), {"again": "author", "spent": "capped"})
    answer = Handoff("answer", Ref("author", "unit", "generator"), form="report")
    done = Settle("done", "success", header=parts("PASS after ", Counter("round", ROUNDS)), reads=(answer,))
    critique = Handoff("critique", Ref("round"), form="report")
    capped = Settle(
        "capped", "stopped", header=text("Did not pass."), body=parts(Slot("answer")), reads=(answer, critique)
    )
    no_check = Settle(
        "no-check",
        "refused",
        "CHECK_COMMAND_FAILED",
        {"command": text("npm test"), "reason": parts(Slot("check", "reason"))},
        reads=(Handoff("check", Ref("check"), form="report"),),
    )
    states = (
        author,
        check,
        tests,
        panel,
        verdict,
        done,
        back,
        capped,
        no_check,
        stopped("author-failed", "Stopped: ", "author"),
        stopped("critic-failed", "Stopped: ", "panel"),
    )
    return Flow("evaluate", "author", states, roles, about={"why": "an independent check was asked for"})


def beam() -> Flow:
    """Candidates that drain, a score over the survivors, a beam that is carried to the next round."""
    roles = {
        "generate": Role("strategist", "generator", "package", tools=READ, tier="capable", thinking="high"),
        "score": Role("redteam", "scorer", "package", tools=(), tier="deep", protocol="score"),
        "debrief": Role("debrief", "debrief", "package", tools=(), tier="capable"),
    }

    def candidate(number: int) -> Unit:
        label = parts("round-", Counter("round"), f".gen-{number}")
        carried = Handoff("beam", Ref("beam"), absent="text", instead="(none yet)")
        prompt = parts(
            "## Goal\n\nFind a faster index layout.\n\n## Best so far\n\n", Each("beam", parts(Slot("item")))
        )
        return Unit(f"gen-{number}", "generate", label, prompt, (), (carried,))

    generate = Stage(
        "generate",
        parts("round-", Counter("round"), ".generate"),
        Plan((candidate(1), candidate(2), candidate(3))),
        {"then": "survivors", "stuck": "survivors"},
        failure="drain",
    )
    survivors = Gate("survivors", AtLeast("generate", 1), {"enough": "score", "short": "nothing"})
    scorer = Unit(
        "score",
        "score",
        parts("round-", Counter("round"), ".score-", Index()),
        parts("## Goal\n\nFind a faster index layout.\n\n## Candidate\n\n", Slot("candidate")),
        (),
        (Handoff("candidate", Ref("", "item")),),
    )
    score = Stage(
        "score",
        parts("round-", Counter("round"), ".score"),
        Over(Ref("generate", "ok"), scorer, 3, 1),
        {"then": "beam", "stuck": "beam"},
        failure="drain",
    )
    best = Gate("beam", Beam("score", 2), {"kept": "round"})
    back = Gate("round", Round(1), {"again": "generate", "spent": "debrief"})
    final = Unit(
        "debrief",
        "debrief",
        text("debrief"),
        parts("## Goal\n\nFind a faster index layout.\n\n", Each("beam", parts(Slot("item")))),
        (),
        (Handoff("beam", Ref("beam")),),
    )
    debrief = Stage("debrief", text("debrief"), Plan((final,)), {"then": "done", "failed": "broken"})
    answer = Handoff("answer", Ref("debrief", "unit", "debrief"), form="report")
    states = (
        generate,
        survivors,
        score,
        best,
        back,
        debrief,
        Settle("done", "success", body=parts(Slot("answer")), reads=(answer,)),
        Settle("nothing", "refused", "SEARCH_NO_CANDIDATES", {"round": parts(Counter("round"))}),
        stopped("broken", "Flow search: debrief failed: ", "debrief"),
    )
    return Flow("search", "generate", states, roles, concurrency=2)


def probe() -> Flow:
    """A command that is asked until it fires; then one unit."""
    roles = {"reactor": Role("analyst", "reactor", "user", tools=READ, model="openai/gpt-5-mini")}
    reactor = Unit(
        "reactor",
        "reactor",
        text("reactor"),
        parts("## Goal\n\nSay why the build broke.\n\n", Slot("observation")),
        (),
        (Handoff("observation", Ref("fired"), policy="quarantine"),),
    )
    states = (
        Action(
            "probe", Command(text("curl -fsS https://ci.example/status | jq -e .red"), cap=4_096), {"then": "fired"}
        ),
        Gate(
            "fired",
            Trigger("probe", "match", r"red|failed"),
            {"fired": "react", "quiet": "round", "unstartable": "round"},
        ),
        Stage("react", text("reactor"), Plan((reactor,)), {"then": "done", "failed": "broken"}),
        Settle("done", "success", reads=(Handoff("answer", Ref("react", "unit", "reactor"), form="report"),)),
        Gate("round", Round(5), {"again": "pause", "spent": "quiet"}),
        Action("pause", Wait(5_000.0), {"then": "probe"}),
        Settle(
            "quiet",
            "refused",
            "MONITOR_NOT_TRIGGERED",
            {"checks": text("6"), "observation": parts(Each("probes", parts(Slot("item"))))},
            reads=(Handoff("probes", Ref("probe", "all"), form="report"),),
        ),
        stopped("broken", "Reactor failed: ", "react"),
    )
    return Flow("monitor", "probe", states, roles, timeout_ms=90_000)


def nested() -> Flow:
    """What no mode makes: two rounds, the outer one resetting the inner one, a quorum, `ready`, and an epilogue."""
    roles = {
        "plain": Role("recon", "drafter", "package", tools=READ, tier="fast"),
        "writer": Role("operator", "writer", "package", cwd=parts("trees/", Counter("outer"))),
    }
    a = Unit("a", "plain", text("a"), text("Draft the chapter on locks."), (), ())
    b = Unit("b", "writer", text("b"), parts("Write ", Slot("a")), ("a",), (Handoff("a", Ref("draft", "unit", "a")),))
    c = Unit("c", "plain", text("c"), text("Draft the chapter on queues."), (), ())
    d = Unit(
        "d",
        "plain",
        text("d"),
        parts("Review ", Slot("b"), Slot("hint")),
        ("b", "c"),
        (
            Handoff("b", Ref("draft", "unit", "b")),
            Handoff("hint", Ref("outer"), absent="omit", form="control", cap=1_024),
        ),
    )
    draft = Stage("draft", text("draft"), Plan((a, b, c, d)), {"then": "quorum", "stuck": "quorum"}, "ready", "drain")
    probe_unit = Unit("try", "plain", parts("try-", Counter("inner")), text("Try it."), (), ())
    states = (
        draft,
        Gate("quorum", AtLeast("draft", 3), {"enough": "attempt", "short": "outer"}),
        Stage(
            "attempt",
            parts("try-", Counter("inner")),
            Plan((probe_unit,)),
            {"then": "good", "failed": "inner"},
            "first",
        ),
        Action("good", Command(text("make check")), {"then": "passed", "refused": "inner"}),
        Gate("passed", ExitZero("good"), {"pass": "done", "fail": "inner", "unstartable": "inner"}),
        Gate("inner", Round(3), {"again": "attempt", "spent": "outer"}),
        Gate("outer", Round(1, ("inner",)), {"again": "draft", "spent": "end"}),
        Settle("done", "success"),
        Settle("end", "stopped", header=text("Gave up.")),
        Settle("verdict", "keep"),
    )
    zero = (Ceiling("flow", "maxCostUsd", 0.0), Ceiling("writer", "maxGeneratedTokens", 6_000.0))
    return Flow("by-hand", "draft", states, roles, 1, 1_500, zero, epilogue="verdict")


def contract(objective: str, **budget: float) -> dict[str, Any]:
    """A delegation contract with this budget."""
    return {
        "objective": objective,
        "constraints": ["Read only."],
        "nonGoals": [],
        "dependencies": [],
        "acceptanceChecks": [],
        "authority": {"may": [], "mustNot": ["write"], "requiresApproval": []},
        "sideEffectClass": "read-only",
        "budget": budget,
        "returnSchema": {"type": "object", "required": ["route"]},
        "owner": "parent",
    }


def guarded() -> Flow:
    """A router and a writer under contracts, with every guarantee set to something else than its default."""
    terms = [contract("Choose who is to work.", maxTokens=4000), contract("Work, and show it. " * 9, maxCostUsd=0)]
    chooser, worker = (identity(each) for each in terms)
    roles = {
        "router": Role(
            "controller", "router", "package", tools=(), protocol="route", candidates=("recon",), contract=chooser
        ),
        "worker": Role("recon", "worker", "package", tools=("read",), contract=worker, account=f"{worker}@2"),
    }
    answer = Handoff("answer", Ref("router", "unit", "router"), "control", policy="fail")
    plan = Handoff("plan", Ref("router", "unit", "router"), "envelope", policy="quarantine")
    choose = Unit("router", "router", text("router"), text("Choose."))
    exits, marks = {"recon": "work", "none": "bad"}, {"recon": Mark("route.selected", "state")}
    work = Unit("work", "worker", text("work"), parts("Do as it says.", Slot("plan")), (), (plan,), open_end=True)
    return Flow(
        "route",
        "router",
        (
            Stage("router", text("router"), Plan((choose,)), {"then": "choice", "failed": "bad"}),
            Gate("choice", Choice("router", ("recon",)), exits, reads=(answer,), marks=marks),
            Stage("work", text("work"), Plan((work,)), {"then": "done", "failed": "bad"}),
            Settle("done", "success"),
            Settle("bad", "stopped"),
        ),
        roles,
        ceilings=(Ceiling("flow", "maxCostUsd", 1.5),),
        contracts=dict(zip((chooser, worker), terms, strict=True)),
        incomplete="include",
        record_content=False,
        redact_secrets=False,
        records=("state",),
    )


ALL = {"dag": dag, "loop": loop, "beam": beam, "probe": probe, "nested": nested, "guarded": guarded}


def named(word: str) -> Flow:
    """Every name and text that an author, an agent file or a command may bring is `word`; no id repeats."""
    role = Role(word, word, "project", tools=(word,), model=word, thinking=word, cwd=text(word))
    first = Unit(f"{word}1", "role", text(word), text(word))
    reads = (Handoff(word, Ref(f"{word}s", "unit", f"{word}1"), absent="text", instead=word),)
    second = Unit(f"{word}2", "role", parts(word, "2"), text(word), (f"{word}1",), reads)
    states = (
        Stage(f"{word}s", text(word), Plan((first, second)), {"then": f"{word}g", "failed": f"{word}r"}),
        Gate(f"{word}g", ExitZero(word), {"pass": f"{word}a", "fail": f"{word}r", "unstartable": f"{word}r"}),
        Action(f"{word}a", Command(text(word)), {"then": f"{word}d"}),
        Settle(f"{word}d", "success", header=text(word)),
        Settle(f"{word}r", "refused", word, {word: text(word)}),
    )
    return Flow(word, f"{word}s", states, {"role": role}, about={"why": word, "preset": word})
