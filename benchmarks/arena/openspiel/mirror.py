"""A state of OpenSpiel that is kept in step with a state of ours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

from benchmarks.arena.openspiel.games import Matched
from ggp.errors import GgpError, PlayerError
from ggp.kif import Term
from ggp.reasoner import JointMove, View

__all__ = ["Mirror", "require_openspiel"]


def require_openspiel() -> None:
    """Raise `PlayerError` if OpenSpiel is not installed."""
    if find_spec("pyspiel") is None:
        raise PlayerError("OpenSpiel is not installed: pip install 'ggp[openspiel]'")


@dataclass(frozen=True, slots=True)
class Mirror:
    """The same state in OpenSpiel."""

    matched: Matched
    #: A `pyspiel.State`.
    state: Any

    @classmethod
    def initial(cls, matched: Matched) -> Mirror:
        """Return the state that the game begins in. Raises `PlayerError`."""
        require_openspiel()
        import pyspiel

        return cls(matched, pyspiel.load_game(matched.openspiel).new_initial_state())

    @property
    def role(self) -> int:
        """The number of the role that moves. The game must not be over."""
        return int(self.state.current_player())

    def moves(self, view: View) -> dict[int, JointMove]:
        """Return the joint move for each of OpenSpiel's actions, in the same state of ours.

        Raises:
            GgpError: they do not correspond to each other.
        """
        actions, role = self.state.legal_actions(), self.role
        own = view.legal[role]
        others = [legal for number, legal in enumerate(view.legal) if number != role]
        if len(own) != len(actions) or any(len(legal) > 1 for legal in others):
            raise GgpError(self._differ(f"{len(actions)} actions, but {len(own)} moves"))
        by_text = {str(move): move for move in own}
        found = {}
        for action in actions:
            text = self.matched.move(self.state.action_to_string(role, action))
            # a pass has a name of its own
            move = own[0] if len(own) == 1 else by_text.pop(text, None)
            if move is None:
                raise GgpError(self._differ(f"no move {text}"))
            found[action] = self._joint(view, move)
        return found

    def after(self, view: View, joint_move: Sequence[Term]) -> Mirror:
        """Return the state after a joint move."""
        action = next(a for a, moves in self.moves(view).items() if moves == tuple(joint_move))
        state = self.state.clone()
        state.apply_action(action)
        return replace(self, state=state)

    def check_end(self, view: View) -> None:
        """Raise `GgpError` unless the game is over in both, or in neither, with equal results."""
        if view.terminal != self.state.is_terminal():
            raise GgpError(self._differ("the game is over in one of them"))
        if view.terminal:
            goals = tuple(50 + 50 * returned for returned in self.state.returns())
            if goals != view.goals:
                raise GgpError(self._differ(f"goals {view.goals}, not {goals}"))

    def _joint(self, view: View, move: Term) -> JointMove:
        return tuple(
            move if number == self.role else legal[0] for number, legal in enumerate(view.legal)
        )

    def _differ(self, how: str) -> str:
        history = " ".join(map(str, self.state.history()))
        return f"{self.matched.rules} is not OpenSpiel's {self.matched.openspiel}: {how}; {history}"
