"""Environments of PettingZoo, made of rulesheets.

    >>> from ggp.adapters.pettingzoo import env
    >>> play = env("tictactoe")
    >>> play.reset(seed=1)
    >>> play.agent_selection
    'x'

`env` plays by turns (AEC): where several roles choose, they do so one after the other, unseen by
the others. `parallel_env` takes a move of each role at once; a role that has to wait has one legal
move. The agents are the roles without `random`, whose moves are drawn.

An observation is a dict: ``observation``, the bits of the facts that the agent observes, and
``action_mask``, its legal moves. As in matches, a move that is not legal is replaced by a random
legal one; ``infos[agent]["illegal"]`` says so. Rewards are goals from 0 to 1, at the end.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ggp.adapters.play import Observer, Play, Table, load_table
from ggp.adapters.rendering import FRAMES_PER_SECOND, Renderer
from ggp.requirements import explained

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv, ParallelEnv
except ModuleNotFoundError as error:
    raise explained(error, extra="pettingzoo") from None

__all__ = ["ParallelGame", "TurnGame", "env", "parallel_env"]

_Observation: TypeAlias = dict[str, NDArray[np.int8]]

_MODES = ["ansi", "human", "rgb_array", "svg"]


class _Rules:
    """What both kinds of environments have in common."""

    def __init__(
        self,
        file: Path | str,
        render_mode: str | None,
        max_cycles: int | None,
        observations: str,
    ) -> None:
        self.table: Table = load_table(str(file))
        self.render_mode, self.max_cycles = render_mode, max_cycles
        self._renderer = Renderer(render_mode, modes=_MODES)
        self.possible_agents = list(self.table.names)
        self.agents: list[str] = []
        self._roles = dict(zip(self.possible_agents, self.table.players, strict=True))
        self._observer = Observer.of(self.table, observations)
        moves = self.table.game.moves
        counts = {agent: len(moves[role]) for agent, role in self._roles.items()}
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, self._observer.shape, np.int8),
                    "action_mask": spaces.Box(0, 1, (count,), np.int8),
                }
            )
            for agent, count in counts.items()
        }
        self.action_spaces = {agent: spaces.Discrete(count) for agent, count in counts.items()}
        self.state_space = spaces.Box(0, 1, (len(self.table.game.facts),), np.int8)
        self._generator = np.random.default_rng()

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return what the agent can observe."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the moves of the agent's role."""
        return self.action_spaces[agent]

    def state(self) -> NDArray[np.int8]:
        """Return the bits of all facts: int8[facts]."""
        facts: NDArray[np.int8] = self.play.state.observation[0].astype(np.int8)
        return facts

    def render(self) -> str | NDArray[np.uint8] | None:
        """Return the board as text (`ansi`), its picture (`svg`) or pixels (`rgb_array`).

        `human` prints the text. What the board does not show stands below it as facts.
        Pixels are uint8[height, width, 3].

        Raises:
            GgpError: the extra `ggp[render]` is not installed, which pixels need.
        """
        return self._renderer.render(self.play)

    def close(self) -> None:
        """Do nothing: the game stays open for other environments."""

    def _begin(self, seed: int | None) -> None:
        if seed is not None:
            self._generator = np.random.default_rng(seed)
        self.play = Play(self.table, max_steps=self.max_cycles)
        self.agents = list(self.possible_agents)
        self._draw()

    def _draw(self) -> None:
        """Let chance move, as long as it alone has to."""
        play, chance = self.play, self.table.game.chance
        while chance is not None and play.draws and not play.acting and not play.is_over:
            play.act(chance, int(self._generator.choice(play.legal(chance))))

    def _legal(self, agent: str, action: int) -> tuple[int, bool]:
        """Return a legal move, and whether it replaces one that is not legal."""
        legal = self.play.legal(self._roles[agent])
        if action in legal:
            return int(action), False
        return int(self._generator.choice(legal)), True

    def _seen(self, agent: str, *, acts: bool) -> _Observation:
        role = self._roles[agent]
        mask = self.play.mask(role)
        observed = self._observer.one(self.play.position, role)
        return {"observation": observed, "action_mask": mask if acts else np.zeros_like(mask)}

    def _rewards(self) -> dict[str, float]:
        over = self.play.is_over or self.play.is_cut
        goals = dict(zip(self.possible_agents, self.play.goals, strict=True))
        return {agent: goals[agent] / 100 if over else 0.0 for agent in self.agents}


class TurnGame(_Rules, AECEnv[str, _Observation, int]):  # type: ignore[misc]
    """A game whose agents act one after the other."""

    def __init__(
        self,
        file: Path | str,
        *,
        render_mode: str | None = None,
        max_cycles: int | None = None,
        observations: str = "facts",
    ) -> None:
        """Load a game.

        Args:
            file: a rulesheet, or the name of a bundled game.
            render_mode: "ansi", "human", "rgb_array", "svg" or None.
            max_cycles: joint moves after which a play is truncated; None for no limit.
            observations: "facts", or "planes" of the board, int8[channels, height, width].

        Raises:
            OSError: the file cannot be read.
            GgpError: the game cannot be read or compiled.
            ValueError: there is no such render mode, or kind of observations.
        """
        AECEnv.__init__(self)
        _Rules.__init__(self, file, render_mode, max_cycles, observations)
        self.metadata: dict[str, Any] = {
            "render_modes": _MODES,
            "name": self.table.game.name,
            "is_parallelizable": False,
            "render_fps": FRAMES_PER_SECOND,
        }

    def reset(
        self,
        seed: int | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002 - part of the interface
    ) -> None:
        """Begin a new play."""
        self._begin(seed)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._look()

    def observe(self, agent: str) -> _Observation:
        """Return what an agent observes; the mask of one that does not act now is empty."""
        acts = self._roles[agent] in self.play.acting and not self.terminations.get(agent, True)
        return self._seen(agent, acts=acts)

    def step(self, action: int | None) -> None:
        """Act for the agent that is selected."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        assert action is not None, "only an agent that has ended does nothing"
        move, is_replaced = self._legal(agent, action)
        self.infos[agent] = {"illegal": True} if is_replaced else {}
        self.play.act(self._roles[agent], move)
        self._draw()
        self._look()
        self.rewards = self._rewards()
        self._accumulate_rewards()

    def _look(self) -> None:
        play = self.play
        self.terminations = dict.fromkeys(self.agents, play.is_over)
        self.truncations = dict.fromkeys(self.agents, play.is_cut and not play.is_over)
        if play.is_over or play.is_cut:
            self.agent_selection = self.agents[0]
        else:
            place = self.table.players.index(play.acting[0])
            self.agent_selection = self.possible_agents[place]


class ParallelGame(_Rules, ParallelEnv[str, _Observation, int]):  # type: ignore[misc]
    """A game whose agents act all at once."""

    def __init__(
        self,
        file: Path | str,
        *,
        render_mode: str | None = None,
        max_cycles: int | None = None,
        observations: str = "facts",
    ) -> None:
        """Load a game. The arguments and errors are those of `TurnGame`."""
        _Rules.__init__(self, file, render_mode, max_cycles, observations)
        self.metadata: dict[str, Any] = {
            "render_modes": _MODES,
            "name": self.table.game.name,
            "render_fps": FRAMES_PER_SECOND,
        }

    def reset(
        self,
        seed: int | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002 - part of the interface
    ) -> tuple[dict[str, _Observation], dict[str, dict[str, Any]]]:
        """Begin a new play; return what each agent observes."""
        self._begin(seed)
        return self._observations(), {agent: {} for agent in self.agents}

    def step(
        self, actions: dict[str, int]
    ) -> tuple[
        dict[str, _Observation],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Make a joint move: return observations, rewards, ends, truncations and infos."""
        chosen, infos = [], dict[str, dict[str, Any]]()
        for agent in self.agents:
            move, is_replaced = self._legal(agent, actions[agent])
            infos[agent] = {"illegal": True} if is_replaced else {}
            chosen.append(move)
        self.play.act_all(chosen)
        self._draw()
        ended, cut = self.play.is_over, self.play.is_cut and not self.play.is_over
        rewards, observations = self._rewards(), self._observations()
        agents = self.agents
        if ended or cut:
            self.agents = []
        return (
            observations,
            rewards,
            dict.fromkeys(agents, ended),
            dict.fromkeys(agents, cut),
            infos,
        )

    def _observations(self) -> dict[str, _Observation]:
        return {agent: self._seen(agent, acts=not self.play.is_over) for agent in self.agents}


#: Environments are made by functions of these names in PettingZoo.
env = TurnGame
parallel_env = ParallelGame
