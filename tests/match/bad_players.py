"""Players that do what a player must not."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from ggp.deadline import Deadline, TimeUp
from ggp.kif import Symbol, Term, parse_term
from ggp.match import Player, PlayerContext, SearchInfo
from ggp.reasoner import State

THREE = parse_term("(pick 3)")


class Hung(Player):
    """Yields a move, and does not come back."""

    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:
        yield THREE
        time.sleep(1000)


class Empty(Player):
    """Yields nothing."""

    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:
        return iter(())


class HungAtOnce(Player):
    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:
        time.sleep(1000)
        yield THREE


class HungInStart(Player):
    def start(self, context: PlayerContext, deadline: Deadline) -> None:
        time.sleep(1000)

    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:
        yield THREE


class SlowToPrepare(Player):
    """Prepares for longer than a short turn, and does not come back from the first one."""

    def start(self, context: PlayerContext, deadline: Deadline) -> None:
        time.sleep(1.5)
        self.was_restarted = deadline.is_over

    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:
        if not self.was_restarted:
            time.sleep(1000)
        yield THREE


class Absent(Player):
    """Prepares, without a use of its clock, until there is a file."""

    uses_start_clock = False

    def __init__(self, *, file: str) -> None:
        self._file = Path(file)

    def start(self, context: PlayerContext, deadline: Deadline) -> None:
        while not self._file.exists():
            time.sleep(0.01)

    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:
        yield THREE


class Deaf(Player):
    """Never lets another thread of its process run."""

    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:
        yield THREE
        yield Symbol(str(10 ** (10**9)))


class Tireless(Player):
    """Thinks for as long as it is let, and ignores the clock."""

    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:
        legal = self.context.reasoner.legal_moves(state, self.context.role)
        while True:
            yield from legal


class Crashing(Player):
    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:
        yield THREE
        raise ZeroDivisionError("by design")


class CrashingInStart(Player):
    """Fails at the start, and so lacks what its moves and its end need."""

    def start(self, context: PlayerContext, deadline: Deadline) -> None:
        raise ZeroDivisionError("by design")

    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:
        yield self.context.reasoner.legal_moves(state, self.context.role)[0]

    def stop(self, goals: tuple[int | None, ...] | None) -> None:
        print(self.context.role)


class LateInStart(Player):
    """Prepares until its clock is over."""

    def start(self, context: PlayerContext, deadline: Deadline) -> None:
        raise TimeUp

    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:
        yield THREE


class DyingAtOnce(Player):
    """Kills its own process before it has a move."""

    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:
        os.kill(os.getpid(), signal.SIGKILL)
        yield THREE


class Leaving(Player):
    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:
        yield THREE
        raise SystemExit


class Text(Player):
    """Yields the text of a move instead of the move."""

    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:
        yield str(THREE)  # type: ignore[misc]


class Telling(Player):
    """Reports twice within a moment, what it thinks in a turn."""

    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:
        first = tuple(legal[0] for legal in self.context.reasoner.view(state).legal)
        self.context.report(SearchInfo(10, depth=1, nodes=3))
        info = SearchInfo(20.5, (first,) * 20, depth=2, nodes=1234, prunes={"shallow": 3})
        self.context.report(replace(info, reasoner="prolog"))
        yield first[self.context.index]


class LastWord(Player):
    """Reports a first thought at once, and the last one only after its clock is over."""

    def start(self, context: PlayerContext, deadline: Deadline) -> None:
        super().start(context, deadline)
        self._think(40, deadline)

    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:
        # a player that yields a move after its clock is not asked for more
        self._think(70, deadline)
        yield self.context.reasoner.legal_moves(state, self.context.role)[0]

    def _think(self, value: float, deadline: Deadline) -> None:
        self.context.report(SearchInfo(value / 2, depth=1, nodes=1))
        while not deadline.is_over:
            time.sleep(0.001)
        self.context.report(SearchInfo(value, depth=9, nodes=1000))


class Illegal(Player):
    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:
        yield THREE
        yield Symbol("resign")


class Suicidal(Player):
    """Kills its own process."""

    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:
        yield THREE
        os.kill(os.getpid(), signal.SIGKILL)


class Greedy(Player):
    """Takes more memory than it may have, and keeps it."""

    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:
        yield THREE
        self.hoard = []
        while True:
            self.hoard.append(bytearray(50_000_000))


class Unimportable(Player):
    """Cannot even be made."""

    def __init__(self) -> None:
        os._exit(1)

    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:
        yield THREE


class Chatty(Player):
    """Prints where its owner prints, and remembers how the match ended."""

    def __init__(self, file: str = "") -> None:
        self._file = file

    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:
        print("I play three")
        yield THREE

    def stop(self, goals: tuple[int | None, ...] | None) -> None:
        with open(self._file, "w", encoding="utf-8") as file:  # noqa: PTH123
            file.write(str(goals))
