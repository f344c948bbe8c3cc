"""What a person writes on the command line may be in any case."""

from __future__ import annotations

import click
import pytest

from ggp.cli.lvt import _numbers
from ggp.cli.search_options import role_number
from ggp.cli.solve import _facts
from ggp.gdl import Description
from ggp.kif import Symbol, parse, parse_term
from ggp.prove import read_condition

GAME = Description.from_text("""
(role white) (role Black) (init (cell 1 b)) (init (control white)) (index 1)
(<= (legal ?r (mark ?n)) (role ?r) (index ?n) (true (cell ?n b)))
(<= (next (cell ?n ?r)) (does ?r (mark ?n)))
(<= (next (control Black)) (true (control white)))
(<= terminal (true (control Black)))
(goal white 50) (goal Black 50)
""")


@pytest.mark.parametrize(("name", "number"), [(None, 0), ("WHITE", 0), ("black", 1), ("Black", 1)])
def test_a_role_to_search_for(name: str | None, number: int) -> None:
    assert role_number(GAME, name) == number


def test_a_role_that_is_none() -> None:
    with pytest.raises(click.ClickException, match=r"no role 'red' .* there are white, Black"):
        role_number(GAME, "red")


def test_roles_to_draw() -> None:
    assert _numbers(GAME.roles, ("BLACK", "White")) == (1, 0)
    with pytest.raises(click.UsageError, match="no role red; there are white, Black"):
        _numbers(GAME.roles, ("red", "white"))
    with pytest.raises(click.UsageError, match="Black cannot be both"):
        _numbers(GAME.roles, ("black", "BLACK"))


def test_the_facts_of_a_state() -> None:
    assert _facts(GAME, "((CELL 1 BLACK) (Control WHITE))") == parse(
        "(cell 1 Black) (control white)"
    )
    with pytest.raises(click.ClickException, match=r"\(cell 2 b\) can never be true"):
        _facts(GAME, "((CELL 2 B))")


def test_where_two_words_differ_by_capitals_alone_they_are_told_apart() -> None:
    game = Description.from_text("""(role A) (role a) (init (at a)) (init (at A)) (legal A go)
        (legal a go) (<= terminal (true (at a))) (goal a 0) (goal A 0)""")
    assert [role_number(game, name) for name in "Aa"] == [0, 1]
    assert _facts(game, "((AT a))") == (parse_term("(at a)"),)
    assert _facts(game, "((AT A))") == (parse_term("(at A)"),)
    assert _numbers((Symbol("A"), Symbol("a")), ("a", "A")) == (1, 0)


def test_a_condition_to_prove() -> None:
    read = read_condition("(AND (TRUE (CELL ?N BLACK)) (NOT (TRUE (CONTROL WHITE))))", GAME)
    assert str(read) == "(AND (true (cell ?N Black)) (NOT (true (control white))))"
