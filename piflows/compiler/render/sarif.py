"""Diagnostics as a SARIF 2.1.0 log that can be uploaded from any machine and says the same on each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from piflows import HOME
from piflows.compiler.render.diagnostics import Source, line_of, relative
from piflows.ir.codes import CODES
from piflows.ir.diagnostic import Diagnostic, outline

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
HELP = f"{HOME}/blob/main/docs/codes.md"


def sarif(diagnostics: Sequence[Diagnostic], root: str, source: Source) -> dict[str, Any]:
    """The log, with a rule for each code that occurs and an empty list of results when there are none."""
    rules = list(dict.fromkeys(d.code for d in diagnostics))
    seen: Counter[str] = Counter()
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {"name": "piflows", "informationUri": HELP, "rules": [_rule(name) for name in rules]}
                },
                "originalUriBaseIds": {"SRCROOT": {"description": {"text": "The directory piflows was run in."}}},
                "columnKind": "unicodeCodePoints",
                "results": [_result(d, rules.index(d.code), root, source, seen) for d in diagnostics],
            }
        ],
    }


def _rule(name: str) -> dict[str, Any]:
    code = CODES[name]
    cause, fix = outline(code.cause), outline(code.fix)
    return {
        "id": name,
        "shortDescription": {"text": outline(code.message)},
        "fullDescription": {"text": cause},
        "help": {"text": f"{cause}\n{fix}\nMore: `piflows explain {name}`."},
        "helpUri": f"{HELP}#{name.lower()}",
        "defaultConfiguration": {"level": code.severity},
    }


def _result(d: Diagnostic, rule: int, root: str, source: Source, seen: Counter[str]) -> dict[str, Any]:
    uri = _uri(relative(d.where.file, root))
    identity = _fingerprint(d, uri, source)
    seen[identity] += 1
    location: dict[str, Any] = {}
    if uri:
        location["physicalLocation"] = {
            "artifactLocation": {"uri": uri} if uri.startswith("file:") else {"uri": uri, "uriBaseId": "SRCROOT"},
            "region": {"startLine": d.where.line or 1, "startColumn": d.where.column or 1},
        }
    if d.where.pointer:
        location["logicalLocations"] = [{"fullyQualifiedName": d.where.pointer}]
    return {
        "ruleId": d.code,
        "ruleIndex": rule,
        "level": d.severity,
        "message": {"text": f"{d.message}\nCause: {d.cause}\nFix: {d.fix}"},
        "locations": [location] if location else [],
        "partialFingerprints": {"primaryLocationLineHash": f"{identity}:{seen[identity]}"},
    }


def _uri(path: str) -> str:
    """A relative reference, or a file URI for what lies outside the root."""
    from urllib.parse import quote

    quoted = quote(path, errors="surrogatepass")
    return f"file://{quoted}" if path.startswith("/") else quoted


def _fingerprint(d: Diagnostic, uri: str, source: Source) -> str:
    """The identity of a finding: never its line number, so that a line added above does not make it a new one."""
    from hashlib import sha256

    parts = (d.code, uri, d.where.pointer, (line_of(d.where, source) or "").strip())
    return sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()[:16]
