"""Environments of Gymnasium, made of rulesheets: one role acts, others play the other roles.

    >>> from ggp.adapters.gymnasium import RoleEnv
    >>> env = RoleEnv("tictactoe", role="x", opponents={"o": "legal"})
    >>> observation, info = env.reset(seed=1)
    >>> int(info["action_mask"].sum())
    9

``gymnasium.make("ggp/tictactoe")`` makes the same, and ``gymnasium.make_vec`` many at once;
likewise for the other bundled games, and ``"ggp/rulesheet"`` takes ``file=``.

An observation is the bits of the facts that the role observes. ``info["action_mask"]`` has its
legal moves; a move that is not legal is replaced by a random legal one, as in matches, and
``info["illegal"]`` says so. The reward is the role's goal from 0 to 1, at the end. States in which
the role has no choice are passed over.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ggp.adapters.play import Observer, Play, Table, load_table
from ggp.adapters.rendering import FRAMES_PER_SECOND, Renderer
from ggp.batch import States
from ggp.deadline import Deadline, TimeUp
from ggp.errors import PlayerError
from ggp.gdl.bundled import bundled_games
from ggp.match import Player, PlayerContext, make_player
from ggp.requirements import explained

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ModuleNotFoundError as error:
    raise explained(error, extra="gymnasium") from None

__all__ = ["RoleEnv", "RoleVectorEnv"]

# Seconds for which a player prepares for a play.
_START_CLOCK = 5.0


def _role_of(table: Table, role: str | None) -> int:
    """Return the number of a player's role; the first one by default. Raises `ValueError`."""
    name = table.names[0] if role is None else role
    if name not in table.names:
        raise ValueError(f"{table.game.name} has no role {name}, but {', '.join(table.names)}")
    return table.players[table.names.index(name)]


class RoleEnv(gymnasium.Env[NDArray[np.int8], np.int64]):
    """One role of a game."""

    metadata = {  # noqa: RUF012 - so it is in Gymnasium
        "render_modes": ["ansi", "rgb_array", "svg"],
        "render_fps": FRAMES_PER_SECOND,
    }

    def __init__(
        self,
        file: Path | str,
        *,
        role: str | None = None,
        opponents: Mapping[str, str] | None = None,
        play_clock: float = 1.0,
        max_steps: int | None = None,
        observations: str = "facts",
        render_mode: str | None = None,
    ) -> None:
        """Load a game.

        Args:
            file: a rulesheet, or the name of a bundled game.
            role: the role that acts; the first one by default.
            opponents: by role, the player of it, such as ``{"o": "mcts:threads=1"}``; other roles
                move at random.
            play_clock: seconds that an opponent has for each move.
            max_steps: joint moves after which a play is truncated; None for no limit.
            observations: "facts", or "planes" of the board, int8[channels, height, width], whose
                channels `ggp.display.Planes` names.
            render_mode: "ansi", "rgb_array", "svg" or None.

        Raises:
            OSError: the file cannot be read.
            GgpError: the game cannot be read or compiled, or there is no such player.
            ValueError: there is no such role, render mode or kind of observations.
        """
        self._renderer = Renderer(render_mode, modes=self.metadata["render_modes"])
        self.table, self.render_mode, self.max_steps = load_table(str(file)), render_mode, max_steps
        self.role = _role_of(self.table, role)
        self._specs = {_role_of(self.table, name): spec for name, spec in (opponents or {}).items()}
        if self._specs and self.table.has_imperfect_information:
            raise PlayerError("opponents other than random players need perfect information")
        for spec in self._specs.values():
            make_player(spec)
        self._play_clock = play_clock
        self._observer = Observer.of(self.table, observations)
        self.observation_space = spaces.Box(0, 1, self._observer.shape, np.int8)
        self.action_space = spaces.Discrete(len(self.table.game.moves[self.role]))

    def reset(
        self,
        *,
        seed: int | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002 - part of the interface
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Begin a new play.

        Args:
            seed: of what is drawn at random; None to go on with the numbers of the play before.
            options: not used.

        Returns:
            The first observation in which the role has a choice, or the play is over: int8 of the
            shape of `observation_space`; and the info, whose ``action_mask`` is int8[moves].
        """
        super().reset(seed=seed)
        self.play = Play(self.table, max_steps=self.max_steps)
        self._players = {role: self._started(spec, role) for role, spec in self._specs.items()}
        self._seed = int(self.np_random.integers(2**63))
        if len(self.play.legal(self.role)) == 1 and not self.play.is_over:
            self._move(self.play.legal(self.role)[0])
        return self._observed(), self._info()

    def step(
        self, action: np.int64 | int
    ) -> tuple[NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        """Make a move, and those of the others until the role has a choice again.

        Args:
            action: the number of a move of the role; in place of one that is not legal, a legal
                one is drawn at random.

        Returns:
            The observation; the reward, from 0 to 1, which is 0 before the end; whether the play is
            over; whether it is cut by `max_steps`; and the info, as `reset` returns it, with
            ``illegal`` if the action was not legal.
        """
        legal = self.play.legal(self.role)
        illegal = int(action) not in legal
        self._move(int(self.np_random.choice(legal)) if illegal else int(action))
        play = self.play
        ended, cut = play.is_over, play.is_cut and not play.is_over
        goal = max(0, play.position.goals[self.role])
        info = self._info() | ({"illegal": True} if illegal else {})
        return self._observed(), goal / 100 if ended or cut else 0.0, ended, cut, info

    def render(self) -> Any:
        """Return the board as text (`ansi`), a picture (`svg`) or its pixels (`rgb_array`).

        Pixels are uint8[height, width, 3].

        Raises:
            GgpError: the extra `ggp[render]` is not installed, which pixels need.
        """
        return self._renderer.render(self.play)

    def _move(self, move: int) -> None:
        """Make a joint move with this one, and others while the role has no choice."""
        play = self.play
        while True:
            joint = [-1] * len(self.table.game.roles)
            joint[self.role] = move
            for role, player in self._players.items():
                joint[role] = self._asked(player, role)
            self._seed += 1
            play.advance(joint, seed=self._seed, role=-1 if self._players else self.role)
            legal = play.legal(self.role)
            if play.is_over or play.is_cut or len(legal) != 1:
                return
            (move,) = legal

    def _started(self, spec: str, role: int) -> Player:
        player, game = make_player(spec), self.table.game
        context = PlayerContext(game.roles[role], game.reasoner, self._play_clock)
        player.start(context, Deadline.after(_START_CLOCK))
        return player

    def _asked(self, player: Player, role: int) -> int:
        """Return the move of a player: the last one that it yields, or the first legal one."""
        legal = self.play.legal(role)
        if len(legal) == 1:
            return legal[0]
        deadline = Deadline.after(self._play_clock)
        chosen = legal[0]
        try:
            for move in player.moves(self.play.state.words[0].tobytes(), deadline):
                chosen = self.table.game.move_number(role, move)
                if deadline.is_over:
                    break
        except TimeUp:
            pass
        return chosen if chosen in legal else legal[0]

    def _observed(self) -> NDArray[np.int8]:
        return self._observer.one(self.play.position, self.role)

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.play.mask(self.role)}


class RoleVectorEnv(VectorEnv[NDArray[np.int8], NDArray[np.int64], NDArray[Any]]):
    """One role of many plays at once, in machine code; the other roles move at random.

    A play that has ended begins anew with the next step, whatever the action: the autoreset mode
    ``NEXT_STEP``. ``info["action_mask"]`` is int8[num_envs, moves].
    """

    def __init__(
        self,
        file: Path | str,
        num_envs: int,
        *,
        role: str | None = None,
        max_steps: int | None = None,
        observations: str = "facts",
    ) -> None:
        """Load a game for some plays. The arguments and errors are those of `RoleEnv`."""
        self.table, self.num_envs, self.max_steps = load_table(str(file)), num_envs, max_steps
        self.role = _role_of(self.table, role)
        self.metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP}
        moves = len(self.table.game.moves[self.role])
        self._observer = Observer.of(self.table, observations)
        self.single_observation_space = spaces.Box(0, 1, self._observer.shape, np.int8)
        self.single_action_space = spaces.Discrete(moves)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self,
        *,
        seed: int | list[int | None] | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002 - part of the interface
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Begin all plays anew.

        Args:
            seed: of what is drawn at random; of several seeds, the first is taken.
            options: not used.

        Returns:
            The observations, int8[num_envs, ...] with the shape of `single_observation_space`; and
            the info, whose ``action_mask`` is int8[num_envs, moves].
        """
        super().reset(seed=seed[0] if isinstance(seed, list) else seed)
        self._states = self.table.game.init(self.num_envs)
        self._steps = np.zeros(self.num_envs, np.int64)
        self._pass_over(np.ones(self.num_envs, np.bool_))
        return self._observed(), self._info()

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[NDArray[np.int8], NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Make a move in each play, and those of the others until the role has a choice again.

        Args:
            actions: int64[num_envs], the numbers of moves of the role.

        Returns:
            The observations, as `reset` returns them; float64[num_envs], the rewards, from 0 to 1;
            bool[num_envs], which plays are over; bool[num_envs], which are cut by `max_steps`; and
            the info, as `reset` returns it.
        """
        begun_anew = self._states.terminated | self._is_cut
        self._advance(~begun_anew, np.asarray(actions))
        if begun_anew.any():
            words = self._states.words.copy()
            words[begun_anew] = self.table.game.init().words
            self._states, self._steps[begun_anew] = States(self.table.game, words), 0
        self._pass_over(np.ones(self.num_envs, np.bool_))
        ended = self._states.terminated & ~begun_anew
        cut = self._is_cut & ~ended & ~begun_anew
        goals = np.maximum(self._states.goals[:, self.role], 0) / 100
        return self._observed(), np.where(ended | cut, goals, 0.0), ended, cut, self._info()

    @property
    def _is_cut(self) -> NDArray[np.bool_]:
        if self.max_steps is None:
            return np.zeros(self.num_envs, np.bool_)
        return self._steps >= self.max_steps

    def _pass_over(self, chosen: NDArray[np.bool_]) -> None:
        """Play on where the role has no choice."""
        while True:
            choices = self._states.legal[:, self.role].sum(axis=1)
            going = chosen & (choices == 1) & ~self._states.terminated & ~self._is_cut
            if not going.any():
                return
            self._advance(going, None)

    def _advance(self, chosen: NDArray[np.bool_], actions: NDArray[np.int64] | None) -> None:
        """Make a joint move in some plays: an action that is not legal is drawn anew."""
        places, game = np.flatnonzero(chosen), self.table.game
        states = self._states[places]
        joint = np.full((len(places), len(game.roles)), -1)
        if actions is not None:
            own = actions[places]
            joint[:, self.role] = np.where(
                states.legal[np.arange(len(places)), self.role, own], own, -1
            )
        words = self._states.words.copy()
        words[places] = game.step(states, joint, seed=int(self.np_random.integers(2**63))).words
        self._states = States(game, words)
        self._steps[places] += 1

    def _observed(self) -> NDArray[np.int8]:
        return self._observer.many(self._states, self.role)

    def _info(self) -> dict[str, Any]:
        count = len(self.table.game.moves[self.role])
        return {"action_mask": self._states.legal[:, self.role, :count].astype(np.int8)}


def _register() -> None:
    """Let `gymnasium.make` find the bundled games, and any other by its file."""
    names = {path.stem: {"file": path.stem} for path in bundled_games()}
    for name, options in {**names, "rulesheet": {}}.items():
        gymnasium.register(
            f"ggp/{name}",
            entry_point=f"{__name__}:RoleEnv",
            vector_entry_point=f"{__name__}:RoleVectorEnv",
            kwargs=options,
        )


_register()
