"""The interpreter executes a Flow and touches nothing.

In     a checked Flow, then events
Out    effects, in a deterministic order; at the end one details object
Rules  the machine and what it calls (record, reads, waves, gates, actions, fill, results) read no clock, file, socket
       or random number: a driver brings them in as events. Nothing here imports the compiler or knows a mode's name.
Add    a gate condition: a type in `ir/gates.py`, a function in `gates.py`. A guarantee: one pure module, one call in
       `machine.py`. A driver: see `drivers/`. A backend: see `backends/`.
"""
