"""A fake player, and a protocol with fake players and a fake clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from threading import Event

from ggp.deadline import Deadline
from ggp.errors import PlayerError
from ggp.kif import Term, parse_term
from ggp.match import Percepts
from ggp.reasoner import JointMove
from ggp.server.access.peers import HERE
from ggp.server.protocol import Limits, PlayerProtocol, Reply

#: Two roles that choose a number at the same time, in lower case.
RULES = """
(role white) (role black) ; two of them
(init (round 1))
(<= (legal ?r (choose 1)) (role ?r))
(<= (legal ?r (choose 2)) (role ?r))
(<= (next (round 2)) (true (round 1)))
(<= terminal (true (round 2)))
(goal white 50) (goal black 50)
"""

#: The rule by which Dresden's manager turns a game of GDL-I into one of GDL-II.
SEES_EVERYTHING = "(<= (sees ?p (did ?p2 ?m)) (role ?p) (does ?p2 ?m))"


def start(
    match: str = "m1", *, role: str = "white", rules: str = RULES, clocks: str = "10 4"
) -> str:
    return f"(START {match} {role} ({rules}) {clocks})"


@dataclass
class FakeSession:
    """Answers (choose t) in turn t, and records its calls."""

    told: list[str] = field(default_factory=list)
    clocks: list[Deadline] = field(default_factory=list)
    rules: str = ""
    turn: int = -1
    is_closed: bool = False
    #: Called while the player thinks, with its clock.
    thinks: Callable[[Deadline], object] = field(default=lambda _deadline: None)
    #: What is raised, once each.
    errors: list[Exception] = field(default_factory=list)
    #: What is answered instead.
    answer: str = ""
    processes: tuple[int, ...] = (4711, 4712)
    note: str = ""
    doubt: str = ""

    def start(self, rules: str, role: str, *, play_clock: float, deadline: Deadline) -> None:
        self.rules = rules
        self.told.append(f"start {role} {play_clock:g}")
        self.clocks.append(deadline)
        self.thinks(deadline)
        self._fail()

    def play(self, joint_move: JointMove | Percepts | None, deadline: Deadline) -> Term:
        self.told.append(f"play {_text(joint_move)}")
        self.clocks.append(deadline)
        self.turn += 1
        self.thinks(deadline)
        self._fail()
        return parse_term(self.answer or f"(choose {self.turn})")

    def stop(self, joint_move: JointMove | Percepts | None) -> None:
        self.told.append(f"stop {_text(joint_move)}")

    def abort(self) -> None:
        self.told.append("abort")

    def close(self) -> None:
        self.is_closed = True

    def _fail(self) -> None:
        if self.errors:
            raise self.errors.pop(0)


def _text(joint_move: JointMove | Percepts | None) -> str:
    if isinstance(joint_move, Percepts):
        return f"{joint_move.own_move}, seen {' '.join(map(str, joint_move.percepts))}"
    return "nil" if joint_move is None else " ".join(map(str, joint_move))


class Table:
    """A protocol with fake players and a fake clock."""

    def __init__(
        self,
        *,
        max_matches: int = 64,
        max_per_peer: int = 64,
        max_message: int = 10_000_000,
        match_seconds: float = inf,
        margin: float = 1.5,
    ) -> None:
        self.time = 1000.0
        self.sessions: list[FakeSession] = []
        #: What new players are like.
        self.make: Callable[[], FakeSession] = FakeSession
        self.protocol = PlayerProtocol(
            self._open,
            name="fake",
            margin=margin,
            limits=Limits(
                matches=max_matches,
                message=max_message,
                match_seconds=match_seconds,
                matches_per_peer=max_per_peer,
            ),
            now=lambda: self.time,
        )

    def _open(self) -> FakeSession:
        self.sessions.append(self.make())
        return self.sessions[-1]

    def handle(self, message: str, address: str = "", *, peer: str = HERE) -> Reply:
        return self.protocol.handle(message, address=address, peer=peer)

    def ask(self, message: str, address: str = "", *, peer: str = HERE) -> str:
        return self.handle(message, address, peer=peer).text

    def wait_for_endings(self) -> None:
        """Wait for the threads that end matches, as closing does."""
        self.protocol.close()

    def ask_all(self, *messages: str) -> list[str]:
        return [self.ask(message) for message in messages]

    @property
    def session(self) -> FakeSession:
        """The player of the last match that was started."""
        return self.sessions[-1]


def broken() -> FakeSession:
    """Return a player that cannot start."""
    return FakeSession(errors=[PlayerError("no such game")])


def patient(release: Event) -> Callable[[Deadline], None]:
    """Return a function that blocks until it is released or the deadline is over."""

    def think(deadline: Deadline) -> None:
        while not (release.wait(0.01) or deadline.is_over):
            pass

    return think
