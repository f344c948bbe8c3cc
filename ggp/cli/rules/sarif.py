"""Findings in SARIF 2.1.0, which code hosts and editors show at the lines of a change.

The format: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ggp.gdl.check import CODES, Edit, Finding
from ggp.kif import Position

__all__ = ["to_sarif"]

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_ROOT = "%SRCROOT%"  # code hosts take this for the top of the repository
_NUMBERS = {code: number for number, code in enumerate(CODES)}


def to_sarif(findings: Iterable[Finding], *, root: Path) -> dict[str, Any]:
    """Return a SARIF log as JSON values; files below `root` get URIs relative to it."""
    driver = {
        "name": "ggp check",
        "version": version("ggp"),
        "rules": [_rule(code) for code in CODES],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"uri": f"{root.resolve().as_uri()}/"}},
        "results": [_result(finding, root) for finding in findings],
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(code: str) -> dict[str, Any]:
    known = CODES[code]
    return {
        "id": code,
        "shortDescription": {"text": known.meaning},
        "help": {"text": known.fix},
        "defaultConfiguration": {"level": known.severity},
    }


def _result(finding: Finding, root: Path) -> dict[str, Any]:
    artifact = _artifact(finding.span.file, root)
    start = Position(finding.span.line, finding.span.column)
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": _NUMBERS[finding.code],
        "level": finding.severity,
        "message": {"text": f"{finding.message}: {finding.hint}"},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": artifact,
                    "region": _region(start, finding.end),
                }
            }
        ],
    }
    if finding.fix:
        result["fixes"] = [_fix(finding.fix, artifact)]
    return result


def _fix(edit: Edit, artifact: Mapping[str, str]) -> dict[str, Any]:
    replacement = {
        "deletedRegion": _region(edit.start, edit.end),
        "insertedContent": {"text": edit.text},
    }
    return {"artifactChanges": [{"artifactLocation": artifact, "replacements": [replacement]}]}


def _region(start: Position, end: Position) -> dict[str, int]:
    return {
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.line,
        "endColumn": end.column,
    }


def _artifact(file: str, root: Path) -> dict[str, str]:
    path = Path(file).resolve()
    if file == "<stdin>":
        return {"uri": "stdin"}
    if path.is_relative_to(root.resolve()):
        relative = path.relative_to(root.resolve()).as_posix()
        return {"uri": quote(relative), "uriBaseId": _ROOT}
    return {"uri": path.as_uri()}
