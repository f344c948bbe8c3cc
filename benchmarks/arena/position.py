"""A position in a match: a state, and how to go on from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from benchmarks.arena.openspiel.games import Matched
from benchmarks.arena.openspiel.mirror import Mirror
from ggp.kif import Term
from ggp.reasoner import Reasoner, State, View

__all__ = ["Position"]


@dataclass(frozen=True, slots=True)
class Position:
    """A state of a game."""

    reasoner: Reasoner
    state: State
    view: View
    #: The same state in OpenSpiel, where one of its bots plays.
    mirror: Mirror | None = None
    #: The number of joint moves that are the steps of a move, and share its time.
    steps: int = 1
    #: The number of the next step, from 0.
    step: int = 0

    @classmethod
    def initial(
        cls, reasoner: Reasoner, game: Matched | None = None, *, is_mirrored: bool = False
    ) -> Position:
        """Return the position in which a game begins.

        Args:
            reasoner: of the rules.
            game: what OpenSpiel has of it; None for a game of ours alone.
            is_mirrored: keep OpenSpiel's state, too, which raises `PlayerError` if it is missing.
        """
        state = reasoner.initial_state()
        mirror = Mirror.initial(game) if game and is_mirrored else None
        steps = game.steps if game else 1
        return cls(reasoner, state, reasoner.view(state), mirror, steps)

    def after(self, joint_move: Sequence[Term]) -> Position:
        """Return the position after a joint move.

        Raises:
            GgpError: OpenSpiel's rules are others.
        """
        state = self.reasoner.next_state(self.state, joint_move)
        view = self.reasoner.view(state)
        mirror = self.mirror and self.mirror.after(self.view, joint_move)
        if mirror is not None:
            mirror.check_end(view)
        step = (self.step + 1) % self.steps
        return replace(self, state=state, view=view, mirror=mirror, step=step)
