"""One catalogue: its codes are reported, documented, and written nowhere else."""

from texts import PACKAGE, constants, sources

from piflows.compiler.render.reference import codes_page
from piflows.ir.codes import CODES

REPOSITORY = PACKAGE.parent


def test_every_code_that_a_compile_can_know_is_reported():
    used = {text for path in sources() for text in constants(path) if text in CODES}
    known = {name for name, code in CODES.items() if code.stage in ("compile", "discovery")}
    assert known - used == set()


def test_no_code_is_used_that_the_catalogue_does_not_hold():
    beginnings = {name.split("_")[0] + "_" for name in CODES}
    unknown = {
        (path.relative_to(PACKAGE).as_posix(), text)
        for path in sources()
        for text in constants(path)
        if text.isascii() and text.isidentifier() and text.isupper() and "_" in text
        if text not in CODES and text[: text.index("_") + 1] in beginnings
    }
    assert unknown == set()


def test_sentences_stand_in_the_catalogue_alone():
    """A second copy of a sentence would drift: `diagnostic` is called with a code and facts, never with a text."""
    fixes = {code.fix for code in CODES.values()} | {code.cause for code in CODES.values()}
    copies = {(path.name, text) for path in sources() for text in constants(path) if text in fixes}
    assert copies == set()


def test_the_page_of_codes_is_current():
    printed = "python -m piflows.compiler.render.reference > docs/codes.md"
    assert (REPOSITORY / "docs" / "codes.md").read_text("utf-8") == codes_page(), f"run: {printed}"


def test_the_page_of_codes_has_each_code_as_a_heading():
    headings = [line.removeprefix("### ") for line in codes_page().split("\n") if line.startswith("### ")]
    assert headings == list(CODES)
