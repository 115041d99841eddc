"""Guarantees: small pure modules that the machine calls, the same for every mode.

In     texts, usages, candidates and facts as values, and a guard's own state, a JSON value inside the run's record
Out    a text that may cross, a refusal as a code with its facts, or what was found
Rules  no clock, file, socket or random number; nothing here knows a mode, a driver or the machine; every guard is
       linear in the size of what it is given
Add    a guard: one module here, one call in `machine.py` or what it calls, its scenarios in `tests/faults/`
"""
