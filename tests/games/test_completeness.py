"""Every bundled game is well formed and has what belongs to it: a README row, a referee."""

from __future__ import annotations

import re

import pytest

from ggp.gdl.check import check
from ggp.kif import Source, symbols
from tests.games import referees
from tests.games.bundled import FOLDER, NAMES, load, readme_rows


def test_the_readme_lists_every_game_in_order() -> None:
    assert list(readme_rows()) == NAMES


def test_every_game_has_a_referee_and_every_referee_its_game() -> None:
    assert sorted(referees.folders()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_the_readme_states_the_number_of_players(name: str) -> None:
    assert int(readme_rows()[name][0]) == len(load(name).roles)


@pytest.mark.parametrize("name", NAMES)
def test_the_checker_finds_nothing(name: str) -> None:
    assert not check(Source.read(FOLDER / f"{name}.kif"))


@pytest.mark.parametrize("name", NAMES)
def test_names_are_plain(name: str) -> None:
    for term in load(name).terms:
        assert all(re.fullmatch(r"<=|\??[a-z0-9_]+", symbol.text) for symbol in symbols(term))


@pytest.mark.parametrize("name", NAMES)
def test_a_rulesheet_begins_with_a_comment_that_states_the_goals(name: str) -> None:
    header, _, _ = (FOLDER / f"{name}.kif").read_text(encoding="utf-8").partition("(role")
    assert all(line.startswith(";") for line in header.splitlines() if line)
    assert "; Goals: " in header
