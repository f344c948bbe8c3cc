"""Plays the matches of a self-play, each as a task."""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ggp.batch import Game, States
from ggp.cluster import tell
from ggp.deadline import Deadline, TimeUp
from ggp.errors import GameError
from ggp.gdl import Description
from ggp.kif import Term
from ggp.match import Player, PlayerContext, SearchInfo, make_player, with_seed
from ggp.selfplay.plan import Plan

__all__ = ["Decision", "Match", "play_match", "play_numbered"]


@dataclass(frozen=True, slots=True)
class Decision:
    """A role with a choice in a state, and what it did. Moves are numbers of the role's moves."""

    step: int
    role: int
    #: The packed state.
    state: bytes
    #: The legal moves, and how much the player favours each of them; the weights add up to 1.
    moves: tuple[int, ...]
    policy: tuple[float, ...]
    #: The move that was made.
    move: int
    #: The goal that the player expects; None if it does not say.
    value: float | None


@dataclass(frozen=True, slots=True)
class Match:
    """A match that is over."""

    number: int
    choices: tuple[Decision, ...]
    #: Per role; a missing one is -1.
    goals: tuple[int, ...]
    #: Joint moves, those of the opening included.
    steps: int


@dataclass(slots=True)
class _Seat:
    """A player of a match, and what it has said of the state in which it is to move."""

    player: Player
    value: float | None = None

    def note(self, info: SearchInfo) -> None:
        self.value = info.value


def play_numbered(plan: Plan, number: int) -> Match:
    """Play a match of a plan, whose game the process loads once. Raises as `play_match`."""
    return play_match(_game(plan), plan, number)


@lru_cache(maxsize=1)
def _game(plan: Plan) -> Game:
    return Game(Description.from_text(plan.rules), name=plan.game)


def play_match(game: Game, plan: Plan, number: int) -> Match:
    """Play a match.

    Raises:
        GameError: a role has no legal move in a state that is not terminal.
        PlayerError: there is no such player.
    """
    # one generator for the moves at random, which do not depend on what the players choose
    generator = random.Random(f"{plan.seed} {number}")
    seed = generator.getrandbits(31)
    state, steps = game.init(), 0
    while steps < plan.opening and not state.terminated[0]:
        state = game.step(state, game.random_moves(state, seed=generator.getrandbits(32)))
        steps += 1
    seats = _started(game, plan, seed)
    choices: list[Decision] = []
    while not state.terminated[0] and (plan.max_steps is None or steps < plan.max_steps):
        joint = []
        for role, seat in enumerate(seats):
            choice = _choose(game, state, steps, role, seat, plan, generator)
            joint.append(choice.move)
            if len(choice.moves) > 1 and seat is not None:
                choices.append(choice)
        state, steps = game.step(state, [joint]), steps + 1
        tell(steps)
    goals = tuple(state.goals[0].tolist())
    for seat in seats:
        if seat is not None:
            seat.player.stop(tuple(None if goal < 0 else goal for goal in goals))
    return Match(number, tuple(choices), goals, steps)


def _started(game: Game, plan: Plan, seed: int) -> list[_Seat | None]:
    """Return the seat of each role, none for chance."""
    seats: list[_Seat | None] = []
    for role, name in enumerate(game.roles):
        seat = None
        if role != game.chance:
            seat = _Seat(make_player(with_seed(plan.player, seed + role)))
            context = PlayerContext(name, game.reasoner, plan.play_clock, seat.note)
            with suppress(TimeUp):
                seat.player.start(context, Deadline.after(plan.start_clock))
        seats.append(seat)
    return seats


def _choose(
    game: Game,
    state: States,
    step: int,
    role: int,
    seat: _Seat | None,
    plan: Plan,
    generator: random.Random,
) -> Decision:
    """Ask a player for its move, or draw it for chance."""
    packed = state.words[0].tobytes()
    legal: list[int] = np.flatnonzero(state.legal[0, role]).tolist()
    if not legal:
        raise GameError(f"{game.roles[role]} has no legal move in a state that is not terminal")
    drawn = generator.choice(legal)
    at_random = generator.random() < plan.noise
    if len(legal) == 1 or seat is None:
        return Decision(
            step, role, packed, tuple(legal), (1 / len(legal),) * len(legal), drawn, None
        )
    terms = [game.moves[role][move] for move in legal]
    preferred = legal[terms.index(_asked(seat, packed, terms, plan.play_clock))]
    weights = seat.player.policy()
    policy = np.array([weights.get(term, 0.0) for term in terms])
    if not policy.sum() > 0:
        policy = np.equal(legal, preferred).astype(float)
    policy /= policy.sum()
    move = drawn if at_random else preferred
    return Decision(step, role, packed, tuple(legal), tuple(policy.tolist()), move, seat.value)


def _asked(seat: _Seat, state: bytes, legal: Sequence[Term], seconds: float) -> Term:
    """Return the last legal move that a player yields in time, and note what value it expects."""
    seat.value = None
    deadline, chosen = Deadline.after(seconds), legal[0]
    with suppress(TimeUp):
        for move in seat.player.moves(state, deadline):
            chosen = move if move in legal else chosen
            deadline.check()
    return chosen
