"""How often a player keeps the value of a position: `python -m benchmarks.decisions`.

Positions are drawn by random play from the start of a game for two players who take turns.
Alpha-beta to the end of the game labels each of their moves with its exact value; the player then
chooses a move in each of them. A choice is right if its value is that of the position.

    python -m benchmarks.decisions --game connectfour --least 12 --positions 1000 --seconds 1
    python -m benchmarks.decisions --player mcts --player mcts:blend=0 --seconds 0.1

The labels depend on the game and the seed alone. They are kept in a file, so that the next run does
not search for them again.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from math import sqrt
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from benchmarks.arena.clock import ProcessorDeadline
from ggp.cli.common import interruptible, json_option, load_game, print_json, show_progress
from ggp.deadline import Deadline, TimeUp
from ggp.engine import engine_search
from ggp.engine.kernels import KERNELS, load, warm_up
from ggp.errors import GgpError
from ggp.graph import GameGraph
from ggp.kif import Term, parse_term
from ggp.match import PlayerContext, make_player
from ggp.reasoner import State
from ggp.reasoner.compiled import CompiledReasoner
from ggp.search import AlphaBeta, Searcher

__all__ = ["Choices", "Position", "choose", "label"]

# Columns of text that the table takes.
_WIDTH = 110


@dataclass(frozen=True, slots=True)
class Position:
    """A state with the exact value of each of its moves for the role that moves."""

    #: The moves that were made, one of the moving role for each joint move.
    moves: tuple[str, ...]
    role: int
    #: By the text of the move.
    values: dict[str, float]

    @property
    def value(self) -> float:
        """The value of the position: that of its best moves."""
        return max(self.values.values())

    @property
    def is_easy(self) -> bool:
        """Whether all moves keep the value."""
        return min(self.values.values()) == self.value


@dataclass(frozen=True, slots=True)
class Choices:
    """What a player has chosen."""

    player: str
    seconds: float
    positions: int
    #: Choices that keep the value.
    right: int
    #: Positions in which some move does not keep the value, and right choices in them.
    hard: int
    right_in_hard: int
    #: By the value of the position, how many choices have lost how much.
    lost: dict[str, int]

    @property
    def score(self) -> float:
        """The share of right choices."""
        return self.right / self.positions

    @property
    def error(self) -> float:
        """The standard error of the share."""
        return sqrt(self.score * (1 - self.score) / self.positions)


def label(
    reasoner: CompiledReasoner, numbers: Iterable[int], *, least: int, seed: int, memory: int
) -> Iterator[Position]:
    """Draw positions, and find the exact values of their moves.

    Args:
        reasoner: a game for two players who take turns.
        numbers: of the positions: each is drawn with random numbers of its own.
        least: how many joint moves they are from the start at least.
        seed: makes the positions repeatable.
        memory: megabytes of the transposition table.

    Raises:
        GgpError: the game is of another kind.
    """
    if len(reasoner.roles) != 2:
        raise GgpError("the game is not for two players")
    graph = GameGraph(reasoner)
    searches: list[Searcher] = []
    for role in range(2):
        search = engine_search(graph, AlphaBeta, role=role, table_bytes=memory << 20)
        assert search is not None
        searches.append(search)
    for number in numbers:
        generator = random.Random(f"{seed} {number}")
        while (drawn := _drawn(reasoner, generator, least)) is None:
            pass
        state, moves = drawn
        legal = reasoner.view(state).legal
        role = max(range(2), key=lambda each: len(legal[each]))
        values = {}
        for move in legal[role]:
            joint_move = [move if each == role else legal[each][0] for each in range(2)]
            after = reasoner.next_state(state, joint_move)
            if reasoner.is_terminal(after):
                value: float = reasoner.goals(after)[role] or 0
            else:
                result = searches[role].run(graph.node(after))
                assert result.exact
                assert result.value is not None
                value = result.value
            values[str(move)] = value
        yield Position(moves, role, values)


def _drawn(
    reasoner: CompiledReasoner, generator: random.Random, least: int
) -> tuple[State, tuple[str, ...]] | None:
    """Play at random to the end, and return a state of the way with a choice; None without one."""
    state, moves = reasoner.initial_state(), list[str]()
    path: list[tuple[State, tuple[str, ...]]] = []
    while not (view := reasoner.view(state)).terminal:
        if all(len(legal) > 1 for legal in view.legal):
            raise GgpError("the players do not take turns")
        role = max(range(2), key=lambda each: len(view.legal[each]))
        if len(moves) >= least and len(view.legal[role]) > 1:
            path.append((state, tuple(moves)))
        joint_move = [generator.choice(legal) for legal in view.legal]
        moves.append(str(joint_move[role]))
        state = reasoner.next_state(state, joint_move)
    return generator.choice(path) if path else None


def reached(reasoner: CompiledReasoner, position: Position) -> State:
    """Return the state of a position."""
    state = reasoner.initial_state()
    for text in position.moves:
        legal = reasoner.view(state).legal
        role = max(range(2), key=lambda each: len(legal[each]))
        joint_move = [parse_term(text) if each == role else legal[each][0] for each in range(2)]
        state = reasoner.next_state(state, joint_move)
    return state


def choose(
    reasoner: CompiledReasoner, spec: str, position: Position, *, seconds: float, start: float
) -> Term:
    """Return the move that a new player chooses in a position, in processor time."""
    player = make_player(spec)
    role = reasoner.roles[position.role]
    with suppress(TimeUp):
        player.start(PlayerContext(role, reasoner, seconds), ProcessorDeadline.after(start))
    state, deadline = reached(reasoner, position), ProcessorDeadline.after(seconds)
    chosen = reasoner.legal_moves(state, role)[0]
    try:
        with suppress(TimeUp):
            for move in player.moves(state, deadline):
                chosen = move
                deadline.check()
    finally:
        player.stop(None)
    return chosen


def judge(
    reasoner: CompiledReasoner,
    spec: str,
    positions: Sequence[Position],
    *,
    seconds: float,
    start: float,
    deadline: Deadline,
) -> Choices:
    """Let a player choose in each position."""
    right = hard = right_in_hard = done = 0
    lost: dict[str, int] = {}
    for position in positions:
        if deadline.is_over:
            break
        move = choose(reasoner, spec, position, seconds=seconds, start=start)
        value = position.values[str(move)]
        done += 1
        hard += not position.is_easy
        if value == position.value:
            right += 1
            right_in_hard += not position.is_easy
        else:
            loss = f"{position.value:g} to {value:g}"
            lost[loss] = lost.get(loss, 0) + 1
        show_progress(f"{spec}: {right} of {done}")
    show_progress("")
    return Choices(spec, seconds, done, right, hard, right_in_hard, lost)


def _labelled(
    reasoner: CompiledReasoner, file: Path, *, count: int, least: int, seed: int, memory: int
) -> list[Position]:
    """Return the labelled positions of a file, which is made or continued if it has too few."""
    found: list[Position] = []
    if file.exists():
        for line in file.read_text().splitlines():
            fields: dict[str, Any] = json.loads(line)
            found.append(Position(tuple(fields["moves"]), fields["role"], fields["values"]))
    if len(found) < count:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a") as out:
            numbers = range(len(found), count)
            for position in label(reasoner, numbers, least=least, seed=seed, memory=memory):
                found.append(position)
                out.write(json.dumps(asdict(position)) + "\n")
                out.flush()
                show_progress(f"{len(found)} of {count} positions labelled")
        show_progress("")
    return found[:count]


@click.command()
@click.option("--game", default="connectfour", show_default=True, help="A file or a bundled game.")
@click.option("--player", "players", multiple=True, default=["auto"], show_default=True)
@click.option(
    "--seconds", type=click.FloatRange(min=0, min_open=True), default=1, show_default=True
)
@click.option(
    "--start",
    type=click.FloatRange(min=0),
    default=0,
    show_default=True,
    help="Seconds to prepare for each position.",
)
@click.option("--positions", type=click.IntRange(min=1), default=100, show_default=True)
@click.option(
    "--least",
    type=click.IntRange(min=0),
    default=12,
    show_default=True,
    help="How many joint moves positions are from the start at least.",
)
@click.option("--seed", type=int, default=1, show_default=True)
@click.option(
    "--memory",
    type=click.IntRange(min=1),
    default=1024,
    show_default=True,
    metavar="MB",
    help="For the search that labels positions.",
)
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("results/decisions"),
    show_default=True,
    help="Keeps the labels.",
)
@json_option
def main(
    game: str,
    players: Sequence[str],
    seconds: float,
    start: float,
    positions: int,
    least: int,
    seed: int,
    memory: int,
    folder: Path,
    as_json: bool,
) -> None:
    """Let players choose in positions whose values are known."""
    description = load_game(game)
    reasoner = CompiledReasoner(description)
    reasoner.warm_up(Deadline())
    warm_up(Deadline())
    for kernels in set(KERNELS.values()):
        load(kernels, Deadline())
    rules = hashlib.sha256(str(description.terms).encode()).hexdigest()[:8]
    file = folder / f"{Path(game).stem}-{rules}-{least}-{seed}.jsonl"
    with interruptible() as deadline:
        known = _labelled(reasoner, file, count=positions, least=least, seed=seed, memory=memory)
        found = [
            judge(reasoner, spec, known, seconds=seconds, start=start, deadline=deadline)
            for spec in players
        ]
    if as_json:
        print_json([asdict(each) for each in found])
        return
    table = Table("player", "seconds", "positions", "right %", "error", "hard", "right %", box=None)
    for each in found:
        table.add_row(
            each.player,
            f"{each.seconds:g}",
            str(each.positions),
            f"{each.score:.1%}",
            f"{each.error:.1%}",
            str(each.hard),
            f"{each.right_in_hard / max(1, each.hard):.1%}",
        )
    console = Console()
    console.width = max(console.width, _WIDTH)
    console.print(table)


if __name__ == "__main__":
    main()
