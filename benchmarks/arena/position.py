"""A position in a match: a state, and how to go on from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

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

    @classmethod
    def initial(cls, reasoner: Reasoner, mirror: Mirror | None = None) -> Position:
        """Return the position in which a game begins."""
        state = reasoner.initial_state()
        return cls(reasoner, state, reasoner.view(state), mirror)

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
        return replace(self, state=state, view=view, mirror=mirror)
