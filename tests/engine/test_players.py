"""The searching players use the reference until there is machine code, then the engine."""

from __future__ import annotations

from itertools import takewhile
from pathlib import Path

from ggp.deadline import Deadline
from ggp.gdl import Description
from ggp.match import PlayerContext, make_player
from ggp.players.deepening import Deepening
from ggp.reasoner import Reasoner, open_reasoner
from tests.engine.loaded import loaded_engine  # noqa: F401 - a fixture

GAMES = Path(__file__).parents[2] / "games"


def seated(spec: str, reasoner: Reasoner) -> Deepening:
    player = make_player(spec)
    assert isinstance(player, Deepening)
    player.start(PlayerContext(reasoner.roles[0], reasoner, 1.0), Deadline.after(0))
    return player


def test_the_engine_takes_over_in_the_middle_of_a_move() -> None:
    with open_reasoner(Description.load(GAMES / "connectfour.kif")) as reasoner:
        player = seated("alphabeta", reasoner)
        assert player._engine is None
        deadline = Deadline()
        moves = player.moves(reasoner.initial_state(), deadline)
        made = [*takewhile(lambda _: player._engine is None, moves)]
        assert str(next(moves)).startswith("(drop")
        deadline.cancel()
        assert all(str(move).startswith("(drop") for move in moves)
        assert str(made[0]) == "(drop 1)"
        assert player._engine is not None


def test_a_solved_game_is_played_from_the_table() -> None:
    with open_reasoner(Description.load(GAMES / "hexapawn.kif"), kind="compiled") as reasoner:
        player = seated("alphabeta:memory=1", reasoner)
        *_, _ = player.moves(reasoner.initial_state(), Deadline())
        assert player._engine is not None
        node = player._graph.root
        *_, result = player._engine.deepen(node)
        assert result.exact
        assert (result.expanded, result.table_hits) == (0, 1)


def test_maxn_is_searched_by_the_engine() -> None:
    with open_reasoner(Description.load(GAMES / "nim.kif"), kind="compiled") as reasoner:
        player = seated("maxn", reasoner)
        *_, move = player.moves(reasoner.initial_state(), Deadline())
        assert str(move) == "(take 1)"
        assert player._engine is not None
