"""A state of OpenSpiel that is kept in step with a state of ours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

from benchmarks.arena.openspiel.games import Matched, Steps
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
    """The same state in OpenSpiel, where an action may consist of several of our moves."""

    matched: Matched
    #: A `pyspiel.State`: that before the action of which some steps are made.
    state: Any
    #: The steps that are made of the next action.
    made: Steps = ()

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
        """Return, for each action that begins with the steps made so far, its next joint move.

        Raises:
            GgpError: these are not the moves of our state.
        """
        number, role = len(self.made), self.role
        texts = {action: steps[number] for action, steps in self._begun().items()}
        # the last steps tell the actions apart
        ways = len(texts) if number == self.matched.steps - 1 else len(set(texts.values()))
        own = view.legal[role]
        others = [legal for each, legal in enumerate(view.legal) if each != role]
        if len(own) != ways or any(len(legal) > 1 for legal in others):
            raise GgpError(self._differ(f"{ways} actions, but {len(own)} moves"))
        if len(own) == 1:
            # a pass has a name of its own
            return dict.fromkeys(texts, self._joint(view, own[0]))
        by_text = {str(move): self._joint(view, move) for move in own}
        if unknown := set(texts.values()) - by_text.keys():
            raise GgpError(self._differ(f"no move {min(unknown)}"))
        if len(set(texts.values())) < ways:
            raise GgpError(self._differ("actions that are the same move"))
        return {action: by_text[text] for action, text in texts.items()}

    def after(self, view: View, joint_move: Sequence[Term]) -> Mirror:
        """Return the state after a joint move; its last step applies an action."""
        action = next(a for a, moves in self.moves(view).items() if moves == tuple(joint_move))
        made = self._steps(action)[: len(self.made) + 1]
        if len(made) < self.matched.steps:
            return replace(self, made=made)
        state = self.state.clone()
        state.apply_action(action)
        return replace(self, state=state, made=())

    def check_end(self, view: View) -> None:
        """Raise `GgpError` unless the game is over in both, or in neither, with equal results."""
        if view.terminal != self.state.is_terminal():
            raise GgpError(self._differ("the game is over in one of them"))
        if view.terminal:
            goals = tuple(50 + 50 * returned for returned in self.state.returns())
            if goals != view.goals:
                raise GgpError(self._differ(f"goals {view.goals}, not {goals}"))

    def _steps(self, action: int) -> Steps:
        return self.matched.moves(self.state.action_to_string(self.role, action))

    def _begun(self) -> dict[int, Steps]:
        """Return the steps of each action that begins with those made so far."""
        every = {action: self._steps(action) for action in self.state.legal_actions()}
        count = len(self.made)
        return {action: steps for action, steps in every.items() if steps[:count] == self.made}

    def _joint(self, view: View, move: Term) -> JointMove:
        return tuple(
            move if number == self.role else legal[0] for number, legal in enumerate(view.legal)
        )

    def _differ(self, how: str) -> str:
        history = " ".join(map(str, [*self.state.history(), *self.made]))
        return f"{self.matched.rules} is not OpenSpiel's {self.matched.openspiel}: {how}; {history}"
