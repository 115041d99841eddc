"""The intermediate representation: the law between those who write flows and those who run them.

Nodes   A `Flow` holds states of four kinds: `Stage` runs units of a Plan, `Gate` decides, `Action` has one effect that
        is not a child, `Settle` proposes the outcome. A `Unit` is one child run to come, a `Handoff` the one edge: a
        value that reaches a slot of one consumer. Prompts, labels and reports are `Parts`, filled and never formatted.
        Beside the nodes lie what both sides of the waist share: the error catalogue and its diagnostics, limits, and
        pure functions over flows and graphs.

In      Values only: what lowering constructs, what a saved flow holds, graphs as mappings of ids, facts of a finding.

Out     The same Flow for the same input, its JSON form, digest and bounds, findings about it, and diagnostics that
        carry code, sentences and place.

Rules   Everything is a frozen value or a pure function; nothing of piflows is imported but this package, and no clock,
        file, socket or random number is touched. Nothing depends on the order of a set. Of a Flow hold: every exit
        leads to a state, every state is reached, every path settles, every cycle passes a round, and each value is
        defined on every path to its reader unless the reader says what absence means. Every sentence about an error
        stands in the catalogue, once.

Add     A gate condition is a type in `gates.py` and a function in the interpreter, an action kind a type in
        `actions.py` and a hand: text form and schema follow from the type. A code is one entry in a `codes_*.py`.
        A fifth kind of state is decided in writing first, and only when no arrangement of the four
        can say it: every `match` over the kinds ends in `assert_never` and names the places that must then follow.
"""
