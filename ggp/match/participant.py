"""Who takes part in a match, as the referee sees them: players here, and players elsewhere."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import inf

from ggp.deadline import Deadline
from ggp.errors import IllegalMove, KifError, PlayerError
from ggp.gdl import Description, canonical
from ggp.kif import Scrambler, Symbol, Term, parse_term
from ggp.match.player import make_player, with_seed
from ggp.match.possible_states import Percepts
from ggp.match.process import PlayerProcess
from ggp.match.remote import Address, ask
from ggp.match.search_info import SearchInfo
from ggp.reasoner import JointMove

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
    #: Whether it is a person.
    is_human = False
    #: Whether the match's clocks hold for it; a person may take more time, if that was agreed.
    has_clock = True
    #: Whether it is told its percepts in a game of GDL-II. A player that knows only GDL-I is told
    #: the joint moves there, too.
    takes_percepts = True
    #: What the player's own code did wrong in the last turn, although there was an answer; "" for
    #: nothing.
    fault = ""
    #: What the player thought before its last move, if it says so.
    info: SearchInfo | None = None

    @abstractmethod
    def start(self, settings: MatchSettings, role: Symbol, deadline: Deadline) -> None:
        """Begin the match."""

    @abstractmethod
    def play(self, joint_move: JointMove | Percepts | None, deadline: Deadline) -> Term:
        """Return a move, given the last joint move, or what the role has seen of it in GDL-II.

        Raises `IllegalMove` if the answer cannot be read.
        """

    @abstractmethod
    def stop(self, joint_move: JointMove | Percepts | None, deadline: Deadline) -> None:
        """Tell that the match is over, and how it ended."""

    @abstractmethod
    def abort(self, deadline: Deadline) -> None:
        """Tell that the match was given up."""

    def close(self) -> None:  # noqa: B027 - not everyone holds something
        """Release what the participant holds. May be called again."""


class LocalPlayer(Participant):
    """A player of this framework, in a process of its own that starts at once."""

    def __init__(
        self,
        spec: str,
        *,
        reasoner: str = "auto",
        memory_limit: int | None = None,
        on_info: Callable[[int, SearchInfo], None] = lambda _turn, _thought: None,
    ) -> None:
        """Start the process; the arguments are those of `PlayerProcess`."""
        self.name = spec
        self._on_info = on_info
        self._process = PlayerProcess(
            spec, reasoner=reasoner, memory_limit=memory_limit, on_info=self._note
        )
        self._play_clock = inf
        self._turn = 0

    def start(self, settings: MatchSettings, role: Symbol, deadline: Deadline) -> None:
        """Begin the match."""
        self._play_clock = settings.play_clock
        rules = settings.description.source.text
        try:
            self._process.start(rules, role.text, play_clock=settings.play_clock, deadline=deadline)
        finally:
            self.fault = self._process.take_fault()

    def play(self, joint_move: JointMove | Percepts | None, deadline: Deadline) -> Term:
        """Return a legal move."""
        # The referee's clock allows for the way to the player and back: here is none.
        own = Deadline.after(min(self._play_clock, deadline.remaining))
        self._turn += joint_move is not None
        self.info = None
        try:
            return self._process.play(joint_move, own)
        except PlayerError as error:
            if own.is_over:
                raise TimeoutError(str(error)) from None
            raise
        finally:
            self.fault = self._process.take_fault()

    def stop(self, joint_move: JointMove | Percepts | None, deadline: Deadline) -> None:  # noqa: ARG002 - it is short
        """Tell that the match is over, and how it ended."""
        self._process.stop(joint_move)

    def abort(self, deadline: Deadline) -> None:  # noqa: ARG002 - it is short
        """Tell that the match was given up."""
        self._process.abort()

    def close(self) -> None:
        """End the process."""
        self._process.close()

    def _note(self, turn: int, info: SearchInfo) -> None:
        if turn == self._turn:
            self.info = info
        self._on_info(turn, info)


class RemotePlayer(Participant):
    """A player of any kind that speaks the match protocol over HTTP."""

    def __init__(self, address: Address, *, name: str = "") -> None:
        """Name a player; nothing is sent yet.

        Args:
            address: where it listens.
            name: what it is called; its address if empty.
        """
        self.name = name or str(address)
        self._address = address
        self._match_id = ""
        self._turn = 0
        #: Whether the messages of this match come in two forms, and none has been answered yet.
        self._is_form_open = False

    def start(self, settings: MatchSettings, role: Symbol, deadline: Deadline) -> None:
        """Send START. What is answered does not matter."""
        self._match_id = settings.match_id
        self._turn = 0
        self.takes_percepts = settings.description.has_imperfect_information
        self._is_form_open = self.takes_percepts
        clocks = f"{_seconds(settings.start_clock)} {_seconds(settings.play_clock)}"
        rules = _listed(settings.description.terms)
        self._ask(f"( START {self._match_id} {role} {rules} {clocks})", deadline)

    def play(self, joint_move: JointMove | Percepts | None, deadline: Deadline) -> Term:
        """Send PLAY and return the move that begins the reply, whatever comes after it.

        A player that has never answered to one form of the message is sent the other in the next
        turn: players of GDL-I drop messages in the form of GDL-II without a reply.
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
        try:
            return canonical(_first_term(reply))
        except KifError:
            raise IllegalMove(" ".join(reply.split())[:100]) from None

    def stop(self, joint_move: JointMove | Percepts | None, deadline: Deadline) -> None:
        """Send STOP, and ABORT if there is no reply: every player understands that one."""
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

    def _told(self, joint_move: JointMove | Percepts | None) -> str:
        """Return what a message says of the last turn, for GDL-II in its later form."""
        if isinstance(joint_move, Percepts):
            return f"{self._turn} {joint_move.own_move} {_listed(joint_move.percepts)}"
        return "0 NIL NIL" if joint_move is None and self.takes_percepts else _listed(joint_move)

    def _change_form(self) -> None:
        if self._is_form_open:
            self.takes_percepts = not self.takes_percepts

    def _ask(self, message: str, deadline: Deadline) -> str:
        return ask(self._address, message, receiver=self.name, deadline=deadline)


class Scrambled(Participant):
    """Another participant, which is told the game in other words, as on the Tiltyard."""

    is_scrambled = True

    def __init__(self, participant: Participant, *, seed: int) -> None:
        """Stand between the participant and the referee; the words are made from the seed."""
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
        """What the player thought before its last move."""
        return self._participant.info

    def start(self, settings: MatchSettings, role: Symbol, deadline: Deadline) -> None:
        """Begin the match with scrambled rules."""
        self._scrambler = Scrambler(settings.description.terms, seed=self._seed)
        terms = map(self._scrambler.scramble, settings.description.terms)
        told = replace(settings, description=Description.from_terms(terms))
        index = settings.description.roles.index(role)
        self._participant.start(told, told.description.roles[index], deadline)

    def play(self, joint_move: JointMove | Percepts | None, deadline: Deadline) -> Term:
        """Return a move in the game's own words."""
        return self._scrambler.unscramble(
            self._participant.play(self._scrambled(joint_move), deadline)
        )

    def stop(self, joint_move: JointMove | Percepts | None, deadline: Deadline) -> None:
        """Tell that the match is over, and how it ended."""
        self._participant.stop(self._scrambled(joint_move), deadline)

    def abort(self, deadline: Deadline) -> None:
        """Tell that the match was given up."""
        self._participant.abort(deadline)

    def close(self) -> None:
        """Release what the participant holds."""
        self._participant.close()

    def _scrambled(self, joint_move: JointMove | Percepts | None) -> JointMove | Percepts | None:
        scramble = self._scrambler.scramble
        if isinstance(joint_move, Percepts):
            return Percepts(
                scramble(joint_move.own_move), tuple(map(scramble, joint_move.percepts))
            )
        return joint_move and tuple(map(scramble, joint_move))


def make_participant(
    player: str,
    *,
    seed: int | None = None,
    reasoner: str = "auto",
    on_info: Callable[[int, SearchInfo], None] = lambda _turn, _thought: None,
) -> LocalPlayer | RemotePlayer:
    """Make a participant of what a user names: a player here with its options, or a URL.

    Args:
        player: such as ``maxn:depth=4`` or ``http://localhost:9147``.
        seed: for a player here that takes one and is given none.
        reasoner: the kind of reasoner that a player here gets.
        on_info: called with each turn and what a player here thinks in it.

    Raises:
        PlayerError: there is no such player or option, or the URL is none of a player.
    """
    address = Address.parse(player)
    if address is not None:
        return RemotePlayer(address)
    make_player(player)  # complains here and now, rather than in the player's process
    spec = player if seed is None else with_seed(player, seed)
    return LocalPlayer(spec, reasoner=reasoner, on_info=on_info)


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


def _listed(terms: Iterable[Term] | None) -> str:
    return "NIL" if terms is None else "(" + "".join(f"{term} " for term in terms) + ")"
