"""The other systems: each plays a number of random games and says how long that took."""

from __future__ import annotations

import random
import re
import subprocess
import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from ggp.errors import GgpError

__all__ = ["BenchmarkGame", "Peer", "Pyspiel", "Rbg", "Turn", "read_benchmark_game", "read_rbg"]

#: Random games from which the mean number of moves is estimated where a system does not count them.
_SAMPLE = 500


@dataclass(frozen=True, slots=True)
class Turn:
    """What was played without a break."""

    #: Random games from the initial state to the end.
    games: int
    #: Moves made in all of them.
    moves: float
    seconds: float


class Peer(Protocol):
    """Another system, with one game."""

    def play(self, games: int) -> Turn:
        """Play a number of random games. Raises `GgpError`."""
        ...


@dataclass(frozen=True)
class Pyspiel:
    """OpenSpiel as a package; no Python runs in the loop.

    `MCTSBot` asks its evaluator about the initial state at its first simulation. It has one, and
    the evaluator plays all games at that.
    """

    #: What `pyspiel.load_game` loads.
    game: str

    def play(self, games: int) -> Turn:
        """Play a number of random games."""
        import pyspiel

        state = self._initial()
        evaluator = pyspiel.RandomRolloutEvaluator(games, 1)
        bot: Any = pyspiel.MCTSBot(state.get_game(), evaluator, 1.0, 1, 1, False, 1, False)
        began = time.perf_counter()
        bot.mcts_search(state)
        seconds = time.perf_counter() - began
        return Turn(games, games * self._length, seconds)

    @cached_property
    def _length(self) -> float:
        """The mean number of moves, estimated: the evaluator does not count them."""
        generator, moves = random.Random(1), 0
        for _ in range(_SAMPLE):
            state = self._initial()
            while not state.is_terminal():
                state.apply_action(generator.choice(state.legal_actions()))
                moves += 1
        return moves / _SAMPLE

    def _initial(self) -> Any:
        import pyspiel

        return pyspiel.load_game(self.game).new_initial_state()


@dataclass(frozen=True, slots=True)
class BenchmarkGame:
    """OpenSpiel's example `benchmark_game`, which also makes an observation of each state."""

    binary: Path
    game: str

    def play(self, games: int) -> Turn:
        """Play a number of random games; the program says how long they took."""
        options = [f"--game={self.game}", f"--sims={games}", "--attempts=1"]
        moves, seconds = read_benchmark_game(_output(self.binary, *options))
        return Turn(games, moves, seconds)


@dataclass(frozen=True, slots=True)
class Rbg:
    """A program that `make simulate_GAME` of rbg2cpp has built from the rules of a game."""

    binary: Path

    def play(self, games: int) -> Turn:
        """Play a number of random games; the program says how long they took."""
        return read_rbg(_output(self.binary, str(games)))


def read_benchmark_game(printed: str) -> tuple[int, float]:
    """Read the moves and the seconds that `benchmark_game` prints.

    Raises:
        GgpError: this is not its output.

    >>> read_benchmark_game("Finished 7642 moves in 12.5 ms: 80000.0 sim/s, 611360.0 moves/s")
    (7642, 0.0125)
    """
    found = re.search(r"^.*Finished (\d+) moves in ([\d.]+) ms", printed, re.MULTILINE)
    if found is None:
        raise GgpError("the program does not print 'Finished … moves in … ms' as benchmark_game")
    return int(found[1]), float(found[2]) / 1000


def read_rbg(printed: str) -> Turn:
    """Read what a program of rbg2cpp prints. A state is counted for each move that is made in it.

    Raises:
        GgpError: this is not its output.
    """
    found = []
    for name in ("number of playouts", "number of states", "time"):
        line = re.search(rf"^{name}: (\d+)\b", printed, re.MULTILINE)
        if line is None:
            raise GgpError(f"the program does not print '{name}: …' as test/simulation.cpp of RBG")
        found.append(int(line[1]))
    games, moves, milliseconds = found
    return Turn(games, moves, milliseconds / 1000)


def _output(binary: Path, *arguments: str) -> str:
    """Run a program and return what it prints. Raises `GgpError`."""
    try:
        done = subprocess.run(
            [str(binary.resolve()), *arguments],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    except OSError as error:
        raise GgpError(f"{binary}: {error.strerror}") from None
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or ["it says nothing"]
        raise GgpError(f"{binary} ends with exit code {done.returncode}: {last[0]}")
    return done.stdout
