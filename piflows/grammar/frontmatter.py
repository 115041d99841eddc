"""The frontmatter of agent and preset files: `key: value` lines between two lines `---`, then the body.

The value is the rest of the line, so a second `: ` belongs to it. Read as YAML reads them are quoted strings (on one
line), block lists (`- item` lines below their key) and comments (`#` at the start or after white space); PyYAML is
imported only for a quoted string with escapes. What is neither is refused, never guessed: continuation lines, block
texts (`|`, `>`), nested keys. Byte order mark, CRLF and CR never reach a value or the body.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from piflows.grammar.near import hint
from piflows.ir.diagnostic import Diagnostic, diagnostic
from piflows.ir.limits import LIMITS
from piflows.ir.source import Where

_OPEN = re.compile(r"---[ \t]*(?:\n|\Z)")
_CLOSE = re.compile(r"^---[ \t]*$", re.MULTILINE)
_COLON = re.compile(r":(?=[ \t]|$)")
_KEY = re.compile(r"[\w$@/][\w $@/.-]*")
_ITEM = re.compile(r"( *)-(?=[ \t]|$)")
_COMMENT = re.compile(r"(?:^|(?<=[ \t]))#")
_TAIL = re.compile(r"[ \t]*+(?:(?<=[ \t])#.*)?")
_QUOTED = re.compile(r"\"(?:[^\"\\]++|\\.)*+\"|'(?:[^']++|'')*+'")
_BLOCK_TEXT = re.compile(r"[|>][+-]?[0-9]?[+-]?")


class FileFault(Exception):
    """Why a file is not taken: the `kind` of fault chooses the code, `problem` is a clause, the place is in the file."""

    def __init__(self, kind: Literal["unreadable", "frontmatter", "template"], problem: str, where: Where) -> None:
        super().__init__(problem)
        self.kind, self.problem, self.where = kind, problem, where


@dataclass(frozen=True, slots=True)
class Value:
    """A text of the frontmatter and its place, which is that of the quote where it is `quoted`."""

    text: str
    where: Where
    quoted: bool = False


@dataclass(slots=True)
class Entry:
    """One key: its text ("" for none) or the items below it."""

    key: Value
    value: Value
    items: list[Value]
    indent: int = -1


@dataclass(frozen=True, slots=True)
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
            raise FileFault("frontmatter", f"`{key}` is a text, not a list", entry.items[0].where)
        return entry.value.text.strip()

    def required(self, key: str) -> str:
        """The trimmed text of `key`. Raises FileFault when it is absent or blank."""
        text = self.text(key)
        if not text:
            entry = self.entries.get(key)
            where = entry.value.where if entry else Where(self.file, line=1, column=1)
            raise FileFault("frontmatter", f"`{key}` is {'empty' if entry else 'missing'}", where)
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

    def where(self, key: str) -> Where:
        """The place of the value of a key that is there."""
        return self.entries[key].value.where


def decode(data: bytes, file: str) -> str:
    """The text of a file, line breaks as LF. Raises FileFault ("unreadable")."""
    if len(data) > LIMITS.file_bytes:
        raise FileFault("unreadable", f"it has more than {LIMITS.file_bytes} bytes", Where(file))
    try:
        text = data.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        problem = f"it is not UTF-8: byte 0x{data[error.start]:02x} at offset {error.start}"
        raise FileFault("unreadable", problem, Where(file, line=line)) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise FileFault("unreadable", "it holds a NUL character, so it is no text", Where(file, line=line))
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def read_front(text: str, file: str) -> Front:
    """Read the frontmatter of a decoded file. Raises FileFault ("frontmatter") at the first line that is none."""
    opened = _OPEN.match(text)
    if opened is None:
        problem = "there is no frontmatter: the first line must be `---`"
        raise FileFault("frontmatter", problem, Where(file, line=1, column=1))
    closed = _CLOSE.search(text, opened.end())
    if closed is None:
        problem = "the frontmatter that opens in line 1 is not closed by a second line `---`"
        raise FileFault("frontmatter", problem, Where(file, line=1, column=1))
    reader = _Reader(file)
    for number, line in enumerate(text[opened.end() : closed.start()].split("\n"), 2):
        reader.line(line, number)
    offset = text.count("\n", 0, closed.start()) + 1
    return Front(file, reader.entries, text[closed.end() + 1 :], offset, reader.warnings)


def unknown_keys(front: Front, owner: str, known: tuple[str, ...], words: Mapping[str, str]) -> list[Diagnostic]:
    """A warning for each key that `owner` does not have. `words` are other words, folded, for keys it has."""
    found: list[Diagnostic] = []
    for key, entry in front.entries.items():
        if key not in known:
            meant = words.get(re.sub(r"[\W_]", "", key).lower())
            clause = f' Did you mean "{meant}"?' if meant else hint(key, known)
            facts = {"key": key, "owner": owner, "hint": clause}
            found.append(diagnostic("UNKNOWN_PARAMETER", entry.key.where, severity="warning", **facts))
    return found


class _Reader:
    """Takes the lines between the fences, one after the other."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.entries: dict[str, Entry] = {}
        self.warnings: list[Diagnostic] = []
        self.last: Entry | None = None

    def line(self, line: str, number: int) -> None:
        bare = line.strip(" \t")
        if not bare or bare[0] == "#":
            return
        item = _ITEM.match(line)
        if item:
            self._item(line, number, item)
        elif line[0] in " \t":
            raise self._fault(self._why_indented(line), number, 1)
        else:
            self._entry(line, number)

    def _entry(self, line: str, number: int) -> None:
        colon = _COLON.search(line)
        key = line[: colon.start()].rstrip(" \t") if colon else ""
        if colon is None or not _KEY.fullmatch(key):
            glued = ":" in line and colon is None
            problem = "a space is missing after the colon" if glued else "this line is not `key: value`"
            raise self._fault(problem, number, line.index(":") + 1 if glued else 1)
        if key in self.entries:
            first = self.entries[key].key.where.line
            raise self._fault(f"the key `{key}` is given twice, first in line {first}", number, 1)
        value = self._value(line, colon.end(), number, key)
        if not value.quoted and _BLOCK_TEXT.fullmatch(value.text):
            problem = f"block texts (`{value.text}`) are not read here: write the text on one line"
            raise FileFault("frontmatter", problem, value.where)
        self.last = Entry(Value(key, Where(self.file, line=number, column=1)), value, [])
        self.entries[key] = self.last

    def _item(self, line: str, number: int, item: re.Match[str]) -> None:
        column, last = item.end(), self.last
        if last is None or last.value.text:
            raise self._fault("this list item stands below no key without a value", number, column)
        if last.indent not in (-1, len(item[1])):
            raise self._fault("the items of a list must stand one under the other", number, column)
        last.indent = len(item[1])
        last.items.append(self._value(line, item.end(), number, last.key.text))

    def _value(self, line: str, start: int, number: int, key: str) -> Value:
        """The text of `line` from `start`: a quoted string, or the rest up to a comment."""
        raw = line[start:].lstrip(" \t")
        start = len(line) - len(raw)
        where = Where(self.file, line=number, column=start + 1)
        if raw[:1] in ('"', "'"):
            return Value(self._quoted(raw, start, number), where, quoted=True)
        comment = _COMMENT.search(raw)
        if comment is None:
            return Value(raw.rstrip(" \t"), where)
        if raw[comment.end() :][:1].strip():  # `#12`, not `# a remark`: a text was probably meant
            reason = "` #` begins a comment; quote the value to keep the text behind it"
            place = Where(self.file, line=number, column=start + comment.end())
            self.warnings.append(diagnostic("PARAMETER_IGNORED", place, key=raw[comment.start() :], reason=reason))
        return Value(raw[: comment.start()].rstrip(" \t"), where)

    def _quoted(self, raw: str, start: int, number: int) -> str:
        match = _QUOTED.match(raw)
        if match is None:
            raise self._fault("the quote that opens here is not closed on this line", number, start + 1)
        if not _TAIL.fullmatch(raw, match.end()):
            problem = "text follows after the closing quote: quote the whole value, or none of it"
            raise self._fault(problem, number, start + match.end() + 1)
        text = match[0][1:-1]
        if raw[0] == "'":
            return text.replace("''", "'")
        return self._unescaped(match[0], number, start + 1) if "\\" in text else text

    def _unescaped(self, quoted: str, number: int, column: int) -> str:
        import yaml

        try:
            text = str(yaml.load(quoted, Loader=yaml.CSafeLoader))  # noqa: S506  (it is the safe one)
        except yaml.YAMLError:
            raise self._fault("an escape in this quoted text is not one of YAML", number, column) from None
        if "\0" in text:
            raise self._fault("a text may not hold a NUL character", number, column)
        return text

    def _why_indented(self, line: str) -> str:
        if "\t" in line[: len(line) - len(line.lstrip())]:
            return "a tab indents this line: keys begin a line, list items take spaces"
        return "this line is indented: each line is `key: value`, and a text stands on one line"

    def _fault(self, problem: str, line: int, column: int) -> FileFault:
        return FileFault("frontmatter", problem, Where(self.file, line=line, column=column))


def _unbracketed(value: Value) -> Value:
    """`[a, b]` without its brackets."""
    if len(value.text) < 2 or (value.text[0], value.text[-1]) != ("[", "]"):
        return value
    return Value(value.text[1:-1], _moved(value.where, 1))


def _split(value: Value) -> list[Value]:
    names: list[Value] = []
    start = int(value.quoted)
    for part in value.text.split(","):
        if name := part.strip().strip("\"'"):
            names.append(Value(name, _moved(value.where, start + len(part) - len(part.lstrip()))))
        start += len(part) + 1
    return names


def _moved(where: Where, columns: int) -> Where:
    return Where(where.file, where.pointer, where.line, (where.column or 1) + columns)
