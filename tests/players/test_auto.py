"""The player `auto` chooses its search by the game."""

from __future__ import annotations

import pytest

from ggp.deadline import Deadline
from ggp.engine.kernels import KERNELS, load
from ggp.gdl import Description
from ggp.kif import Symbol, Term
from ggp.match import Player, PlayerContext, SearchInfo, make_player
from ggp.players.auto import Auto
from ggp.players.planner import Planner
from ggp.players.proving import Proving
from ggp.players.random import Random
from ggp.reasoner import open_reasoner
from ggp.search import LeafValueTable, Limit

pytestmark = pytest.mark.usefixtures("forked")


@pytest.mark.parametrize(
    ("game", "algorithm"),
    [("nim", "alphabeta"), ("uptoten", "alphabeta"), ("pirates", "speculative")],
)
def test_only_among_three_players_and_more_each_plays_for_itself(game: str, algorithm: str) -> None:
    player = make_player("auto")
    assert isinstance(player, Auto)
    with open_reasoner(Description.load(game), kind="prolog") as reasoner:
        player.start(PlayerContext(reasoner.roles[0], reasoner, 1.0), Deadline.after(0))
        chosen = player._player
        assert isinstance(chosen, Proving)
        assert chosen._proving.name == algorithm
        player.stop(None)


@pytest.mark.parametrize(
    ("game", "algorithm"),
    [
        ("harvest", "speculative"),  # both can gain
        ("uptoten", "alphabeta"),  # opposed, with chance
        ("rendezvous", "alphabeta"),  # both gain, but choose at once
        ("triad", "speculative"),
    ],
)
def test_two_players_who_share_interests_play_for_themselves_once_the_table_is_there(
    game: str, algorithm: str
) -> None:
    description, player = Description.load(game), Proving()
    with open_reasoner(description, kind="prolog") as reasoner:
        player.start(PlayerContext(reasoner.roles[0], reasoner, 1.0), Deadline.after(0))
        before = "speculative" if game == "triad" else "alphabeta"
        assert player._proving.name == before
        player._use(LeafValueTable.enumerate(description))
        assert player._proving.name == algorithm
        player.stop(None)


@pytest.mark.long
@pytest.mark.parametrize("game", ["spades2", "triad"])
def test_the_record_says_what_the_bounds_of_several_players_pruned(game: str) -> None:
    description = Description.load(game)
    load(KERNELS["maxn"], Deadline())
    with open_reasoner(description, kind="compiled") as reasoner:
        said: list[SearchInfo] = []
        context = PlayerContext(reasoner.roles[0], reasoner, 1.0, report=said.append)
        player = Proving(ponder=False, seed=1)
        player.start(context, Deadline.after(40))
        assert player.leaf_values.known == "complete"
        state = reasoner.initial_state()
        while not reasoner.is_terminal(state):
            legal = [reasoner.legal_moves(state, role) for role in reasoner.roles]
            *_, move = player.moves(state, Deadline.after(2))
            state = reasoner.next_state(state, [move, *(moves[0] for moves in legal[1:])])
        player.stop(reasoner.goals(state))
    assert any(info.prunes and info.classifier == "lvt" for info in said if info.is_proven)


def test_a_puzzle_is_planned() -> None:
    player = make_player("auto")
    assert isinstance(player, Auto)
    with open_reasoner(Description.load("lightsout"), kind="compiled") as reasoner:
        player.start(PlayerContext(reasoner.roles[0], reasoner, 1.0), Deadline.after(30))
        assert isinstance(player._player, Planner)
        state = reasoner.initial_state()
        while not reasoner.is_terminal(state):
            *_, move = player.moves(state, Deadline.after(10))
            state = reasoner.next_state(state, [move])
        assert reasoner.goals(state) == (100,)


#: The first of 40 moves loses at once, as do all others but one, which leads to matching pennies.
_RARELY_AT_ONCE = """
(role a) (role b) (init (phase 1))
{numbers}
(<= (legal a (go ?n)) (number ?n) (true (phase 1)))
(<= (legal b wait) (true (phase 1)))
(coin heads) (coin tails)
(<= (legal ?r (show ?c)) (role ?r) (coin ?c) (true (phase 2)))
(<= (next (phase 2)) (does a (go 39)))
(<= (next over) (does a (go ?n)) (distinct ?n 39))
(<= (next over) (true (phase 2)))
(<= (next same) (does a (show ?c)) (does b (show ?c)))
(<= terminal (true over))
(<= (goal a 100) (true same)) (<= (goal a 0) (not (true same)))
(<= (goal b 0) (true same)) (<= (goal b 100) (not (true same)))
""".format(numbers=" ".join(f"(number {n})" for n in range(40)))


@pytest.mark.long
def test_a_loss_is_not_proven_where_roles_may_choose_at_once() -> None:
    player = Proving()
    load(KERNELS["alphabeta"], Deadline())
    with open_reasoner(Description.from_text(_RARELY_AT_ONCE), kind="compiled") as reasoner:
        player.start(PlayerContext(reasoner.roles[0], reasoner, 1.0), Deadline.after(2))
        root = player._graph.root
        assert player._proven(root, Deadline.after(30)) is None
        assert player._prover is not None
        # the search is pessimistic: it takes the role's coin to be known
        result = player._prover.run(root, Limit(deadline=Deadline.after(30)))
        assert (result.value, result.exact) == (0, True)
        player.stop(None)


def test_whatever_a_player_is_asked_is_asked_of_the_player_that_was_chosen() -> None:
    asked = {name for name, each in vars(Player).items() if callable(each) and name[0] != "_"}
    assert asked <= vars(Auto).keys()


def test_the_favour_of_the_chosen_player_is_passed_on() -> None:
    player = Auto()

    class Favouring(Random):
        def policy(self) -> dict[Term, float]:
            return {Symbol("noop"): 3.0}

    player._player = Favouring()
    assert player.policy() == {Symbol("noop"): 3.0}
