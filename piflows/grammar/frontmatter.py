"""The frontmatter of agent and preset files: `key: value` lines between two lines `---`, then the body.

The value is the rest of the line, so a second `: ` belongs to it. Read as YAML reads them are quoted strings (on one
line), block lists (`- item` lines below their key) and comments (`#` at the start or after white space); PyYAML is
imported only for a quoted string with escapes. What is neither is refused, never guessed: continuation lines, block
texts (`|`, `>`), nested keys. Byte order mark, CRLF and CR never reach a value or the body.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple, TypeVar

from piflows.grammar.near import folded, hint
from piflows.ir.diagnostic import Diagnostic, cut, diagnostic
from piflows.ir.finding import FINDINGS_MOST
from piflows.ir.frozen import frozen
from piflows.ir.limits import LIMITS
from piflows.ir.source import Where

T = TypeVar("T")

_OPEN = re.compile(r"---[ \t]*(?:\n|\Z)")
_CLOSE = re.compile(r"^---[ \t]*$", re.MULTILINE)
_COLON = re.compile(r":(?=[ \t]|$)")
_KEY = re.compile(r"[\w$@/][\w $@/.-]*")
_ITEM = re.compile(r"( *)-(?=[ \t]|$)")
# These are asked seldom, so they are compiled when they are.
_COMMENT = r"(?:^|(?<=[ \t]))#"
_TAIL = r"[ \t]*+(?:(?<=[ \t])#.*)?"
_QUOTED = r"\"[^\"\\]*+(?:\\.[^\"\\]*+)*\"|'[^']*+(?:''[^']*+)*'(?!')"
_BLOCK_TEXT = r"[|>][+-]?[0-9]?[+-]?"


class FileFault(Exception):
    """Why a file is not taken: `kind` chooses the code, `problem` is a clause, the place is in the file."""

    def __init__(
        self, kind: Literal["unreadable", "frontmatter", "template"], problem: str, line: int | None, column: int | None
    ) -> None:
        super().__init__(problem)
        self.kind, self.problem, self.line, self.column = kind, problem, line, column


class Value(NamedTuple):
    """A text of the frontmatter and its place, which is that of the quote where it is `quoted`."""

    text: str
    line: int
    column: int
    quoted: bool = False


class Entry(NamedTuple):
    """One key, in `line`: its text ("" for none) or the items below it."""

    line: int
    value: Value
    items: list[Value]


@frozen
class Front:
    """What a file holds. `body_offset` lines of the file precede `body`; `warnings` refuse nothing."""

    file: str
    entries: dict[str, Entry]
    body: str
    body_offset: int
    warnings: list[Diagnostic]

    def text(self, key: str) -> str:
        """The trimmed text of `key`, "" when it is absent. Raises FileFault for a list."""
        entry = self.entries.get(key)
        if entry is None:
            return ""
        if entry.items:
            raise _fault(f"`{key}` is a text, not a list", entry.items[0])
        return entry.value.text.strip()

    def required(self, key: str) -> str:
        """The trimmed text of `key`. Raises FileFault when it is absent or blank."""
        text = self.text(key)
        if not text and key in self.entries:
            raise _fault(f"`{key}` is empty", self.entries[key].value)
        if not text:
            raise FileFault("frontmatter", f"`{key}` is missing", 1, 1)
        return text

    def given(self, key: str) -> bool:
        """Whether `key` has a value: a list, or a text that is not blank."""
        entry = self.entries.get(key)
        return entry is not None and bool(entry.items or entry.value.text.strip())

    def names(self, key: str) -> list[Value]:
        """The trimmed names of a comma list, of `[a, b]` or of a block list, empty ones dropped."""
        entry = self.entries.get(key)
        if entry is None:
            return []
        return [name for part in entry.items or [_unbracketed(entry.value)] for name in _split(part)]

    def where(self, value: Value) -> Where:
        return Where(self.file, line=value.line, column=value.column)


def decode(data: bytes) -> str:
    """The text of a file, line breaks as LF. Raises FileFault ("unreadable")."""
    if len(data) > LIMITS.file_bytes:
        raise FileFault("unreadable", f"it has more than {LIMITS.file_bytes} bytes", None, None)
    try:
        text = data.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        problem = f"it is not UTF-8: byte 0x{data[error.start]:02x} at offset {error.start}"
        raise FileFault("unreadable", problem, data.count(b"\n", 0, error.start) + 1, None) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise FileFault("unreadable", "it holds a NUL character, so it is no text", line, None)
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def read_front(text: str, file: str) -> Front:
    """Read the frontmatter of a decoded file. Raises FileFault ("frontmatter") at the first line that is none."""
    opened = _OPEN.match(text)
    if opened is None:
        raise FileFault("frontmatter", "there is no frontmatter: the first line must be `---`", 1, 1)
    closed = _CLOSE.search(text, opened.end())
    if closed is None:
        problem = "the frontmatter that opens in line 1 is not closed by a second line `---`"
        raise FileFault("frontmatter", problem, 1, 1)
    lines = text[opened.end() : closed.start()].split("\n")
    reader = _Reader(file)
    for number, line in enumerate(lines, 2):
        reader.line(line, number)
    return Front(file, reader.entries, text[closed.end() + 1 :], len(lines) + 1, reader.warnings())


def unknown_keys(front: Front, owner: str, known: tuple[str, ...], words: Mapping[str, str]) -> list[Diagnostic]:
    """A warning for each key that `owner` does not have. `words`: other words, folded → what to say of them."""

    def warning(key: str) -> Diagnostic:
        clause = words.get(folded(key)) or hint(key, known)
        return unknown_name(key, owner, clause, Where(front.file, line=front.entries[key].line, column=1))

    return each_of([key for key in front.entries if key not in known], warning)


def each_of(subjects: Sequence[T], finding: Callable[[T], Diagnostic]) -> list[Diagnostic]:
    """A finding for each subject of one kind, as many as a person reads, and how many more there are."""
    found = [finding(subject) for subject in subjects[:FINDINGS_MOST]]
    more = len(subjects) - len(found)
    return [*found, cut(found[-1], len(found), more)] if more else found


def called(name: str, *words: str) -> dict[str, str]:
    """Other words for the key `name`, with what to say of each."""
    return dict.fromkeys(words, f' Did you mean "{name}"?')


def unknown_name(name: str, owner: str, clause: str, where: Where) -> Diagnostic:
    """A name in a file's frontmatter that means nothing: only a warning, as the file is useful without it."""
    found = diagnostic("UNKNOWN_PARAMETER", where, key=name, owner=owner, hint=clause)
    return replace(found, severity="warning")


class _Reader:
    """Takes the lines between the fences, one after the other."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.entries: dict[str, Entry] = {}
        self._comments: list[Value] = []  # each was probably meant as text
        self.key = ""  # the last one, and how its list is indented
        self.indent: int | None = None

    def warnings(self) -> list[Diagnostic]:
        reason = "` #` begins a comment; quote the value to keep the text behind it"

        def warning(comment: Value) -> Diagnostic:
            where = Where(self.file, line=comment.line, column=comment.column)
            return diagnostic("PARAMETER_IGNORED", where, key=comment.text, reason=reason)

        return each_of(self._comments, warning)

    def line(self, line: str, number: int) -> None:
        bare = line.strip(" \t")
        if not bare or bare[0] == "#":
            return
        item = _ITEM.match(line)
        if item:
            self._item(line, number, item)
        elif line[0] in " \t":
            raise FileFault("frontmatter", _why_indented(line), number, 1)
        else:
            self._entry(line, number)

    def _entry(self, line: str, number: int) -> None:
        colon = _COLON.search(line)
        if colon is None and ":" in line:
            raise FileFault("frontmatter", "a space is missing after the colon", number, line.index(":") + 1)
        key = line[: colon.start()].rstrip(" \t") if colon else ""
        if colon is None or not _KEY.fullmatch(key):
            raise FileFault("frontmatter", "this line is not `key: value`", number, 1)
        if key in self.entries:
            problem = f"the key `{key}` is given twice, first in line {self.entries[key].line}"
            raise FileFault("frontmatter", problem, number, 1)
        value = self._value(line, colon.end(), number)
        if not value.quoted and value.text[:1] in ("|", ">") and re.fullmatch(_BLOCK_TEXT, value.text):
            raise _fault(f"block texts (`{value.text}`) are not read here: write the text on one line", value)
        self.entries[key] = Entry(number, value, [])
        self.key, self.indent = key, None

    def _item(self, line: str, number: int, item: re.Match[str]) -> None:
        if not self.key or self.entries[self.key].value.text:
            problem = "this list item stands below no key without a value"
            raise FileFault("frontmatter", problem, number, item.end())
        if self.indent not in (None, len(item[1])):
            raise FileFault("frontmatter", "the items of a list must stand one under the other", number, item.end())
        self.indent = len(item[1])
        self.entries[self.key].items.append(self._value(line, item.end(), number))

    def _value(self, line: str, start: int, number: int) -> Value:
        """The text of `line` from `start`: a quoted string, or the rest up to a comment."""
        raw = line[start:].strip(" \t")
        column = len(line) - len(line[start:].lstrip(" \t")) + 1
        if raw[:1] in ('"', "'"):
            return Value(_quoted(raw, number, column), number, column, quoted=True)
        comment = re.search(_COMMENT, raw) if "#" in raw else None
        if comment is None:
            return Value(raw, number, column)
        if raw[comment.end() :][:1].strip():  # `#12`, not `# a remark`: a text was probably meant
            self._comments.append(Value(raw[comment.start() :], number, column + comment.start()))
        return Value(raw[: comment.start()].rstrip(" \t"), number, column)


def _quoted(raw: str, line: int, column: int) -> str:
    """The text of the quoted string that `raw` begins with; behind it only a comment may stand."""
    match = re.match(_QUOTED, raw)
    if match is None:
        raise FileFault("frontmatter", "the quote that opens here is not closed on this line", line, column)
    if not re.compile(_TAIL).fullmatch(raw, match.end()):
        problem = "text follows after the closing quote: quote the whole value, or none of it"
        raise FileFault("frontmatter", problem, line, column + match.end())
    text = match[0][1:-1]
    if raw[0] == "'":
        return text.replace("''", "'")
    return _unescaped(match[0], line, column) if "\\" in text else text


def _unescaped(quoted: str, line: int, column: int) -> str:
    import yaml

    try:
        text = str(yaml.load(quoted, Loader=yaml.CSafeLoader))
    except yaml.YAMLError:
        raise FileFault("frontmatter", "an escape in this quoted text is not one of YAML", line, column) from None
    if "\0" in text:
        raise FileFault("frontmatter", "a text may not hold a NUL character", line, column)
    return text


def _why_indented(line: str) -> str:
    if "\t" in line[: len(line) - len(line.lstrip())]:
        return "a tab indents this line: keys begin a line, list items take spaces"
    return "this line is indented: each line is `key: value`, and a text stands on one line"


def _unbracketed(value: Value) -> Value:
    """`[a, b]` without its brackets."""
    text = value.text
    if len(text) < 2 or (text[0], text[-1]) != ("[", "]"):
        return value
    return Value(text[1:-1], value.line, value.column + 1, value.quoted)


def _split(value: Value) -> list[Value]:
    names: list[Value] = []
    column = value.column + value.quoted
    for part in value.text.split(","):
        if name := part.strip().strip("\"'"):
            names.append(Value(name, value.line, column + len(part) - len(part.lstrip())))
        column += len(part) + 1
    return names


def _fault(problem: str, value: Value) -> FileFault:
    return FileFault("frontmatter", problem, value.line, value.column)
