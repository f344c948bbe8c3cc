"""The extension for VS Code."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from zipfile import ZipFile

import pytest

from ggp.authoring.lsp.text.words import KEYWORDS

EXTENSION = Path(__file__).parents[2] / "editors" / "vscode"


def test_the_grammar_knows_every_keyword() -> None:
    grammar = (EXTENSION / "syntaxes" / "gdl.tmLanguage.json").read_text(encoding="utf-8")
    patterns = json.loads(grammar)["repository"]
    known = {
        word
        for name in ("connective", "keyword")
        for word in patterns[name]["match"].partition("(?i:")[2].partition(")")[0].split("|")
    }
    assert known == set(KEYWORDS)


@pytest.mark.install
@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed")
def test_it_is_built_and_passes_its_tests(tmp_path: Path) -> None:
    folder = tmp_path / "vscode"
    shutil.copytree(EXTENSION, folder, ignore=shutil.ignore_patterns("node_modules", "*.vsix"))
    for command in (
        ("npm", "ci", "--no-audit", "--no-fund"),
        ("npm", "test"),
        ("npm", "run", "package"),
    ):
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=600, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
    names = ZipFile(folder / "ggp.vsix").namelist()
    assert {
        "extension/package.json",
        "extension/client/extension.js",
        "extension/syntaxes/gdl.tmLanguage.json",
        "extension/node_modules/vscode-languageclient/package.json",
    } <= set(names)
