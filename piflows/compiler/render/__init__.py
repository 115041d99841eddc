"""Everything that is shown of a call before it runs: its diagnostics, its plan, its picture, and the catalogue.

In      Diagnostics, a lowered Flow with its bounds, the error catalogue; the text of a source file by its name.

Out     Text: for people, as JSON, as SARIF 2.1.0, as annotations of a CI run, as Graphviz or Mermaid, as Markdown.

Rules   Pure: nothing is read, written or decided here, and the same input gives the same bytes. What a person, a file
        or a child wrote is shown with control and bidi characters made visible, and escaped for the form that it is
        put into. JSON is valid whatever it holds. Colour only where the caller asks for it.

Add     A form of diagnostics is a function and a row of `FORMS` in `diagnostics.py`; a view of a Flow is a module.
"""
