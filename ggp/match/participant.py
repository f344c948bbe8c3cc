"""The participants of a match as the referee sees them: local and remote players."""

from __future__ import annotations

import logging
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import inf

from ggp.deadline import Deadline
from ggp.errors import IllegalMove, KifError, PlayerError
from ggp.gdl import Description, canonical
from ggp.kif import Scrambler, Symbol, Term, parse_term, symbols
from ggp.kif.tokens import TOKEN, closing
from ggp.match.messages import PREPARATION
from ggp.match.player import make_player, with_seed
from ggp.match.possible_states import Percepts
from ggp.match.process import PlayerProcess
from ggp.match.remote import Address, ask, await_player
from ggp.match.search_info import SearchInfo
from ggp.printable import printable
from ggp.reasoner import JointMove
from ggp.workers.fork_server import Forks

__all__ = [
    "LocalPlayer",
    "MatchSettings",
    "Participant",
    "RemotePlayer",
    "Scrambled",
    "make_participant",
]

#: Replies to a PLAY by players that do not understand it.
_REFUSALS = frozenset({"what", "busy", "nil", "none", "error"})

_WORD = re.compile(r"[^\s()]+")
_NUMBER = re.compile(r"[0-9]{1,3}")
#: Characters of a reply that are shown, and among which they are looked for.
_SHOWN, _READ = 100, 10_000

_log = logging.getLogger(__name__)


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
    """A participant that plays one role in a match.

    Methods block until the deadline at most. They raise `TimeoutError` if no answer came in time,
    and `ConnectionError` or `PlayerError` if none will come.
    """

    #: The name in the record.
    name: str
    #: Whether the rules are sent scrambled.
    is_scrambled = False
    #: Whether the participant is a person.
    is_human = False
    #: Whether the match's clocks apply; a person may be allowed to take more time.
    has_clock = True
    #: Whether the participant is sent its percepts in a game of GDL-II. A player that understands
    #: only GDL-I is sent the joint moves instead.
    takes_percepts = True
    #: The error of the player's own code in a turn that it answered nevertheless; "" for none.
    fault = ""
    #: What the player thought before its last move, or while it prepared if it has made none; None
    #: if it does not report it.
    info: SearchInfo | None = None
    #: What the player says that it has done to prepare; "" if it does not say.
    note = ""
    #: Set before `start` if the match is under way: what was played in each turn so far, or what
    #: the role perceived of it. The first call of `play` tells the last of them again.
    history: Sequence[JointMove | Percepts] = ()

    #: Why it was last not reached, so that the log says it once and not in each turn.
    failure = ""

    def await_ready(self, deadline: Deadline) -> None:  # noqa: B027 - optional
        """Wait until the player is there. Raises `ConnectionError` if it is not in time."""

    @abstractmethod
    def start(self, settings: MatchSettings, role: Symbol, deadline: Deadline) -> None:
        """Begin the match."""

    @abstractmethod
    def play(self, joint_move: JointMove | Percepts | None, deadline: Deadline) -> Term:
        """Return a move, given the last joint move or, in GDL-II, what the role perceived of it.

        Raises `IllegalMove` if the answer cannot be read; its text goes into the record.
        """

    @abstractmethod
    def stop(self, joint_move: JointMove | Percepts | None, deadline: Deadline) -> None:
        """Tell the player that the match is over, and how it ended."""

    @abstractmethod
    def abort(self, deadline: Deadline) -> None:
        """Tell the player that the match was aborted."""

    def await_info(self, deadline: Deadline) -> None:  # noqa: B027 - optional
        """Wait until `info` is that of the end of the search, if it comes so soon.

        A player answers at its deadline, and comes back from its search a moment later.
        """

    def close(self) -> None:  # noqa: B027 - optional
        """Release what the participant holds. May be called again."""


class LocalPlayer(Participant):
    """A player of this framework, in its own process, which starts at once."""

    def __init__(
        self,
        spec: str,
        *,
        name: str = "",
        reasoner: str = "auto",
        memory_limit: int | None = None,
        fork_server: Forks | None = None,
        is_awaited: bool = True,
        on_info: Callable[[int, SearchInfo], None] = lambda _turn, _thought: None,
    ) -> None:
        """Start the process; the arguments are those of `PlayerProcess`, but for one.

        `name` is the player's name in the record; the spec if it is empty.
        """
        self.name = name or spec
        self._on_info = on_info
        self._process = PlayerProcess(
            spec,
            reasoner=reasoner,
            memory_limit=memory_limit,
            fork_server=fork_server,
            is_awaited=is_awaited,
            on_info=self._note,
        )
        self._play_clock = inf
        #: How many turns the player was told, and the turn of which `info` is.
        self._told = 0
        self._turn = PREPARATION

    @property
    def note(self) -> str:  # type: ignore[override]
        """What the player says that it has done to prepare, such as what it has learned."""
        return self._process.note

    def start(self, settings: MatchSettings, role: Symbol, deadline: Deadline) -> None:
        """Begin the match."""
        self._play_clock = settings.play_clock
        self._told = max(0, len(self.history) - 1)
        self._turn, self.info = PREPARATION, None
        try:
            self._process.start(
                settings.description.source.text,
                role.text,
                play_clock=settings.play_clock,
                deadline=deadline.within(settings.start_clock),
                history=tuple(self.history[:-1]),
            )
        finally:
            self.fault = self._process.take_fault()

    def play(self, joint_move: JointMove | Percepts | None, deadline: Deadline) -> Term:
        """Return a legal move."""
        # The referee's deadline includes the delay of a network, of which there is none.
        local_deadline = deadline.within(self._play_clock)
        self._told += joint_move is not None
        self._turn, self.info = self._told, None
        try:
            return self._process.play(joint_move, local_deadline)
        except PlayerError as error:
            if local_deadline.is_over:
                raise TimeoutError(str(error)) from None
            raise
        finally:
            self.fault = self._process.take_fault()

    def stop(self, joint_move: JointMove | Percepts | None, deadline: Deadline) -> None:  # noqa: ARG002 - the call is short
        """Tell the player that the match is over, and how it ended."""
        self._process.stop(joint_move)

    def abort(self, deadline: Deadline) -> None:  # noqa: ARG002 - the call is short
        """Tell the player that the match was aborted."""
        self._process.abort()

    def await_info(self, deadline: Deadline) -> None:
        """Wait for the last report of the player about its search."""
        self._process.await_last_info(deadline)

    def close(self) -> None:
        """End the process."""
        self._process.close()

    def _note(self, turn: int, info: SearchInfo) -> None:
        if turn == self._turn:
            self.info = info
        self._on_info(max(PREPARATION, turn - len(self.history)), info)


class RemotePlayer(Participant):
    """A player of any kind that speaks the match protocol over HTTP."""

    def __init__(self, address: Address, *, name: str = "") -> None:
        """Describe a player; nothing is sent yet.

        Args:
            address: where it listens.
            name: the name in the record; the address if empty.
        """
        self.name = name or str(address)
        self._address = address
        self._match_id = ""
        self._turn = 0
        #: What a move can be made of, in lower case.
        self._words: frozenset[str] = frozenset()
        #: Whether it is unknown which of two forms of messages the player understands.
        self._is_form_open = False

    def await_ready(self, deadline: Deadline) -> None:
        """Wait until something listens at the address, and ask it INFO."""
        await_player(self._address, receiver=self.name, deadline=deadline)

    def start(self, settings: MatchSettings, role: Symbol, deadline: Deadline) -> None:
        """Send START. The content of the reply does not matter.

        The protocol has no message for a match that is under way: the player is sent its turns one
        after the other, and its answers do not count.
        """
        self._match_id = settings.match_id
        self._turn = 0
        self._words = _REFUSALS.union(
            symbol.text.lower()
            for term in settings.description.terms
            for symbol in symbols(term)
            if not symbol.text.startswith("?")
        )
        self.takes_percepts = settings.description.has_imperfect_information
        self._is_form_open = self.takes_percepts
        clocks = f"{_seconds(settings.start_clock)} {_seconds(settings.play_clock)}"
        rules = _listed(settings.description.terms)
        message = f"( START {self._match_id} {role} {rules} {clocks})"
        self._ask(message, deadline.within(settings.start_clock))
        for told in (None, *self.history[:-1]) if self.history else ():
            with suppress(OSError, IllegalMove):
                self.play(told, deadline.within(settings.play_clock))

    def play(self, joint_move: JointMove | Percepts | None, deadline: Deadline) -> Term:
        """Send PLAY and return the move that begins the reply, whatever comes after it.

        A player that has not answered one form of the message yet is sent the other form in the
        next turn: players of GDL-I drop messages in the form of GDL-II without a reply.

        An answer with a word that is not one of the game's is shown in the log alone: what listens
        at the address may be no player, and its answer meant for no record.
        """
        message = f"( PLAY {self._match_id} {self._told(joint_move)} )"
        self._turn += 1
        try:
            reply = self._ask(message, deadline)
        except OSError:
            self._change_form()
            raise
        if reply.lower() in _REFUSALS:
            self._change_form()
        else:
            self._is_form_open = False
        text = " ".join(reply[:_READ].split())[:_SHOWN]
        with suppress(KifError):
            move = canonical(_first_term(reply))
            if self._is_of_game(str(move)):
                return move
            text = str(move)[:_SHOWN]
        if self._is_of_game(text):
            raise IllegalMove(text)
        _log.warning("%s: the answer is no term of the game: %s", self.name, printable(text))
        raise IllegalMove

    def stop(self, joint_move: JointMove | Percepts | None, deadline: Deadline) -> None:
        """Send STOP; if there is no reply, send ABORT, which has only one form."""
        if not self._match_id:
            return
        try:
            message = f"( STOP {self._match_id} {self._told(joint_move)} )"
            self._ask(message, deadline.part(0.5))
        except OSError:
            self.abort(deadline)

    def abort(self, deadline: Deadline) -> None:
        """Send ABORT."""
        if self._match_id:
            self._ask(f"( ABORT {self._match_id} )", deadline)

    def _is_of_game(self, text: str) -> bool:
        """Return whether all words of a text are words of the game, or short numbers."""
        words = _WORD.findall(text.lower())
        return all(word in self._words or _NUMBER.fullmatch(word) for word in words)

    def _told(self, joint_move: JointMove | Percepts | None) -> str:
        """Return the arguments that describe the last turn; GDL-II has them in its later form."""
        if isinstance(joint_move, Percepts):
            return f"{self._turn} {joint_move.own_move} {_listed(joint_move.percepts)}"
        return "0 NIL NIL" if joint_move is None and self.takes_percepts else _listed(joint_move)

    def _change_form(self) -> None:
        if self._is_form_open:
            self.takes_percepts = not self.takes_percepts

    def _ask(self, message: str, deadline: Deadline) -> str:
        return ask(self._address, message, receiver=self.name, deadline=deadline)


class Scrambled(Participant):
    """A participant that is sent scrambled rules, as on the Tiltyard."""

    is_scrambled = True

    def __init__(self, participant: Participant, *, seed: int) -> None:
        """Wrap a participant; the seed determines the scrambled words."""
        self.name = participant.name
        self.is_human, self.has_clock = participant.is_human, participant.has_clock
        self._participant = participant
        self._seed = seed
        self._scrambler = Scrambler(())

    @property
    def takes_percepts(self) -> bool:  # type: ignore[override]
        """Whether the player is told its percepts in a game of GDL-II."""
        return self._participant.takes_percepts

    @property
    def fault(self) -> str:  # type: ignore[override]
        """What was wrong with the last answer."""
        return self._participant.fault

    @property
    def info(self) -> SearchInfo | None:  # type: ignore[override]
        """What the player thought before its last move, in the words of the original rules."""
        info = self._participant.info
        if info is None:
            return None
        unscramble = self._scrambler.unscramble
        return replace(info, variation=tuple(tuple(map(unscramble, m)) for m in info.variation))

    def await_ready(self, deadline: Deadline) -> None:
        """Wait until the player is there."""
        self._participant.await_ready(deadline)

    def start(self, settings: MatchSettings, role: Symbol, deadline: Deadline) -> None:
        """Begin the match with scrambled rules."""
        self._scrambler = Scrambler(settings.description.terms, seed=self._seed)
        self._participant.history = [self._scrambled(turn) for turn in self.history]
        terms = map(self._scrambler.scramble, settings.description.terms)
        told = replace(settings, description=Description.from_terms(terms))
        index = settings.description.roles.index(role)
        self._participant.start(told, told.description.roles[index], deadline)

    def play(self, joint_move: JointMove | Percepts | None, deadline: Deadline) -> Term:
        """Return a move in the words of the original rules."""
        told = None if joint_move is None else self._scrambled(joint_move)
        return self._scrambler.unscramble(self._participant.play(told, deadline))

    def stop(self, joint_move: JointMove | Percepts | None, deadline: Deadline) -> None:
        """Tell the player that the match is over, and how it ended."""
        told = None if joint_move is None else self._scrambled(joint_move)
        self._participant.stop(told, deadline)

    def abort(self, deadline: Deadline) -> None:
        """Tell the player that the match was aborted."""
        self._participant.abort(deadline)

    def await_info(self, deadline: Deadline) -> None:
        """Wait for the last report of the player about its search."""
        self._participant.await_info(deadline)

    def close(self) -> None:
        """Release what the participant holds."""
        self._participant.close()

    def _scrambled(self, joint_move: JointMove | Percepts) -> JointMove | Percepts:
        scramble = self._scrambler.scramble
        if isinstance(joint_move, Percepts):
            return Percepts(
                scramble(joint_move.own_move), tuple(map(scramble, joint_move.percepts))
            )
        return tuple(map(scramble, joint_move))


def make_participant(
    player: str,
    *,
    name: str = "",
    seed: int | None = None,
    reasoner: str = "auto",
    fork_server: Forks | None = None,
    in_hurry: bool = False,
    on_info: Callable[[int, SearchInfo], None] = lambda _turn, _thought: None,
) -> LocalPlayer | RemotePlayer:
    """Make a participant from what a user names: a local player with its options, or a URL.

    Args:
        player: such as ``maxn:depth=4`` or ``http://localhost:9147``.
        name: the name in the record; what the user named if it is empty.
        seed: passed to a local player that takes a seed and is given none.
        reasoner: the kind of reasoner that a local player gets.
        fork_server: forks the process of a local player; None to start it anew.
        in_hurry: whether the match begins before a local player is there that does not use its
            start clock (`Player.uses_start_clock`).
        on_info: called with the turn and each report of a local player; turns count from where the
            player enters the match, and -1 stands for the start clock.

    Raises:
        PlayerError: there is no such player or option, or the URL is not that of a player.
    """
    address = Address.parse(player)
    if address is not None:
        return RemotePlayer(address, name=name)
    made = make_player(player)  # raises here rather than in the player's process
    spec = player if seed is None else with_seed(player, seed)
    return LocalPlayer(
        spec,
        name=name,
        reasoner=reasoner,
        fork_server=fork_server,
        is_awaited=made.uses_start_clock or not in_hurry,
        on_info=on_info,
    )


def _first_term(text: str) -> Term:
    """Read the term that the text begins with. Raises `KifError`."""
    first = TOKEN.search(text)
    if first is None:
        return parse_term(text)
    return parse_term(text[: closing(text, first.start()) if first[0] == "(" else first.end()])


def _seconds(value: float) -> str:
    return str(int(value)) if value == int(value) else str(value)


def _listed(terms: Iterable[Term] | None) -> str:
    return "NIL" if terms is None else "(" + "".join(f"{term} " for term in terms) + ")"
