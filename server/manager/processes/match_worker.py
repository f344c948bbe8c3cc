"""The process that referees one match for the manager.

It receives the settings of the match once, then the moves of people, and perhaps an abort. It sends
the events of the match, and writes the record after each.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import Any, NoReturn

from ggp.deadline import Deadline
from ggp.errors import GgpError, PlayerError
from ggp.gdl import Description, canonical
from ggp.kif import Source, Symbol, Term, parse_term
from ggp.match import (
    Event,
    MatchFinished,
    MatchRecord,
    MatchSettings,
    MatchStarted,
    MoveMade,
    Participant,
    PlayersReady,
    Referee,
    TurnBegan,
    make_participant,
    seats,
)
from ggp.server.manager.human import HumanPlayer
from ggp.server.manager.processes.prelude import Prelude
from ggp.workers.child import Owner
from ggp.workers.fork_server import Forks, own_fork_server

__all__: list[str] = []

_log = logging.getLogger(__name__)


def main(owner: Owner) -> None:
    """Referee a match."""
    fork_server = own_fork_server()
    task = owner.receive()
    deadline = Deadline()
    match = _Match(task, owner, fork_server)
    listener = Thread(target=match.listen, args=(deadline,), daemon=True)
    listener.start()
    try:
        with ExitStack() as stack:
            for event in match.run(deadline, stack):
                owner.send(event)
    except GgpError as error:
        owner.send(_finished(MatchFinished(None, str(error))))
    except OSError as error:
        reason = error.strerror or "a file cannot be written"
        owner.send(_finished(MatchFinished(None, reason)))


@dataclass
class _Match:
    task: Mapping[str, Any]
    owner: Owner
    #: Forks the players; None if their processes are started anew.
    fork_server: Forks | None = None
    #: The people by the number of their role.
    people: dict[int, HumanPlayer] = field(default_factory=dict)
    #: The joint moves that were played before the match begins here.
    before: int = 0
    turn: int = 0
    #: Whether the rules hide something from the players.
    is_hidden: bool = False
    #: Its referee, once the match has begun: before, no role can lose it.
    referee: Referee | None = None
    #: The number of the role that gave up.
    gave_up: int | None = None
    #: Why the record could not be written the last time; empty if it was.
    unwritten: str = ""

    def run(self, deadline: Deadline, stack: ExitStack) -> Iterator[dict[str, Any]]:
        """Yield the events of the match as JSON values, and write the record after each."""
        game = Description.from_text(Source(self.task["rules"], "rules"))
        self.is_hidden = game.has_imperfect_information
        prelude = Prelude.of(self.task["start"], game)
        self.before = len(prelude.moves) if prelude else 0
        referee = self._referee(game, prelude, stack)
        for event in referee.run(deadline):
            record = prelude.joined(referee.record) if prelude else referee.record
            if record.states:
                self._keep(record)
            if isinstance(event, TurnBegan):
                self._begin_turn(event)
            yield self._told(event, record)
            if isinstance(event, MatchStarted):
                yield from self._earlier(record)
                self.referee = referee
                self._give_up()

    def _keep(self, record: MatchRecord) -> None:
        """Write the record. The match goes on where that fails: the next time there may be room."""
        try:
            record.write(Path(self.task["record"]))
        except OSError as error:
            if not self.unwritten:
                _log.warning("%s: %s", error.filename, error.strerror)
            self.unwritten = error.strerror or "the file cannot be written"
        else:
            self.unwritten = ""

    def listen(self, deadline: Deadline) -> NoReturn:
        """Take the messages of the manager."""
        while True:
            message = self.owner.receive()
            if message["do"] == "abort":
                deadline.cancel()
            elif message["do"] == "give up":
                self.gave_up = message["role"]
                self._give_up()
            elif message["do"] == "move" and message["role"] in self.people:
                with suppress(GgpError):
                    move = canonical(parse_term(message["move"]))
                    self.people[message["role"]].make(message["turn"], move)

    def _give_up(self) -> None:
        if self.referee is not None and self.gave_up is not None:
            roles = self.referee.settings.description.roles
            self.referee.give_up(roles[self.gave_up])

    def _referee(self, game: Description, prelude: Prelude | None, stack: ExitStack) -> Referee:
        """Set up the match. Raises `GgpError`."""
        task, begun = self.task, prelude.description if prelude else game
        settings = MatchSettings(task["match_id"], begun, task["start_clock"], task["play_clock"])
        places = [game.roles.index(role) for role in seats(game)]
        if len(places) != len(task["players"]):
            raise PlayerError(f"{len(task['players'])} players for {len(places)} roles")
        participants: list[Participant] = []
        for role, player in zip(places, task["players"], strict=True):
            participant = self._participant(player, role)
            if isinstance(participant, HumanPlayer):
                self.people[role] = participant
            participants.append(stack.enter_context(closing(participant)))

        def answered(role: Symbol, seconds: float) -> None:
            self.owner.send(
                {
                    "event": "answered",
                    "role": game.roles.index(role),
                    "turn": self.turn,
                    "seconds": round(seconds, 3),
                }
            )

        return stack.enter_context(
            Referee(
                settings,
                participants,
                game_url=task["game_url"],
                played=prelude.played if prelude else (),
                on_answer=answered,
            )
        )

    def _participant(self, player: Mapping[str, str], role: int) -> Participant:
        """Make the participant that was chosen on a page. Raises `PlayerError`."""
        match player["kind"]:
            case "human":
                takes_time = self.task["humans_take_time"]
                return HumanPlayer(player["spec"] or "human", takes_time=takes_time)
            case "refused":
                raise PlayerError(player["spec"])
            case _:
                return make_participant(
                    player["spec"],
                    name=player["name"],
                    fork_server=self.fork_server,
                    in_hurry=any(each["kind"] == "human" for each in self.task["players"]),
                    on_info=lambda turn, info: self.owner.send(
                        {
                            "event": "info",
                            "role": role,
                            # what it thinks during the start clock is about the first state
                            "turn": max(turn, 0) + self.before,
                            **info.to_json(),
                        }
                    ),
                )

    def _begin_turn(self, event: TurnBegan) -> None:
        self.turn = event.step + self.before
        for role, person in self.people.items():
            person.offer(self.turn, event.legal[role])

    def _earlier(self, record: MatchRecord) -> Iterator[dict[str, Any]]:
        """Yield what was played before the match begins here."""
        for step in range(1, self.before + 1):
            yield {
                "event": "move",
                "step": step,
                "moves": _texts(record.moves[step - 1]),
                "errors": list(record.errors[step]),
                "seconds": [],
                "facts": _texts(record.states[step]),
                "search": list(record.search[step - 1]),
                "earlier": True,
            }

    def _told(self, event: Event, record: MatchRecord) -> dict[str, Any]:
        """Return an event of the referee as JSON values."""
        match event:
            case MatchStarted():
                return {
                    "event": "started",
                    "roles": list(map(str, event.roles)),
                    "players": list(event.players),
                    "people": sorted(self.people),
                    "hidden": self.is_hidden,
                    "facts": _texts(record.states[0]),
                }
            case PlayersReady():
                return {
                    "event": "ready",
                    "errors": event.errors,
                    "seconds": event.seconds,
                    "search": list(record.start_search),
                }
            case TurnBegan():
                return {
                    "event": "turn",
                    "turn": self.turn,
                    "choices": list(map(len, event.legal)),
                    "legal": {
                        str(role): _texts(event.legal[role])
                        for role in self.people
                        if len(event.legal[role]) > 1
                    },
                }
            case MoveMade():
                return {
                    "event": "move",
                    "step": event.step + self.before,
                    "moves": _texts(event.joint_move),
                    "errors": event.errors,
                    "seconds": [round(seconds, 3) for seconds in event.seconds],
                    "facts": _texts(event.facts),
                    "search": list(record.search[-1]),
                }
            case MatchFinished() if self.unwritten:
                lost = f"the record of the last moves could not be written: {self.unwritten}"
                remark = "; ".join(filter(None, [event.remark, lost]))
                return _finished(MatchFinished(event.goals, remark))
            case MatchFinished():
                return _finished(event)


def _finished(event: MatchFinished) -> dict[str, Any]:
    return {"event": "finished", "goals": event.goals, "remark": event.remark}


def _texts(terms: Sequence[Term]) -> list[str]:
    return list(map(str, terms))
