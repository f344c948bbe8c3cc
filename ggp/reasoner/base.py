"""What every reasoner does: it computes the rules of one game on the fly."""

from __future__ import annotations

import random
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TypeAlias, overload

from ggp.closing import Closing
from ggp.deadline import Deadline
from ggp.errors import IllegalMove
from ggp.gdl import Description, GoalVector
from ggp.kif import Symbol, Term

__all__ = [
    "MAX_JOINT_MOVES",
    "Expansion",
    "JointMove",
    "JointMoves",
    "Playout",
    "PlayoutTotals",
    "Reasoner",
    "SomeMoves",
    "State",
    "View",
]

#: A state: immutable, hashable, compact. Two states of one reasoner are equal exactly when their
#: facts are. The bytes mean nothing outside the reasoner that made them.
State: TypeAlias = bytes

#: One move per role, in role order.
JointMove: TypeAlias = tuple[Term, ...]

#: `expand` refuses a state with more joint moves than this.
MAX_JOINT_MOVES = 1_000_000


@dataclass(frozen=True, slots=True)
class JointMoves(Sequence[JointMove]):
    """All joint moves in a state, in their order: the last role's move varies fastest.

    They are made when they are asked for: a state can have very many of them.
    """

    #: The moves of each role; one without a move leaves no joint move.
    legal: tuple[tuple[Term, ...], ...]

    def __len__(self) -> int:
        return prod(map(len, self.legal))

    def __iter__(self) -> Iterator[JointMove]:
        return product(*self.legal)

    @overload
    def __getitem__(self, number: int) -> JointMove: ...
    @overload
    def __getitem__(self, number: slice) -> tuple[JointMove, ...]: ...
    def __getitem__(self, number: int | slice) -> JointMove | tuple[JointMove, ...]:
        if isinstance(number, slice):
            return tuple(map(self._at, self._numbers[number]))
        return self._at(self._numbers[number])

    def __contains__(self, joint_move: object) -> bool:
        return (
            isinstance(joint_move, tuple)
            and len(joint_move) == len(self.legal)
            and all(move in moves for move, moves in zip(joint_move, self.legal, strict=True))
        )

    def index(self, joint_move: object, start: int = 0, stop: int | None = None) -> int:
        """Return the number of a joint move. Raises `ValueError` if it is none of them."""
        number = -1
        if isinstance(joint_move, tuple) and joint_move in self:
            number = 0
            for move, moves in zip(joint_move, self.legal, strict=True):
                number = number * len(moves) + moves.index(move)
        if number not in self._numbers[start:stop]:
            raise ValueError(f"{joint_move} is none of these joint moves")
        return number

    @property
    def _numbers(self) -> range:
        return range(prod(map(len, self.legal)))  # which may be more than `len` can say

    def _at(self, number: int) -> JointMove:
        made: list[Term] = []
        for moves in reversed(self.legal):
            number, place = divmod(number, len(moves))
            made.append(moves[place])
        return tuple(reversed(made))


@dataclass(frozen=True, slots=True)
class View:
    """What the rules say of a state, except for its successors.

    `legal` has the moves of each role in role order, each role's sorted by printed text. It is
    given in terminal states too.
    """

    terminal: bool
    goals: GoalVector
    legal: tuple[tuple[Term, ...], ...]

    @property
    def joint_moves(self) -> JointMoves:
        """The joint moves in their order: the last role's move varies fastest. None if terminal."""
        return JointMoves(((),) if self.terminal else self.legal)

    @property
    def joint_move_count(self) -> int:
        """How many joint moves there are; 0 in a terminal state."""
        return 0 if self.terminal else prod(map(len, self.legal))


@dataclass(frozen=True, slots=True)
class Expansion(View):
    """A view with the successors: `successors[i]` is the state after joint move number i."""

    successors: tuple[State, ...]


@dataclass(frozen=True, slots=True)
class Playout:
    """How one random playout ended, and after how many joint moves."""

    goals: GoalVector
    steps: int


@dataclass(frozen=True, slots=True)
class PlayoutTotals:
    """What random playouts came to, added up."""

    playouts: int
    #: Joint moves made in them.
    steps: int
    #: Per role, the sum of its goals; a missing one counts as 0.
    goals: tuple[int, ...]
    #: Per role, the least and the greatest of them; none without playouts.
    ranges: tuple[tuple[int, int], ...]

    @property
    def mean_goals(self) -> tuple[float, ...]:
        """Per role, the mean of its goals. Raises `ZeroDivisionError` without playouts."""
        return tuple(goal / self.playouts for goal in self.goals)


@dataclass(frozen=True, slots=True)
class SomeMoves:
    """Some of a role's legal moves in a state."""

    #: How many legal moves there are.
    count: int
    #: All of them or, if they are too many, a random selection; sorted by printed text.
    moves: tuple[Term, ...]


class Reasoner(Closing):
    """Computes the rules of one game.

    Every reasoner gives the same answers in the same order: moves and facts are sorted by their
    printed text. Use it as a context manager, or call `close`. A reasoner belongs to one thread.

    Any method raises `ReasonerError` when the reasoner runs out of time or memory, or dies. It is
    closed then; open another. A method raises `GameError` where the game itself cannot go on.
    """

    description: Description

    @property
    def roles(self) -> tuple[Symbol, ...]:
        """The roles, in the order of joint moves and goal vectors."""
        return self.description.roles

    @property
    @abstractmethod
    def name(self) -> str:
        """The kind of the reasoner that answers: "prolog" or "compiled"."""

    @property
    def lanes(self) -> int:
        """Random playouts that take as long as one: to ask for fewer saves nothing."""
        return 1

    @abstractmethod
    def initial_state(self) -> State:
        """Return the state that the game begins in."""

    @abstractmethod
    def view_all(self, states: Sequence[State]) -> list[View]:
        """Return the view of each state; one call for many is faster than many for one."""

    @abstractmethod
    def expand_all(
        self, states: Sequence[State], *, max_joint_moves: int = MAX_JOINT_MOVES
    ) -> list[Expansion]:
        """Return the expansion of each state; one call for many is faster than many for one.

        Raises:
            TooManyJointMoves: a state has more joint moves than allowed.

        A state that is not terminal where some role has no move is an error of the game. It has no
        successors here.
        """

    @abstractmethod
    def step_all(
        self, states: Sequence[State], joint_moves: Sequence[Sequence[Term]]
    ) -> list[State]:
        """Return the state after a joint move in each state. It is not checked to be legal.

        Raises:
            ValueError: a joint move does not have one move for each role.
        """

    @abstractmethod
    def playouts(
        self, state: State, *, count: int, seed: int, max_steps: int | None = None
    ) -> list[Playout]:
        """Play from the state `count` times, every role uniformly at random, to the end.

        The same seed gives the same playouts, as long as the same kind of reasoner plays: Prolog
        and machine code draw different random numbers. A playout that reaches `max_steps` ends
        there, with the goals of the state that it has come to.

        Raises:
            NoLegalMove: a role has no legal move in a state that is not terminal.
        """

    def playout_totals(
        self, state: State, *, count: int, seed: int, max_steps: int | None = None
    ) -> PlayoutTotals:
        """Play as `playouts` does, and add up. Raises as `playouts`."""
        made = self.playouts(state, count=count, seed=seed, max_steps=max_steps)
        goals = [[playout.goals[n] or 0 for playout in made] for n in range(len(self.roles))]
        return PlayoutTotals(
            playouts=len(made),
            steps=sum(playout.steps for playout in made),
            goals=tuple(map(sum, goals)),
            ranges=tuple((min(own), max(own)) for own in goals if own),
        )

    @abstractmethod
    def facts(self, state: State) -> tuple[Term, ...]:
        """Return what is true in the state: the terms inside `true`, sorted by printed text."""

    @abstractmethod
    def state_of(self, facts: Iterable[Term]) -> State:
        """Return the state in which exactly the given ground terms are true.

        It may be one that no match reaches: every reasoner answers as the rules say.
        """

    @abstractmethod
    def close(self) -> None:
        """Release what the reasoner holds. May be called again, and from another thread."""

    def warm_up(self, deadline: Deadline) -> None:
        """Become as fast as possible before the deadline."""

    def view(self, state: State) -> View:
        """Return whether the state is terminal, its goals, and every role's legal moves."""
        return self.view_all([state])[0]

    def expand(self, state: State, *, max_joint_moves: int = MAX_JOINT_MOVES) -> Expansion:
        """Return the view of the state and all its successors. Raises `TooManyJointMoves`."""
        return self.expand_all([state], max_joint_moves=max_joint_moves)[0]

    def next_state(self, state: State, joint_move: Sequence[Term]) -> State:
        """Return the state after a joint move. Raises as `step_all`."""
        return self.step_all([state], [joint_move])[0]

    def is_terminal(self, state: State) -> bool:
        """Return whether the game is over."""
        return self.view(state).terminal

    def goals(self, state: State) -> GoalVector:
        """Return each role's goal, in any state; None where it has not exactly one."""
        return self.view(state).goals

    def legal_moves(self, state: State, role: Symbol) -> tuple[Term, ...]:
        """Return the moves of a role, sorted by printed text. Raises `ValueError` for no role."""
        return self.view(state).legal[self.roles.index(role)]

    def some_moves(self, state: State, role: Symbol, *, limit: int, seed: int = 0) -> SomeMoves:
        """Return how many legal moves a role has, and at most `limit` of them, drawn at random.

        A move of chance may have a hundred thousand outcomes; where a few will do, this is faster
        than `view`. Raises `ValueError` for no role.
        """
        moves = self.legal_moves(state, role)
        if len(moves) <= limit:
            return SomeMoves(len(moves), moves)
        drawn = sorted(random.Random(seed).sample(range(len(moves)), limit))
        return SomeMoves(len(moves), tuple(moves[index] for index in drawn))

    def check_legal(self, state: State, joint_move: Sequence[Term]) -> None:
        """Raise `IllegalMove` unless the joint move has one legal move for every role."""
        view = self.view(state)
        if len(joint_move) != len(self.roles):
            raise IllegalMove(f"{len(joint_move)} moves for {len(self.roles)} roles")
        for role, move, legal in zip(self.roles, joint_move, view.legal, strict=True):
            if move not in legal:
                raise IllegalMove(f"{role} may not do {move}")

    def text(self, state: State) -> str:
        """Return the facts as text, one a line, sorted: what two reasoners must agree on."""
        return "\n".join(map(str, self.facts(state)))
