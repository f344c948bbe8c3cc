"""Which evaluation of the horizon plays best: `python -m benchmarks.evaluations`.

Two players that differ only in how they estimate states at the horizon play each other, with equal
processor time for each move; `benchmarks.arena` says how.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from statistics import fmean

import click

from benchmarks.arena.matches import divisions, local, opening
from benchmarks.arena.position import Position
from ggp.cli.common import load_game
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
from ggp.match import make_player
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

# The number of random joint moves of an opening.
_OPENING = 4


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
    begin = opening(Position.initial(reasoner), generator, moves=_OPENING)
    seconds = float(str(task["seconds"]))
    name = "alphabeta" if len(reasoner.roles) == 2 else "maxn"
    sides = {
        "challenger": local(partial(make_player, f"{name}:{task['plays']}"), seconds=seconds),
        "baseline": local(partial(make_player, f"{name}:{task['against']}"), seconds=seconds),
    }
    played = [*divisions(begin, sides)]
    return {
        **{side: fmean(goal for each in played for goal in each.of(side)) for side in sides},
        "matches": len(played),
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


@cache
def _reasoner(game: str) -> CompiledReasoner:
    return CompiledReasoner(load_game(game))


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
    # Not the command of this module, whose functions the measuring processes cannot import.
    from benchmarks.evaluations import command as imported

    imported()
