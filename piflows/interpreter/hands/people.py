"""Ask a person, on a terminal only: without one there is nobody to ask.

A pipe that says `y` is no person's consent: the caller of a flow may be a model.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import TextIO, TypeGuard

from piflows.ir.visible import visible


def person(source: TextIO | None = None, screen: TextIO | None = None) -> Callable[[str], bool] | None:
    """Whom to put yes-or-no questions to; None when nobody is there. Anything but a clear yes is a no.

    A person is there when standard input and standard error are both terminals.
    """
    source, screen = source or sys.stdin, screen or sys.stderr
    return partial(_ask, source, screen) if _terminal(source) and _terminal(screen) else None


def _ask(source: TextIO, screen: TextIO, question: str) -> bool:
    screen.write(f"{visible(question, keep_newlines=True)} [y/N] ")
    screen.flush()
    return source.readline().strip().lower() in ("y", "yes")


def _terminal(stream: TextIO | None) -> TypeGuard[TextIO]:
    """Whether a stream is an open terminal. A process can be started without standard streams."""
    return stream is not None and not stream.closed and stream.isatty()
