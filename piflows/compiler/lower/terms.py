"""What a contracted child is told: its contract, and the form of the return that it must end with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from piflows.grammar.envelope import STATUSES, VERSION


def contract_terms(identity: str, contract: Mapping[str, Any]) -> dict[str, str]:
    """The fillings of the template `delegation-contract`. Whatever an author wrote stays text."""
    form: dict[str, Any] = {
        "schemaVersion": VERSION,
        "contractId": identity,
        "status": " | ".join(STATUSES),
        "summary": "what was done and found",
        "evidence": [{"claim": "…", "source": "file:line, command or citation"}],
        "artifactReferences": [{"path": "relative to your working directory"}],
        "digests": [{"artifact": "a declared path", "algorithm": "sha256", "value": "64 hexadecimal digits"}],
        "changedState": [],
        "unresolvedQuestions": [],
        "retry": {"retryable": False},
        "data": "a value that fits the returnSchema",
    }
    return {
        "contract": json.dumps(contract, ensure_ascii=False, indent=2),
        "identity": identity,
        "version": VERSION,
        "form": json.dumps(form, ensure_ascii=False, indent=2),
    }
