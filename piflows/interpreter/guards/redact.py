r"""The redactor: credentials, e-mail addresses and the home path leave a text before it is kept or shown.

Whole credentials go first (private-key blocks, bearer tokens, tokens that tell their kind), so that no keyword rule can
eat the word `Bearer` and leave its token. Every pattern starts once in a run of its characters and repeats
possessively: time is in proportion to the text. Redacting again changes nothing.
Seed: Parameters (recordContent, redactSecrets).

No library of detectors does this: detect-secrets says which line holds a secret, for several kinds only by its first
letters, while a redactor needs the whole span in a text of any length.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from piflows.ir.frozen import frozen

if TYPE_CHECKING:
    import re
else:  # the possessive groups of `re` lose text before Python 3.11.5
    re = import_module("regex")

SECRET = "[REDACTED_SECRET]"
EMAIL = "[REDACTED_EMAIL]"
PRIVATE_KEY = "[REDACTED_PRIVATE_KEY]"
OMITTED = "[content omitted: recordContent=false]"

# Whether a whole credential may be there. Alternatives that start with a plain letter are searched for fast.
_SIGN = re.compile(
    r"-----BEGIN|---- BEGIN|B(?i:earer)|b(?i:earer)|sk[-_]|rk_|gh[opsur]_|github_|glpat-|A(?:KIA|SIA|Iza)|xox|eyJ"
)
_KEY_LINE = r"(?:-----|---- )%s [A-Z0-9 ]{0,64}?PRIVATE KEY(?: BLOCK)?(?:-----| ----)"
_BEGIN = re.compile(_KEY_LINE % "BEGIN")
_END = re.compile(_KEY_LINE % "END")
_BODY = re.compile(r"[\sA-Za-z0-9+/=\\]|\Z")  # what follows the first line of a block, and not one quoted in prose
_BEARER = re.compile(
    r"(?:B(?i:earer)|b(?i:earer))(?:[ \t]*+[:=][ \t]*+|[ \t]++)([\"'`]?)[A-Za-z0-9._~+/:%-]{12}[A-Za-z0-9._~+/=:%-]*+"
)
_TOKEN = re.compile(
    r"(?:sk-(?:(?<![A-Za-z0-9]sk-)[A-Za-z0-9_-]{12}|[A-Za-z0-9]{20})"  # `task-force-planning` is a word
    r"|[sr]k_(?:live|test)_[A-Za-z0-9]{16}"
    r"|gh[opsur]_[A-Za-z0-9]{20}|github_pat_[A-Za-z0-9_]{20}|glpat-[A-Za-z0-9_-]{20}"
    r"|A(?:KIA|SIA)[0-9A-Z]{16}|AIza[A-Za-z0-9_-]{30}|xox[abeprs]-[A-Za-z0-9-]{10}"
    r")[A-Za-z0-9_-]*+"
)
_JWT = re.compile(
    r"(?<![A-Za-z0-9_-])((?:(?!eyJ)[A-Za-z0-9_-])*+)eyJ[A-Za-z0-9_-]{10,}+\.[A-Za-z0-9_-]{10,}+(?:\.[A-Za-z0-9_-]*+)*+"
)
_DOMAIN = r"@(?:[\w-]++\.)+[^\W\d_]{2,}+"
_EMAIL = re.compile(rf"(?<![\w.%+-])[\w.%+-]++{_DOMAIN}(?:[\w.%+-]++{_DOMAIN})*+")
_URL_USER = re.compile(r"://[^\s/@:\[]*+:[^\s/@]++@")


def _words(*words: str) -> str:
    """Alternatives in any case; the first letters stay literal, which lets a search skip to them."""
    return "|".join(f"{first}(?i:{word[1:]})" for word in words for first in (word[0], word[0].upper()))


_NAME = _words(
    *("api[ _-]?key", "access[ _-]?key", "secret[ _-]?key", "authorization", "passphrase", "passwd", "password"),
    *("secret", "token"),
)
_SECRET_NAME = re.compile(rf"(?:{_NAME})\Z")
_QUOTE = r"\\{0,3}[\"'`]"
# To its closing quote or the end of the line; a run of backslashes and what it escapes are one step.
_QUOTED = rf"(?P<q>{_QUOTE})(?:[^\n\"'`\\]++|(?!(?P=q))\\*+[^\n])++(?P<end>(?P=q))?"
_RUN = rf"(?:[^\s\"'`,;\\]|\\(?!{_QUOTE}))++"
_SCHEME = r"(?i:bearer|basic|digest|negotiate|token|apikey)[ \t]++"
# `"password": "x"`, its quotes escaped or not: what was JSON stays JSON.
_MEMBER = re.compile(
    rf"(?P<head>(?:{_NAME})(?P<k>\\{{0,3}}[\"'])[ \t]*+[:=][ \t]*+)"
    rf"(?:{_QUOTED}|(?!(?i:true|false|null|none)\b)[^\s\"'`,;{{}}\[\]()\\]++)"
)
# `token: x`, `**API key:** x`; no `Token::new`. The value goes on where it may be a name again: `secret: password : x`,
# and `secret: x\\napi key: y` with its line break escaped.
_SIGNS = r"[:=]{1,3}+>?"
_ON = rf"(?:(?<=[:=])[ \t]++|[ \t]++(?:(?i:key)[ \t]*+)?{_SIGNS}[ \t]*+)"
_PAIR = re.compile(
    rf"(?P<name>{_NAME})"
    rf"(?P<between>(?P<mark>`|[*_]{{1,3}}+)?[ \t\xa0]*+(?!::){_SIGNS}(?P<bold>[*_]{{1,3}}+)?[ \t\xa0]*+)"
    rf"(?:{_SCHEME})?(?:{_RUN}{_ON})*(?:(?!{_QUOTE}[,;:}}\])]){_QUOTED}|{_RUN})"
)


@frozen
class Redactor:
    """`on`: whether the call redacts (`redactSecrets`). `home`: the absolute home path, or ""."""

    on: bool
    home: str

    def text(self, text: str) -> str:
        """`text` without credentials, e-mail addresses and the home path; as it is when the redactor is off."""
        if not self.on:
            return text
        if _SIGN.search(text):
            text = _without_credentials(text)
        if (":" in text or "=" in text) and _may_name(text.lower()):
            text = _PAIR.sub(_pair, _MEMBER.sub(_member, text))
        if self.home and self.home in text:
            text = _home(self.home).sub("~", text)
        if "@" in text:
            text = _EMAIL.sub(EMAIL, _URL_USER.sub(f"://{SECRET}@", text))
        return text

    def value(self, value: Any) -> Any:
        """A copy of a JSON value with every string redacted, keys too, and what is scalar under a secret's name.

        Keys that become equal are numbered. Any depth.
        """
        return _rebuilt(value, self.text, self._members) if self.on else value

    def changed(self, text: str) -> bool:
        """Whether redacting changes `text`."""
        return self.text(text) != text

    def _members(self, held: dict[str, Any]) -> dict[str, Any]:
        made: dict[str, Any] = {}
        numbers: dict[str, int] = {}
        for key, value in held.items():
            name = free = self.text(key)
            while free in made or (free != key and free in held):
                numbers[name] = numbers.get(name, 1) + 1
                free = f"{name} ({numbers[name]})"
            made[free] = SECRET if _is_secret(key, value) else value
        return made


def withhold(value: Any) -> Any:
    """A copy of a JSON value that keeps its structure alone: every string is OMITTED. Keys stay. Any depth."""
    return _rebuilt(value, lambda _: OMITTED, dict[str, Any])


def _may_name(lower: str) -> bool:
    """Whether a text in lower case may hold a name of a secret; most texts with a colon do not."""
    return "token" in lower or "secret" in lower or "pass" in lower or "key" in lower or "authorization" in lower


def _is_secret(key: str, value: Any) -> bool:
    scalar = isinstance(value, str | int | float) and not isinstance(value, bool)
    return scalar and value != "" and _SECRET_NAME.search(key) is not None


def _without_credentials(text: str) -> str:
    if "BEGIN" in text:
        text = _without_keys(text)
    text = _TOKEN.sub(SECRET, _BEARER.sub(rf"Bearer \1{SECRET}", text))
    return _JWT.sub(rf"\1{SECRET}", text) if "eyJ" in text else text


def _without_keys(text: str) -> str:
    """Private-key blocks replaced: to their last line, or to the end of the text when that is missing."""
    out: list[str] = []
    at = look = 0
    ends = True
    while begin := _BEGIN.search(text, look):
        end = _END.search(text, begin.end()) if ends else None
        ends = end is not None
        if not end and not _BODY.match(text, begin.end()):
            look = begin.end()  # a mention in quotes
            continue
        out += text[at : begin.start()], PRIVATE_KEY
        at = look = end.end() if end else len(text)
    return "".join([*out, text[at:]])


def _member(match: re.Match[str]) -> str:
    open_, close = (match["q"], match["end"] or "") if match["q"] else (match["k"], match["k"])
    return f"{match['head']}{open_}{SECRET}{close}"


def _pair(match: re.Match[str]) -> str:
    between = match["between"] if match["mark"] or match["bold"] else "="  # Markdown keeps its marks
    return f"{match['name']}{between}{match['q'] or ''}{SECRET}{match['end'] or ''}"


@lru_cache(maxsize=8)
def _home(home: str) -> re.Pattern[str]:
    """The path itself, and not the start of a longer name: `/home/al` is not in `/home/alan`."""
    return re.compile(rf"{re.escape(home)}(?![\w-]|\.\w)")


def _rebuilt(value: Any, text: Callable[[str], str], members: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    """A copy made without recursion: `text` of every string, `members` of every object before its values."""
    whole: list[Any] = [value]
    open_: list[tuple[Any, Iterable[Any]]] = [(whole, (0,))]
    while open_:
        into, places = open_.pop()
        for place in places:
            each = into[place]
            if isinstance(each, str):
                into[place] = text(each)
            elif isinstance(each, dict):
                into[place] = made = members(cast("dict[str, Any]", each))
                open_.append((made, [*made]))
            elif isinstance(each, list | tuple):
                into[place] = listed = [*cast("list[Any]", each)]
                open_.append((listed, range(len(listed))))
    return whole[0]
