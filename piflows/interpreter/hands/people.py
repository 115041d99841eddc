"""Ask a person, on a terminal only: without one the answer is that nobody can be asked.

A pipe that says `y` is no person's consent: the caller of a flow may be a model.
"""

from __future__ import annotations

import sys
from typing import TextIO, TypeGuard

from piflows.ir.visible import visible


def ask(question: str, source: TextIO | None = None, screen: TextIO | None = None) -> bool | None:
    """Ask a yes-or-no question; None when nobody can be asked. Anything but a clear yes is a no.

    A person is asked only when standard input and standard error are both terminals.
    """
    source, screen = source or sys.stdin, screen or sys.stderr
    if not (_terminal(source) and _terminal(screen)):
        return None
    screen.write(f"{visible(question, keep_newlines=True)} [y/N] ")
    screen.flush()
    return source.readline().strip().lower() in ("y", "yes")


def _terminal(stream: TextIO | None) -> TypeGuard[TextIO]:
    """Whether a stream is an open terminal. A process can be started without standard streams."""
    return stream is not None and not stream.closed and stream.isatty()
