from __future__ import annotations

import pytest

from ggp.gdl import Description
from ggp.gdl.percepts import PerceivedGame
from ggp.kif import Symbol, parse
from ggp.reasoner import KINDS, open_reasoner

#: Chance throws a coin, and only one of two roles sees how it falls.
COIN = """
(role random) (role left) (role right)
(init ready)
(<= (legal random ?side) (side ?side)) (legal left wait) (legal right wait)
(side heads) (side tails)
(<= (next (coin ?side)) (does random ?side))
(<= (sees left ?side) (does random ?side))
(sees right percept)
(<= (sees ?role bell) (role ?role))
(<= terminal (true (coin ?side)))
(<= (goal ?role 50) (role ?role))
"""
RANDOM, LEFT, RIGHT = (Symbol(name) for name in ("random", "left", "right"))


@pytest.mark.parametrize("kind", KINDS)
def test_the_next_state_tells_what_was_perceived(kind: str) -> None:
    game = PerceivedGame.of(Description.from_text(COIN), [LEFT, RIGHT])
    with open_reasoner(game.description, kind=kind) as reasoner:
        initial = reasoner.initial_state()
        facts = reasoner.facts(reasoner.next_state(initial, parse("tails wait wait")))
        assert not game.percepts(reasoner.facts(initial), LEFT)
    assert sorted(map(str, game.percepts(facts, LEFT))) == ["bell", "tails"]
    assert sorted(map(str, game.percepts(facts, RIGHT))) == ["bell", "percept"]
    assert not game.percepts(facts, RANDOM)
    assert list(map(str, game.own_facts(facts))) == ["(coin tails)"]


def test_percepts_last_for_one_step() -> None:
    rules = COIN.replace("(<= terminal (true (coin ?side)))", "(<= terminal (true never))")
    game = PerceivedGame.of(Description.from_text(rules), [LEFT])
    with open_reasoner(game.description, kind="prolog") as reasoner:
        state = reasoner.next_state(reasoner.initial_state(), parse("tails wait wait"))
        facts = reasoner.facts(reasoner.next_state(state, parse("heads wait wait")))
    assert sorted(map(str, game.percepts(facts, LEFT))) == ["bell", "heads"]


def test_the_new_word_is_none_of_the_games() -> None:
    game = PerceivedGame.of(Description.from_text(COIN), [LEFT])
    assert game.name.text not in COIN.replace("(", " ").replace(")", " ").split()


def test_nothing_else_changes() -> None:
    plain = Description.from_text(COIN)
    game = PerceivedGame.of(plain, [LEFT, RIGHT])
    with open_reasoner(plain) as one, open_reasoner(game.description) as other:
        assert one.roles == other.roles
        state, twin = one.initial_state(), other.initial_state()
        assert one.view(state) == other.view(twin)
        joint_move = parse("heads wait wait")
        state, twin = one.next_state(state, joint_move), other.next_state(twin, joint_move)
        assert one.view(state) == other.view(twin)
        assert one.facts(state) == game.own_facts(other.facts(twin))
