"""A saved plan: a Flow, and what it was compiled from, so that a run can say what has changed since."""

from __future__ import annotations

from piflows.ir.flow import Flow
from piflows.ir.node import node


@node
class Input:
    """A file that decided something about the Flow, and the digest of its bytes then: `sha256:<hex>`."""

    file: str
    digest: str


@node
class Saved:
    """`made_by` is the version of piflows that compiled it, empty when a person wrote it. The IR's is the Flow's."""

    flow: Flow
    made_by: str = ""
    inputs: tuple[Input, ...] = ()
