"""What a mode module is: three names. No base class, no registration but the row in `MODES`."""

from __future__ import annotations

from typing import Protocol

from piflows.compiler.lower.make import Maker
from piflows.grammar.call import Call
from piflows.ir.flow import Flow


class Mode(Protocol):
    """One mode of the reference.

    NAME     its name in `details.mode`
    RECORDS  the kinds of coordination event that its own states record, beside what every run records (seed:
             Coordination events)
    lower    the call, in which this mode is the active one, as a Flow. It never refuses: what is wrong with a call is
             the checker's to find, so a bad call gives a Flow too, with the mistake still in it.
    """

    @property
    def NAME(self) -> str: ...

    @property
    def RECORDS(self) -> frozenset[str]: ...

    def lower(self, call: Call, make: Maker, /) -> Flow: ...
