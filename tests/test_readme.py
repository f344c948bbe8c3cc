"""What the README shows works as it stands there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from ggp import Description, GameGraph, open_reasoner
from ggp.authoring import format_rules
from ggp.gdl.check import check
from ggp.kif import Source
from ggp.perft import perft
from ggp.requirements import requirements

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def block(language: str, containing: str) -> str:
    blocks = re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)
    (found,) = [text for text in blocks if containing in text]
    return str(found)


def test_the_game_has_nothing_wrong_and_can_be_played() -> None:
    text = block("lisp", "(role left)")
    assert check(Source(text)) == []
    assert format_rules(Source(text)) == text
    description = Description.from_text(text)
    with open_reasoner(description) as reasoner:
        counts = perft(description, reasoner)
    assert counts.complete
    assert counts.states == [1, 2, 2, 1]


def test_every_link_leads_somewhere() -> None:
    for document in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")):
        links = re.findall(r"\]\((?!https?:)([^)#]+)", document.read_text(encoding="utf-8"))
        missing = [link for link in links if not (document.parent / link).exists()]
        assert missing == [], document


def test_every_extra_is_explained() -> None:
    extras = {each.extra for each in requirements()} - {None, "dev", "docs", "fuzz"}
    assert {extra for extra in extras if f"'.[{extra}]'" not in README} == set()


def test_the_player_plays(tmp_path: Path) -> None:
    (tmp_path / "greedy.py").write_text(block("python", "class Greedy"), encoding="utf-8")
    command = [sys.executable, "-m", "ggp", "match", "nim", "greedy.Greedy", "legal", "--json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert '"isCompleted": true' in done.stdout


def test_the_lines_of_python_run() -> None:
    names: dict[str, object] = {}
    exec(block("python", "GameGraph"), names)
    assert isinstance(names["graph"], GameGraph)


def test_every_command_exists() -> None:
    from ggp.cli.commands import COMMANDS

    mentioned = set(re.findall(r"^ggp (\w+)", README, re.MULTILINE))
    assert mentioned <= set(COMMANDS)
    assert {"check", "solve", "match", "serve"} <= mentioned
