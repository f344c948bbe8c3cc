"""A player that only has `moves`, in a game that hides something."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from ggp.deadline import Deadline, TimeUp
from ggp.gdl import Description
from ggp.gdl.percepts import PerceivedGame
from ggp.kif import Symbol, Term
from ggp.match import Player, PlayerContext, PossibleStates
from ggp.reasoner import State, open_reasoner
from tests.match.test_possible_states import seen


class Faithful(Player):
    """Keeps the door where the car is behind it, and thinks as long as it may."""

    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:
        reasoner = self.context.reasoner
        legal = reasoner.legal_moves(state, self.context.role)
        yield legal[0]
        if len(legal) == 2:
            has_chosen_car = "(car 1)" in map(str, reasoner.facts(state))
            yield next(move for move in legal if (str(move) == "keep") == has_chosen_car)
        raise TimeUp


class Slow(Player):
    """Yields its move at once, and then thinks until its time is up."""

    def __init__(self) -> None:
        self.asked = 0

    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:
        self.asked += 1
        yield self.context.reasoner.legal_moves(state, self.context.role)[0]
        while True:
            deadline.check()


@contextmanager
def seated(player: Player) -> Iterator[PossibleStates]:
    """Let a player begin in Monty Hall; yield the states that it takes for possible."""
    role = Symbol("candidate")
    game = PerceivedGame.of(Description.load("montyhall"), [role])
    with open_reasoner(game.description, kind="prolog") as reasoner:
        player.start(PlayerContext(role, reasoner, 1.0), Deadline())
        yield PossibleStates(reasoner, game, role)


@pytest.mark.sample(1)
def test_it_votes_where_several_states_are_possible() -> None:
    player = Faithful()
    with seated(player) as possible:
        moves = player.moves_among(possible, Deadline())
        # one state is possible: its moves come as the player yields them
        assert str(next(moves)) == "noop"
        with pytest.raises(TimeUp):
            next(moves)
        for move, percepts in ("noop", ()), ("(choose 1)", ()), ("noop", ("(opened 3)",)):
            possible.advance(seen(move, *percepts), Deadline())
        assert len(possible.probabilities) == 2
        # time that is up too soon ends the vote
        with pytest.raises(TimeUp):
            list(player.moves_among(possible, Deadline()))


def test_the_time_for_one_state_may_be_up_before_the_vote_is_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    player = Slow()
    with seated(player) as possible:
        possible.advance(seen("noop"), Deadline())
        possible.advance(seen("(choose 1)"), Deadline())
        monkeypatch.setattr(Deadline, "part", lambda _self, _share: Deadline(0.0))
        moves = [*player.moves_among(possible, Deadline())]
    assert player.asked == 8
    assert list(map(str, moves)) == ["noop"] * 8
