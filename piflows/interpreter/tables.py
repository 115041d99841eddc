"""Every legal transition, in two tables; an absent pair is a driver's mistake.

`UNIT` is the life of one effect that runs outside (a child run, a command, a wait), `RUN` what holds jointly. Which
events answer which kind of effect stands in `events.ANSWERS`; who may start is the matter of `waves`.
"""

from __future__ import annotations

ALIVE, STOPPING, SETTLED, FAILED, STOPPED = "alive", "stopping", "settled", "failed", "stopped"
NEW, RUNNING, CANCELLING, DONE = "new", "running", "cancelling", "done"

# A child that was asked to stop may still answer, hence STOPPING: its late answer is an ordinary event.
UNIT: dict[str, dict[str, str]] = {
    ALIVE: {
        "childStarted": ALIVE,
        "turnEnded": ALIVE,
        "noticeSeen": ALIVE,
        "childSettled": SETTLED,
        "childFailed": FAILED,
        "commandExited": SETTLED,
        "timePassed": SETTLED,
        "inspected": SETTLED,
        "cancelled": STOPPING,
    },
    STOPPING: {
        "childStarted": STOPPING,
        "turnEnded": STOPPING,
        "noticeSeen": STOPPING,
        "childSettled": STOPPED,
        "childFailed": STOPPED,
        "commandExited": STOPPED,
        "timePassed": STOPPED,
        "inspected": STOPPED,
        "cancelled": STOPPING,
    },
}

RUN: dict[str, dict[str, str]] = {
    NEW: {"opened": RUNNING},
    RUNNING: {"cancelled": CANCELLING, "finished": DONE},
    CANCELLING: {"cancelled": CANCELLING, "finished": DONE},
    DONE: {},
}

OVER = frozenset({SETTLED, FAILED, STOPPED})
