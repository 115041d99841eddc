"""Drivers carry a machine's effects out and bring what happened back as events.

In     a fresh machine, the facts of its opening, a backend, a clock, optionally a journal and what it held
Out    nothing: when the drive ends, the machine is done
Rules  a driver decides nothing; it never imports guards or gates. All reports come through one inbox; what happens at
       one instant is taken in the order in which the effects started. An event is journalled, then fed.
Add    a driver: one module here that passes `tests/batteries/driver.py`. The whole of it is this loop:

    effects = feed(opened)                                  # or, to resume, feed every event of the journal
    while not machine.done:
        for effect in effects:                              # in order; each is self-contained data
            start it, or stop the one that it names         # a start gets an incarnation above all earlier ones
        report = next of the inbox                          # a backend's, a hand's, a timer's
        event = stamp | machine.distil(effect, report)      # stamp: seq, at, effect, incarnation, n
        append(event)
        effects = machine.feed(event)

An effect has exactly one final event, also one that was stopped: the child fails with CHILD_ABORTED, a command has
exited, time has passed. After a crash, effects without a final event are carried out again with a larger incarnation;
one that was asked to stop is not, it only gets its final event.

What may raise: `feed` raises DriverError when the driver broke these rules: a bug, let it through. A journal's `append`
may raise FlowError (the disk is full): stop what lives and let it through; the run can be resumed. A backend may raise
anything: the child fails with CHILD_PROTOCOL_ERROR. `distil` raises nothing. Whoever cancels the drive waits until the
machine has heard it and everything has stopped; a second cancel only stops.
"""
