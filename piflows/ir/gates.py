"""Gate conditions as data: what each reads, its outcomes, and which outcomes define the Gate's value.

Their meaning is in `interpreter/gates.py`; the checker reads them here without importing the interpreter.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from piflows.ir.node import node


@node
class AllPass:
    """Every verdict of Stage `of` is PASS. On `revise` the value is the list of the records that were not."""

    outcomes: ClassVar[dict[str, bool]] = {"pass": False, "revise": True}
    of: str
    kind: Literal["all_pass"] = "all_pass"


@node
class Said:
    """The one unit of Stage `of`, under the loop protocol, said DONE. Anything else is CONTINUE."""

    outcomes: ClassVar[dict[str, bool]] = {"done": False, "continue": False}
    of: str
    kind: Literal["said"] = "said"


@node
class Choice:
    """Which of its role's candidates the one unit of Stage `of`, under the route protocol, named.

    One outcome per candidate, and `none` when it named none of them. The value is `{"text": the candidate's name}`.
    """

    of: str
    candidates: tuple[str, ...]
    kind: Literal["choice"] = "choice"

    @property
    def outcomes(self) -> dict[str, bool]:
        """Each outcome, and whether it defines the Gate's value."""
        return dict.fromkeys(self.candidates, True) | {"none": False}


@node
class AtLeast:
    """At least `n` units of Stage `of` succeeded."""

    outcomes: ClassVar[dict[str, bool]] = {"enough": False, "short": False}
    of: str
    n: int
    kind: Literal["at_least"] = "at_least"


@node
class Beam:
    """The `width` best items of Stage `of`, a Stage over candidates with a score protocol; stable, unscored is 0.

    The value is the list of the candidates' records, best first, each with its `score`.
    """

    outcomes: ClassVar[dict[str, bool]] = {"kept": True}
    of: str
    width: int
    kind: Literal["beam"] = "beam"


@node
class ExitZero:
    """Action `of`'s command exited 0. The value is its result, whatever the outcome but `pass`."""

    outcomes: ClassVar[dict[str, bool]] = {"pass": False, "fail": True, "unstartable": True}
    of: str
    kind: Literal["exit_zero"] = "exit_zero"


@node
class Trigger:
    """Action `of`'s observation fires: exit 0, another exit, or a match of `pattern`. The value is the observation."""

    outcomes: ClassVar[dict[str, bool]] = {"fired": True, "quiet": True, "unstartable": True}
    of: str
    on: Literal["success", "failure", "match"] = "success"
    pattern: str = ""
    kind: Literal["trigger"] = "trigger"


@node
class Round:
    """The only way back: `again` `times` times, then `spent`; entering by `again` resets the inner rounds `resets`.

    Its value is that of the Gate which led to it, so two roads can share one round.
    """

    outcomes: ClassVar[dict[str, bool]] = {"again": True, "spent": True}
    times: int
    resets: tuple[str, ...] = ()
    kind: Literal["round"] = "round"


Condition = Annotated[
    AllPass | Said | Choice | AtLeast | Beam | ExitZero | Trigger | Round, Field(discriminator="kind")
]
