"""The faults that the soak injects; each checks what it must not cause.

A fault that happens within a match plays one of its own, which must come through unharmed: in time,
and with legal moves, wherever the fault leaves anything to play with.
"""

from __future__ import annotations

import os
import random
import signal
import socket
import struct
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from itertools import count
from typing import TypeAlias

from ggp.errors import KifError
from ggp.kif import parse_term
from tests.processes import descendants, happens
from tests.server.sockets import HttpReply, exchange, ggp_base
from tests.soak.match import Game, Match, Records
from tests.soak.server import Server

__all__ = ["FAULTS", "Scene"]

#: Seconds of a clock that leaves time for a fault and for the recovery.
_CLOCK = 5

#: Rules under which Prolog derives terms that grow without end.
ENDLESS = """
(role white) (role black) (init i)
(<= (grow ?n) (true i) (grow (s ?n)))
(<= (legal ?r go) (role ?r) (grow z)) (<= (next i) (true i)) (goal white 0) (goal black 0)
"""
#: Rules that have a billion states' worth of facts to begin with.
BOMB = """
(role white) (role black)
(d 0) (d 1) (d 2) (d 3) (d 4) (d 5) (d 6) (d 7) (d 8) (d 9)
(<= (init (f ?a ?b ?c ?d ?e ?f ?g ?h)) (d ?a) (d ?b) (d ?c) (d ?d) (d ?e) (d ?f) (d ?g) (d ?h))
(<= (legal ?r go) (role ?r)) (<= (next ?x) (true ?x)) (goal white 0) (goal black 0)
"""
#: Rules that Prolog plays at once and that can never be grounded: numbers that grow.
UNGROUNDED = """
(role white) (role black) (init (n z))
(<= (legal ?r go) (role ?r)) (<= (legal ?r stay) (role ?r))
(<= (next (n (s ?n))) (true (n ?n))) (goal white 0) (goal black 0)
"""

#: Seconds between two connections of a flood. Their number must do no harm. If all came within a
#: tenth of a second, to accept them would delay INFO on any machine.
_GAP = 0.005

_numbers = count(1)


@dataclass
class Scene:
    """The surroundings of a fault."""

    server: Server
    games: list[Game]
    records: Records
    generator: random.Random = field(default_factory=random.Random)

    def match(self) -> Match:
        """A match of the fault's own, started."""
        match = Match(
            self.generator.choice(self.games),
            port=self.server.port,
            clock=_CLOCK,
            records=self.records,
            generator=self.generator,
        )
        match.start()
        return match

    def play_on(self, match: Match, *, turns: int = 2) -> None:
        """Play some turns more, and stop."""
        for _ in range(turns):
            if not match.is_over:
                match.step()
        match.stop()

    def expect(self, reply: str, *expected: str) -> None:
        """Check the answer to an invalid message."""
        if reply not in expected:
            self.records.blame(f"answered {reply!r}, not {' or '.join(expected)}")

    def start(
        self, rules: str, *, match: str = "", role: str = "white", clocks: str = "2 2"
    ) -> str:
        """Return a START that belongs to no healthy match."""
        return f"(START {match or self.new_id()} {role} ({rules}) {clocks})"

    def new_id(self) -> str:
        return f"fault.{next(_numbers)}"

    def ask_in_time(self, message: str, *, seconds: float) -> str:
        """Ask, and check that the answer is one term of KIF, in time."""
        began = time.monotonic()
        reply = self.server.ask(message)
        if time.monotonic() - began > seconds:
            self.records.blame(f"{message[:40]!r} took {time.monotonic() - began:.2f} s")
        try:
            parse_term(reply)
        except KifError:
            self.records.blame(f"{message[:40]!r} was answered {reply!r}")
        return reply

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.server.port), timeout=30)

    def send(self, data: bytes) -> HttpReply:
        return exchange(self.server.port, data)


# Processes


def _strike(scene: Scene, number: int, *, reasoner: bool = False) -> None:
    """Send a signal to the player of a match, or to its reasoner, while it is thought about.

    Only the player is struck: without it and its fallback there would be no move.
    """
    match = scene.match()

    def strike() -> None:
        for player in scene.server.processes_of(match.id)[:1]:
            for pid in sorted(descendants(player))[:1] if reasoner else [player]:
                with suppress(ProcessLookupError):
                    os.kill(pid, number)

    if not match.is_over:
        match.step(meanwhile=strike)
    scene.play_on(match)


def player_killed(scene: Scene) -> None:
    _strike(scene, signal.SIGKILL)


def player_frozen(scene: Scene) -> None:
    _strike(scene, signal.SIGSTOP)


def reasoner_killed(scene: Scene) -> None:
    _strike(scene, signal.SIGKILL, reasoner=True)


def reasoner_frozen(scene: Scene) -> None:
    _strike(scene, signal.SIGSTOP, reasoner=True)


def memory_bomb(scene: Scene) -> None:
    match = scene.new_id()
    scene.ask_in_time(scene.start(BOMB, match=match), seconds=2)
    scene.ask_in_time(f"(PLAY {match} NIL)", seconds=2)
    scene.ask_in_time(f"(STOP {match} NIL)", seconds=2)


def endless_rules(scene: Scene) -> None:
    match = scene.new_id()
    scene.ask_in_time(scene.start(ENDLESS, match=match), seconds=2)
    scene.ask_in_time(f"(PLAY {match} NIL)", seconds=2)
    scene.ask_in_time(f"(ABORT {match})", seconds=2)


def rules_without_ground(scene: Scene) -> None:
    match = scene.new_id()
    scene.ask_in_time(scene.start(UNGROUNDED, match=match, clocks="5 5"), seconds=5)
    moves = "NIL"
    for _ in range(3):
        reply = scene.ask_in_time(f"(PLAY {match} {moves})", seconds=5)
        scene.expect(reply, "go", "stay")
        moves = f"({reply} stay)"
    scene.ask_in_time(f"(STOP {match} {moves})", seconds=2)


# Connections


def slow_loris(scene: Scene) -> None:
    with scene.connect() as connection, suppress(OSError):
        for byte in b"POST / HTTP/1.0\r\nContent-Length: 600\r\n":
            connection.sendall(bytes([byte]))
            time.sleep(0.1)


def half_open_connections(scene: Scene) -> None:
    with ExitStack() as stack:
        for _ in range(40):
            stack.enter_context(scene.connect())
        time.sleep(1)
        scene.ask_in_time("(INFO)", seconds=1)


def connection_reset(scene: Scene) -> None:
    for data in (b"POST / HTTP/1.0\r\nContent-", ggp_base("( INFO )")):
        connection = scene.connect()
        linger = struct.pack("ii", 1, 0)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        connection.sendall(data)
        connection.close()


def client_leaves_before_the_answer(scene: Scene) -> None:
    match = scene.match()
    if not match.is_over:
        with scene.connect() as connection:
            connection.sendall(ggp_base(match.play_message()))
    scene.play_on(match)


def _play_of_a_day(scene: Scene) -> str:
    """Start a match that no search solves, with a play clock of a day; return the id."""
    (game,) = (game for game in scene.games if game.name == "breakthrough")
    match = scene.new_id()
    scene.ask_in_time(
        scene.start(game.rules, match=match, role=game.roles[0], clocks="5 86400"), seconds=5
    )
    return match


def _send_and_hold(scene: Scene, stack: ExitStack, message: str, times: int) -> None:
    for _ in range(times):
        connection = stack.enter_context(scene.connect())
        with suppress(OSError):  # the server need not keep the older ones
            connection.sendall(ggp_base(message))
        time.sleep(_GAP)


def clients_that_leave_while_they_wait(scene: Scene) -> None:
    match = _play_of_a_day(scene)
    with ExitStack() as stack:
        _send_and_hold(scene, stack, f"(PLAY {match} NIL)", 520)
        scene.ask_in_time("(INFO)", seconds=1)
        time.sleep(2)
    scene.ask_in_time("(INFO)", seconds=1)
    if not happens(lambda: scene.server.connections() < 200, within=10):
        scene.records.blame(f"clients have left {scene.server.connections()} connections open")
    scene.expect(scene.ask_in_time(f"(STOP {match} NIL)", seconds=1), "done")


def clients_that_wait_for_many_moves(scene: Scene) -> None:
    match = _play_of_a_day(scene)
    with ExitStack() as stack:
        for number in range(40):
            _send_and_hold(scene, stack, f"(PLAY {match} ((a {number}) noop))", 5)
            _send_and_hold(scene, stack, f"(PLAY {scene.new_id()} NIL)", 5)
        scene.ask_in_time("(INFO)", seconds=1)
        scene.expect(scene.ask_in_time(f"(ABORT {match})", seconds=1), "aborted")


def clients_that_go_after_a_whole_message(scene: Scene) -> None:
    game, match = scene.games[0], scene.new_id()
    start = scene.start(game.rules, match=match, role=game.roles[0], clocks="5 86400")
    for message in (start, f"(STOP {match} NIL)", "(INFO)"):
        with ExitStack() as stack:
            _send_and_hold(scene, stack, message, 4 if message is start else 100)
    scene.ask_in_time("(INFO)", seconds=1)
    scene.ask_in_time(f"(ABORT {match})", seconds=1)


def client_that_closes_the_end_it_sends_at(scene: Scene) -> None:
    match = scene.match()
    if not match.is_over:
        reply = exchange(scene.server.port, ggp_base(match.play_message()), half_close=True).body
        scene.expect(scene.server.ask(match.play_message()), reply)
    scene.play_on(match)


def dripping_bodies(scene: Scene) -> None:
    with ExitStack() as stack:
        connections = [stack.enter_context(scene.connect()) for _ in range(100)]
        for byte in (b"POST / HTTP/1.0\r\nContent-Length: 600\r\n\r\n(START ", b"(", b"(", b"("):
            for connection in connections:
                with suppress(OSError):
                    connection.sendall(byte)
            scene.ask_in_time("(INFO)", seconds=1)
            time.sleep(1)


def repeated_headers(scene: Scene) -> None:
    with suppress(OSError):  # the server need not read it all
        scene.send(b"POST / HTTP/1.0\r\n" + b"X: y\r\n" * 300_000 + b"\r\n(INFO)")
    scene.ask_in_time("(INFO)", seconds=1)


def ten_megabytes(scene: Scene) -> None:
    with suppress(OSError):  # the server need not read it all
        scene.expect(scene.send(ggp_base("(START " + "x " * 5_500_000 + ")")).body, "what")


def a_long_message_of_parentheses(scene: Scene) -> None:
    scene.expect(scene.send(ggp_base("(()" * 300_000)).body, "what")


def moves_of_megabytes(scene: Scene) -> None:
    match = scene.match()
    with suppress(OSError):
        message = f"(PLAY {match.id} ({'a ' * 2_000_000}))"
        scene.expect(scene.send(ggp_base(message)).body, "what")
    scene.play_on(match)


def garbage(scene: Scene) -> None:
    for size in (1, 100, 10_000):
        with scene.connect() as connection, suppress(OSError):
            connection.sendall(scene.generator.randbytes(size) + b"\r\n\r\n")
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(1 << 16):
                pass


def wrong_http(scene: Scene) -> None:
    head = b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    scene.expect(scene.send(head + b"zzz\r\n(INFO)\r\n").body, "what")
    scene.expect(scene.send(b"POST / HTTP/1.0\r\nContent-Length: -1\r\n\r\n(DANCE)").body, "what")


def many_connections_at_once(scene: Scene) -> None:
    with ThreadPoolExecutor(30) as pool:
        list(pool.map(lambda _: scene.server.ask("(INFO)"), range(60)))


# Web pages, and the machine


def pages_of_other_sites(scene: Scene) -> None:
    match = scene.match()
    for headers in (
        "Host: 127.0.0.1\r\nOrigin: http://evil.com",
        "Host: 127.0.0.1\r\nSec-Fetch-Site: cross-site\r\nUser-Agent: Mozilla/5.0",
        "Host: 127.0.0.1\r\nUser-Agent: Mozilla/5.0",
        "Host: evil.com",
    ):
        for line, message in (
            ("POST / HTTP/1.1", f"(STOP {match.id} NIL)"),
            (f"GET /(ABORT%20{match.id}) HTTP/1.1", ""),
        ):
            request = f"{line}\r\n{headers}\r\nContent-Length: {len(message)}\r\n\r\n{message}"
            scene.expect(scene.send(request.encode()).body, "what")
    scene.play_on(match)


def full_disk(scene: Scene) -> None:
    with scene.server.full_disk():
        match = scene.match()
        scene.play_on(match)
        scene.ask_in_time("(INFO)", seconds=1)


# Messages


def unknown_ids(scene: Scene) -> None:
    scene.expect(scene.server.ask("(PLAY unknown NIL)"), "what")
    scene.expect(scene.server.ask("(STOP unknown NIL)"), "done")
    scene.expect(scene.server.ask("(ABORT unknown)"), "aborted")


def duplicate_id(scene: Scene) -> None:
    game, match = scene.games[0], scene.new_id()
    for role in game.roles[:2]:
        start = scene.start(game.rules, match=match, role=role, clocks="5 5")
        scene.expect(scene.ask_in_time(start, seconds=5), "ready", "busy")
    scene.ask_in_time(f"(ABORT {match})", seconds=2)


def abort_while_thinking(scene: Scene) -> None:
    match = scene.match()
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(scene.server.ask, match.play_message())
        time.sleep(0.3)
        scene.expect(scene.ask_in_time(f"(ABORT {match.id})", seconds=1), "aborted")
        asked.result()


def start_while_playing(scene: Scene) -> None:
    match = scene.match()
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(scene.server.ask, match.play_message())
        time.sleep(0.3)
        match.start()
        asked.result()
    scene.play_on(match)


def the_same_message_twice(scene: Scene) -> None:
    match = scene.match()
    if not match.is_over:
        with ThreadPoolExecutor(2) as pool:
            replies = set(pool.map(scene.server.ask, [match.play_message()] * 2))
        # The older one may be told that the newer one waits for the move.
        if len(replies - {"what"}) != 1:
            scene.records.blame(f"the same message was answered {replies}")
    scene.play_on(match)


def wrong_moves(scene: Scene) -> None:
    match = scene.match()
    if not match.is_over:
        match.step()
        scene.expect(scene.server.ask(f"(PLAY {match.id} (a b c d e f))"), "what")
        scene.expect(scene.server.ask(f"(PLAY {match.id} 99 x (y))"), "what")
    scene.play_on(match)


def skewed_clocks(scene: Scene) -> None:
    game = scene.games[0]
    for clocks in ("0 0", "-5 -5", "1e400 7", "nan nan", "0.01 0.01", "86400 1"):
        match = scene.new_id()
        start = scene.start(game.rules, match=match, role=game.roles[0], clocks=clocks)
        if clocks.startswith("86400"):
            continue  # the player may prepare for a day
        scene.ask_in_time(start, seconds=2)
        scene.ask_in_time(f"(PLAY {match} NIL)", seconds=2)
        scene.ask_in_time(f"(ABORT {match})", seconds=2)


def rules_that_are_none(scene: Scene) -> None:
    for rules in ("", "(role", "(role white) (<=)", "(init x)"):
        scene.ask_in_time(scene.start(rules), seconds=2)


def no_stop_ever(scene: Scene) -> None:
    match = scene.match()
    if not match.is_over:
        match.step()


Fault: TypeAlias = Callable[[Scene], None]

FAULTS: tuple[Fault, ...] = (
    player_killed,
    player_frozen,
    reasoner_killed,
    reasoner_frozen,
    memory_bomb,
    endless_rules,
    rules_without_ground,
    slow_loris,
    half_open_connections,
    connection_reset,
    client_leaves_before_the_answer,
    clients_that_leave_while_they_wait,
    clients_that_wait_for_many_moves,
    clients_that_go_after_a_whole_message,
    client_that_closes_the_end_it_sends_at,
    dripping_bodies,
    repeated_headers,
    ten_megabytes,
    moves_of_megabytes,
    a_long_message_of_parentheses,
    garbage,
    wrong_http,
    many_connections_at_once,
    pages_of_other_sites,
    full_disk,
    unknown_ids,
    duplicate_id,
    abort_while_thinking,
    start_while_playing,
    the_same_message_twice,
    wrong_moves,
    skewed_clocks,
    rules_that_are_none,
    no_stop_ever,
)
