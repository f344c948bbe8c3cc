"""One match of a manager: a process that referees it, and a log of its events."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Condition, Timer

from ggp.gdl import RANDOM
from ggp.server.manager.games import ListedGame
from ggp.server.manager.places import visitor
from ggp.server.manager.players import Players
from ggp.server.manager.processes.children import Child, Message
from ggp.server.manager.setup import Seat, Setup
from ggp.server.manager.viewers import THOUGHTS, Seated, view_of
from ggp.workers.worker import Start, spawn

__all__ = ["Closing", "Match"]

#: Seconds that an aborted match gets to end by itself.
_FAREWELL = 6.0
#: What concerns only the current turn; it leaves the log with the next move.
_OF_A_TURN = ("turn", "answered")

_MODULE = "ggp.server.manager.processes.match_worker"
#: Bytes of address space for a referee, without its reasoner's and its players' processes.
_MEMORY = 3 << 30


class Closing(Exception):
    """The manager is closing; the match goes on with the next one."""


class Match:
    """One match. Its log only grows; a viewer waits for the next event.

    A match is running, over, or paused: a paused match has no process, and `go_on` starts one that
    begins where the record ends.
    """

    def __init__(
        self,
        game: ListedGame,
        setup: Setup,
        folder: Path,
        *,
        players: Players,
        on_over: Callable[[], None],
        start: Start = spawn,
    ) -> None:
        """Prepare a paused match.

        Args:
            game: its game.
            setup: how it is played.
            folder: the folder for its record.
            players: those that visitors can choose.
            on_over: called when the match is over.
            start: starts its process.
        """
        self.game = game
        self.setup = setup
        self.record = folder / f"{setup.id}.json"
        #: The visitor who began it; empty if that was at another manager.
        self.visitor = visitor.get()
        #: When a page last asked for its events, on the scale of `time.monotonic`.
        self.seen = time.monotonic()
        self._players = players
        self._start = start
        self._on_over = on_over
        self._changed = Condition()
        #: None in place of an event that a later one has replaced.
        self._log: list[Message | None] = []
        #: The same without the players' thoughts.
        self._plain: list[Message | None] = []
        #: The index of the latest search info of each role.
        self._infos: dict[int, int] = {}
        self._started: Message = {}
        #: The latest event `turn`, its places in both logs and those of what followed, and which
        #: roles have answered.
        self._turn: Message = {}
        self._of_turn: list[tuple[int, int]] = []
        self._answered: set[int] = set()
        #: The roles of people whose own links were opened.
        self._claimed: set[int] = set()
        self._is_over = False
        self._is_decided = False
        self._is_closing = False
        #: Why the match is aborted, for its viewers.
        self._reason = ""
        #: How many joint moves of the record the next process takes; None for all.
        self._step: int | None = None
        self._child: Child | None = None
        #: Counts the processes of the match; what an earlier one says no longer counts.
        self._process = 0

    @property
    def id(self) -> str:
        """The id of the match."""
        return self.setup.id

    @property
    def began(self) -> int:
        """When it was begun, in milliseconds since 1970, which its id tells."""
        return int(self.id.rsplit(".", 2)[1])

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The players, one for each role but ``random``."""
        return self.setup.seats

    @property
    def play_clock(self) -> float:
        """Seconds for a move."""
        return self.setup.play_clock

    @property
    def humans_take_time(self) -> bool:
        """Whether the clocks do not apply to people."""
        return self.setup.humans_take_time

    @property
    def is_over(self) -> bool:
        """Whether the match has ended."""
        return self._is_over

    @property
    def is_decided(self) -> bool:
        """Whether its end was told: nothing is a secret any more."""
        return self._is_decided

    @property
    def is_running(self) -> bool:
        """Whether a process referees it now."""
        return self._child is not None and not self._is_over

    @property
    def has_people(self) -> bool:
        """Whether a person plays."""
        return any(seat.kind == "human" for seat in self.seats)

    @property
    def waits_since(self) -> float | None:
        """When a turn began in which a person has not moved yet, in seconds since 1970."""
        with self._changed:
            waits = {int(role) for role in self._turn.get("legal", {})} - self._answered
            return self._turn["time"] if waits and not self._is_over else None

    @property
    def states(self) -> list[list[str]]:
        """The facts of each state so far."""
        with self._changed:
            return [event["facts"] for event in self._log if event and "facts" in event]

    @property
    def log(self) -> list[Message]:
        """The events so far. Unlike `events`, this does not count as a look of a page."""
        with self._changed:
            return [event for event in self._log if event]

    @property
    def is_hidden(self) -> bool:
        """Whether the rules hide something from the players, as far as that is known yet."""
        return bool(self._started.get("hidden"))

    @property
    def may_hide(self) -> bool:
        """Whether the rules hide something from people who play, or may: it is not known yet."""
        return self.has_people and not self._is_decided and bool(self._started.get("hidden", True))

    @property
    def moves(self) -> list[list[str]]:
        """The joint moves so far."""
        with self._changed:
            return [event["moves"] for event in self._log if event and event["event"] == "move"]

    def viewer(self, view: str) -> Seated | None:
        """Return what a page may see, by what `view_of` gives for its key; None for all.

        A page without a seat sees all, but in a match of people whose rules hide something it sees
        nothing: a player could open it beside the page of the seat.
        """
        with self._changed:
            people = [seat for seat in self.seats if seat.kind == "human"]
            if not people:
                return None
            keys = [*(seat.key for seat in people), self.setup.host]
            key = next((key for key in keys if view and view_of(key) == view), None)
            roles = [] if key is None else self.roles_of(key)
            # The browser that began a match has no seat if others have taken all of them.
            is_seat = bool(roles) if self._started else key is not None
            return Seated(frozenset(roles), self.is_hidden) if is_seat or self.is_hidden else None

    def events(
        self, after: int, *, timeout: float, view: str = ""
    ) -> tuple[list[Message], int, bool]:
        """Return the new events, waiting for one if there is none.

        Args:
            after: the number that this returned with the events that are known already; 0 for none.
            timeout: seconds to wait at most.
            view: whose seat is told of them, as for `viewer`; empty for a watcher.

        Returns:
            The events, a number that stands for all events so far, and whether the match is over.

        Raises:
            Closing: the manager is closing.
        """
        self.seen = time.monotonic()
        with self._changed:
            self._changed.wait_for(
                lambda: self._after(after, view) or self._is_over or self._is_closing, timeout
            )
            # While this waited, the match may have begun, or a visitor may have taken a seat.
            news, viewer = self._after(after, view), self.viewer(view)
            if self._is_closing and not self._is_over and not news:
                raise Closing
            told = [event for event in news if event]
            if viewer is not None and not self._is_decided:
                told = [viewer.told(event) for event in told]
            return told, _number(self._log_of(viewer), viewer), self._is_over

    def _after(self, after: int, view: str) -> Sequence[Message | None]:
        """Return what comes in the log of a viewer after a number that `events` has returned."""
        viewer = self.viewer(view)
        known, is_seated = divmod(after, 2)
        # The numbers of the other log mean nothing in this one, which is told from its beginning.
        return self._log_of(viewer)[known if is_seated == (viewer is not None) else 0 :]

    def _log_of(self, viewer: Seated | None) -> list[Message | None]:
        """Return the log of a viewer: a player is not even told how many thoughts there are."""
        return self._log if viewer is None else self._plain

    # People

    def roles_of(self, key: str) -> list[int]:
        """Return the numbers of the roles for which the holder of a key moves.

        The host moves for the people whose own links have not been opened.
        """
        with self._changed:
            people = self._people()
            own = [role for role, seat in people.items() if seat.key == key]
            if own or key != self.setup.host:
                return own
            return [role for role in people if role not in self._claimed]

    def is_host(self, key: str) -> bool:
        """Whether a key is that of the browser that began the match."""
        return key == self.setup.host

    def claim(self, key: str) -> None:
        """Note that the link of a seat was opened, so that the host leaves it alone."""
        with self._changed:
            for role, seat in self._people().items():
                if seat.key == key and role not in self._claimed:
                    self._claimed.add(role)
                    self._note({"event": "claimed", "role": role})

    def people(self) -> dict[int, Seat]:
        """Return the seats of people by the number of their role."""
        with self._changed:
            return self._people()

    def legal(self, role: int, turn: int) -> list[str] | None:
        """Return the legal moves of a person; None unless the person is to move in this turn."""
        with self._changed:
            if self._turn.get("turn") != turn or role in self._answered:
                return None
            legal: Mapping[str, list[str]] = self._turn["legal"]
            return legal.get(str(role))

    def make_move(self, role: int, turn: int, move: str) -> None:
        """Make the move of a human player."""
        if self._child is not None:
            self._child.send({"do": "move", "role": role, "turn": turn, "move": move})

    # The process

    def go_on(self) -> None:
        """Start the process of a paused match. Raises `OSError` if none can be started."""
        with self._changed:
            if self._child is not None or self._is_over or self._is_closing:
                return
            # The process tells everything from the beginning.
            self._log, self._plain = [None] * len(self._log), [None] * len(self._plain)
            self._infos.clear()
            self._claimed.clear()
            self._process += 1
            number = self._process
            self._child = Child(
                _MODULE,
                memory=_MEMORY,
                start=self._start,
                on_message=lambda event: self._take(event, number),
                on_end=lambda exit_code: self._end(exit_code, number),
            )
            self._child.send(self._task())
            self._step = None

    def pause(self) -> None:
        """End the process, such that `go_on` can start another."""
        with self._changed:
            child, self._child = self._child, None
            if child is None or self._is_over:
                return
            self._process += 1
            self._turn = {}
            self._note({"event": "paused"})
        child.close()

    def take_back(self, step: int) -> None:
        """Go back to the state after some joint moves; the record ends there, too.

        Raises:
            OSError: no process can be started.
        """
        self._step = step  # first: a page that watches may start the next process, too
        self.pause()
        self.go_on()

    def give_up(self, role: int) -> None:
        """Let a person give up, which ends the match as the loss of that role.

        Raises:
            OSError: the match is paused, and no process can be started.
        """
        self.go_on()
        if self._child is not None:
            self._child.send({"do": "give up", "role": role})

    def abort(self, reason: str = "") -> None:
        """Abort the match; its process gets some seconds to write the record.

        Args:
            reason: why, for its viewers; empty for the referee's own words.
        """
        with self._changed:
            self._reason = reason
            self._turn = {}
        self.go_on()  # also a paused match needs a process, which writes the record
        child = self._child
        if child is None:
            return
        child.send({"do": "abort"})
        timer = Timer(_FAREWELL, child.close)
        timer.daemon = True
        timer.start()

    def close(self) -> None:
        """End the process of the match at once; the next manager can go on with the match."""
        with self._changed:
            self._is_closing = True
            self._process += 1
            self._changed.notify_all()
        if self._child is not None:
            self._child.close()

    def join(self) -> None:
        """Wait until its process has ended."""
        if self._child is not None:
            self._child.join()

    def _task(self) -> Message:
        """Return what the process is to do, see `match_worker`."""
        record = {"record": str(self.record), "step": self._step}
        return {
            "rules": self.game.text,
            "game_url": self.game.url,
            "match_id": self.id,
            "start_clock": self.setup.start_clock,
            "play_clock": self.setup.play_clock,
            "players": [self._players.task(seat) for seat in self.seats],
            "humans_take_time": self.setup.humans_take_time,
            "record": str(self.record),
            "start": record if self.record.is_file() else self.setup.start,
        }

    # The log

    def _people(self) -> dict[int, Seat]:
        roles = self._started.get("roles", ())
        taken = [number for number, role in enumerate(roles) if role.lower() != RANDOM]
        pairs = zip(taken, self.seats, strict=False)
        return {role: seat for role, seat in pairs if seat.kind == "human"}

    def _take(self, event: Message, number: int) -> None:
        with self._changed:
            if number != self._process:
                return
            match event["event"]:
                case "started":
                    self._started = event
                case "info":
                    self._forget_info(event)
                case "turn":
                    self._turn = {**event, "time": time.time()}
                    self._answered.clear()
                case "answered":
                    self._answered.add(event["role"])
                case "move" | "finished":
                    for index, place in self._of_turn:
                        self._log[index] = self._plain[place] = None
                    self._of_turn.clear()
                    self._turn = {}
            if event["event"] == "answered" and self.is_hidden:
                return  # that a role had something to choose may be hidden
            if event["event"] in _OF_A_TURN:
                self._of_turn.append((len(self._log), len(self._plain)))
            if event["event"] == "finished" and event["goals"] is None and self._reason:
                event = {**event, "remark": self._reason}
            self._note(event)

    def _note(self, event: Message) -> None:
        event = {**event, "time": time.time()}
        self._is_decided = self._is_decided or event["event"] == "finished"
        self._log.append(event)
        if event["event"] not in THOUGHTS:
            self._plain.append(event)
        self._changed.notify_all()

    def _forget_info(self, event: Message) -> None:
        """Drop the role's previous search info if it is of the same turn."""
        number = self._infos.get(event["role"])
        before = None if number is None else self._log[number]
        if number is not None and before and before["turn"] == event["turn"]:
            self._log[number] = None
        self._infos[event["role"]] = len(self._log)

    def _end(self, exit_code: int, number: int) -> None:
        with self._changed:
            if number != self._process:
                return
            if not self._is_decided:
                remark = self._reason or "aborted" if exit_code <= 0 else "the referee failed"
                self._note({"event": "finished", "goals": None, "remark": remark})
            self._is_over = True
            self._turn = {}
            self._changed.notify_all()
        self._on_over()


def _number(log: Sequence[object], viewer: Seated | None) -> int:
    """Return the number of the events of a log, which tells the log, too."""
    return 2 * len(log) + (viewer is not None)
