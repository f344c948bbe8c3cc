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


#: A die is thrown; what is seen is told by the state that comes.
DIE = """
(role a) (role random) (init (at 0)) (init (kept x)) (die 1) (die 2)
(<= (legal random (roll ?d)) (die ?d)) (legal a wait)
(<= (next (at ?d)) (does random (roll ?d)))
(<= (next ?f) (true ?f) (keeps ?f))
(keeps (kept x))
(<= terminal (true (at 2)))
(<= (goal a 100) (true (at 2))) (<= (goal a 0) (not (true (at 2))))
"""
_A = Symbol("a")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("sees", "percepts"),
    [
        ("(<= (sees a (now ?d)) (next (at ?d)))", [["(now 1)"], ["(now 2)"]]),
        ("(<= (sees a ?d) (came ?d)) (<= (came ?d) (next (at ?d)))", [["1"], ["2"]]),
        ("(<= (sees a ?f) (next ?f))", [["(at 1)", "(kept x)"], ["(at 2)", "(kept x)"]]),
        ("(<= (sees a ?f) (Next ?f) (not (keeps ?f)))", [["(at 1)"], ["(at 2)"]]),
        ("(<= (sees a ?f) (true ?f))", [["(at 0)", "(kept x)"], ["(at 1)", "(kept x)"]]),
        ("(<= (sees a ?f) (or (next ?f) ((true ?f))) (not (keeps ?f)))",
         [["(at 0)", "(at 1)"], ["(at 1)", "(at 2)"]]),
        ("(<= (sees a high) (not (next (at 1))))", [[], ["high"]]),
        ("(<= (sees ?r (does ?q ?m)) (role ?r) (does ?q ?m))",
         [["(does a wait)", "(does random (roll 1))"],
          ["(does a wait)", "(does random (roll 2))"]]),
    ],
)  # fmt: skip
def test_a_role_may_see_what_comes_and_any_term(
    kind: str, sees: str, percepts: list[list[str]]
) -> None:
    game = PerceivedGame.of(Description.from_text(DIE + sees), [_A])
    seen, own = [], []
    with open_reasoner(game.description, kind=kind) as reasoner:
        state = reasoner.initial_state()
        for number in (1, 2):
            state = reasoner.next_state(state, parse(f"wait (roll {number})"))
            facts = reasoner.facts(state)
            seen.append(sorted(map(str, game.percepts(facts, _A))))
            own.append(sorted(map(str, game.own_facts(facts))))
    assert seen == percepts
    assert own == [["(at 1)", "(kept x)"], ["(at 2)", "(kept x)"]]


@pytest.mark.parametrize("kind", KINDS)
def test_a_game_that_keeps_every_fact_keeps_no_percept(kind: str) -> None:
    rules = DIE.replace("(keeps ?f)", "(distinct ?f (at 0)) (not (true (at 1)))")
    rules += "(<= (sees a ?d) (does random (roll ?d)))"
    game = PerceivedGame.of(Description.from_text(rules), [_A])
    with open_reasoner(game.description, kind=kind) as reasoner:
        state = reasoner.initial_state()
        for number in (2, 1):
            state = reasoner.next_state(state, parse(f"wait (roll {number})"))
            assert list(map(str, game.percepts(reasoner.facts(state), _A))) == [str(number)]
