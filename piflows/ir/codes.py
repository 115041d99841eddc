"""THE catalogue: every code, in one table. Rules, gates and guards name a code and give facts, never a sentence.

`piflows explain CODE` and docs/codes.md print it.
"""

from __future__ import annotations

from piflows.ir.code import Code, Level, Severity, Stage
from piflows.ir.codes_call import CALL_CODES
from piflows.ir.codes_files import FILE_CODES
from piflows.ir.codes_modes import MODE_CODES
from piflows.ir.codes_run import RUN_CODES

__all__ = ["CODES", "GROUPS", "Code", "Level", "Severity", "Stage"]

GROUPS: dict[str, tuple[Code, ...]] = {
    "Calls, presets and approvals": CALL_CODES,
    "Modes": MODE_CODES,
    "Budgets, returns, handoffs and children": RUN_CODES,
    "Files": FILE_CODES,
}
CODES: dict[str, Code] = {code.name: code for group in GROUPS.values() for code in group}
