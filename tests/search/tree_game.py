"""Games that are made of nothing but their graph, and a reasoner that plays them from memory."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from hypothesis import strategies as st

from ggp.errors import GameError
from ggp.gdl import Description
from ggp.graph import GameGraph
from ggp.kif import Symbol, Term
from ggp.reasoner import MAX_JOINT_MOVES, Expansion, Playout, Reasoner, State, View


@dataclass(frozen=True)
class Spot:
    """A state: terminal if no role has a move, else with one child per joint move."""

    goals: tuple[int | None, ...]
    choices: tuple[int, ...]
    children: tuple[int, ...] = ()


@dataclass(frozen=True)
class TreeGame:
    """Spot 0 is the beginning. Roles that have no choice in a spot have one move there."""

    roles: tuple[str, ...]
    spots: tuple[Spot, ...]

    def description(self) -> Description:
        """Rules that name the goals of the leaves, which is all that a search reads of them."""
        named = {
            (role, goal)
            for spot in self.spots
            for role, goal in zip(self.roles, spot.goals, strict=True)
            if not spot.children and goal is not None
        }
        goals = [f"(<= (goal {role} {goal}) (true over))" for role, goal in sorted(named)]
        roles = [f"(role {role})" for role in self.roles]
        return Description.from_text("\n".join([*roles, *goals, "(<= terminal (true over))"]))

    def graph(self, *, max_states: int = 1000) -> GameGraph:
        return GameGraph(TreeReasoner(self), max_states=max_states)


def tree(roles: str, *spots: tuple[Sequence[int | None], Sequence[int], Sequence[int]]) -> TreeGame:
    """A game written down: for each spot goals, number of moves of each role, and children."""
    made = (Spot(tuple(goals), tuple(choices), tuple(kids)) for goals, choices, kids in spots)
    return TreeGame(tuple(roles.split()), tuple(made))


class TreeReasoner(Reasoner):
    """A state is the number of its spot in ASCII."""

    def __init__(self, game: TreeGame) -> None:
        self.description = game.description()
        self.game = game
        self.expanded = 0

    @property
    def name(self) -> str:
        return "tree"

    def initial_state(self) -> State:
        return b"0"

    def view_all(self, states: Sequence[State]) -> list[View]:
        return [View(not s.children, s.goals, self._legal(s)) for s in map(self._spot, states)]

    def expand_all(
        self, states: Sequence[State], *, max_joint_moves: int = MAX_JOINT_MOVES
    ) -> list[Expansion]:
        self.expanded += len(states)
        return [
            Expansion(
                not spot.children,
                spot.goals,
                self._legal(spot),
                tuple(str(child).encode() for child in spot.children if child >= 0),
            )
            for spot in map(self._spot, states)
        ]

    def step_all(
        self, states: Sequence[State], joint_moves: Sequence[Sequence[Term]]
    ) -> list[State]:
        found = []
        for state, joint_move in zip(states, joint_moves, strict=True):
            view = self.view(state)
            index = view.joint_moves.index(tuple(joint_move))
            found.append(str(self._spot(state).children[index]).encode())
        return found

    def playouts(
        self, state: State, *, count: int, seed: int, max_steps: int | None = None
    ) -> list[Playout]:
        generator = random.Random(seed)
        return [self._playout(state, generator, max_steps or 1000) for _ in range(count)]

    def _playout(self, state: State, generator: random.Random, max_steps: int) -> Playout:
        steps = 0
        while (spot := self._spot(state)).children and steps < max_steps:
            child, steps = generator.choice(spot.children), steps + 1
            if child < 0:
                raise GameError("a role has no legal move")
            state = str(child).encode()
        return Playout(spot.goals, steps)

    def facts(self, state: State) -> tuple[Term, ...]:
        return (Symbol(f"spot{state.decode()}"),)

    def state_of(self, facts: Iterable[Term]) -> State:
        (fact,) = facts
        return str(fact).removeprefix("spot").encode()

    def close(self) -> None:
        pass

    def _spot(self, state: State) -> Spot:
        return self.game.spots[int(state)]

    @staticmethod
    def _legal(spot: Spot) -> tuple[tuple[Term, ...], ...]:
        return tuple(tuple(Symbol(f"m{i}") for i in range(count)) for count in spot.choices)


GOALS = (0, 20, 50, 80, 100)


@st.composite
def games(
    draw: st.DrawFn,
    *,
    roles: Sequence[int] = (1, 2, 3, 4),
    chance: bool = False,
    cyclic: bool = False,
    layered: bool = False,
    goals: Sequence[int | None] = GOALS,
    zero_sum: bool = False,
    turns: bool = False,
    missing: bool = True,
) -> TreeGame:
    """Random games: trees and graphs, turn-taking or simultaneous, with many ties.

    Args:
        draw: given by hypothesis.
        roles: how many roles there may be, `random` left out.
        chance: one more role is `random`.
        cyclic: play may come back to where it was; else it may not.
        layered: every path to a state has the same length.
        goals: what may stand in a leaf.
        zero_sum: two roles, whose goals add up to 100.
        turns: no two roles have a choice at once.
        missing: a leaf may lack a goal.
    """
    count = draw(st.sampled_from(roles))
    names = [f"r{i}" for i in range(count)]
    if chance:
        names.insert(draw(st.integers(0, count)), "random")
    # One draw decides all the rest: this is much faster than thousands of little ones.
    generator = random.Random(draw(st.integers(0, 2**32)))
    layers = _layers(generator, depth=draw(st.integers(1, 6)), width=draw(st.integers(1, 5)))
    size = sum(map(len, layers))
    is_turn_taking = turns or generator.random() < 0.5
    spots: list[Spot] = []
    for depth, layer in enumerate(layers):
        for number in layer:
            leaf_goals: list[int | None] = [generator.choice(goals) for _ in names]
            if missing and generator.random() < 0.1:
                leaf_goals[generator.randrange(len(names))] = None
            if zero_sum:
                leaf_goals = [leaf_goals[0] or 0, 100 - (leaf_goals[0] or 0)]
            is_leaf = depth == len(layers) - 1 or (number > 0 and generator.random() < 0.15)
            if is_leaf:
                spots.append(Spot(tuple(leaf_goals), (1,) * len(names)))
                continue
            choices = _choices(generator, len(names), is_turn_taking)
            if cyclic:
                below = range(size)
            elif layered:
                below = layers[depth + 1]
            else:
                below = range(layer[-1] + 1, min(size, layer[-1] + 8))
            kids = tuple(generator.choice(below) for _ in range(prod(choices)))
            early = tuple(generator.choice((None, *goals)) for _ in names)
            spots.append(Spot(early, choices, kids))
    return TreeGame(tuple(names), tuple(spots))


def _layers(generator: random.Random, *, depth: int, width: int) -> list[range]:
    layers, start = [range(1)], 1
    for _ in range(depth):
        end = start + generator.randint(1, width)
        layers.append(range(start, end))
        start = end
    return layers


def _choices(generator: random.Random, roles: int, is_turn_taking: bool) -> tuple[int, ...]:
    if not is_turn_taking:
        return tuple(generator.choice((1, 1, 2, 3)) for _ in range(roles))
    mover = generator.randrange(roles)
    return tuple(generator.choice((1, 2, 2, 3)) if i == mover else 1 for i in range(roles))


def joint_moves(spot: Spot) -> list[tuple[int, ...]]:
    """The joint moves as numbers of moves; child i follows number i."""
    return list(product(*map(range, spot.choices)))
