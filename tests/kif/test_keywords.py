"""The words of the language are the same in all places that have a list of their own."""

from __future__ import annotations

import re
from pathlib import Path

from ggp.authoring.lsp.text import words
from ggp.kif.keywords import CONNECTIVES, KEYWORD_RELATIONS, KEYWORDS
from ggp.kif.scrambler import FIXED

EDITOR = Path(__file__).parents[2] / "server" / "manager" / "static" / "edit" / "code.js"


def test_the_language_server_explains_each_of_them() -> None:
    assert words.KEYWORDS.keys() == KEYWORDS
    explained = {name: len(keyword.arguments) for name, keyword in words.KEYWORDS.items()}
    relations = {
        name: arity for name, arity in KEYWORD_RELATIONS.items() if name not in CONNECTIVES
    }
    assert explained.items() >= relations.items()


def test_the_editor_of_the_manager_colours_each_of_them() -> None:
    found = re.search(r"const KEYWORDS = new Set\(\[(.*)\]\)", EDITOR.read_text("utf-8"))
    assert found is not None
    assert set(re.findall(r'"([^"]+)"', found[1])) == KEYWORDS


def test_no_scrambler_renames_any_of_them() -> None:
    assert KEYWORDS | {"random"} == FIXED
