"""Search: candidates, a score for each survivor, and the best of them carried on. Seed: Search mode.

All rounds run; a new round's beam replaces the old one.
"""

from __future__ import annotations

from piflows.compiler.lower.make import Maker, report
from piflows.compiler.lower.sentences import first_text, t
from piflows.grammar.call import Call
from piflows.grammar.instructions import instruction
from piflows.grammar.modes.search import Search
from piflows.ir.flow import Flow, Mark
from piflows.ir.gates import AtLeast, Beam
from piflows.ir.parts import ITEM, Counter, Each, Index, Parts, Slot, text
from piflows.ir.plan import Over
from piflows.ir.unit import Ref

NAME, RECORDS = "search", frozenset({"validation"})

ROUND = Counter("round")


def lower(call: Call, make: Maker) -> Flow:
    """generate → survivors → score → beam → round → generate; at its end best → debrief."""
    spec = call.search
    assert spec is not None
    goal, candidates = first_text(call.task), int(spec.candidates)
    width = min(int(spec.beam_width), candidates)
    _generate(goal, candidates, spec, make)
    exits = {"enough": "score", "short": "no-candidates"}
    make.gate("survivors", AtLeast("generate", 1), exits, at="/search/candidates")
    _score(goal, candidates, spec, make)
    marks = {"kept": Mark("search.scores", "validation")}
    make.gate("beam", Beam("score", width), {"kept": "round"}, marks=marks, at="/search/beamWidth")
    make.round("round", spec.max_rounds, again="generate", spent="best", at="/search/maxRounds")
    _debrief(goal, width, spec, make)
    facts: dict[str, Parts] = {"round": (ROUND,)}
    make.settle("no-candidates", "refused", code="SEARCH_NO_CANDIDATES", facts=facts, at="/search/generator")
    return make.flow("generate")


def _key(rest: str, *, number: int | Index | str = "") -> Parts:
    return t("round-{r}.{rest}{number}", r=ROUND, rest=rest, number=number)


def _generate(goal: str, candidates: int, spec: Search, make: Maker) -> None:
    reads = [make.reads("beam", Ref("beam"), "text", "(none yet)")]
    role, at = make.role(spec.generator, "generator"), "/search/generator"
    fixed = {"goal": goal, "rounds": int(spec.max_rounds), "candidates": candidates}
    units = [
        make.unit("generate", f"gen-{n}", role, _key("gen-", number=n), prompt, reads=reads, at=at)
        for n in range(1, candidates + 1)
        for prompt in [make.prompt("search-generator", reads, round=ROUND, candidate=n, **fixed) + make.requirements()]
    ]
    make.stage("generate", _key("generate"), units, then="survivors", at=at)


def _score(goal: str, candidates: int, spec: Search, make: Maker) -> None:
    """One scorer per survivor, numbered over the survivors; each sees its own candidate only."""
    reads, at = [make.reads("candidate", Ref("generate", "item"))], "/search/scorer"
    prompt = make.prompt("search-scorer", reads, goal=goal, protocol=instruction("score"))
    role = make.role(spec.scorer, "scorer", "score")
    unit = make.unit("score", "score", role, _key("score-", number=Index()), prompt, reads=reads, at=at)
    survivors = Over(Ref("generate", "ok"), unit, cap=candidates, least=1)
    make.stage("score", _key("score"), survivors, then="beam", at=at)


def _debrief(goal: str, width: int, spec: Search, make: Maker) -> None:
    score: Parts = (Each("value", (Slot(ITEM, "score"),)),)
    make.gate("best", Beam("score", 1), {"kept": "debrief"}, says={"kept": score}, at="/search")
    reads, at = [make.reads("beam", Ref("beam"))], "/search/debrief"
    prompt = make.prompt("search-debrief", reads, goal=goal) + make.requirements()
    role = make.role(spec.debrief, "debrief")
    unit = make.unit("debrief", "debrief", role, text("debrief"), prompt, reads=reads, at=at)
    make.stage("debrief", text("debrief"), [unit], then="done", failed="debrief-failed", at=at)
    header = t(
        "Flow search: {r} round(s), beam {w}, best score {score}; finalized by {agent}.",
        r=int(spec.max_rounds),
        w=width,
        score=Slot("best"),
        agent=spec.debrief.agent,
    )
    ends = [report("best", Ref("best")), report("answer", Ref("debrief", "unit", "debrief"))]
    make.settle("done", "success", header=header, body=(Slot("answer"),), reads=ends)
    make.stopped("debrief-failed", "debrief", t('Flow search: debrief "{agent}" failed.', agent=spec.debrief.agent))
