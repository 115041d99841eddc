"""What a call's parameters say before they are a Flow: which mode is active, and what the models refuse.

Seed: Modes; Parameters. Everything here works on the call as plain JSON, so that the rules can speak about a call that
the models refuse.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast, get_args

from piflows.compiler.lower import MODES
from piflows.grammar.call import ONE, PLAIN, SEVERAL, AgentRef, Call, OperatorRef, RunMode, read_call
from piflows.grammar.modes import model as mode_model
from piflows.ir.finding import FINDINGS_MOST
from piflows.ir.frozen import frozen
from piflows.ir.limits import LIMITS

if TYPE_CHECKING:
    from pydantic import BaseModel

Path = tuple[str | int, ...]  # the keys and indexes that lead to a value
RETIRED = {"returnContract": "returnRequirements", "workerReturnContract": "workerReturnRequirements"}
ANSWERS = {"list": "list", "config": "showConfig"}  # modes that are answered at once, and their keys
# those of the reference in its order, also where they cannot be lowered yet, then whatever else has a row
_KNOWN = (*get_args(RunMode), *(mode for mode in MODES if mode not in ANSWERS))
RUN_MODES: tuple[str, ...] = tuple(dict.fromkeys(_KNOWN))
_KEYS = {"single": "agent", "parallel": "tasks"}  # of the modes whose key has another name
_ACTIVE = {mode: _KEYS.get(mode, mode) for mode in RUN_MODES if mode != "single"}
SHOWN = 80  # characters of an offending value
CUT = "FINDINGS_CUT"
WORDS = {  # what people, and other tools, call the same thing, folded
    **dict.fromkeys(("needs", "after", "depends", "dependencies", "requires", "waitsfor"), "dependsOn"),
    **dict.fromkeys(("prompt", "instruction", "instructions", "message", "goal", "objective"), "task"),
    **dict.fromkeys(("reasoning", "effort"), "thinking"),
    **dict.fromkeys(("steps", "sequence"), "chain"),
    "parallel": "tasks",
    "name": "id",
}
KEY = "[key]"  # pydantic's mark of an error in the key of a mapping
NAMES_MOST = 20  # more names than these are no help in a sentence
ROLE = '{"agent": "recon"}'  # the shortest of the objects that stand for a role
ID_RULE = f"an id: one line of at most {LIMITS.id_chars} characters, none of them a control character"

_ROLES = (AgentRef.__name__, OperatorRef.__name__)
_LESS = ("missing", "too_short", "string_too_short", "greater_than_equal")
_MORE = ("too_long", "string_too_long", "less_than_equal")
_SIDES = {  # pydantic's kinds of errors → the position in a field's `Codes`
    **dict.fromkeys(_LESS, 0),
    **dict.fromkeys(_MORE, 1),
    **dict.fromkeys(("string_pattern_mismatch", "int_type"), 2),
}


@frozen
class Misfit:
    """What the models refuse. `code` is the code of the catalogue that is due: UNKNOWN_PARAMETER, or that of a field
    with a code of its own, or CALL_INVALID; FINDINGS_CUT stands for those that come after the last, and `problem` says
    how many they are. `problem` is the clause that says it; `hint` may follow an unknown key.
    """

    path: Path
    code: str
    problem: str
    hint: str = ""


def mode_key(mode: str) -> str:
    """The top-level key that activates a mode."""
    return _KEYS.get(mode, mode)


def answers(call: Mapping[str, Any]) -> str | None:
    """`list` or `config` for a call that is answered without a run and ignores everything else."""
    return next((mode for mode, key in ANSWERS.items() if call.get(key) is True), None)


def active(call: Mapping[str, Any]) -> list[str]:
    """The modes that a call activates, in the reference's order; `{}` activates an object mode, `[]` no list mode."""
    modes = [mode for mode, key in _ACTIVE.items() if key in call and _given(mode, call[key])]
    if not modes and call.get("agent") and (truthy(call.get("task")) or truthy(call.get("contract"))):
        return ["single"]
    return modes


def _given(mode: str, value: Any) -> bool:
    return bool(value) if mode in ("parallel", "chain") else truthy(value)


def truthy(value: Any) -> bool:
    """Whether the reference takes a value for given: as in JavaScript, an empty object or list is."""
    return isinstance(value, (dict, list)) or bool(value)


def text(value: Any) -> str | None:
    """A text that is not blank, else None."""
    return value if isinstance(value, str) and value.strip() else None


def pointer(path: Path) -> str:
    """The RFC 6901 pointer of a path."""
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in path)


def steps(pointer: str) -> Path:
    """The path of a pointer; its indexes are texts."""
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:])


def spell(path: Path) -> str:
    """A path as people write it: `graph.nodes[2].task`."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def owner(path: Path) -> str:
    """What the value at `path` is called in a sentence."""
    return spell(path) or "the call"


def keys(value: Any) -> set[str]:
    """The names of all keys at any depth: what is not among them need not be looked for."""
    found: set[str] = set()
    todo = [value]
    for each in todo:  # grows while it is walked
        if isinstance(each, dict):
            found.update(cast("dict[str, Any]", each))
            todo += cast("dict[str, Any]", each).values()
        elif isinstance(each, list):
            todo += cast("list[Any]", each)
    return found


def keyed(value: Any, names: Collection[str], path: Path = ()) -> list[tuple[Path, Any]]:
    """The values of all keys of these names with their paths, in the order of the text; none inside a `contract`."""
    found: list[tuple[Path, Any]] = []
    _keyed(value, names, path, found)
    return found


def _keyed(value: Any, names: Collection[str], path: Path, found: list[tuple[Path, Any]]) -> None:
    if isinstance(value, dict):
        for key, member in cast("dict[str, Any]", value).items():
            if key in names:
                found.append(((*path, key), member))
            if isinstance(member, (dict, list)) and key != "contract":
                _keyed(member, names, (*path, key), found)
    elif isinstance(value, list):
        for place, member in enumerate(cast("list[Any]", value)):
            if isinstance(member, (dict, list)):
                _keyed(member, names, (*path, place), found)


def texts(value: Any, mark: str = "", path: Path = ()) -> list[tuple[Path, str]]:
    """The texts that hold `mark` with their paths, in the order of the text; none inside a `contract`."""
    found: list[tuple[Path, str]] = []
    if isinstance(value, (dict, list)):
        _texts(value, mark, path, found)
    return found


def _texts(value: Any, mark: str, path: Path, found: list[tuple[Path, str]]) -> None:
    is_object = isinstance(value, dict)
    for key, member in cast("dict[str, Any]", value).items() if is_object else enumerate(cast("list[Any]", value)):
        if isinstance(member, str):
            if mark in member:
                found.append(((*path, key), member))
        elif isinstance(member, (dict, list)) and key != "contract":
            _texts(member, mark, (*path, key), found)


def read(call: Mapping[str, Any]) -> tuple[Call | None, tuple[Misfit, ...]]:
    """The call as its model, or what the models refuse, in the order of the fields."""
    model, errors, count = read_call(call, FINDINGS_MOST)
    found = [misfit for error in errors if (misfit := _misfit(error)) is not None]
    misfits = [misfit for misfit in found if not _is_there(misfit, found)]
    if (more := count - len(errors)) and misfits:
        misfits.append(Misfit(misfits[-1].path, CUT, str(more)))
    return model, tuple(misfits)


def _is_there(missing: Misfit, misfits: Sequence[Misfit]) -> bool:
    """Whether a missing field stands beside its place under a name that is nearly its own: then that name says it."""
    if not missing.problem.endswith(" is missing"):
        return False
    owner, field = missing.path[:-1], f'"{missing.path[-1]}"'
    return any(each.path[:-1] == owner and field in each.hint for each in misfits)


def _misfit(error: Mapping[str, Any]) -> Misfit | None:
    kind: str = error["type"]
    path = _untagged(error["loc"])
    if kind == "extra_forbidden" or (path != error["loc"] and error["loc"][-1] == KEY):
        return None if path[-1] in RETIRED else Misfit(path, "UNKNOWN_PARAMETER", str(path[-1]), _hint(path))
    problem = f"{owner(path)} is missing"
    if kind != "missing":
        problem = f"{owner(path)} is {shown(error['input'])}, it must be {_allowed(error)}"
    return Misfit(path, _code(path, kind), problem)


def _untagged(loc: Path) -> Path:
    """The path without the steps that pydantic adds: the tag of the union behind `redteam`, the mark of a key."""
    marked = loc[:1] == ("modeHandoffPolicy",) and loc[2:] == (KEY,)
    path = loc[:2] if marked else loc
    return tuple(
        step for at, step in enumerate(path) if not (at and path[at - 1] == "redteam" and step in (ONE, SEVERAL))
    )


def shown(value: Any) -> str:
    """A value in a sentence: JSON, shortened; of lists and objects only what they are."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        length = len(cast("list[Any]", value))
        return f"a list of {length}" if length else "an empty list"
    written = json.dumps(value, ensure_ascii=False)
    return written if len(written) <= SHOWN else f"{written[:SHOWN]}…"


_ALLOWED = {
    "string_type": "a text",
    "string_too_short": "a text that is not empty",
    "string_too_long": ID_RULE,
    "string_pattern_mismatch": ID_RULE,
    "bool_type": "true or false",
    "int_type": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "list_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
}


def _allowed(error: Mapping[str, Any]) -> str:
    from piflows.grammar.near import meant

    limit: Mapping[str, Any] = error.get("ctx", {})
    match error["type"]:
        case "greater_than_equal":
            return f"at least {limit['ge']:g}"
        case "less_than_equal":
            return f"at most {limit['le']:g}"
        case "too_short":
            return f"a list of at least {limit['min_length']}"
        case "too_long":
            return f"a list of at most {limit['max_length']}"
        case "literal_error":
            known, value = re.findall(r"'([^']*)'", limit["expected"]), error["input"]
            near = meant(value, known) if isinstance(value, str) else ""
            return re.sub(r"'([^']*)'", r"\1", limit["expected"]) + near
        case "model_type" if limit.get("class_name") in _ROLES:
            several = " or a list of such objects" if error["loc"][-1] == ONE else ""
            return f"an object like {ROLE}{several}"
        case kind:
            return str(_ALLOWED.get(kind, error["msg"]))


def _code(path: Path, kind: str) -> str:
    """The code of a field that has one of its own."""
    match path:
        case ("concurrency",):
            return "INVALID_CONCURRENCY"
        case ("agentScope",):
            return "INVALID_SCOPE"
        case ("why",):
            return "WHY_REQUIRED"
        case (*_, "contract"):
            return "INVALID_DELEGATION_CONTRACT"
        case _:
            model = mode_model(str(path[0]))
            codes = model.CODES.get(".".join(step for step in path[1:] if isinstance(step, str))) if model else None
            return codes[_SIDES[kind]] if codes and kind in _SIDES else PLAIN


def _hint(path: Path) -> str:
    """What may have been meant by an unknown key, or what its object may hold."""
    from piflows.grammar.near import folded, hint

    word, names = str(path[-1]), _names(path[:-1])
    same = WORDS.get(folded(word))
    others = (
        f"It may hold {', '.join(names)}" if len(names) <= NAMES_MOST else "`piflows schema call` shows all of them"
    )
    return hint(same if same in names else word, names) or f" {others}."


def _names(path: Path) -> list[str]:
    """The keys that the object at `path` may hold."""
    if path == ("modeHandoffPolicy",):
        return list(RUN_MODES)
    model: type[BaseModel] = mode_model(str(path[0])) or Call if path else Call
    for step in path[1:] if model is not Call else path:
        if isinstance(step, str):
            fields = {field.alias: field.annotation for field in model.model_fields.values()}
            model = next(models(fields[step]))
    return [str(field.alias) for field in model.model_fields.values()]


def models(annotation: Any) -> Iterator[type[BaseModel]]:
    """The models inside a type such as `list[TaskItem] | None`."""
    if isinstance(annotation, type) and hasattr(annotation, "model_fields"):
        yield cast("type[BaseModel]", annotation)
    for inner in get_args(annotation):
        yield from models(inner)
