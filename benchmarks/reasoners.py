"""How fast the reasoners are: expansions and random playouts a second, one core.

Run it with `make bench`, or `python -m benchmarks.reasoners GAME...` for other games (files, or
names of bundled ones). An expansion is a state's legal moves, goals and all its successors; the
states are those of random playouts.
"""

from __future__ import annotations

import random
import sys
import time

from rich.console import Console
from rich.table import Table

from ggp.cli.common import load_game
from ggp.clock import Clock
from ggp.playouts import playouts
from ggp.reasoner import Reasoner, State, open_reasoner

GAMES = ("tictactoe", "connectfour", "breakthrough", "othello6x6", "eightpuzzle", "triad")
SECONDS = 3.0


def main() -> None:
    """Measure each game and print a table."""
    table = Table("game", "reasoner", "opens in ms", "expansions/s", "successors/s", "playouts/s")
    for column in table.columns[2:]:
        column.justify = "right"
    for game in sys.argv[1:] or GAMES:
        description = load_game(game)
        began = time.perf_counter()
        with open_reasoner(description, kind="prolog") as reasoner:
            opened = time.perf_counter() - began
            expansions, successors = _expansions(reasoner)
            made = playouts(reasoner, clock=Clock.of(SECONDS), generator=random.Random(1))
            table.add_row(
                game,
                reasoner.name,
                f"{opened * 1000:.0f}",
                f"{expansions:,.0f}",
                f"{successors:,.0f}",
                f"{made.playouts / made.seconds:,.0f}",
            )
    Console().print(table)


def _expansions(reasoner: Reasoner) -> tuple[float, float]:
    """Return expansions and successors a second over the states of random playouts."""
    states = _sample(reasoner)
    made = successors = 0
    began = time.perf_counter()
    while time.perf_counter() - began < SECONDS:
        expanded = reasoner.expand_all(states)
        made += len(expanded)
        successors += sum(len(expansion.successors) for expansion in expanded)
    seconds = time.perf_counter() - began
    return made / seconds, successors / seconds


def _sample(reasoner: Reasoner, size: int = 100) -> list[State]:
    generator = random.Random(1)
    states: list[State] = []
    while len(states) < size:
        state = reasoner.initial_state()
        while len(states) < size and not (view := reasoner.view(state)).terminal:
            states.append(state)
            state = reasoner.next_state(state, [generator.choice(moves) for moves in view.legal])
    return states


if __name__ == "__main__":
    main()
