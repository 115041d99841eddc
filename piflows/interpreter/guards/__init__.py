"""Guards are the guarantees at run time: pure functions that the machine calls, the same for every mode.

In     a text or a JSON value that is about to cross, with the state of the guard as plain JSON
Out    what may cross, and the facts about it: labels, action, sizes
Rules  no guard reads a clock, file, socket or random number, knows a mode, or imports the machine. Each costs time in
       proportion to its text, whatever the text (`benchmarks/guards.py`). What a guard says of itself never trips it.
Add    a secret's shape: a pattern in `redact.py`, with examples and near misses in its test. A marker of injected text:
       a line in `handoff.py`. Another guarantee: its own module here, one call in `machine.py`.
"""
