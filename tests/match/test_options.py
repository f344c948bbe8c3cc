from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import pytest

from ggp.deadline import Deadline
from ggp.errors import PlayerError
from ggp.kif import Symbol, Term, parse_term
from ggp.match import Player, game_spelling, keyword_options, make_player, player_names, with_seed
from ggp.reasoner import State


class Configurable(Player):
    def __init__(  # type: ignore[no-untyped-def] # as a newcomer may write it
        self,
        depth: int = 1,
        *,
        share: float = 0.5,
        ponder: bool = False,
        classifier: str = "lvt",
        nodes: int | None = 5,
        untyped="x",
    ) -> None:
        if depth > 9:
            raise ValueError("depth is at most 9")

    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:
        raise AssertionError


class Demanding(Configurable):
    def __init__(self, depth: int) -> None:
        super().__init__(depth)


class Choosy(Configurable):
    def __init__(self, *, rule: Literal["deep", "shallow"] = "deep", **options: Any) -> None:
        super().__init__(**options)


HERE = "tests.match.test_options"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}),
        ("depth=4", {"depth": 4}),
        (" depth = 4 , share=0.25,", {"depth": 4, "share": 0.25}),
        ("ponder=true,classifier=linear", {"ponder": True, "classifier": "linear"}),
        ("ponder=No", {"ponder": False}),
        ("nodes=none", {"nodes": None}),
        ("nodes=7", {"nodes": 7}),
        ("classifier=none", {"classifier": "none"}),
        ("untyped=4", {"untyped": "4"}),
        ("classifier=a=b", {"classifier": "a=b"}),
    ],
)
def test_options_are_read_as_the_constructor_declares_them(
    text: str, expected: dict[str, Any]
) -> None:
    assert keyword_options(Configurable, text) == expected


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("dept=4", r"no option 'dept'; options are depth \(int\), .*nodes \(int or none\)"),
        ("depth=four", "option 'depth' is int, not 'four'"),
        ("depth=none", "option 'depth' is int, not 'none'"),
        ("depth=1.5", "option 'depth' is int, not '1.5'"),
        ("share=half", "option 'share' is float, not 'half'"),
        ("ponder=maybe", "option 'ponder' is bool, not 'maybe'"),
        ("nodes=many", "option 'nodes' is int or none, not 'many'"),
        ("depth", "option 'depth' needs a value"),
        ("depth=1,depth=2", "option 'depth' is given twice"),
        ("self=1", "no option 'self'"),
    ],
)
def test_wrong_options_are_named(text: str, complaint: str) -> None:
    with pytest.raises(PlayerError, match=complaint):
        keyword_options(Configurable, text)


def test_a_constructor_may_take_the_options_of_its_base_class() -> None:
    assert keyword_options(Choosy, "rule=shallow,depth=2") == {"rule": "shallow", "depth": 2}
    assert keyword_options(Demanding, "depth=2") == {"depth": 2}
    with pytest.raises(PlayerError, match="no option 'share'; options are depth"):
        keyword_options(Demanding, "depth=2,share=0.5")
    with pytest.raises(PlayerError, match=r"options are rule \(deep or shallow\), depth \(int\)"):
        keyword_options(Choosy, "dept=2")


def test_one_of_some_words_may_be_asked_for() -> None:
    with pytest.raises(PlayerError, match="option 'rule' is deep or shallow, not 'none'"):
        keyword_options(Choosy, "rule=none")


def test_a_missing_option_is_named() -> None:
    with pytest.raises(PlayerError, match="option 'depth' must be given"):
        keyword_options(Demanding, "")


def test_a_player_without_options_says_so() -> None:
    with pytest.raises(PlayerError, match="legal:x=1: no option 'x'; this player takes no options"):
        make_player("legal:x=1")


def test_players_are_found_by_name_and_by_path() -> None:
    assert {"legal", "random"} <= set(player_names())
    assert type(make_player("random:seed=3")).__name__ == "Random"
    # The module is loaded under its own name, whatever name it has as a test.
    assert type(make_player(f"{HERE}.Configurable:depth=2")).__name__ == "Configurable"


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        (f"{HERE}.Configurable:depth=10", "ValueError: depth is at most 9"),
        (f"{HERE}.HERE", "not a subclass of ggp.match.Player"),
        (f"{HERE}.Missing", "no attribute 'Missing'"),
        ("ggp.match.Player", "[Aa]bstract"),
        ("", "no such player; there are "),
        (".", "no such player; there are "),
    ],
)
def test_a_player_that_cannot_be_made_is_an_error(spec: str, complaint: str) -> None:
    with pytest.raises(PlayerError, match=complaint):
        make_player(spec)


def test_a_seed_is_given_where_it_is_taken() -> None:
    assert with_seed("random", 3) == "random:seed=3"
    assert with_seed("random:", 3) == "random:seed=3"
    assert with_seed("random: seed = 1", 3) == "random: seed = 1"
    assert with_seed("legal", 3) == "legal"


def test_the_games_own_spelling_is_found() -> None:
    legal = [Symbol("Noop"), parse_term("(move a B)"), parse_term("(move A B)")]
    assert game_spelling(Symbol("noop"), legal) == Symbol("Noop")
    assert game_spelling(parse_term("(move A B)"), legal) == legal[2]
    assert game_spelling(parse_term("(MOVE A B)"), legal) is None  # which one of the two?
    assert game_spelling(parse_term("(move b b)"), legal) is None
