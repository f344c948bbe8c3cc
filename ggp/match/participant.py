"""Who takes part in a match, as the referee sees them: players here, and players elsewhere."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import inf

from ggp.clock import Clock
from ggp.errors import IllegalMove, KifError, PlayerError
from ggp.gdl import Description, canonical
from ggp.kif import Scrambler, Symbol, Term, parse_term
from ggp.match.process import PlayerProcess
from ggp.match.remote import Address, ask
from ggp.reasoner import JointMove

__all__ = ["LocalPlayer", "MatchSettings", "Participant", "RemotePlayer"]

_TOKEN = re.compile(r"[()]|[^\s()]+")


@dataclass(frozen=True, slots=True)
class MatchSettings:
    """What all participants of a match are told."""

    match_id: str
    description: Description
    #: Seconds to prepare.
    start_clock: float
    #: Seconds for each move.
    play_clock: float


class Participant(ABC):
    """One who takes a role in a match, and is asked for moves.

    Methods block, until the clock is over at most. They raise `TimeoutError` where no answer came
    in time, and `ConnectionError` or `PlayerError` where none will come.
    """

    #: Whom the record names.
    name: str
    #: Whether the rules are sent in other words.
    is_scrambled = False

    @abstractmethod
    def start(self, settings: MatchSettings, role: Symbol, clock: Clock) -> None:
        """Begin the match."""

    @abstractmethod
    def play(self, joint_move: JointMove | None, clock: Clock) -> Term:
        """Return a move, given the last joint move. Raises `IllegalMove` if it cannot be read."""

    @abstractmethod
    def stop(self, joint_move: JointMove | None, clock: Clock) -> None:
        """Tell that the match is over, and how it ended."""

    @abstractmethod
    def abort(self, clock: Clock) -> None:
        """Tell that the match was given up."""

    def close(self) -> None:  # noqa: B027 - not everyone holds something
        """Release what the participant holds. May be called again."""


class LocalPlayer(Participant):
    """A player of this framework, in a process of its own that starts at once."""

    def __init__(
        self, spec: str, *, reasoner: str = "auto", memory_limit: int | None = None
    ) -> None:
        """Start the process; the arguments are those of `PlayerProcess`."""
        self.name = spec
        self._process = PlayerProcess(spec, reasoner=reasoner, memory_limit=memory_limit)
        self._play_clock = inf

    def start(self, settings: MatchSettings, role: Symbol, clock: Clock) -> None:
        """Begin the match."""
        self._play_clock = settings.play_clock
        rules = settings.description.source.text
        self._process.start(rules, role.text, play_clock=settings.play_clock, clock=clock)

    def play(self, joint_move: JointMove | None, clock: Clock) -> Term:
        """Return a legal move."""
        # The referee's clock allows for the way to the player and back: here is none.
        own_clock = Clock.of(min(self._play_clock, clock.remaining))
        try:
            return self._process.play(joint_move, own_clock)
        except PlayerError as error:
            if own_clock.is_over:
                raise TimeoutError(str(error)) from None
            raise

    def stop(self, joint_move: JointMove | None, clock: Clock) -> None:  # noqa: ARG002 - it is short
        """Tell that the match is over, and how it ended."""
        self._process.stop(joint_move)

    def abort(self, clock: Clock) -> None:  # noqa: ARG002 - it is short
        """Tell that the match was given up."""
        self._process.abort()

    def close(self) -> None:
        """End the process."""
        self._process.close()


class RemotePlayer(Participant):
    """A player of any kind that speaks the match protocol over HTTP."""

    def __init__(
        self, address: Address, *, name: str = "", scramble_seed: int | None = None
    ) -> None:
        """Name a player; nothing is sent yet.

        Args:
            address: where it listens.
            name: what it is called; its address if empty.
            scramble_seed: if given, the player gets the rules in words made from it.
        """
        self.name = name or str(address)
        self.is_scrambled = scramble_seed is not None
        self._address = address
        self._scramble_seed = scramble_seed
        self._scrambler: Scrambler | None = None
        self._match_id = ""

    def start(self, settings: MatchSettings, role: Symbol, clock: Clock) -> None:
        """Send START. What is answered does not matter."""
        terms = settings.description.terms
        if self._scramble_seed is not None:
            self._scrambler = Scrambler(terms, seed=self._scramble_seed)
        self._match_id = settings.match_id
        clocks = f"{_seconds(settings.start_clock)} {_seconds(settings.play_clock)}"
        rules = self._write(terms)
        self._ask(f"( START {self._match_id} {self._scrambled(role)} {rules} {clocks})", clock)

    def play(self, joint_move: JointMove | None, clock: Clock) -> Term:
        """Send PLAY and return the move that begins the reply, whatever comes after it."""
        reply = self._ask(f"( PLAY {self._match_id} {self._write(joint_move)} )", clock)
        try:
            move = canonical(_first_term(reply))
        except KifError:
            raise IllegalMove(" ".join(reply.split())[:100]) from None
        return self._scrambler.unscramble(move) if self._scrambler else move

    def stop(self, joint_move: JointMove | None, clock: Clock) -> None:
        """Send STOP."""
        if self._match_id:
            self._ask(f"( STOP {self._match_id} {self._write(joint_move)} )", clock)

    def abort(self, clock: Clock) -> None:
        """Send ABORT."""
        if self._match_id:
            self._ask(f"( ABORT {self._match_id} )", clock)

    def _ask(self, message: str, clock: Clock) -> str:
        return ask(self._address, message, receiver=self.name, clock=clock)

    def _write(self, terms: JointMove | None) -> str:
        if terms is None:
            return "NIL"
        return "(" + "".join(f"{self._scrambled(term)} " for term in terms) + ")"

    def _scrambled(self, term: Term) -> Term:
        return self._scrambler.scramble(term) if self._scrambler else term


def _first_term(text: str) -> Term:
    """Read the term that the text begins with. Raises `KifError`."""
    depth = 0
    for token in _TOKEN.finditer(text):
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        if depth <= 0:
            return parse_term(text[: token.end()])
    return parse_term(text)


def _seconds(value: float) -> str:
    return str(int(value)) if value == int(value) else str(value)
