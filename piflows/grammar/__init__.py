"""The grammar: texts that a person or a model wrote, to values that know their places, and back.

Languages   `located` strict JSON with line and column · `call` the flow call · `frontmatter`, `preset`, `agent` the
            Markdown files · `placeholder` what a task's text may name · `vocabulary` with `control` and `instructions`
            the control lines, read and asked for · `flow_text` the IR's textual form. Beside them `near` (did you mean)
            and `mistakes` (what is wrong with a text, taught by example).

In      Texts or bytes, and the name of the file they came from. Nothing is opened here.

Out     A value, or diagnostics with file, line, column and pointer: codes and facts, whose sentences stand in the
        catalogue. A control answer that cannot be read is None, which the caller turns into the documented fallback.

Rules   Parse whole, or refuse, or report what was dropped: nothing is skipped in silence, nothing is guessed. No input,
        however hostile, raises anything but what the function names, or takes more than linear time. What is read and
        what is asked for come from one table. The clean path needs neither lark nor yaml: a fast reader takes good
        texts, a second one looks only when a position or a reason is wanted. Imports only `ir`.

Add     A language with nesting is a `.lark` file beside its module, with a table of mistakes; a regular one is a table
        and one compiled expression. A better message for a malformed text is one more sample in its table. A key of
        the frontmatter is a name in `KEYS` of its module and a field. A control protocol is a row in `vocabulary`.
"""
