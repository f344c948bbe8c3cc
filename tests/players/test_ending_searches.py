"""Whatever a player searches ends with the clock that it was given."""

from __future__ import annotations

from pathlib import Path

from ggp import search
from ggp.deadline import Deadline
from ggp.gdl import Description
from ggp.match import PlayerContext, make_player
from ggp.players.deepening import Deepening
from ggp.reasoner.prolog.reasoner import PrologReasoner
from ggp.search import NO_LIMIT, Limit

GAMES = Path(__file__).parents[2] / "games"


class Watching(search.Speculative):
    """Ends the pondering when it is asked, and notes whether its own deadline is over then."""

    pondering: Deadline
    are_over: list[bool]

    def run(self, node: int | None = None, limit: Limit = NO_LIMIT) -> search.SearchResult:
        self.pondering.cancel()
        self.are_over.append(limit.deadline.is_over)
        return super().run(node, Limit(depth=1, nodes=limit.nodes))


def test_every_search_of_a_pondering_player_ends_with_the_pondering() -> None:
    with PrologReasoner(Description.load(GAMES / "tictactoe.kif")) as reasoner:
        player = make_player("maxn:ponder=true")
        assert isinstance(player, Deepening)
        player.start(PlayerContext(reasoner.roles[0], reasoner, 1.0), Deadline.after(0))
        # in the place of machine code
        watching = Watching(player._graph)
        watching.pondering, watching.are_over = Deadline.after(100), []
        player._engine = watching
        state = reasoner.initial_state()
        move = reasoner.legal_moves(state, reasoner.roles[0])[0]
        player.ponder(state, move, watching.pondering)
    assert watching.are_over
    assert all(watching.are_over)
