"""A player of your own: it takes the move after which its goal is highest.

Play it against the random player, from the root of the project:

    ggp match nim examples.greedy_player.Greedy random

`python examples/greedy_player.py` plays the same match from Python.
"""

from __future__ import annotations

from collections.abc import Iterator

from ggp import Deadline, Description, open_reasoner
from ggp.kif import Term
from ggp.match import Player, PlayerContext
from ggp.reasoner import State

__all__ = ["Greedy"]


class Greedy(Player):
    """Looks one joint move ahead, and takes the others' first best moves for granted."""

    def __init__(self, *, default: int = 0) -> None:
        """Take the goal that counts where the rules give none: ``Greedy:default=50``."""
        self.default = default

    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:
        """Yield better and better moves; the last one is played."""
        reasoner, me = self.context.reasoner, self.context.index
        expansion = reasoner.expand(state)
        best = -1
        for joint_move, successor in zip(expansion.joint_moves, expansion.successors, strict=True):
            deadline.check()
            goal = reasoner.goals(successor)[me]
            goal = self.default if goal is None else goal
            if goal > best:
                best = goal
                yield joint_move[me]


def main() -> None:
    """Play one game of nim: the greedy player against the first legal move."""
    with open_reasoner(Description.load("nim")) as reasoner:
        player = Greedy()
        player.start(PlayerContext(reasoner.roles[0], reasoner, play_clock=5), Deadline.after(5))
        state = reasoner.initial_state()
        while not (view := reasoner.view(state)).terminal:
            *_, mine = player.moves(state, Deadline.after(5))
            joint_move = (mine, *(legal[0] for legal in view.legal[1:]))
            print(*joint_move)
            state = reasoner.next_state(state, joint_move)
        print("goals:", *view.goals)


if __name__ == "__main__":
    main()
