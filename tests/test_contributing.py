"""The page for contributors names files that are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def named(heading: str) -> list[tuple[str, list[str]]]:
    """Return the paths that each row of a section names, after the first folder of the row."""
    (section,) = re.findall(rf"^## {heading}$(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    rows = [re.findall(r"`([^`\s]*/[^`\s]*)`", row) for row in section.splitlines()]
    return [(row[0], row) for row in rows if row]


@pytest.mark.parametrize("heading", ["Layout", "Where do I change what"])
def test_what_a_table_names_is_there(heading: str) -> None:
    rows = named(heading)
    assert len(rows) > 20
    missing = [
        path
        for first, row in rows
        for path in row
        if not any((ROOT / folder / path).exists() for folder in ("", first))
    ]
    assert missing == []
