"""The object of a call in the mode dossier. Dossier: evidence in sections."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import Field

from piflows.grammar.call_parts import AgentRef, Codes, Mode, SectionItem
from piflows.ir.limits import LIMITS as L


class Dossier(Mode):
    """Seed: Dossier mode (evidence map/reduce)."""

    CODES: ClassVar[Mapping[str, Codes]] = {"sections": Codes("DOSSIER_TOO_FEW_SECTIONS")}

    sections: Annotated[list[SectionItem], Field(min_length=L.sections_min, max_length=L.sections_max)]
    debrief: AgentRef = AgentRef.model_construct(agent="debrief")
