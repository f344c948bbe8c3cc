"""How often a player keeps the value of a position: `python -m benchmarks.decisions`.

Positions are drawn by random play from the start of a game for two players who take turns.
Alpha-beta to the end of the game labels each of their moves with its exact value; the player then
chooses a move in each of them. A choice is right if its value is that of the position.

    python -m benchmarks.decisions --game connectfour --least 12 --deals 1000 --seconds 1
    python -m benchmarks.decisions --player mcts --player mcts:blend=0 --seconds 0.1
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import click

from benchmarks.arena.contenders import Timing
from benchmarks.arena.measuring import makes
from benchmarks.arena.position import Position
from ggp.cli.common import load_game
from ggp.deadline import Deadline
from ggp.engine import Resources, engine_search
from ggp.errors import GameError, GgpError, PlayerError
from ggp.experiments.running.runner import (
    Measured,
    Report,
    Result,
    Table,
    Task,
    experiment_command,
    fingerprint,
    integer,
)
from ggp.experiments.running.statistics import Summary
from ggp.graph import GameGraph
from ggp.kif import Term
from ggp.reasoner.compiled import CompiledReasoner
from ggp.search import AlphaBeta, Searcher, SearchOptions

__all__ = ["Labelled", "Labels", "command"]

# Games that are played at random, at most, to find one that is long enough.
_ATTEMPTS = 1000
# Megabytes of the transposition tables that the labels take in each process.
_MEMORY = 512


@dataclass(frozen=True, slots=True)
class Labelled:
    """A position with the exact value of each move of the role that moves."""

    position: Position
    role: int
    values: Mapping[Term, float]

    @property
    def value(self) -> float:
        """The value of the position: that of its best moves."""
        return max(self.values.values())

    @property
    def is_hard(self) -> bool:
        """Whether some move does not keep the value."""
        return min(self.values.values()) < self.value


class Labels:
    """Positions of a game for two players who take turns, labelled by alpha-beta."""

    def __init__(self, reasoner: CompiledReasoner, *, memory: int = _MEMORY) -> None:
        """Prepare to search.

        Args:
            reasoner: of the game.
            memory: megabytes of the transposition tables.

        Raises:
            GgpError: the game is not for two players, or its goals cannot be searched.
        """
        if len(reasoner.roles) != 2:
            raise GgpError("the game is not for two players")
        self._initial, self._graph = Position.initial(reasoner), GameGraph(reasoner)
        self._searches: list[Searcher] = []
        for role in range(2):
            size = (memory << 20) // 2
            search = engine_search(
                self._graph, AlphaBeta, SearchOptions(role=role), Resources(table_bytes=size)
            )
            if search is None:
                raise GgpError("the compiled search does not take this game")
            self._searches.append(search)

    def draw(self, number: int, *, least: int, seed: int) -> Labelled:
        """Draw a position by random play, and search for the values of its moves.

        Args:
            number: of the position; it has random numbers of its own.
            least: how many joint moves it is from the start at least.
            seed: makes the positions repeatable.

        Raises:
            GgpError: the players do not take turns, the game is too short, or too large to search.
        """
        position, role = _drawn(self._initial, random.Random(f"{seed} {number}"), least)
        values = {}
        for move in position.view.legal[role]:
            after = position.after(_joint_move(position, role, move))
            if after.view.terminal:
                values[move] = float(after.view.goals[role] or 0)
            else:
                result = self._searches[role].run(self._graph.node(after.state))
                if not result.exact or result.value is None:
                    raise GgpError("the game is too large to search it to the end")
                values[move] = result.value
        return Labelled(position, role, values)


def _drawn(initial: Position, generator: random.Random, least: int) -> tuple[Position, int]:
    """Play at random to the end; return a position of the way with a choice, and who has it."""
    for _ in range(_ATTEMPTS):
        found, position, length = [], initial, 0
        while not position.view.terminal:
            choosing = [role for role, legal in enumerate(position.view.legal) if len(legal) > 1]
            if len(choosing) > 1:
                raise GgpError("the players do not take turns")
            if choosing and length >= least:
                found.append((position, choosing[0]))
            position = position.after([generator.choice(legal) for legal in position.view.legal])
            length += 1
        if found:
            return generator.choice(found)
    raise GameError(f"no player seems to have a choice after {least} joint moves")


def _joint_move(position: Position, role: int, move: Term) -> list[Term]:
    """Return the joint move in which a role makes a move, and the other has no choice."""
    return [move if each == role else legal[0] for each, legal in enumerate(position.view.legal)]


def tasks(
    *,
    deals: int,
    seed: int,
    game: str,
    players: Sequence[str],
    least: int,
    seconds: float,
    start: float,
) -> Iterator[Task]:
    """Yield each position for each player."""
    for spec in players:
        makes(spec, Timing(seconds, start), seed=0)  # raises here if there is none
    rules = fingerprint(load_game(game).source.text)
    for number in range(deals):
        for spec in players:
            yield {
                "game": game,
                "rules": rules,
                "least": least,
                "seed": seed,
                "number": number,
                "player": spec,
                "seconds": seconds,
                "start": start,
            }


def measure(task: Task) -> Result:
    """Let a player choose in a position, in processor time."""
    least, seed, number = (integer(task, name) for name in ("least", "seed", "number"))
    labelled = _labelled(str(task["game"]), number, least=least, seed=seed)
    timing = Timing(float(str(task["seconds"])), float(str(task["start"])))
    contender = makes(str(task["player"]), timing, seed=seed)()
    contender.warm_up()
    contender.start(labelled.position, labelled.role)
    try:
        chosen = contender.move(labelled.position)
    finally:
        contender.stop(labelled.position.view.goals)
    if chosen not in labelled.values:
        raise PlayerError(f"{task['player']} wants to play {chosen}, which is not legal")
    return {
        "chosen": str(chosen),
        "keeps": labelled.values[chosen] == labelled.value,
        "values": {str(move): value for move, value in labelled.values.items()},
        "hard": labelled.is_hard,
        "lost": f"{labelled.value:g} to {labelled.values[chosen]:g}",
    }


@cache
def _labels(game: str) -> Labels:
    reasoner = CompiledReasoner(load_game(game))
    reasoner.warm_up(Deadline())
    return Labels(reasoner)


@cache
def _labelled(game: str, number: int, *, least: int, seed: int) -> Labelled:
    return _labels(game).draw(number, least=least, seed=seed)


def report(measured: Sequence[Measured]) -> Report:
    """Tabulate how often each player keeps the value, and what the others of its choices lose."""
    players = dict.fromkeys(str(done.task["player"]) for done in measured)
    shares, losses = [], []
    for player in players:
        found = [done.result for done in measured if done.task["player"] == player]
        hard = [result for result in found if result["hard"]]
        shares.append((player, *_share(found), *_share(hard)))
        lost = Counter(result["lost"] for result in found if not result["keeps"])
        losses += [(player, what, count) for what, count in lost.most_common()]
    columns = ("player", "positions", "kept %", "error", "hard", "kept % of hard", "error of hard")
    return Report(
        title="Decisions that keep the value",
        tables=(
            Table("decisions", columns, tuple(shares)),
            Table("losses", ("player", "value before and after", "choices"), tuple(losses)),
        ),
    )


def _share(found: Iterable[Mapping[str, Any]]) -> tuple[int, float | None, float | None]:
    """Return the number of choices, the percentage that keeps the value, and its error."""
    summary = Summary.of(100.0 * result["keeps"] for result in found)
    return summary.count, summary.mean, summary.standard_error


command = experiment_command(
    "decisions",
    help="Let players choose in positions whose values are known.",
    tasks=tasks,
    measure=measure,
    report=report,
    deals=100,
    options=(
        click.option("--game", default="connectfour", show_default=True,
                     help="A file, or a bundled game."),
        click.option("--player", "players", multiple=True, default=["auto"], show_default=True,
                     help="A player with its options; several are compared."),
        click.option("--least", type=click.IntRange(min=0), default=12, show_default=True,
                     metavar="N", help="Joint moves before a position, at least."),
        click.option("--seconds", type=click.FloatRange(min=0.001), default=1, show_default=True,
                     help="Processor time for each move."),
        click.option("--start", type=click.FloatRange(min=0), default=0, show_default=True,
                     help="Processor time to prepare for each position."),
    ),
)  # fmt: skip

if __name__ == "__main__":
    # Not the command of this module, whose functions the measuring processes cannot import.
    from benchmarks.decisions import command as imported

    imported()
