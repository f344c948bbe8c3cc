"""A match from the manager's side: every reply must be in time, every move legal."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from threading import Lock

from ggp.errors import KifError
from ggp.gdl import Description
from ggp.kif import Term, parse_term
from ggp.reasoner import JointMove, State, View, open_reasoner
from tests.server.sockets import exchange, ggp_base

__all__ = ["Game", "Match", "Records", "load_games"]

_GAMES = Path(__file__).parents[2] / "games"
_NAMES = ("breakthrough", "connectfour", "hexapawn", "othello6x6", "tictactoe", "triad", "tron")

_numbers = count(1)


class Game:
    """The rules of a game at work, for the managers of all its matches."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.rules = (_GAMES / f"{name}.kif").read_text()
        self._reasoner = open_reasoner(Description.from_text(self.rules), kind="compiled")
        self._lock = Lock()
        self.roles = tuple(map(str, self._reasoner.roles))
        self.initial = self._reasoner.initial_state()

    def view(self, state: State) -> View:
        with self._lock:
            return self._reasoner.view(state)

    def after(self, state: State, joint_move: JointMove) -> State:
        with self._lock:
            return self._reasoner.next_state(state, joint_move)


def load_games() -> list[Game]:
    return [Game(name) for name in _NAMES]


@dataclass
class Records:
    """The observations of all threads of the soak. Any thread may add to them."""

    #: What must not have happened, in words.
    violations: list[str] = field(default_factory=list)
    #: For each kind of question, the seconds that the answers took.
    seconds: dict[str, list[float]] = field(default_factory=dict)
    #: How often each fault was injected.
    faults: dict[str, int] = field(default_factory=dict)
    matches: int = 0
    _lock: Lock = field(default_factory=Lock)

    def blame(self, violation: str) -> None:
        with self._lock:
            self.violations.append(violation)

    def note(self, kind: str, seconds: float) -> None:
        with self._lock:
            self.seconds.setdefault(kind, []).append(seconds)

    def count_fault(self, name: str) -> None:
        with self._lock:
            self.faults[name] = self.faults.get(name, 0) + 1

    def count_match(self) -> None:
        with self._lock:
            self.matches += 1


class Match:
    """One match; the server plays one role, the others move at random."""

    def __init__(
        self,
        game: Game,
        *,
        port: int,
        clock: int,
        records: Records,
        generator: random.Random,
        start_clock: int | None = None,
    ) -> None:
        self.id = f"{game.name}.{next(_numbers)}"
        self.game = game
        self.role = generator.randrange(len(game.roles))
        self.clock, self.start_clock = clock, start_clock or clock
        self.state = game.initial
        #: Whether an answer was late, illegal or missing.
        self.is_spoilt = False
        self._last: JointMove | None = None
        self._port = port
        self._records = records
        self._generator = generator

    def start(self) -> None:
        rules = f"{self.game.roles[self.role]} ( {self.game.rules} )"
        reply = self._ask("START", f"{rules} {self.start_clock} {self.clock}")
        if reply != "ready":
            self._blame(f"START was answered {reply!r}")

    @property
    def is_over(self) -> bool:
        return self.is_spoilt or self.game.view(self.state).terminal

    def step(self, *, meanwhile: Callable[[], object] = int) -> None:
        """Play one turn; what is done `meanwhile` is done by the caller's thread before it."""
        meanwhile()
        legal = self.game.view(self.state).legal
        reply = self._ask("PLAY", _listed(self._last))
        move = _term(reply)
        if move not in legal[self.role]:
            self._blame(f"PLAY was answered {reply!r}, which is not legal")
            return
        moves = [self._generator.choice(choice) for choice in legal]
        moves[self.role] = move
        self._last = tuple(moves)
        self.state = self.game.after(self.state, self._last)

    def play_message(self) -> str:
        """The message that asks for the next move."""
        return f"( PLAY {self.id} {_listed(self._last)} )"

    def stop(self) -> None:
        if self._ask("STOP", _listed(self._last)) != "done":
            self._blame("STOP was not answered by done")
        self._records.count_match()

    def run(self, keeps_on: Callable[[], bool]) -> None:
        """Play to the end, or while `keeps_on` returns true."""
        self.start()
        while not self.is_over and keeps_on():
            self.step()
        self.stop()

    def _ask(self, verb: str, rest: str) -> str:
        began = time.monotonic()
        try:
            reply = exchange(self._port, ggp_base(f"( {verb} {self.id} {rest} )")).body
        except (OSError, AssertionError) as error:
            reply = f"{type(error).__name__}: {error}"
        seconds = time.monotonic() - began
        clock = self.start_clock if verb == "START" else self.clock
        self._records.note(f"{verb} of {clock} s", seconds)
        if seconds > clock:
            self._blame(f"{verb} was answered after {seconds:.2f} s")
        return reply

    def _blame(self, violation: str) -> None:
        self.is_spoilt = True
        self._records.blame(f"match {self.id}, clock {self.clock} s: {violation}")


def _listed(joint_move: JointMove | None) -> str:
    return "NIL" if joint_move is None else f"({' '.join(map(str, joint_move))} )"


def _term(text: str) -> Term | None:
    try:
        return parse_term(text)
    except KifError:
        return None
