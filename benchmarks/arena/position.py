"""A position in a match: a state, and how to go on from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ggp.kif import Term
from ggp.reasoner import Reasoner, State, View

__all__ = ["Position"]


@dataclass(frozen=True, slots=True)
class Position:
    """A state of a game."""

    reasoner: Reasoner
    state: State
    view: View

    @classmethod
    def initial(cls, reasoner: Reasoner) -> Position:
        """Return the position in which a game begins."""
        state = reasoner.initial_state()
        return cls(reasoner, state, reasoner.view(state))

    def after(self, joint_move: Sequence[Term]) -> Position:
        """Return the position after a joint move."""
        state = self.reasoner.next_state(self.state, joint_move)
        return replace(self, state=state, view=self.reasoner.view(state))
