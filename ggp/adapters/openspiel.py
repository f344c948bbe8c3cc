"""Games of OpenSpiel, made of rulesheets. Importing this module registers the game ``gdl``.

    >>> import pyspiel
    >>> import ggp.adapters.openspiel
    >>> game = pyspiel.load_game("gdl(file=tictactoe)")
    >>> state = game.new_initial_state()
    >>> state.action_to_string(state.legal_actions()[0])
    '(place 1 1)'

Parameters: ``file``, a rulesheet or the name of a bundled game; ``max_steps``, the number of joint
moves after which a play ends with the goals as they stand. By default it is 100 and four times the
length of the longest of 512 random playouts.

The players are the roles without `random`, which makes chance nodes. Where several players choose
in some state, the game is one of simultaneous moves. If the goals of two players add up to 100,
the game is zero-sum, with utilities from -1 to 1; otherwise utilities are goals from 0 to 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ggp.adapters.play import Play, Table, load_table
from ggp.requirements import explained

try:
    import pyspiel
    from open_spiel.python.observation import IIGObserverForPublicInfoGame
except ModuleNotFoundError as error:
    raise explained(error, extra="openspiel") from None

__all__ = ["GdlGame", "GdlObserver", "GdlState"]

_DEFAULTS = {"file": "tictactoe", "max_steps": 0}


class GdlGame(pyspiel.Game):  # type: ignore[misc]
    """A game of OpenSpiel that a rulesheet describes."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        """Load the rulesheet that the parameters name. Raises as `ggp.Game.load`."""
        params = {**_DEFAULTS, **(params or {})}
        self.table = table = load_table(params["file"])
        profile = table.profile
        #: The most joint moves of a play.
        self.max_steps = params["max_steps"] or 100 + 4 * profile.longest
        #: Whether utilities are from -1 to 1, instead of from 0 to 1.
        self.is_zero_sum = len(table.players) == 2 and profile.goal_sum == 100
        self.is_simultaneous = profile.simultaneous
        game, count = table.game, len(table.players)
        outcomes = 0 if game.chance is None else len(game.moves[game.chance])
        total = None if profile.goal_sum is None else profile.goal_sum / 100
        low, high = (goal / 100 for goal in self._range())
        super().__init__(
            _type(table, zero_sum=self.is_zero_sum),
            pyspiel.GameInfo(
                num_distinct_actions=max(len(game.moves[role]) for role in table.players),
                max_chance_outcomes=outcomes,
                num_players=count,
                min_utility=2 * low - 1 if self.is_zero_sum else low,
                max_utility=2 * high - 1 if self.is_zero_sum else high,
                utility_sum=0.0 if self.is_zero_sum else total,
                max_game_length=self.max_steps * (1 if profile.simultaneous else count),
            ),
            params,
        )

    def _range(self) -> tuple[int, int]:
        """Return the lowest and the highest goal of a player; a missing one counts as 0."""
        values = [self.table.game.goal_values[role] for role in self.table.players]
        goals = np.maximum(np.concatenate(values), 0)
        return int(goals.min()), max(int(goals.max()), int(goals.min()) + 1)

    def new_initial_state(self, state: object = None) -> GdlState:  # noqa: ARG002 - their signature
        """Return the state that the game begins in."""
        return GdlState(self)

    def max_chance_nodes_in_history(self) -> int:
        """Return how many moves chance makes at most."""
        return 0 if self.table.game.chance is None else self.max_steps

    def make_py_observer(
        self, iig_obs_type: Any = None, params: dict[str, Any] | None = None
    ) -> object:
        """Return an observer of the facts that a player knows: as bits, and as text."""
        if iig_obs_type is None or self.table.has_imperfect_information:
            return GdlObserver(self.table, iig_obs_type, params)
        if iig_obs_type.public_info and not iig_obs_type.perfect_recall:
            return GdlObserver(self.table, iig_obs_type, params)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)


class GdlState(pyspiel.State):  # type: ignore[misc]
    """A state of a play."""

    def __init__(self, game: GdlGame) -> None:
        """Begin a play; `GdlGame.new_initial_state` does it."""
        super().__init__(game)
        self.play = Play(game.table, max_steps=game.max_steps)
        self._is_zero_sum, self._is_simultaneous = game.is_zero_sum, game.is_simultaneous
        #: Per player what it has done and observed, turn by turn; for games of GDL-II.
        self.memories: list[list[str]] = [[] for _ in game.table.players]

    def current_player(self) -> int:
        """Return who acts: a player, chance, all at once, or TERMINAL."""
        play = self.play
        if play.is_over or play.is_cut:
            return int(pyspiel.PlayerId.TERMINAL)
        if not play.acting:
            return int(pyspiel.PlayerId.CHANCE)
        if self._is_simultaneous:
            return int(pyspiel.PlayerId.SIMULTANEOUS)
        return play.table.players.index(play.acting[0])

    def is_terminal(self) -> bool:
        """Return whether the play is over."""
        return self.play.is_over or self.play.is_cut

    def returns(self) -> list[float]:
        """Return the utilities; 0 before the end."""
        if not self.is_terminal():
            return [0.0] * len(self.play.table.players)
        if self._is_zero_sum:
            return [goal / 50 - 1 for goal in self.play.goals]
        return [goal / 100 for goal in self.play.goals]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the moves of chance with their probabilities."""
        moves = self.play.legal(self._chance)
        return [(move, 1 / len(moves)) for move in moves]

    @property
    def _chance(self) -> int:
        chance = self.play.table.game.chance
        assert chance is not None
        return chance

    def _legal_actions(self, player: int) -> list[int]:
        return self.play.legal(self.play.table.players[player])

    def _apply_action(self, action: int) -> None:
        play = self.play
        role = play.acting[0] if play.acting else self._chance
        self._do(lambda: play.act(role, action), {role: action})

    def _apply_actions(self, actions: list[int]) -> None:
        done = dict(zip(self.play.table.players, actions, strict=True))
        self._do(lambda: self.play.act_all(list(actions)), done)

    def _do(self, make: Any, moves: dict[int, int]) -> None:
        table, steps = self.play.table, self.play.steps
        if table.has_imperfect_information:
            for place, role in enumerate(table.players):
                if role in moves:
                    self.memories[place].append(str(table.game.moves[role][moves[role]]))
        make()
        if table.has_imperfect_information and self.play.steps > steps:
            for place, role in enumerate(table.players):
                facts = " ".join(map(str, table.observed_facts(self.play.state, role)))
                self.memories[place].append(f"[{facts}]")

    def _action_to_string(self, player: int, action: int) -> str:
        role = self._chance if player < 0 else self.play.table.players[player]
        return str(self.play.table.game.moves[role][action])

    def __str__(self) -> str:
        return f"{self.play}\n{self.play.steps} moves\n"


class GdlObserver:
    """Observes the facts that a player knows of a state: bits, and text."""

    def __init__(
        self, table: Table, kind: Any = None, params: dict[str, Any] | None = None
    ) -> None:
        """Observe states of a game; `kind` is a `pyspiel.IIGObservationType`."""
        if params:
            raise ValueError(f"observations have no parameters, and not {params}")
        self._table, self._recalls = table, kind is not None and kind.perfect_recall
        self._is_private = table.has_imperfect_information and (
            kind is not None and kind.private_info == pyspiel.PrivateInfoType.NONE
        )
        self.tensor = np.zeros(table.observation_size, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: GdlState, player: int) -> None:
        """Write what a player observes into `tensor`."""
        role = self._table.players[player]
        self.tensor[:] = self._table.observed(state.play.position, role)

    def string_from(self, state: GdlState, player: int) -> str | None:
        """Return what a player observes as text; with perfect recall, all since the beginning."""
        if self._is_private:
            return None
        if not self._table.has_imperfect_information:
            return str(state)
        if self._recalls:
            return f"{self._table.names[player]}: {' '.join(state.memories[player])}"
        role = self._table.players[player]
        facts = self._table.observed_facts(state.play.state, role)
        return f"{self._table.names[player]}: {' '.join(map(str, facts))} {state.play.steps}"


def _type(table: Table | None, *, zero_sum: bool) -> pyspiel.GameType:
    kinds = pyspiel.GameType
    profile = None if table is None else table.profile
    has_chance = table is not None and table.game.chance is not None
    hides = table is not None and table.has_imperfect_information
    sums = profile is not None and profile.goal_sum is not None
    most = 100 if table is None else len(table.players)
    return kinds(
        short_name="gdl",
        long_name="Game Description Language",
        dynamics=kinds.Dynamics.SIMULTANEOUS
        if profile is not None and profile.simultaneous
        else kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC
        if has_chance
        else kinds.ChanceMode.DETERMINISTIC,
        information=kinds.Information.IMPERFECT_INFORMATION
        if hides
        else kinds.Information.PERFECT_INFORMATION,
        utility=kinds.Utility.ZERO_SUM
        if zero_sum
        else kinds.Utility.CONSTANT_SUM
        if sums
        else kinds.Utility.GENERAL_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=most,
        min_num_players=1 if table is None else most,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=_DEFAULTS,
    )


pyspiel.register_game(_type(None, zero_sum=False), GdlGame)
