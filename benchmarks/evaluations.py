"""Which evaluation of the horizon plays best: `python -m benchmarks.evaluations`.

Two players that differ only in how they estimate states at the horizon play each other, with equal
processor time for each move. Each match begins with some random moves, so that the matches differ.
From each such opening, the two play every division of the roles in which both have a role.
"""

from __future__ import annotations

import random
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from pathlib import Path
from statistics import fmean

import click

from ggp.cli.common import load_game
from ggp.deadline import Deadline
from ggp.experiments.running.runner import (
    Measured,
    Report,
    Result,
    Table,
    Task,
    experiment_command,
    fingerprint,
)
from ggp.experiments.running.statistics import Summary
from ggp.match import Player, PlayerContext, make_player
from ggp.reasoner import State
from ggp.reasoner.compiled import CompiledReasoner

__all__ = ["EVALUATIONS", "GAMES", "command"]

#: The evaluations by name, as options of the searching players.
EVALUATIONS = {
    "goals": "goals=1,mobility=0,playouts=0",
    "mobility": "goals=0.9,mobility=0.1,playouts=0",
    "playouts": "goals=0,mobility=0,playouts=1,count=64",
    "playouts256": "goals=0,mobility=0,playouts=1,count=256",
    "playouts+mobility": "goals=0,mobility=0.1,playouts=0.9,count=64",
    "playouts+goals": "goals=0.1,mobility=0,playouts=0.9,count=64",
    "all three": "goals=0.09,mobility=0.01,playouts=0.9,count=64",
    "all three, 256": "goals=0.09,mobility=0.01,playouts=0.9,count=256",
}

#: The games to play if none are named: bundled ones of two roles and of three.
GAMES = ("connectfour", "breakthrough", "othello6x6", "foxandhounds", "triad")

# So many joint moves are made at random, and no match is longer than this.
_OPENING, _LONGEST = 4, 200

# Seconds in which a player prepares.
_PREPARING = 0.2


def tasks(
    *,
    deals: int,
    seed: int,
    games: Sequence[str],
    seconds: float,
    challengers: Sequence[str],
    baseline: str,
) -> Iterator[Task]:
    """Yield an opening of a game for each challenger."""
    rules = {game: fingerprint(load_game(game).source.text) for game in games or GAMES}
    others = challengers or [name for name in EVALUATIONS if name != baseline]
    for deal in range(deals):
        for challenger in others:
            for game in games or GAMES:
                yield {
                    "game": game,
                    "rules": rules[game],
                    "challenger": challenger,
                    "plays": EVALUATIONS[challenger],
                    "baseline": baseline,
                    "against": EVALUATIONS[baseline],
                    "opening": deal,
                    "seed": seed,
                    "seconds": seconds,
                }


def measure(task: Task) -> Result:
    """Play the matches of an opening; return the mean goals of both."""
    reasoner = _reasoner(str(task["game"]))
    generator = random.Random(f"{task['seed']} {task['opening']} {task['game']}")
    opening = _opening(reasoner, generator)
    found: dict[str, list[int]] = {"challenger": [], "baseline": []}
    plays = {"challenger": str(task["plays"]), "baseline": str(task["against"])}
    sides = product(found, repeat=len(reasoner.roles))
    for seating in (each for each in sides if len(set(each)) == 2):
        players = [_seated(reasoner, role, plays[side]) for role, side in enumerate(seating)]
        goals = _match(reasoner, opening, players, float(str(task["seconds"])))
        for side, goal in zip(seating, goals, strict=True):
            found[side].append(goal)
    return {
        **{side: fmean(goals) for side, goals in found.items()},
        "matches": 2 ** len(reasoner.roles) - 2,
    }


def report(measured: Sequence[Measured]) -> Report:
    """Tabulate by how much the challengers' goals exceed the baseline's."""
    gains: dict[tuple[str, str], list[float]] = defaultdict(list)
    for done in measured:
        gain = done.result["challenger"] - done.result["baseline"]
        for game in (Path(str(done.task["game"])).stem, "all"):
            gains[str(done.task["challenger"]), game].append(gain)
    rows = []
    for (challenger, game), found in sorted(gains.items()):
        summary = Summary.of(found)
        rows.append((challenger, game, summary.count, summary.mean, summary.standard_error))
    columns = ("challenger", "game", "openings", "goals more than baseline", "standard error")
    return Report(title="Evaluations in self-play", tables=(Table("gains", columns, tuple(rows)),))


@dataclass(frozen=True, slots=True)
class _Processor(Deadline):
    """A deadline in processor time of this process, whatever else the machine does."""

    seconds: float = 0.0
    began: float = field(default_factory=time.process_time)

    @property
    def remaining(self) -> float:
        return max(0.0, self.began + self.seconds - time.process_time())

    @property
    def is_over(self) -> bool:
        return self.remaining <= 0


@cache
def _reasoner(game: str) -> CompiledReasoner:
    return CompiledReasoner(load_game(game))


def _opening(reasoner: CompiledReasoner, generator: random.Random) -> State:
    """Return a state after some random joint moves, in which the game is not over."""
    while True:
        state = reasoner.initial_state()
        for _ in range(_OPENING):
            view = reasoner.view(state)
            if view.terminal:
                break
            joint_move = [generator.choice(moves) for moves in view.legal]
            state = reasoner.next_state(state, joint_move)
        if not reasoner.is_terminal(state):
            return state


def _seated(reasoner: CompiledReasoner, role: int, options: str) -> Player:
    name = "alphabeta" if len(reasoner.roles) == 2 else "maxn"
    player = make_player(f"{name}:{options}")
    player.start(PlayerContext(reasoner.roles[role], reasoner, 0.0), _Processor(seconds=_PREPARING))
    return player


def _match(
    reasoner: CompiledReasoner, state: State, players: Sequence[Player], seconds: float
) -> tuple[int, ...]:
    """Play on from a state, and return the goals; 0 for a missing one."""
    for _ in range(_LONGEST):
        view = reasoner.view(state)
        if view.terminal:
            break
        joint_move = []
        for player in players:
            *_, move = player.moves(state, _Processor(seconds=seconds))
            joint_move.append(move)
        state = reasoner.next_state(state, joint_move)
    return tuple(goal or 0 for goal in reasoner.goals(state))


command = experiment_command(
    "evaluations",
    help="Play matches between players that evaluate the horizon in different ways.",
    tasks=tasks,
    measure=measure,
    report=report,
    deals=20,
    options=(
        click.option("--game", "games", multiple=True, help="A file, or a bundled game."),
        click.option("--seconds", type=click.FloatRange(min=0.001), default=0.1, show_default=True,
                     help="Processor time for each move."),
        click.option("--challenger", "challengers", multiple=True,
                     type=click.Choice(list(EVALUATIONS)), help="Only this one."),
        click.option("--baseline", type=click.Choice(list(EVALUATIONS)), default="mobility",
                     show_default=True, help="The opponent of the others."),
    ),
)  # fmt: skip

if __name__ == "__main__":
    command()
