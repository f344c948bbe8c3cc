"""Games are recognised whatever their words and the order of their rules."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from ggp.gdl import Description, correspondence, game_key
from ggp.kif import Compound, Scrambler, Symbol, Term, renamed

GAMES = sorted((Path(__file__).parents[2] / "games").glob("*.kif"))

each_game = pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)


def reordered(term: Term, generator: random.Random) -> Term:
    """Return a rule with its body in another order."""
    if isinstance(term, Compound) and term.items[0] == Symbol("<="):
        arrow, head, *body = term.items
        return Compound((arrow, head, *generator.sample(body, len(body))))
    return term


def disguised(description: Description, seed: int) -> tuple[Description, Scrambler]:
    """Return a game with other words and its rules in another order."""
    scrambler, generator = Scrambler(description.terms, seed=seed), random.Random(seed)
    terms = [reordered(scrambler.scramble(term), generator) for term in description.terms]
    generator.shuffle(terms)
    return Description.from_terms(terms), scrambler


@each_game
def test_a_disguised_game_is_recognised(path: Path) -> None:
    description = Description.load(path)
    other, _ = disguised(description, 7)
    assert game_key(description) == game_key(other) is not None
    names = correspondence(description, other)
    assert names is not None
    # the words found may differ from those of the scrambler where the game is symmetric
    again = [renamed(term, names) for term in description.terms]
    assert correspondence(Description.from_terms(again), other) is not None
    assert {*filter(_is_fact, again)} == {*filter(_is_fact, other.terms)}


def _is_fact(term: Term) -> bool:
    return not str(term).startswith("(<=")


@each_game
def test_one_changed_rule_is_another_game(path: Path) -> None:
    description = Description.load(path)
    generator = random.Random(path.stem)
    place = generator.choice(
        [n for n, term in enumerate(description.terms) if str(term).startswith("(<=")]
    )
    other, _ = disguised(
        Description.from_terms(term for n, term in enumerate(description.terms) if n != place), 3
    )
    assert game_key(description) != game_key(other)
    assert correspondence(description, other) is None


def test_where_words_are_alike_one_is_as_good_as_another() -> None:
    rules = "(role {0}) (role {1}) (init {2}) (init {3}) (<= terminal (true {2}) (true {3}))"
    one = Description.from_text(rules.format("a", "b", "f", "g"))
    other = Description.from_text(rules.format("x", "y", "u", "v"))
    names = correspondence(one, other)
    assert names is not None
    assert {names["a"], names["b"]} == {"x", "y"}
    assert {names["f"], names["g"]} == {"u", "v"}


def test_what_looks_alike_everywhere_may_still_be_another_game() -> None:
    """Two rings of three words and one of six cannot be told apart by their neighbours."""

    def rings(*sizes: int) -> Description:
        words = iter("abcdefgh")
        lines = ["(role r)"]
        for size in sizes:
            ring = [next(words) for _ in range(size)]
            lines += [f"(next_to {one} {ring[n - 1]})" for n, one in enumerate(ring)]
        return Description.from_text(" ".join(lines))

    assert game_key(rings(3, 3)) == game_key(rings(6))
    assert correspondence(rings(3, 3), rings(6)) is None
    assert correspondence(rings(3, 3), rings(3, 3)) is not None


def test_integers_and_keywords_stay() -> None:
    one = Description.from_text("(role a) (<= (goal a 100) (true (step 3)))")
    assert (
        correspondence(one, Description.from_text("(role a) (<= (goal a 90) (true (step 3)))"))
        is None
    )
    assert game_key(one) != game_key(
        Description.from_text("(role a) (<= (goal a 100) (true (step 4)))")
    )


def test_the_key_is_the_same_in_each_process() -> None:
    program = (
        "from ggp.gdl import Description, game_key; print(game_key(Description.load('tictactoe')))"
    )
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert found.stdout.strip() == game_key(Description.load("tictactoe"))


def test_it_takes_no_longer_than_it_may() -> None:
    description = Description.load("tictactoe")
    assert game_key(description, time_limit=0.0) is None
    assert correspondence(description, description, time_limit=0.0) is None
