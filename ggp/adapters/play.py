"""One play of a game, as environments see it: who acts now, what each player may do and knows."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ggp.batch import Game, States
from ggp.batch.single import Position
from ggp.display import Planes
from ggp.gdl import Description
from ggp.gdl.percepts import PerceivedGame
from ggp.kif import Compound, Term
from ggp.match.board import board_and_rest

__all__ = ["Observer", "Play", "Profile", "Table", "load_table"]

# Games that are kept open: libraries load a game anew for each copy that they make.
_OPEN = 32
# Random playouts from which a profile is drawn, and the most joint moves of one.
_SAMPLE, _LONGEST = 512, 2000
# The most joint moves that a play makes by itself.
_NO_LIMIT = 1 << 30


@dataclass(frozen=True, slots=True)
class Profile:
    """What random playouts have shown of a game: observed, not proved."""

    #: Whether several players chose in one state.
    simultaneous: bool
    #: Joint moves of the longest playout.
    longest: int
    #: The sum of the players' goals at the end, if it was always the same.
    goal_sum: int | None


class Table:
    """A game, its players, and what they perceive.

    The players are the roles without chance. In a game of GDL-II, a player observes what it has
    perceived of the last joint move; in other games it observes the state.
    """

    def __init__(self, file: Path | str, *, time_limit: float | None = None) -> None:
        """Compile a rulesheet. Raises as `Game.load`."""
        self.file = str(file)
        description = Description.load(file)
        self.has_imperfect_information = description.has_imperfect_information
        self._perceived: PerceivedGame | None = None
        if self.has_imperfect_information:
            players = [role for role in description.roles if str(role) != "random"]
            self._perceived = PerceivedGame.of(description, players)
            description = self._perceived.description
        self.game = Game(description, name=Path(file).stem, time_limit=time_limit)
        #: The numbers of the players' roles.
        self.players = [i for i in range(len(self.game.roles)) if i != self.game.chance]
        self.names = [str(self.game.roles[role]) for role in self.players]

    def __deepcopy__(self, memo: object) -> Table:
        return self

    def __reduce__(self) -> tuple[Callable[[str], Table], tuple[str]]:
        return load_table, (self.file,)

    @cached_property
    def _own_facts(self) -> list[NDArray[np.intp]]:
        """Per role, the numbers of the facts that it may observe."""
        if self._perceived is None:
            return [np.arange(len(self.game.facts))] * len(self.game.roles)
        named = [
            fact.items[1]
            if isinstance(fact, Compound) and fact.items[0] == self._perceived.name
            else None
            for fact in self.game.facts
        ]
        return [
            np.array([i for i, n in enumerate(named) if n == role], np.intp)
            for role in self.game.roles
        ]

    @property
    def observation_size(self) -> int:
        """How many bits an observation has."""
        return max(1, *map(len, self._own_facts))

    def observation(self, states: States, role: int) -> NDArray[np.int8]:
        """Return what a player observes of states: int8[n, observation_size]."""
        own = self._own_facts[role]
        observed = np.zeros((len(states), self.observation_size), np.int8)
        observed[:, : len(own)] = states.observation[:, own]
        return observed

    def observed(self, position: Position, role: int) -> NDArray[np.int8]:
        """Return what a player observes of a position: int8[observation_size]."""
        bits = np.unpackbits(
            position.words.view(np.uint8)[0], count=len(self.game.facts), bitorder="little"
        )
        if self._perceived is None:
            return bits.view(np.int8)
        own = self._own_facts[role]
        observed = np.zeros(self.observation_size, np.int8)
        observed[: len(own)] = bits[own]
        return observed

    def observed_facts(self, state: States, role: int) -> list[Term]:
        """Return the facts of one state that a player observes."""
        own = self._own_facts[role]
        return [self.game.facts[k] for k in own[state.observation[0, own] != 0]]

    @cached_property
    def profile(self) -> Profile:
        """What random playouts show of the game; the same in each process."""
        game, states = self.game, self.game.init(_SAMPLE)
        simultaneous, steps = False, 0
        while steps < _LONGEST and not states.terminated.all():
            simultaneous |= bool(((states.current_player < 0) & ~states.terminated).any())
            states = game.step(states, game.random_moves(states, seed=steps))
            steps += 1
        ended = np.maximum(states[states.terminated].goals[:, self.players], 0)
        sums = set(ended.sum(axis=1).tolist())
        return Profile(
            simultaneous=simultaneous,
            longest=steps,
            goal_sum=sums.pop() if len(sums) == 1 else None,
        )


@dataclass(frozen=True, slots=True)
class Observer:
    """How environments show states to players: as facts, or as planes of the board."""

    table: Table
    planes: Planes | None

    @classmethod
    def of(cls, table: Table, kind: str) -> Observer:
        """Return the observer of a kind, "facts" or "planes".

        Raises:
            ValueError: there is no such kind, or planes would show what the game hides.
        """
        if kind not in ("facts", "planes"):
            raise ValueError(f'observations are "facts" or "planes", not {kind!r}')
        if kind == "facts":
            return cls(table, None)
        if table.has_imperfect_information:
            raise ValueError(f"{table.game.name} hides something, which planes would show")
        return cls(table, Planes.of(table.game))

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of an observation: (facts,), or (channels, height, width)."""
        return (self.table.observation_size,) if self.planes is None else self.planes.shape

    def one(self, position: Position, role: int) -> NDArray[np.int8]:
        """Return what a player observes of a position."""
        observed = self.table.observed(position, role)
        if self.planes is None:
            return observed
        observed = self.planes.observe(observed[None].view(np.uint8)).view(np.int8)
        return np.asarray(observed[0])

    def many(self, states: States, role: int) -> NDArray[np.int8]:
        """Return what a player observes of n states, one row for each."""
        if self.planes is None:
            return self.table.observation(states, role)
        return self.planes.observe(states.observation).view(np.int8)


@lru_cache(_OPEN)
def load_table(file: str) -> Table:
    """Return a game that is open already, or open it. Raises as `Game.load`."""
    return Table(file)


class Play:
    """One play. Players choose one after the other, unseen by the others, where several choose.

    A role with one legal move makes it by itself, unless no role has a choice: then
    `States.current_player` has to act.
    """

    def __init__(self, table: Table, *, max_steps: int | None = None) -> None:
        """Begin in the initial state; a play ends after `max_steps` joint moves, if given."""
        self.table, self.max_steps = table, max_steps
        #: The state, and what the rules say of it.
        self.position = table.game.single.initial
        #: Joint moves made.
        self.steps = 0
        self._look()

    def _look(self) -> None:
        legal, table = self.position.legal, self.table
        self._joint = [-1] * len(legal)
        #: The roles of the players that still have to act, in their order.
        self.acting = [role for role in table.players if len(legal[role]) > 1]
        chance = table.game.chance
        #: Whether chance draws a move, after the players.
        self.draws = chance is not None and len(legal[chance]) > 1
        if not self.acting and not self.draws:
            self.acting = table.players[:1]

    @property
    def state(self) -> States:
        """The state, as a batch of one."""
        return States(self.table.game, self.position.words)

    def __deepcopy__(self, memo: object) -> Play:
        made = copy(self)
        made._joint = self._joint.copy()
        return made

    @property
    def is_over(self) -> bool:
        """Whether the rules say that the game is over."""
        return self.position.terminal

    @property
    def is_cut(self) -> bool:
        """Whether the play has reached its most joint moves."""
        return self.max_steps is not None and self.steps >= self.max_steps

    @property
    def goals(self) -> list[int]:
        """The players' goals as they stand; a missing one counts as 0."""
        return [max(0, self.position.goals[role]) for role in self.table.players]

    def mask(self, role: int) -> NDArray[np.int8]:
        """Return which moves of a role are legal: int8[moves of the role]."""
        mask = np.zeros(len(self.table.game.moves[role]), np.int8)
        mask[self.position.legal[role]] = 1
        return mask

    def legal(self, role: int) -> list[int]:
        """Return the numbers of a role's legal moves."""
        return self.position.legal[role]

    def act(self, role: int, move: int) -> None:
        """Choose a move for a role; the joint move is made when the last role has chosen.

        Raises:
            IllegalMove: when the joint move is made, a move is not legal.
        """
        self._joint[role] = move
        if role in self.acting:
            self.acting = [other for other in self.acting if other != role]
        elif role == self.table.game.chance:
            self.draws = False
        if not self.acting and not self.draws:
            self.advance(self._joint)

    def advance(self, joint_move: list[int], *, seed: int = 0, role: int = -1) -> None:
        """Make a joint move; with a role, go on at random until it has a choice.

        Args:
            joint_move: a move for each role; -1 for one that is drawn.
            seed: of what is drawn.
            role: the role; -1 to make one joint move.

        Raises:
            IllegalMove: a move is not legal.
        """
        game, left = self.table.game, _NO_LIMIT
        if self.max_steps is not None:
            left = max(1, self.max_steps - self.steps)
        most = left if role >= 0 else 1
        position, made = game.single.after(
            self.position, joint_move, seed=seed, role=role, most=most
        )
        if position is None:
            game.step(self.state, [joint_move])  # says which move is not legal
            raise AssertionError("the position has other legal moves than the state")
        self.position = position
        self.steps += made
        self._look()

    def act_all(self, moves: list[int]) -> None:
        """Choose a move for each player, all at once."""
        for role, move in zip(self.table.players, moves, strict=True):
            self._joint[role] = move
        *_, last = self.table.players
        self.acting = [last]
        self.act(last, moves[-1])

    @property
    def pending(self) -> list[int]:
        """The moves that are chosen but not made, by role; -1 for none."""
        return list(self._joint)

    def __str__(self) -> str:
        possible = self.table.game.reasoner.description.domains.facts
        board, rest = board_and_rest(self.state.facts(0), possible)
        lines = [*([] if board is None else [board]), *map(str, rest)]
        lines += [
            f"{self.table.game.roles[role]} has chosen"
            for role, move in enumerate(self.pending)
            if move >= 0
        ]
        return "\n".join(lines)
