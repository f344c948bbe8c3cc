"""The search of information sets: what a role will know in its next turn, and what others know."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from ggp.deadline import Deadline
from ggp.errors import TooManyJointMoves
from ggp.gdl import Description
from ggp.gdl.percepts import PerceivedGame
from ggp.reasoner import State, open_reasoner
from ggp.search import InformationSetSearch

#: A coin lies hidden. `safe` gets 60; `guess` comes before a guess, which gets 100 if it is right;
#: `look` costs 20 and shows the coin before that.
COIN = """
(role me) (role random) (side heads) (side tails)
(init tossing)
(<= (legal random (toss ?s)) (true tossing) (side ?s))
(<= (legal random wait) (not (true tossing)))
(<= (legal me wait) (true tossing))
(<= (legal me safe) (true choosing)) (<= (legal me guess) (true choosing))
(<= (legal me look) (true choosing) {look})
(<= (legal me (call ?s)) (true calling) (side ?s))
(<= (next choosing) (true tossing))
(<= (next (coin ?s)) (does random (toss ?s)))
(<= (next (coin ?s)) (true (coin ?s)))
(<= (next calling) (does me guess)) (<= (next calling) (does me look))
(<= (next paid) (does me look)) (<= (next paid) (true paid))
(<= (next is_safe) (does me safe))
(<= (next right) (does me (call ?s)) (true (coin ?s)))
(<= (next over) (does me safe)) (<= (next over) (does me (call ?s)))
(<= (sees me (coin ?s)) (does me look) (true (coin ?s)))
(<= terminal (true over))
(<= (goal me 60) (true is_safe))
(<= (goal me 100) (true right) (not (true paid)))
(<= (goal me 80) (true right) (true paid))
(<= (goal me 0) (not (true is_safe)) (not (true right)))
(<= (goal random 0) (true over)) (yes)
"""
CAN_LOOK, CANNOT_LOOK = COIN.format(look="(yes)"), COIN.format(look="(no)")

#: One hides a stone in a hand, then the other, to whom it is not shown, says in which one it is.
HAND = """
(role hider) (role seeker) (hand left) (hand right)
(init hiding)
(<= (legal hider (hide ?h)) (true hiding) (hand ?h))
(<= (legal seeker wait) (true hiding))
(<= (legal seeker (say ?h)) (true seeking) (hand ?h))
(<= (legal hider wait) (not (true hiding)))
(<= (next seeking) (true hiding))
(<= (next (stone ?h)) (does hider (hide ?h)))
(<= (next (stone ?h)) (true (stone ?h)))
(<= (next (said ?h)) (does seeker (say ?h)))
(<= over (true (said ?h)))
(<= found (true (said ?h)) (true (stone ?h)))
(<= terminal over)
(<= (sees seeker your_turn) (does hider (hide ?h)))
(<= (goal seeker 100) found) (<= (goal hider 0) found)
(<= (goal seeker 0) (not found)) (<= (goal hider 100) (not found))
"""


@contextmanager
def searching(
    text: str, role: int, *, toss: bool, seed: int, max_moves: int
) -> Iterator[tuple[InformationSetSearch, list[State]]]:
    """Open a search, and the states after the toss of a coin, or the initial one."""
    description = Description.from_text(text)
    name = description.roles[role]
    game = PerceivedGame.of(description, [name])
    with open_reasoner(game.description, kind="prolog") as reasoner:
        initial = reasoner.initial_state()
        states = [*reasoner.expand(initial).successors] if toss else [initial]
        yield (
            InformationSetSearch(
                reasoner,
                role,
                lambda state: game.percepts(reasoner.facts(state), name),
                max_moves=max_moves,
                seed=seed,
            ),
            states,
        )


def found(
    text: str,
    role: int,
    *,
    visits: int,
    seed: int = 0,
    max_moves: int = 1_000_000,
    toss: bool = True,
) -> tuple[dict[str, int], dict[str, float]]:
    """Return the visits and the value of each move."""
    with searching(text, role, toss=toss, seed=seed, max_moves=max_moves) as (search, states):
        generator = random.Random(seed)
        for _ in range(visits):
            search.visit(generator.choice(states), Deadline())
        moves = {str(move): count for move, count in search.move_visits().items()}
        return moves, {str(move): value for move, value in search.move_values().items()}


def test_a_role_does_not_count_on_knowing_what_it_will_not_see() -> None:
    visits, values = found(CANNOT_LOOK, 0, visits=600)
    assert max(visits, key=visits.__getitem__) == "safe"
    assert values["safe"] == 60
    assert values["guess"] == pytest.approx(50, abs=10)  # 100 if it knew the coin


def test_a_role_finds_out_what_is_worth_it() -> None:
    visits, values = found(CAN_LOOK, 0, visits=1000)
    assert max(visits, key=visits.__getitem__) == "look"
    assert values["look"] == pytest.approx(78, abs=5)


def test_another_role_does_not_know_what_it_has_not_seen() -> None:
    visits, values = found(HAND, 0, visits=600, toss=False)
    assert sum(visits.values()) == 600
    mean = sum(visits[move] * value for move, value in values.items()) / 600
    assert 20 < mean < 70  # 50 if both draw lots; 0 if the seeker saw the hand


def test_the_trees_stay_as_small_as_asked_for() -> None:
    visits, values = found(CAN_LOOK, 0, visits=200, max_moves=12)
    assert sum(visits.values()) == 200
    assert values["safe"] == 60


def test_a_seed_makes_it_repeatable() -> None:
    one, other, same = (found(CAN_LOOK, 0, visits=150, seed=seed) for seed in (1, 2, 1))
    assert one == same
    assert one != other


def test_roles_that_wait_without_end_are_left() -> None:
    text = """
        (role me) (role you) (init start)
        (<= (legal ?r wait) (role ?r)) (<= (legal me go) (true start))
        (<= (next start) (true never)) (<= terminal (true never)) (<= (goal ?r 50) (role ?r))
    """
    visits, values = found(text, 0, visits=20, toss=False)
    assert sum(visits.values()) == 20
    assert set(values.values()) == {50}


def test_where_a_role_cannot_move_all_goals_are_zero() -> None:
    text = """
        (role me) (role you) (init start) (<= (legal you wait) (true start))
        (<= (legal me wait) (true start)) (<= (legal me go) (true start))
        (<= (next over) (does me go)) (<= (next start) (does me wait))
        (<= terminal (true never)) (<= (goal ?r 50) (role ?r))
    """
    visits, values = found(text, 0, visits=50, toss=False)
    assert sum(visits.values()) == 50
    assert values["go"] == 0


def test_a_visit_is_given_up_when_the_time_is_over() -> None:
    with searching(HAND, 0, toss=False, seed=0, max_moves=100) as (search, (initial,)):
        search.visit(initial, Deadline(0.0))
        assert search.visits == 0
        assert search.move_values() == {}


def test_a_state_with_very_many_moves_is_refused() -> None:
    text = """
        (role me) (init start) (step 0 1) (step 1 2) (step 2 3) (step 3 4) (step 4 5) (step 5 6)
        (step 6 7) (step 7 8) (step 8 9) (digit 9) (<= (digit ?d) (step ?d ?e))
        (<= (legal me (say ?a ?b ?c ?d ?e))
            (digit ?a) (digit ?b) (digit ?c) (digit ?d) (step ?e ?f))
        (<= terminal (true never)) (goal me 50)
    """
    with (
        pytest.raises(TooManyJointMoves, match="90000 legal moves"),
        searching(text, 0, toss=False, seed=0, max_moves=100) as (search, (initial,)),
    ):
        search.visit(initial, Deadline())
