"""The histories that agree with what a role perceives, against a referee and by hand."""

from __future__ import annotations

from itertools import islice

import pytest

from ggp.deadline import Deadline, TimeUp
from ggp.errors import GameError
from ggp.gdl.percepts import PerceivedGame
from ggp.kif import Symbol, parse_term
from ggp.match.histories.histories import Histories
from ggp.match.histories.turn import Turn
from tests.games.bundled import load
from tests.games.referees.boards.kriegtictactoe import referee
from tests.match.histories.games import CARDS, WIDE, histories, turn
from tests.match.test_possible_states import Belief, LotMatch, facts, filtered


def drawn(found: Histories, *, times: int = 20) -> list[set[str]]:
    """The facts of some states, without percepts."""
    states = [set(map(str, found.draw(Deadline()))) for _ in range(times)]
    return [{fact for fact in state if not fact.startswith("(percept")} for state in states]


def hand(state: set[str], player: str) -> set[str]:
    return {
        fact.removesuffix(")").split()[2] for fact in state if fact.startswith(f"(hand {player}")
    }


@pytest.mark.parametrize("player", [0, 1])
def test_each_state_is_possible_as_the_referee_has_it_and_each_possible_one_comes(
    player: int,
) -> None:
    role = Symbol("xo"[player])
    found = Histories(PerceivedGame.of(load("kriegtictactoe"), [role]), role)
    belief: Belief = {referee.start: 1.0}
    steps = list(islice(LotMatch(player, seed=1).steps(), 6))
    assert len(steps) == 6
    for move, told, _ in steps:
        belief = filtered(belief, player, move, told)
        found.advance(turn(move, *told))
        possible = {facts(state) for state in belief}
        states = {"\n".join(sorted(state)) for state in drawn(found, times=10 * len(possible))}
        assert states <= possible
        assert states == possible or len(possible) > 8


def test_what_a_role_is_dealt_is_in_its_hand() -> None:
    found = histories(CARDS)
    found.advance(turn("wait", "(got 4)"))
    found.advance(turn("wait"))
    found.advance(turn("wait", "(got 2)"))
    states = drawn(found)
    assert all(hand(state, "me") == {"4", "2"} for state in states)
    assert {card for state in states for card in hand(state, "you")} == {"1", "3", "5", "6"}


def test_a_card_that_is_played_was_dealt_to_its_player() -> None:
    found = histories(CARDS)
    for told in (["(got 4)"], [], ["(got 2)"], [], ["(got 1)"], []):
        found.advance(turn("wait", *told))
    assert {tuple(sorted(hand(state, "you"))) for state in drawn(found)} == {("3", "5", "6")}
    found = histories(CARDS)
    for told in (["(got 4)"], [], ["(got 2)"]):
        found.advance(turn("wait", *told))
    found.advance(Turn(joint_move=tuple(map(parse_term, ("wait", "wait", "(deal 6)")))))
    found.advance(turn("wait", "(got 1)"))
    found.advance(turn("wait"))
    found.advance(turn("wait", "(played you 5)"))
    assert {tuple(sorted(hand(state, "you"))) for state in drawn(found)} == {("3", "6")}


def test_what_contradicts_the_rules_has_no_history() -> None:
    found = histories(CARDS)
    found.advance(turn("wait", "(got 4)"))
    found.advance(turn("wait", "(got 4)"))
    with pytest.raises(GameError, match="no history agrees with what me has perceived"):
        found.draw(Deadline())


def test_a_percept_that_is_missing_counts() -> None:
    found = histories(CARDS)
    found.advance(turn("wait"))
    with pytest.raises(GameError):
        found.draw(Deadline())


def test_where_a_turn_has_some_moves_those_that_are_perceived_are_added() -> None:
    rules = CARDS.replace("(sees ?p (got ?c))", "(sees ?p (told (got ?c)))")
    found = histories(rules)
    found.advance(turn("wait", "(told (got 4))", some=("(deal 1)", "(deal 2)")))
    assert [hand(state, "me") for state in drawn(found, times=3)] == [{"4"}] * 3


def test_what_is_perceived_late_adds_moves_of_earlier_turns() -> None:
    found = histories(WIDE)
    found.advance(turn("wait", "quiet", some=("(deal 1 1)", "(deal 2 2)")))
    assert {str(sorted(state)) for state in drawn(found)} <= {
        "['(has 1)', '(step 1)']",
        "['(has 2)', '(step 1)']",
    }
    found.advance(turn("wait", "(first 7)"))
    assert drawn(found, times=1) == [{"(has 7)", "(step 2)"}]


def test_all_moves_are_tried_where_some_do_not_explain_what_is_missing() -> None:
    found = histories(WIDE)
    # Nothing that is perceived points at a move that is not loud.
    found.advance(turn("wait", "quiet", some=("(deal 39 1)", "(deal 38 2)")))
    (state,) = drawn(found, times=1)
    assert state.isdisjoint({"(has 37)", "(has 38)", "(has 39)"})


def test_without_time_none_is_drawn_and_it_can_be_tried_again() -> None:
    found = histories(WIDE)
    found.advance(turn("wait", "quiet", some=("(deal 39 1)",)))
    for _ in range(3):
        with pytest.raises(TimeUp):
            found.draw(Deadline(0))
    assert drawn(found, times=1)


def test_the_same_seed_draws_the_same_states() -> None:
    made = []
    for _ in range(2):
        found = histories(CARDS)
        found.advance(turn("wait", "(got 4)"))
        found.advance(turn("wait"))
        made.append(drawn(found))
    assert made[0] == made[1]
    assert len({str(sorted(state)) for state in made[0]}) == 5
