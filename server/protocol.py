"""The player's side of the match protocol: a message in, a reply out, with the time as an argument.

The module is independent of HTTP. Matches do not wait for each other: while one player thinks, the
messages of the other matches, and INFO, are answered at once.

The messages have the forms of ggp-base and of Dresden's GameController.
"""

from __future__ import annotations

import logging
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from threading import Lock, Thread
from typing import TypeAlias

from ggp.errors import PlayerError
from ggp.server.access.peers import HERE
from ggp.server.log import log_fields
from ggp.server.match import Match, Session, Snapshot
from ggp.server.messages import (
    Abort,
    Info,
    Message,
    Play,
    Preview,
    Start,
    Stop,
    Unreadable,
    parse_message,
)
from ggp.server.questions import OnLeaving, OutOfStep
from ggp.server.timing import DEFAULT_MARGIN, Margin

__all__ = ["DEFAULT_LIMITS", "NIL", "WHAT", "Limits", "PlayerProtocol", "Reply"]

#: The answer to a message that makes no sense, as in cl-ggp.
WHAT = "what"
#: The answer to a PLAY for which no legal move is known.
NIL = "nil"
_FAILED = {"start": "busy", "play": NIL}

#: Longer messages are parsed one at a time. A message of megabytes takes seconds to parse; several
#: at once would leave little processor time for the other matches and INFO.
_LONG = 100_000
#: How many messages of the greatest length may wait to be parsed, or more that are shorter.
_MAX_READING = 4

#: Matches that may be ending at the same time, as a multiple of those that may be played.
_MAX_ENDING = 2

#: The peer of a message, and how its manager addresses the player.
_Sender: TypeAlias = tuple[str, str]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits on what managers may ask of a server.

    `PlayerProcess` limits the memory of a match.
    """

    #: Matches at the same time; the server answers further STARTs with `busy`.
    matches: int = 64
    #: Bytes of a message; no known game comes near.
    message: int = 10_000_000
    #: Seconds from START after which the server aborts a match.
    match_seconds: float = 6 * 3600.0
    #: Matches at the same time of one peer that is not on this machine.
    matches_per_peer: int = 16


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a message, with what is logged about it."""

    #: One term of KIF, as one line of ASCII.
    text: str
    verb: str
    match: str | None = None
    turn: int | None = None
    #: What was wrong, if anything.
    trouble: str = ""


class PlayerProtocol:
    """Answers the messages of any number of managers. Any thread may call the methods."""

    def __init__(
        self,
        open_session: Callable[[], Session],
        *,
        name: str = "ggp",
        margin: float = DEFAULT_MARGIN,
        limits: Limits = DEFAULT_LIMITS,
        on_start: Callable[[str, str], None] = lambda _match, _rules: None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Answer for a player.

        Args:
            open_session: makes the player for one match.
            name: the name in the answer to INFO; one word.
            margin: seconds of each clock that are reserved.
            limits: how many matches may be played at the same time, and for how long.
            on_start: called with the id and the rules of each match that begins; returns at once.
            now: returns the time in seconds, on the scale of `time.monotonic`.
        """
        self._open_session = open_session
        self._name = name
        self._margin = Margin(margin)
        self._limits = limits
        self._on_start = on_start
        self._now = now
        self._reading = Lock()
        self._lock = Lock()  # guards everything below; never held for long
        #: Characters of the long messages that are parsed, or wait for it.
        self._unread = 0
        self._ended: Counter[str] = Counter()
        self._matches: list[Match] = []
        self._ending: dict[Match, Thread] = {}
        self._is_closed = False

    def handle(
        self,
        message: str,
        *,
        received: float | None = None,
        address: str = "",
        peer: str = HERE,
        on_leaving: OnLeaving = lambda _leave: None,
    ) -> Reply:
        """Answer one message of any content. Never raises.

        Args:
            message: the text of the message.
            received: when its first byte arrived; None for now.
            address: how the manager addresses the player. It tells the roles apart when a manager
                gives this server several roles of one match.
            peer: where the message comes from, as `Peers` names it. A match belongs to the peer
                that has started it: what another peer says about its id is said of another match,
                or of none.
            on_leaving: tells when the client closes the connection. It is called before the
                message waits for a player.
        """
        received = self._now() if received is None else received
        parsed = self._parse(message)
        verb = type(parsed).__name__.lower()
        turn, trouble = None, ""
        try:
            text, turn, trouble = self._answer(parsed, received, (peer, address), on_leaving)
        except OutOfStep as error:
            text, trouble = WHAT, str(error)
        except PlayerError as error:
            text, trouble = _FAILED.get(verb, WHAT), str(error)
        except Exception as error:  # the manager needs an answer in any case
            _log.exception("an error while answering %s", verb)
            text, trouble = _FAILED.get(verb, WHAT), repr(error)
        return Reply(_one_line(text), verb, getattr(parsed, "match", None), turn, trouble)

    def _parse(self, message: str) -> Message:
        if len(message) <= _LONG:
            return parse_message(message)
        with self._reserved(len(message)) as is_free:
            if not is_free:
                return Unreadable("too many long messages at once")
            with self._reading:
                parsed = parse_message(message)
                if isinstance(parsed, Start):
                    _ = parsed.rules.roles  # found here, because it takes as long
                return parsed

    @contextmanager
    def _reserved(self, length: int) -> Iterator[bool]:
        """Give whether a message may wait to be parsed, and count it while it does."""
        with self._lock:
            is_free = self._unread + length <= _MAX_READING * self._limits.message
            self._unread += length if is_free else 0
        try:
            yield is_free
        finally:
            with self._lock:
                self._unread -= length if is_free else 0

    def release_abandoned(self) -> None:
        """Abort the matches that have been silent, or have lasted, for too long.

        Call this about once a second.
        """
        with self._lock:
            abandoned = [match for match in self._matches if match.is_abandoned]
            too_long = [
                match
                for match in self._matches
                if match.age > self._limits.match_seconds and match not in abandoned
            ]
            self._matches = [m for m in self._matches if m not in abandoned + too_long]
        for match in abandoned:
            self._retire(match, "abandoned", match.abort)
        for match in too_long:
            self._retire(match, "over time", match.abort)

    @property
    def name(self) -> str:
        """The name in the answer to INFO."""
        return self._name

    @property
    def delay(self) -> float:
        """The delay of this machine that the margin allows for, in seconds."""
        return self._margin.delay

    @property
    def limits(self) -> Limits:
        """How many matches may be played at the same time, and for how long."""
        return self._limits

    def matches(self) -> list[Snapshot]:
        """Return a snapshot of each match in progress, the oldest first."""
        return [match.snapshot() for match in list(self._matches)]

    def ended(self) -> dict[str, int]:
        """Return the number of matches that have ended, by the way in which they did."""
        with self._lock:
            return dict(self._ended)

    def close(self) -> None:
        """End all matches at once."""
        with self._lock:
            self._is_closed = True
            matches, self._matches = [*self._matches, *self._ending], []
            threads = list(self._ending.values())
        for match in matches:
            match.close()
        for thread in threads:
            thread.join()

    def _answer(
        self, message: Message, received: float, sender: _Sender, on_leaving: OnLeaving
    ) -> tuple[str, int | None, str]:
        """Return the reply, the turn, and what is wrong nevertheless."""
        match message:
            case Info():
                self.release_abandoned()
                status = "busy" if self.is_full else "available"
                return f"((name {self._name}) (status {status}))", None, ""
            case Preview():
                return "ready", None, ""
            case Start():
                self.release_abandoned()
                return self._start(message, received, sender, on_leaving), None, ""
            case Play():
                match = self._find(message.match, sender)
                move = match.play(message.moves, received, on_leaving=on_leaving)
                return str(move), match.turn, match.doubt
            case Stop():
                for match in self._take(message.match, sender):
                    self._retire(match, "stopped", partial(match.stop, message.moves))
                return "done", None, ""
            case Abort():
                for match in self._take(message.match, sender):
                    self._retire(match, "aborted", match.abort)
                return "aborted", None, ""
            case Unreadable():
                raise OutOfStep(message.reason)

    @property
    def is_full(self) -> bool:
        """Whether a START would be answered by ``busy``."""
        active = [match for match in self._matches if not match.is_overdue]
        return len(active) >= self._limits.matches

    def _start(self, start: Start, received: float, sender: _Sender, on_leaving: OnLeaving) -> str:
        peer, address = sender
        match = Match(
            start,
            address=address,
            peer=peer,
            open_session=self._open_session,
            margin=self._margin,
            now=self._now,
        )
        with self._lock:
            replaced = [other for other in self._matches if match.replaces(other)]
            kept = [other for other in self._matches if other not in replaced]
            overdue = sorted((m for m in kept if m.is_overdue), key=lambda other: -other.silence)
            abandoned = overdue[: max(0, len(kept) + 1 - self._limits.matches)]
            kept = [other for other in kept if other not in abandoned]
            if self._is_closed or self._has_enough(kept, peer):
                return "busy"
            self._matches = [*kept, match]
        for other in replaced:
            self._retire(other, "replaced", other.abort)
        for other in abandoned:
            self._retire(other, "abandoned", other.abort)
        self._on_start(start.match, start.rules.text)
        # A manager that has left during the preparation may still ask for moves.
        on_leaving(lambda: None)
        try:
            match.prepare(received)
        except BaseException:
            with self._lock:
                was_there = match in self._matches
                self._matches = [other for other in self._matches if other is not match]
            if was_there:  # else another message has ended it meanwhile
                self._retire(match, "failed", match.close)
            raise
        return "ready"

    def _has_enough(self, matches: list[Match], peer: str) -> bool:
        """Return whether a peer cannot start another match beside these."""
        its_own = sum(match.peer == peer for match in matches)
        return (
            len(matches) >= self._limits.matches
            or (peer != HERE and its_own >= self._limits.matches_per_peer)
            # A manager that starts and stops matches must not outrun their ends.
            or len(self._ending) >= _MAX_ENDING * (self._limits.matches + 1)
        )

    def _find(self, match_id: str, sender: _Sender) -> Match:
        found = self._named(match_id, sender)
        if len(found) != 1:
            raise OutOfStep("no such match" if not found else "which of several roles?")
        return found[0]

    def _take(self, match_id: str, sender: _Sender) -> list[Match]:
        with self._lock:
            found = self._named(match_id, sender)
            self._matches = [match for match in self._matches if match not in found]
        return found

    def _named(self, match_id: str, sender: _Sender) -> list[Match]:
        """Return the peer's match with this id and address, or else all with the id."""
        peer, address = sender
        found = [m for m in self._matches if m.id == match_id and m.peer == peer]
        return [match for match in found if match.address == address] or found

    def _retire(self, match: Match, how: str, farewell: Callable[[], None]) -> None:
        """End a match in a thread of its own, so that the manager need not wait."""
        fields = {"event": "end", "match": match.id, "role": match.role, "how": how}
        more = {"turn": match.turn, "seconds": round(match.age, 3)}
        level = logging.INFO if how in ("stopped", "aborted") else logging.WARNING
        log_fields(_log, level, fields | more)

        def end() -> None:
            try:
                farewell()
            finally:
                with self._lock:
                    self._ending.pop(match, None)

        thread = Thread(target=end, daemon=True, name=f"ending {match.id}")
        with self._lock:
            self._ended[how] += 1
            try:
                thread.start()
            except RuntimeError:  # there are no more threads: then the manager waits
                pass
            else:
                self._ending[match] = thread
                return
        end()


def _one_line(text: str) -> str:
    """Escape all characters that are not printable ASCII.

    Managers do not agree about other characters: ggp-base counts the length of a reply in
    characters, others count bytes.
    """
    escaped = text.encode("ascii", "backslashreplace").decode("ascii")
    return re.sub(r"[^ -~]", lambda found: f"\\x{ord(found[0]):02x}", escaped)
