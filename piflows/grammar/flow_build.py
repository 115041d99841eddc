"""Lines → IR. Which words a record takes, and what stands behind them, is its shape (flow_shape.py).

What is wrong is collected, so that one reading shows all of it; a value that could not be read is None until then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, dataclass, field
from typing import Any

from piflows.grammar.flow_shape import Field, Json, Kinds, Lines, Record, Scalar, Shape, shape
from piflows.grammar.flow_tree import Clause, Data, Exit, Line, Misread, Operand, Word, Written, json_word
from piflows.grammar.flow_words import DEFAULT, NONE, read_duration, read_number
from piflows.grammar.near import hint, nearest
from piflows.ir.parts import constant

Values = dict[str, Any]  # the fields of a record that have been read


@dataclass(slots=True)
class Builder:
    """Builds records of lines; `findings` is what was wrong with them."""

    findings: list[Misread] = field(default_factory=list[Misread])

    def record(self, cls: type, at: Word, operands: Sequence[Operand], lines: Sequence[Line]) -> Any:
        """A record whose first line begins with `at`: its head is in the operands, its other fields in the lines."""
        look = shape(cls)
        values: Values = {}
        self._head(look, at, operands, values)
        if lines and not (look.body or look.flat):
            self._bad(_start(lines[0]), f"nothing belongs below `{at.text}`")
            lines = ()
        flat = [line for line in lines if not self._line(look, at, line, values)]
        if look.flat and look.flat[0] not in values:
            values[look.flat[0]] = self.record(look.flat[1], at, (), flat)
        elif flat:
            self._bad(_start(flat[0]), f"`{at.text}` lists units and has a line that makes them, and can only do one")
        for name, spec in look.fields.items():
            if name not in values:
                values[name] = self._default(spec, at, operands)
            elif spec.holds == "many" and values[name] is not None:
                values[name] = tuple(values[name])
        return cls(**values)

    def _default(self, spec: Field, at: Word, operands: Sequence[Operand]) -> Any:
        if spec.default is MISSING:
            name = next((f" {operand.text}" for operand in operands if isinstance(operand, Word)), "")
            self._bad(at, f"`{at.text}{name}` lacks its `{spec.word}`")
            return None
        return {} if spec.holds == "keyed" else spec.default

    def _head(self, look: Shape, at: Word, operands: Sequence[Operand], values: Values) -> None:
        """Reads the operands as the head's fields, in order; the last ones may be left out if they have a default."""
        rest = list(operands)
        for name in look.head:
            if not rest:
                return
            spec = look.fields.get(name)
            if spec is None:
                if not _is(rest[0], name[1:-1]):
                    self._bad(rest[0], f"expected `{name[1:-1]}` here")
                    return
                rest.pop(0)
            elif isinstance(spec.of, Record):
                values[name], rest = self.record(spec.of.cls, at, rest, ()), []
            else:
                values[name] = self._scalar(spec, rest.pop(0))
        if rest:
            self._bad(rest[0], "expected the end of the line here")

    def _line(self, look: Shape, at: Word, line: Line, values: Values) -> bool:
        """Reads one line into `values`, or gives False when it belongs to the flat field."""
        if isinstance(line, Exit):
            self._exit(look, at, line, values)
            return True
        word = line.word.text
        inner = shape(look.flat[1]).words if look.flat else {}
        spec = look.words.get(word)
        if spec is None and word in inner:
            return False
        if spec is None:
            self._bad(line.word, f"`{word}` is no line of `{at.text}`.{hint(word, [*look.words, *inner])}")
            meant = look.words.get(nearest(word, look.words) or "")
            if meant and meant.holds == "one":  # then it is not missing too
                values.setdefault(meant.name, None)
            return True
        if spec.holds == "keyed":
            self._keyed(spec, line, values)
        elif spec.holds == "many" and not isinstance(spec.of, Scalar):
            values.setdefault(spec.name, []).append(self._value(spec, line, line.operands))
        elif spec.name in values:
            self._bad(line.word, f"`{word}` stands twice in one `{at.text}`")
        else:
            read = self._list if spec.holds == "many" else self._value
            values[spec.name] = read(spec, line, line.operands)
        return True

    def _exit(self, look: Shape, at: Word, line: Exit, values: Values) -> None:
        spec = next((spec for spec in look.body if spec.arrows), None)
        if spec is None:
            self._bad(line.outcome, f"`{at.text}` has no exits: they belong to a state")
        else:
            self._put(values.setdefault(spec.name, {}), line.outcome, line.target.text)

    def _keyed(self, spec: Field, line: Clause, values: Values) -> None:
        members = values.setdefault(spec.name, {})
        match line.operands:
            case (Word() as key, *rest):
                self._put(members, key, self._value(spec, line, rest))
            case _:
                self._bad(line.word, f"`{spec.word}` lacks its name")

    def _put(self, members: dict[str, Any], key: Word, value: Any) -> None:
        if key.text in members:
            self._bad(key, f"`{key.text}` stands twice")
        members[key.text] = value

    def _list(self, spec: Field, line: Clause, operands: Sequence[Operand]) -> Any:
        self._only(line)
        sole = operands[0] if len(operands) == 1 else None
        if _is(sole, NONE) or (_is(sole, DEFAULT) and spec.optional):
            return () if _is(sole, NONE) else None
        if not operands:
            self._bad(line.word, f"`{spec.word}` lacks its members; the empty list is `{spec.word} {NONE}`")
        elif sole is None and not line.listed:
            self._bad(operands[1], f"`{spec.word}` is a list: a comma belongs before this")
        return tuple(self._scalar(spec, operand) for operand in operands)

    def _value(self, spec: Field, line: Clause, operands: Sequence[Operand]) -> Any:
        if line.listed:
            self._bad(line.operands[1], f"`{spec.word}` is no list: a comma has no place here")
        match spec.of:
            case Record(cls):
                self._only(line, block=True)
                return self.record(cls, line.word, operands, line.block)
            case Kinds():
                self._only(line, block=True)
                return self._kind(spec, spec.of, line, operands)
            case Lines(parts=parts):
                return self._written(spec, parts, line, operands)
            case Scalar():
                return self._one(spec, spec.of, line, operands)
            case Json():
                self._only(line)
                return self._json(spec, line, operands)

    def _kind(self, spec: Field, of: Kinds, line: Clause, operands: Sequence[Operand]) -> Any:
        word, *rest = (line.word, *operands) if of.by_kind else operands or (None,)
        if not isinstance(word, Word):
            self._bad(line.word, f"`{spec.word}` lacks its kind: one of {_or(of.classes)}")
        elif word.text not in of.classes:
            known = hint(word.text, of.classes)
            self._bad(word, f"`{word.text}` is no kind of `{spec.word}`; these are: {_or(of.classes)}.{known}")
        else:
            return self.record(of.classes[word.text], word, [each for each in rest if each], line.block)
        return None

    def _written(self, spec: Field, parts: bool, line: Clause, operands: Sequence[Operand]) -> Any:
        self._only(line, text=True)
        if operands:
            self._bad(operands[0], f"a text begins with a bar: `{spec.word} | …`")
        elif line.text is None:
            self._bad(line.word, f"`{spec.word}` lacks its text: `{spec.word} | …`")
        elif parts:
            return line.text.parts
        else:
            return self._constant(spec, line.text)
        return None

    def _constant(self, spec: Field, text: Written) -> str | None:
        value = constant(text.parts)
        if value is None:
            self._bad(text, f"`{spec.word}` holds plain text, without a slot: a brace is written `\\{{`")
        return value

    def _one(self, spec: Field, of: Scalar, line: Clause, operands: Sequence[Operand]) -> Any:
        self._only(line, text=True)
        if line.text and of.type is str and not operands and not of.choices:
            return self._constant(spec, line.text)
        if of.duration and len(operands) == 2:
            return self._duration(spec, operands)
        if len(operands) != 1:
            self._bad(operands[1] if operands else line.word, f"`{spec.word}` takes one value")
            return None
        return self._scalar(spec, operands[0])

    def _scalar(self, spec: Field, operand: Operand) -> Any:
        of = spec.of
        assert isinstance(of, Scalar)
        if isinstance(operand, Data):
            self._bad(operand, f"`{spec.word}` takes {_wanted(of)} here")
            return None
        if _is(operand, DEFAULT) and spec.optional:
            return None
        if of.duration:
            return self._duration(spec, [operand])
        value = _read(of, operand)
        if value is None:
            known = hint(operand.text, of.choices)
            self._bad(operand, f"`{spec.word}` takes {_wanted(of)}, not `{operand.text}`.{known}")
        return value

    def _duration(self, spec: Field, operands: Sequence[Operand]) -> float | None:
        words = [operand.text for operand in operands if isinstance(operand, Word) and operand.bare]
        try:
            value = read_duration(words if len(words) == len(operands) else ())
        except ValueError:
            self._bad(operands[0], f"`{spec.word}` takes a duration: a number and one of h, min, s, ms")
            return None
        whole = isinstance(spec.of, Scalar) and spec.of.type is int
        if whole and not isinstance(value, int):
            self._bad(operands[0], f"`{spec.word}` takes whole milliseconds")
        return value if whole else float(value)

    def _json(self, spec: Field, line: Clause, operands: Sequence[Operand]) -> object:
        if len(operands) != 1:
            self._bad(operands[1] if operands else line.word, f"`{spec.word}` takes one JSON value")
            return None
        operand = operands[0]
        try:
            return operand.value if isinstance(operand, Data) else json_word(operand)
        except Misread as misread:
            self.findings.append(misread)
            return None

    def _only(self, line: Clause, *, text: bool = False, block: bool = False) -> None:
        """Refuses a text or lines below where they have no place."""
        if line.text and not text:
            self._bad(line.text, f"`{line.word.text}` takes no text")
        if line.block and not block:
            self._bad(_start(line.block[0]), f"nothing belongs below `{line.word.text}`")

    def _bad(self, at: Word | Data | Written, problem: str) -> None:
        self.findings.append(Misread(at.line, at.column, problem.removesuffix(".")))


def _read(of: Scalar, operand: Word) -> Any:
    """The value of a word, or None when it is not what the field takes."""
    if of.type is str:
        return operand.text if not of.choices or operand.text in of.choices else None
    if of.type is bool:
        return {"true": True, "false": False}.get(operand.text) if operand.bare else None
    try:
        value = read_number(operand.text) if operand.bare else None
    except ValueError:
        return None
    if of.type is float:
        return None if value is None else float(value)
    return value if isinstance(value, int) else None


def _is(operand: Operand | None, word: str) -> bool:
    """Whether it is this bare word; a quoted one is a name like any other."""
    return isinstance(operand, Word) and operand.bare and operand.text == word


def _wanted(of: Scalar) -> str:
    return _or(of.choices) if of.choices else _TYPES[of.type]


_TYPES: dict[type, str] = {str: "a name", int: "a whole number", float: "a number", bool: "`true` or `false`"}


def _or(names: Sequence[str] | dict[str, Any]) -> str:
    *others, last = [f"`{name}`" for name in names]
    return f"{', '.join(others)} or {last}" if others else last


def _start(line: Line) -> Word:
    return line.outcome if isinstance(line, Exit) else line.word
