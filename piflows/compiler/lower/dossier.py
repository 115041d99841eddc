"""Dossier: evidence from several sources, each read on its own, then one answer. Seed: Dossier mode."""

from __future__ import annotations

from piflows.compiler.lower.make import Maker, report
from piflows.compiler.lower.sentences import every_run, first_text, joined, t
from piflows.grammar.call import Call
from piflows.grammar.modes.dossier import Dossier
from piflows.ir.flow import Flow
from piflows.ir.gates import AtLeast
from piflows.ir.limits import LIMITS
from piflows.ir.parts import Count, Parts, Section, Slot, text
from piflows.ir.unit import Ref

NAME, RECORDS = "dossier", frozenset[str]()

NO_TASK = "What do these sources establish together, and where do they disagree?"
FAILED = "[section failed: this source gave no evidence]"
SUCCEEDED = Count("sections", "ok")


def lower(call: Call, make: Maker) -> Flow:
    """sections → usable → debrief. One surviving source supports no dossier."""
    spec = call.dossier
    assert spec is not None
    question = first_text(call.task) or NO_TASK
    _sections(question, spec, make)
    exits = {"enough": "debrief", "short": "too-few"}
    make.gate("usable", AtLeast("sections", LIMITS.sections_min), exits, at="/dossier/sections")
    _debrief(question, spec, make)
    facts = {"limit": text(str(LIMITS.sections_min)), "count": (SUCCEEDED,), "problem": text("succeeded")}
    make.settle(
        "too-few",
        "refused",
        code="DOSSIER_TOO_FEW_SECTIONS",
        facts=facts,
        body=every_run("runs"),
        reads=[report("runs", Ref("sections"))],
        at="/dossier/sections",
    )
    return make.flow("sections")


def _name(number: int) -> str:
    return f"section-{number}"


def _sections(question: str, spec: Dossier, make: Maker) -> None:
    """A section sees the question and its own assignment."""
    units = [
        make.unit("sections", _name(i), role, text(_name(i)), prompt, at=f"/dossier/sections/{i - 1}")
        for i, item in enumerate(spec.sections, 1)
        for role in [make.role(item, "section")]
        for prompt in [make.prompt("dossier-section", question=question, i=i, task=item.task) + make.requirements(item)]
    ]
    make.stage("sections", text("sections"), units, then="usable", at="/dossier/sections")


def _debrief(question: str, spec: Dossier, make: Maker) -> None:
    names = [_name(i) for i in range(1, len(spec.sections) + 1)]
    reads, at = [make.reads(name, Ref("sections", "unit", name), form="envelope") for name in names], "/dossier/debrief"
    prompt = make.prompt("dossier-debrief", question=question, evidence=_evidence(spec)) + make.requirements()
    role = make.role(spec.debrief, "debrief", resolved=True)
    unit = make.unit("debrief", "debrief", role, text("debrief"), prompt, reads=reads, at=at)
    make.stage("debrief", text("debrief"), [unit], then="done", failed="debrief-failed", at=at)
    header = t("Flow dossier: {ok}/{n} evidence sections synthesized.", ok=(SUCCEEDED,), n=len(names))
    answer = report("answer", Ref("debrief", "unit", "debrief"))
    make.settle("done", "success", header=header, body=(Slot("answer"),), reads=[answer])
    make.stopped("debrief-failed", "debrief", text("Flow dossier: synthesizer failed."))


def _evidence(spec: Dossier) -> Parts:
    """What each section found under its assignment; of one that failed only that it did, so its gap is seen."""
    return joined(
        [
            t("### Evidence section {i}: {task}\n\n{found}", i=i, task=item.task, found=found)
            for i, item in enumerate(spec.sections, 1)
            for found in [(Section(_name(i), text(FAILED), "stopReason", (Slot(_name(i)),)),)]
        ],
        "\n\n",
    )
