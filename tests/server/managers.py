"""Managers that write the bytes of real ones, and read replies as these do.

Each is written after its source: ggp-base's `HttpWriter`, `HttpReader` and `RequestBuilder`,
Dresden's `RemotePlayer`, and the Tiltyard's `MatchData`, which adds headers to ggp-base's.
"""

from __future__ import annotations

import hashlib
import socket
from abc import ABC, abstractmethod
from collections.abc import Sequence

from ggp.kif import Compound, Scrambler, Symbol, Term, parse, parse_term
from ggp.reasoner import JointMove
from tests.server.sockets import PATIENCE, dresden


class Manager(ABC):
    """Plays matches with one player, which listens on a port of this machine."""

    def __init__(self, port: int, match: str) -> None:
        self.match = match
        self._port = port
        #: Everything that was written, and what was understood of the replies.
        self.written: list[bytes] = []
        self.read: list[str] = []

    @abstractmethod
    def start(self, role: Symbol, rules: str, start_clock: int, play_clock: int) -> str:
        """Send START and return the reply."""

    @abstractmethod
    def play(self, joint_move: JointMove | None) -> Term:
        """Send PLAY and return the move in the reply."""

    @abstractmethod
    def stop(self, joint_move: JointMove | None) -> str:
        """Send STOP and return the reply."""

    def _exchange(self, request: bytes) -> str:
        self.written.append(request)
        with socket.create_connection(("127.0.0.1", self._port), timeout=PATIENCE) as connection:
            connection.sendall(request)
            self.read.append(self._reply(connection))
        return self.read[-1]

    @abstractmethod
    def _reply(self, connection: socket.socket) -> str:
        """Read a reply as the manager does."""


class GgpBase(Manager):
    """The server of ggp-base. Symbols keep their spelling; parentheses stand apart."""

    receiver = "PLAYER"

    def info(self) -> str:
        return self._send("( INFO )")

    def preview(self, rules: str, deadline: int) -> str:
        return self._send(f"( PREVIEW ({self._listed(parse(rules))}) {deadline} )")

    def start(self, role: Symbol, rules: str, start_clock: int, play_clock: int) -> str:
        listed = self._listed(parse(rules))
        return self._send(
            f"( START {self.match} {self._words(role)} ({listed}) {start_clock} {play_clock})"
        )

    def play(self, joint_move: JointMove | None) -> Term:
        moves = "NIL" if joint_move is None else f"({self._listed(joint_move)})"
        return self._own_words(parse_term(self._send(f"( PLAY {self.match} {moves} )")))

    def stop(self, joint_move: JointMove | None) -> str:
        moves = "NIL" if joint_move is None else f"({self._listed(joint_move)})"
        return self._send(f"( STOP {self.match} {moves} )")

    def abort(self) -> str:
        return self._send(f"( ABORT {self.match} )")

    def _send(self, message: str) -> str:
        head = (
            "POST / HTTP/1.0\r\n"
            "Accept: text/delim\r\n"
            "Host: localhost\r\n"
            "Sender: GAMESERVER\r\n"
            f"Receiver: {self.receiver}\r\n"
            f"{self._more_headers()}"
            "Content-Type: text/acl\r\n"
            f"Content-Length: {len(message)}\r\n"
            "\r\n"
        )
        return self._exchange((head + message).encode())

    def _more_headers(self) -> str:
        return ""

    def _reply(self, connection: socket.socket) -> str:
        """Read exactly as many characters as the header says, then close the connection."""
        reader = connection.makefile("r", encoding="utf-8", newline="")
        length = -1
        while line := reader.readline():
            line = line.rstrip("\r\n")
            if line.lower().startswith("content-length:"):
                length = int(line.lower().replace("content-length:", "").strip())
            elif not line:
                return (reader.read(length) if length != -1 else reader.read()).strip()
        raise AssertionError("no content in the reply")

    def _listed(self, terms: Sequence[Term]) -> str:
        return "".join(f"{spaced(self._words(term))} " for term in terms)

    def _words(self, term: Term) -> Term:
        return term

    def _own_words(self, term: Term) -> Term:
        return term


class Tiltyard(GgpBase):
    """The Tiltyard: ggp-base with scrambled rules, and headers that tell of the match."""

    def __init__(self, port: int, match: str, *, rules: str, players: Sequence[str]) -> None:
        super().__init__(port, match)
        self._scrambler = Scrambler(parse(rules), seed=1)
        self._players = ", ".join(hashlib.sha1(name.encode()).hexdigest() for name in players)
        self._step = 0

    def play(self, joint_move: JointMove | None) -> Term:
        self._step += 1
        return super().play(joint_move)

    def _more_headers(self) -> str:
        return (
            f"GGP-Match-Host: Tiltyard\r\nGGP-Match-ID: {self.match}\r\n"
            f"GGP-Match-Players: {self._players}\r\nGGP-Match-Step: {self._step}\r\n"
        )

    def _words(self, term: Term) -> Term:
        return self._scrambler.scramble(term)

    def _own_words(self, term: Term) -> Term:
        return self._scrambler.unscramble(term)


class Dresden(Manager):
    """Dresden's GameController, with a player of GDL-I. All but the match's id is in capitals."""

    def start(self, role: Symbol, rules: str, start_clock: int, play_clock: int) -> str:
        return self._send(
            f"(START {self.match} {role.text.upper()} ({rules.upper()}) {start_clock} {play_clock})"
        )

    def play(self, joint_move: JointMove | None) -> Term:
        return parse_term(self._send(f"(PLAY {self.match} {self._moves(joint_move)})"))

    def stop(self, joint_move: JointMove | None) -> str:
        return self._send(f"(STOP {self.match} {self._moves(joint_move)})")

    def _moves(self, joint_move: JointMove | None) -> str:
        return "NIL" if joint_move is None else f"({' '.join(map(str, joint_move))})".upper()

    def _send(self, message: str) -> str:
        return self._exchange(dresden(message))

    def _reply(self, connection: socket.socket) -> str:
        """Read to the end of the stream, whatever the header says."""
        data = b""
        while received := connection.recv(1023):
            data += received
        head, _, body = data.replace(b"\r\n", b"\n").partition(b"\n\n")
        assert head
        return body.decode("ascii")


class DresdenTwo(Dresden):
    """The GameController with a player of GDL-II: turns are numbered, percepts tell the moves."""

    def __init__(self, port: int, match: str, *, role: int, roles: Sequence[Symbol]) -> None:
        super().__init__(port, match)
        self._turn = -1
        self._role = role
        self._roles = roles

    def start(self, role: Symbol, rules: str, start_clock: int, play_clock: int) -> str:
        sees = "\n(<= (sees ?p (did ?p2 ?m)) (role ?p) (does ?p2 ?m))"
        return super().start(role, rules + sees, start_clock, play_clock)

    def _moves(self, joint_move: JointMove | None) -> str:
        self._turn += 1
        if joint_move is None:
            return "0 NIL NIL"
        percepts = "".join(
            f"(DID {role} {move}) ".upper()
            for role, move in zip(self._roles, joint_move, strict=True)
        )
        return f"{self._turn} {joint_move[self._role]} ({percepts})".upper()


def spaced(term: Term) -> str:
    """Write a term as ggp-base does: ``( mark 1 1 )``."""
    if isinstance(term, Compound):
        return f"( {' '.join(map(spaced, term.items))} )"
    return str(term)
