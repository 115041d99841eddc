"""Hands touch the outside world for a driver: time, a shell, a terminal, files. They decide nothing.

In     plain values: a command with its limits, a number of milliseconds, a question, a path
Out    plain values: a report for the run's inbox, a yes or no, the lines of a file
Rules  a hand never imports the machine and knows no flow. What goes wrong outside is a report or a diagnostic, never a
       traceback. Every wait is bounded, and what a hand started is gone when its call has returned or was cancelled.
Add    a kind of effect that is no child: its hand here, its request and result in `actions.py`, one line in the driver.
"""
