"""Tree search where roles do not know the state: information-set Monte-Carlo tree search.

A search of each possible state as if all roles knew it takes for granted that the role will know in
its next turn which of them it is, and that the others know it already. So it never sees a reason to
find out anything, or to hide anything. Here each role has a tree of its own, whose nodes are its
information sets: the states that it cannot tell apart. Every visit draws a possible state and
follows a path in all trees together; each role chooses in its own information set, by UCB1 on the
mean goals of all visits to it. The path ends at the first information set that is new to a role
with a choice, and random playouts say what it is worth. (Cowling, Powley and Whitehouse,
Information Set Monte Carlo Tree Search, 2012: multiple-observer ISMCTS. Where roles move at once,
this is decoupled UCT.)

The states contain what the searching role perceives. The search takes the others to know their own
moves since the root, and which moves are legal for them. It leaves out what they perceive beyond
that.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from math import log, sqrt
from typing import TypeAlias

from ggp.deadline import Deadline
from ggp.errors import TooManyJointMoves
from ggp.gdl import RANDOM
from ggp.kif import Term
from ggp.playouts import short_playouts, united
from ggp.reasoner import Reasoner, State

__all__ = ["InformationSetSearch"]

#: The joint moves of a path at most: roles without a choice may wait for each other without end.
_LONGEST = 200
#: How many states may be kept, and legal moves in them, in all.
_MAX_MOVES = 300_000
#: A state with more legal moves than this, of all roles, takes too long.
_TOO_MANY = 10_000


class _InformationSet:
    """What a role has found out about its moves, as far as it knows the state."""

    __slots__ = ("children", "is_new", "moves", "totals", "visited", "visits")

    def __init__(self, moves: tuple[Term, ...]) -> None:
        self.moves = moves
        self.visits = [0] * len(moves)
        self.totals = [0.0] * len(moves)
        self.visited = 0
        #: Whether there is a choice, and no visit has ended here.
        self.is_new = len(moves) > 1
        #: By the number of the move, and what the role knows of the state after it.
        self.children: dict[Hashable, _InformationSet] = {}


#: The information set of each role, and the number of the move that it chose there.
_Step: TypeAlias = tuple[Sequence[_InformationSet], tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class _Position:
    """What the rules say of a state."""

    legal: tuple[tuple[Term, ...], ...]
    #: What each role knows of it.
    known: tuple[Hashable, ...]
    #: The goals, where the game is over.
    goals: tuple[int, ...] | None
    #: The states after joint moves, by the numbers of the moves.
    after: dict[tuple[int, ...], State] = field(default_factory=dict)


class InformationSetSearch:
    """Finds a move for one role among states that it cannot tell apart."""

    def __init__(
        self,
        reasoner: Reasoner,
        role: int,
        percepts: Callable[[State], Hashable],
        *,
        exploration: float = 0.5,
        max_moves: int = 1_000_000,
        seed: int | None = None,
    ) -> None:
        """Begin with empty trees.

        Args:
            reasoner: the reasoner of the states.
            role: the number of the role.
            percepts: returns what the role perceived in the step that led to a state.
            exploration: the constant of UCB1, for goals in the range that has been seen so far.
            max_moves: how many information sets, and moves in them, to keep in all; beyond that,
                the trees do not grow.
            seed: makes the visits repeatable; None for others each time. Of two moves that are as
                good as each other, another role should not foresee which one is played.
        """
        self._reasoner, self._role, self._percepts = reasoner, role, percepts
        self._exploration = exploration
        self._free = max_moves
        self._random = random.Random(seed)
        self._is_chance = [str(name) == RANDOM for name in reasoner.roles]
        self._roots: list[dict[Hashable, _InformationSet]] = [{} for _ in reasoner.roles]
        self._positions: dict[State, _Position] = {}
        self._moves = 0
        #: The tuples of legal moves that roles have, numbered: to compare them takes long.
        self._choices: dict[tuple[Term, ...], int] = {}
        #: Per role, the least and the greatest goal so far; none before the first visit.
        self._ranges: tuple[tuple[int, int], ...] = ()
        #: How many visits there were, and random playouts in them.
        self.visits = self.playouts = 0
        #: The joint moves of the longest path so far.
        self.depth = 0

    def visit(self, state: State, deadline: Deadline) -> None:
        """Follow a path from a possible state, and note what it was worth.

        Where a role has no legal move in a state that is not terminal, all goals are 0.

        Args:
            state: one that is possible.
            deadline: when to give the visit up.

        Raises:
            TooManyJointMoves: the roles have more than 10,000 legal moves in a state.
            ReasonerError: the reasoner failed.
        """
        path: list[_Step] = []
        position = self._position(state)
        while position.goals is None:
            sets = self._reached(path, position)
            if path and (self._are_new(sets) or len(path) >= _LONGEST):
                break
            if deadline.is_over:
                return
            made = tuple(map(self._choose, range(len(sets)), sets))
            path.append((sets, made))
            state = self._next_state(state, position, made)
            position = self._position(state)
        values = self._mean_goals(state) if position.goals is None else position.goals
        for chosen_in, made in path:
            for each, move, value in zip(chosen_in, made, values, strict=True):
                each.visited += 1
                each.visits[move] += 1
                each.totals[move] += value
        self.visits += 1
        self.depth = max(self.depth, len(path))

    def move_visits(self) -> dict[Term, int]:
        """Return how often the role has made each move at the root; nothing before a visit."""
        return {move: visits for move, (visits, _) in self._at_root().items()}

    def move_values(self) -> dict[Term, float]:
        """Return the mean goal of the role after each move that it has made at the root."""
        return {move: total / visits for move, (visits, total) in self._at_root().items() if visits}

    def _at_root(self) -> dict[Term, tuple[int, float]]:
        """Return the visits and the sum of goals of each move at the root.

        The role knows its legal moves, so that there is one root; if states are guesses, there may
        be several.
        """
        found: dict[Term, tuple[int, float]] = {}
        for root in self._roots[self._role].values():
            for move, visits, total in zip(root.moves, root.visits, root.totals, strict=True):
                before = found.get(move, (0, 0.0))
                found[move] = before[0] + visits, before[1] + total
        return found

    def _position(self, state: State) -> _Position:
        position = self._positions.get(state)
        if position is not None:
            return position
        view = self._reasoner.view(state)
        count = sum(map(len, view.legal))
        if count > _TOO_MANY:
            raise TooManyJointMoves(f"the roles have {count} legal moves in a state")
        known: list[Hashable] = [
            self._choices.setdefault(moves, len(self._choices)) for moves in view.legal
        ]
        known[self._role] = known[self._role], self._percepts(state)
        goals: tuple[int, ...] | None = None
        if view.terminal or not all(view.legal):
            goals = tuple((goal or 0) * view.terminal for goal in view.goals)
            self._ranges = united(self._ranges, tuple(zip(goals, goals, strict=True)))
        self._moves += 1 + count
        if self._moves > _MAX_MOVES:
            self._positions.clear()
            self._moves = 0
        position = self._positions[state] = _Position(view.legal, tuple(known), goals)
        return position

    def _next_state(self, state: State, position: _Position, made: tuple[int, ...]) -> State:
        after = position.after.get(made)
        if after is None:
            moves = [legal[number] for legal, number in zip(position.legal, made, strict=True)]
            after = position.after[made] = self._reasoner.next_state(state, moves)
        return after

    def _reached(self, path: Sequence[_Step], position: _Position) -> list[_InformationSet]:
        """Return the information set of each role at the end of a path."""
        if not path:
            places = [*zip(self._roots, position.known, strict=True)]
        else:
            sets, made = path[-1]
            keys = zip(made, position.known, strict=True)
            places = [(each.children, key) for each, key in zip(sets, keys, strict=True)]
        reached = []
        for (known_sets, key), legal in zip(places, position.legal, strict=True):
            found = known_sets.get(key)
            if found is None:
                found = _InformationSet(legal)
                if self._free > 0:
                    self._free -= 1 + len(legal)
                    known_sets[key] = found
            reached.append(found)
        return reached

    def _are_new(self, sets: Sequence[_InformationSet]) -> bool:
        """Return whether a visit ends where a role has a choice that is new to it."""
        are_new = False
        for each, is_chance in zip(sets, self._is_chance, strict=True):
            are_new |= each.is_new and not is_chance
            each.is_new = False
        return are_new

    def _choose(self, role: int, known: _InformationSet) -> int:
        """Return the number of the move that a role makes, as far as it knows the state."""
        if len(known.moves) == 1:
            return 0
        if self._is_chance[role]:
            return self._random.randrange(len(known.moves))
        if known.visited < len(known.moves):
            return self._random.choice([n for n, count in enumerate(known.visits) if not count])
        lowest, highest = self._ranges[role]
        bonus = self._exploration * (highest - lowest) * sqrt(log(known.visited))
        bounds = [
            total / count + bonus / sqrt(count)
            for total, count in zip(known.totals, known.visits, strict=True)
        ]
        return bounds.index(max(bounds))

    def _mean_goals(self, state: State) -> tuple[float, ...]:
        made = short_playouts(self._reasoner, state, seed=self._random.getrandbits(30))
        self.playouts += made.playouts
        self._ranges = united(self._ranges, made.ranges)
        return made.mean_goals
