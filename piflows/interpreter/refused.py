"""Why a state or a child run cannot begin."""

from __future__ import annotations


class Refused(Exception):
    """A handoff is absent or may not cross, a list breaks its bounds, a return is not valid. Has code and facts."""

    def __init__(self, code: str, **facts: object) -> None:
        super().__init__(code)
        self.code, self.facts = code, facts
