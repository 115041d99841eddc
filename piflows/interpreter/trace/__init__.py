"""The trace: OpenInference-shaped JSONL rows, one per span; how they are made, read back, told and learned from.

In     the machine's events and effects, then rows of a file
Out    rows; whether they hold together as one tree; a report; evidence for planning
Rules  pure but `sink`, which holds the file, and `otlp`, which sends one; `otlp` alone needs an extra and is imported
       when it is asked for. Every name of an attribute stands in `names`, the form of a row in `rows`.
Add    an attribute: a line in `names`, and in `rows` or in the note that carries it.
"""
